//! What goes wrong, and when: drawn from the seed before anything runs.

use std::time::Duration;

use rand::Rng;
use rand::rngs::SmallRng;

/// Something that goes wrong, or is put right again.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The host is gone, as by kill -9.
    Crash(String),
    /// The host starts again, with nothing but its disk.
    Restart(String),
    /// Nothing gets from one host to the other; what was sent is lost.
    Cut(String, String),
    /// Nothing gets from either host to the other; what was sent is lost.
    CutBoth(String, String),
    /// Messages get through again; what was lost stays lost.
    Mend(String, String),
    /// Messages wait on the way.
    Hold(String, String),
    /// The messages that wait arrive, all at once.
    Release(String, String),
    /// Each write to the disk takes this long from now on.
    Disk(Duration),
}

/// A worker's host.
pub(crate) use sprig_chaos::cluster::name_of as worker;

/// The host of the coordinator.
pub(crate) const COORDINATOR: &str = "coordinator";

/// A disk in good health.
pub(crate) const QUICK: Duration = Duration::from_millis(2);

/// Faults in the order of their times. All is well at the end: every host runs, and every link is
/// mended.
pub(crate) fn plan(rng: &mut SmallRng, workers: usize, until: Duration) -> Vec<(Duration, Fault)> {
    let mut plan = Vec::new();
    let mut troubles: Vec<Vec<(Duration, Duration)>> = vec![Vec::new(); workers + 1];
    for _ in 0..rng.random_range(4..20) {
        let begin = until.mul_f64(rng.random_range(0.02..0.8));
        let end = (begin + duration(rng)).min(until);
        if rng.random_bool(0.15) {
            let slow = Duration::from_millis(rng.random_range(50..4_000));
            plan.extend([(begin, Fault::Disk(slow)), (end, Fault::Disk(QUICK))]);
            continue;
        }
        let index = rng.random_range(0..=workers);
        // Only one thing at a time goes wrong with a host, so that one repair does not undo another
        // fault.
        if troubles[index].iter().any(|&(b, e)| begin <= e && b <= end) {
            continue;
        }
        troubles[index].push((begin, end));
        let host = if index == workers { COORDINATOR.to_owned() } else { worker(index) };
        let (a, b) = (host.clone(), COORDINATOR.to_owned());
        let kind = if index == workers { 0 } else { rng.random_range(0..6) };
        plan.extend(match kind {
            0..3 => [(begin, Fault::Crash(host.clone())), (end, Fault::Restart(host))],
            3 => [(begin, Fault::CutBoth(a.clone(), b.clone())), (end, Fault::Mend(a, b))],
            4 if rng.random() => {
                [(begin, Fault::Cut(a.clone(), b.clone())), (end, Fault::Mend(a, b))]
            }
            4 => [(begin, Fault::Cut(b.clone(), a.clone())), (end, Fault::Mend(a, b))],
            _ => [(begin, Fault::Hold(a.clone(), b.clone())), (end, Fault::Release(a, b))],
        });
    }
    plan.sort_by_key(|(time, _)| *time);
    plan
}

/// Most faults are short. Some outlast every keep-alive.
fn duration(rng: &mut SmallRng) -> Duration {
    let seconds = if rng.random_bool(0.7) {
        rng.random_range(0.02..5.0)
    } else {
        rng.random_range(5.0..80.0)
    };
    Duration::from_secs_f64(seconds)
}
