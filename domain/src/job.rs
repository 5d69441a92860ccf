//! Jobs: goals that are submitted to a cluster.

use core::time::Duration;
use std::fmt;

use crate::Conclusion;

/// Number of a job in its database: 1 for the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub u64);

/// What is said of a job when it is submitted, beside its goal and its priority.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    /// Who has submitted it: the name that was proved, or else what the client calls itself. May be
    /// empty.
    pub owner: String,
    /// What its owner calls it, together with the jobs that belong to it. May be empty.
    pub label: String,
    /// Whether it belongs to a campaign. Of the jobs with its owner and label that are in turn, the
    /// smallest open one is worked at, and the others wait for it.
    pub in_turn: bool,
    /// The core time that it may take; `None`: as much as it needs.
    pub budget: Option<Duration>,
    /// When it stops, in milliseconds of Unix time; `None`: when it is answered.
    pub deadline: Option<u64>,
}

impl Terms {
    /// The terms of a job whose goal is submitted a second time: neither client gets less than it
    /// has asked for. The job stays with its first owner and label.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let alike = self.owner == other.owner && self.label == other.label;
        Self {
            in_turn: self.in_turn && other.in_turn && alike,
            budget: self.budget.zip(other.budget).map(|(a, b)| a.max(b)),
            deadline: self.deadline.zip(other.deadline).map(|(a, b)| a.max(b)),
            ..self.clone()
        }
    }
}

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
