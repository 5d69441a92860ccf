//! What the spans of a cluster are called, so that those of its processes form one trace for each
//! job.
//!
//! A *span* is a piece of work with a beginning and an end, and a *trace* is a tree of spans, in the
//! sense of [OpenTelemetry](https://opentelemetry.io/docs/specs/otel/trace/api/). Identities follow
//! from what coordinator and worker both know, so nothing but the job's number is sent for them: the
//! trace of a job has the number of the database in its first half and that of the job in its second.

use sprig_domain::JobId;

use crate::LeaseId;

/// The target of all spans. Logs show none of them, except those that ask for this target.
pub const TARGET: &str = "sprig::trace";

/// The trace of a job of this database.
pub fn of_job(database: u64, job: JobId) -> u128 {
    u128::from(database) << 64 | u128::from(job.0)
}

/// The span of a job in the run `epoch` of a coordinator.
pub fn job(epoch: u64, job: JobId) -> u64 {
    mixed(epoch, job.0, 0)
}

/// The span of a lease, from the grant to the answer. The search of the worker is a child of it.
pub fn lease(lease: LeaseId) -> u64 {
    mixed(lease.epoch, lease.number, 1)
}

/// The trace and the span in which a caller makes its call, by the header `traceparent`
/// ([Trace Context](https://www.w3.org/TR/trace-context/#traceparent-header), version 00); `None`
/// if the header is not of that form.
pub fn of_caller(traceparent: &str) -> Option<(u128, u64)> {
    let mut parts = traceparent.split('-');
    let (_version, trace, span) = (parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if trace.len() != 32 || span.len() != 16 || !is_hex(trace) || !is_hex(span) {
        return None;
    }
    let trace = u128::from_str_radix(trace, 16).ok()?;
    let span = u64::from_str_radix(span, 16).ok()?;
    (trace != 0 && span != 0).then_some((trace, span))
}

/// A number that differs, as good as surely, for different arguments, and is not 0. The steps are
/// those of `SplitMix64` (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*,
/// OOPSLA 2014, figure 16).
fn mixed(epoch: u64, number: u64, kind: u64) -> u64 {
    let mut state = 0_u64;
    for part in [epoch, number, kind] {
        state = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    state.max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn spans_of_a_run_differ() {
        let mut seen = BTreeSet::new();
        for epoch in 0..10 {
            for number in 0..1_000 {
                assert!(seen.insert(job(epoch, JobId(number))));
                assert!(seen.insert(lease(LeaseId { epoch, number })));
            }
        }
    }

    #[test]
    fn a_traceparent_is_read_if_it_is_one() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let read = of_caller(text);
        assert_eq!(read, Some((0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, 0x00f0_67aa_0ba9_02b7)));
        for bad in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e47+6-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        ] {
            assert_eq!(of_caller(bad), None, "{bad}");
        }
    }
}
