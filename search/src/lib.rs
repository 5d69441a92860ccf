//! Proof-number search over sums of independent games.
//!
//! The search proves outcomes and nimbers in normal play. It is generic over [`Game`]: lands are bytes, and a game
//! says which sums of lands a move leads to. Threads, but no input or output, no clock and no async.

use std::sync::atomic::AtomicBool;

use sprig_engine::{CanonicalPosition, Nimber};

/// What is asked of a position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Goal {
    /// The position.
    pub position: CanonicalPosition,
    /// What to find out about it.
    pub question: Question,
}

/// The kinds of questions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// The outcome of the couple (position, heap): of the position plus a Nim heap of that size.
    Outcome {
        /// Size of the Nim heap; 0 for the position alone.
        heap: Nimber,
    },
    /// The nimber of the position.
    Nimber,
}

/// What a search has found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The player to move wins the couple.
    Win,
    /// The player to move loses the couple.
    Loss,
    /// The nimber of the position.
    Nimber(Nimber),
    /// Not decided when the budget ran out or the search was stopped. Searching again continues from here.
    Open {
        /// Proof number: estimated work that is left to prove a win.
        proof: u32,
        /// Disproof number: estimated work that is left to prove a loss.
        disproof: u32,
    },
}

/// A proved fact: the nimber of a land. The couple (land, nimber) is lost.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fact {
    /// Canonical bytes of the land (exact form).
    pub land: sprig_engine::CanonicalLand,
    /// Its nimber.
    pub nimber: Nimber,
}

/// Two different nimbers for one land: somebody is wrong, and no result that rests on either can be trusted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("contradiction: land `{land}` is known to have nimber {known}, and now {claimed} is claimed")]
pub struct Contradiction {
    /// The land.
    pub land: sprig_engine::CanonicalLand,
    /// The nimber known before.
    pub known: Nimber,
    /// The nimber claimed now.
    pub claimed: Nimber,
}

/// Bounds of a solver.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes the solver's tables may take.
    pub memory: usize,
    /// Threads that work on one goal.
    pub threads: usize,
}

/// Counters since the solver was made.
#[derive(Clone, Copy, Default, Debug)]
pub struct Figures {
    /// Couples whose children were generated.
    pub expansions: u64,
    /// Children generated.
    pub children: u64,
    /// Lands held.
    pub lands: u64,
    /// Nimbers proved here.
    pub facts: u64,
    /// Bytes held.
    pub bytes: u64,
    /// Proof number of the goal in work.
    pub proof: u32,
    /// Disproof number of the goal in work.
    pub disproof: u32,
}

/// How a search is told to end, and where its facts go.
pub trait Observer: Sync {
    /// Whether to stop. Asked often.
    fn stop(&self) -> bool;
    /// A land's nimber has just been proved. Called once a fact, by the thread that proved it; it must not block
    /// for long.
    fn proved(&self, fact: Fact);
}

/// A search with its tables. Shared by threads; kept from goal to goal, so that later goals profit from earlier ones.
pub struct Solver;

impl Solver {
    /// A solver with empty tables.
    pub fn new(_limits: Limits) -> Self {
        Self
    }

    /// Takes in a fact from elsewhere. May be called while a search runs.
    ///
    /// # Errors
    /// [`Contradiction`] when the solver knows a different nimber.
    pub fn learn(&self, _fact: &Fact) -> Result<(), Contradiction> {
        Ok(())
    }

    /// Works on `goal` for at most `expansions` expansions, on all threads of the [`Limits`].
    pub fn solve(&self, _goal: &Goal, _expansions: u64, _observer: &dyn Observer) -> Verdict {
        let _ = AtomicBool::new(false);
        Verdict::Open { proof: 1, disproof: 1 }
    }

    /// Counters. May be asked while a search runs.
    pub fn figures(&self) -> Figures {
        Figures::default()
    }
}
