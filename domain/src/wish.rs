//! Wishes: where people want a search to go.

use std::fmt;

use crate::{Goal, Outcome};

/// What a wish asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WishKind {
    /// One worker of the job works at the place until it is decided.
    Pin,
    /// All workers of the job that have no pin work at the place until it is decided.
    Boost,
    /// The place looks dearer than it is.
    Ban,
}

/// How a wish came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WishEnd {
    /// A worker says that the place is decided. No answer rests on its word.
    Decided(Outcome),
    /// Its time is over.
    Expired,
    /// Somebody took it back.
    Withdrawn,
    /// A worker could not do it, for this reason.
    GaveUp(String),
}

/// A wish for a job. It guides searches and proves nothing: a wrong one costs time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// Its number within the job, from 1 on.
    pub number: u32,
    /// What it asks for.
    pub kind: WishKind,
    /// The place: an outcome under the rules of the job.
    pub at: Goal,
    /// Who has made it.
    pub by: String,
    /// When, in milliseconds of Unix time.
    pub made: u64,
    /// When it ends, in milliseconds of Unix time; `None`: when its place is decided.
    pub until: Option<u64>,
    /// Expansions that workers have spent on it.
    pub expansions: u64,
    /// How it ended; `None` while it holds.
    pub end: Option<WishEnd>,
}

impl Wish {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.end.is_none()
    }
}

impl WishKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Pin, Self::Boost, Self::Ban];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Boost => "boost",
            Self::Ban => "ban",
        }
    }
}

/// Its word.
impl fmt::Display for WishKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl fmt::Display for WishEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decided(outcome) => write!(f, "decided: {outcome}"),
            Self::Expired => f.write_str("expired"),
            Self::Withdrawn => f.write_str("withdrawn"),
            Self::GaveUp(reason) => write!(f, "given up: {reason}"),
        }
    }
}
