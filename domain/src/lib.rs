//! The nouns of the domain: rules, goals, outcomes, figures, states of jobs.
//!
//! Every other crate speaks about these and defines none of its own. The store, the wire and the
//! command line encode them, each in its own form. Nothing here searches, reads or writes.

mod figures;
mod goal;
mod job;
mod outcome;
mod ruleset;

pub use figures::Figures;
pub use goal::{Goal, NotAsked, Question};
pub use job::{JobId, JobState};
pub use outcome::{Conclusion, Outcome, Verdict};
pub use ruleset::{Game, Play, Ruleset};
