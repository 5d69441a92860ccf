//! Instructions that a solve executes, counted by callgrind. The same program gives the same count
//! on a busy machine and an idle one, to a few in a million.

use std::path::Path;
use std::process::Command;

use crate::{Error, Job, Run};

/// What a solve executed.
#[derive(Clone, PartialEq, Debug)]
pub struct Instructions {
    /// Instructions of the whole process, its start included.
    pub total: u64,
    /// The figures of the solve. Its times are callgrind's, and mean nothing.
    pub run: Run,
}

impl Instructions {
    /// Instructions for each child that was generated, everything included.
    pub fn per_child(&self) -> f64 {
        self.total as f64 / self.run.children as f64
    }
}

/// Has the measuring process `command` do a job of one position and one thread under callgrind, and
/// leaves the profile at `profile`, for `callgrind_annotate`.
///
/// # Errors
/// [`Error`] when valgrind cannot be started, the job fails, or callgrind leaves no count.
pub fn count_instructions(
    job: &Job,
    command: &Command,
    profile: &Path,
) -> Result<Instructions, Error> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet"]);
    valgrind.arg(format!("--callgrind-out-file={}", profile.display()));
    valgrind.arg(command.get_program()).args(command.get_args());
    let mut last = None;
    job.delegate(valgrind, |run| last = Some(run))?;
    let text = std::fs::read_to_string(profile).map_err(|_| Error::NoCount)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.parse().ok());
    match (total, last) {
        (Some(total), Some(run)) => Ok(Instructions { total, run }),
        _ => Err(Error::NoCount),
    }
}
