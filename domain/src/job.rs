//! Jobs: goals that are submitted to a cluster.

use std::fmt;

use crate::Conclusion;

/// Number of a job in its database: 1 for the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u64);

/// Where a job stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobState {
    /// In work, or waiting for a worker.
    Running,
    /// Not in work until a client says so.
    Paused,
    /// Proved.
    Done(Conclusion),
    /// Ended by a client.
    Cancelled,
    /// Stopped because something is wrong; the reason in one line.
    Failed(String),
}

impl JobState {
    /// What it has found out, if it is proved.
    #[must_use]
    pub fn conclusion(&self) -> Option<Conclusion> {
        match self {
            Self::Done(conclusion) => Some(*conclusion),
            _ => None,
        }
    }

    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Running | Self::Paused)
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
