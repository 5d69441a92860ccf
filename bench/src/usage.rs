//! What this process uses, and how busy the machine is. Linux tells all of it; other systems some.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of all threads since the process started, user and system.
pub fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).expect("CPU time is not negative");
    Duration::new(seconds, u32::try_from(time.tv_nsec).expect("a part of a second"))
}

/// Most memory that was ever resident, in bytes.
///
/// `getrusage` would not do: its figure is inherited from the process that started this one.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Load average over the last minute.
pub fn load() -> Option<f64> {
    let loads = std::fs::read_to_string("/proc/loadavg").ok()?;
    loads.split_whitespace().next()?.parse().ok()
}

/// The name of the processor.
pub fn processor() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
