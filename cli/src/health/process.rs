//! The numbers that every process shows of itself, by the names that Prometheus's own libraries
//! use.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use rustix::time::{ClockId, clock_gettime};

/// The time when the process began.
static BEGUN: OnceLock<SystemTime> = OnceLock::new();

/// Notes the time when the process begins.
pub(super) fn begin() {
    BEGUN.get_or_init(SystemTime::now);
}

/// Registers what the process has used.
pub fn register(registry: &mut Registry) {
    let registry = registry.sub_registry_with_prefix("process");
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    let spent = spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9;
    let help = "Processor time, user and system";
    registry.register("cpu_seconds", help, ConstCounter::new(spent));
    let since = BEGUN.get_or_init(SystemTime::now).duration_since(UNIX_EPOCH);
    let since: Duration = since.unwrap_or_default();
    let help = "When it started, since 1970";
    registry.register("start_time_seconds", help, ConstGauge::new(since.as_secs_f64()));
    // Only Linux says how much memory a process has.
    if let Some(bytes) = resident() {
        let help = "Memory that it has";
        registry.register("resident_memory_bytes", help, ConstGauge::new(bytes as i64));
    }
}

/// The resident memory of the process, in bytes.
fn resident() -> Option<usize> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = pages.split_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(rustix::param::page_size())
}
