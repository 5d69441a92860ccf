//! What Sprig's engine and search cost, measured so that changes can be compared
//! (`docs/performance.md`).
//!
//! * [`Plan`] and [`Report`]: solve a list of positions, each in a fresh process, and keep the
//!   figures.
//! * [`count_instructions`]: the same for one solve under callgrind, for machines too noisy for
//!   times.
//! * [`pool`]: the lands that the micro-benchmarks work on.
//!
//! The library starts processes and reads `/proc`; it neither parses arguments nor prints. The
//! program that uses it must be able to start itself as a measuring process, which does a [`Job`]
//! with a [`Meter`]: `sprig bench` measures what `sprig solve` is, [`serve`] the solver alone.

mod curves;
mod instructions;
mod job;
mod meter;
pub mod pages;
pub mod peers;
mod pictures;
pub mod plot;
pub mod pool;
mod report;
mod serve;
mod table;
mod train;
mod usage;
mod wishes;

use sprig_engine::notation::NotationError;
use sprig_search::SolveError;

pub use curves::{Curves, curves};
pub use instructions::{Instructions, count_instructions};
pub use job::{Answer, Job, Question, Run, position};
pub use meter::Meter;
pub use pictures::{Pictures, Walks, pictures, sheet};
pub use report::{Plan, Record, Report};
pub use serve::serve;
pub use train::train;
pub use wishes::{Wished, Wishes, wishes};

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A position cannot be read.
    #[error("`{text}` is neither a number of spots nor a position: {error}")]
    Position {
        /// What was to be read.
        text: String,
        /// What is wrong with the text.
        error: NotationError,
    },
    /// The search gave up.
    #[error("cannot solve `{position}`: {error}")]
    Solve {
        /// The position, as it was given.
        position: String,
        /// Why.
        error: SolveError,
    },
    /// A process cannot be started or talked to.
    #[error("cannot run `{program}`: {error}")]
    Launch {
        /// The program.
        program: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A measuring process ended before its work was done.
    #[error("the measuring process failed on {positions}: {status}; its own message is above")]
    Failed {
        /// What it was to solve.
        positions: String,
        /// How it ended.
        status: std::process::ExitStatus,
    },
    /// A job or its figures cannot be read.
    #[error("cannot read what the other process sent: {error}; both must be the same program")]
    Message {
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// Two runs contradict each other.
    #[error("`{position}` was solved twice, as {one} and as {other}: do not trust either")]
    Disagree {
        /// The position, as it was given.
        position: String,
        /// The first answer.
        one: Answer,
        /// A later one.
        other: Answer,
    },
    /// The profile of callgrind has no total.
    #[error("callgrind left no count of instructions; try `valgrind --tool=callgrind true`")]
    NoCount,
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Message { error }
    }
}
