//! What a process of the system has used, as Linux tells it.

use std::fs::read_to_string;

use anyhow::Context as _;

/// Whose processor time.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// The process's, or the thread's, own.
    Itself = 14,
    /// That of the children it has waited for.
    Children = 16,
}

/// Processor time, user and system, in seconds, of `/proc/TASK`: a process, or a thread of one
/// (`PID/task/TID`). Zero where there is none.
pub(crate) fn processor(task: &str, of: Of) -> f64 {
    let text = read_to_string(format!("/proc/{task}/stat")).unwrap_or_default();
    // The second field, a name, may hold anything; the third follows it. A hundred ticks are a second on Linux.
    let after = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = after.skip(of as usize - 3).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Memory that a process holds, in bytes.
///
/// # Errors
/// When there is no such process.
pub(crate) fn resident(process: u32) -> anyhow::Result<u64> {
    let statm = read_to_string(format!("/proc/{process}/statm"))?;
    let pages: u64 = statm.split_whitespace().nth(1).context("statm")?.parse()?;
    Ok(pages * rustix::param::page_size() as u64)
}
