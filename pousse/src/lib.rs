//! Pousse: two players push markers onto a square board; more straights of one's own colour win.
//!
//! The rules ([`Board`], [`Insertion`], [`Game`]) are written out square by square, for boards of
//! any size; a [`Record`] is a game as the contest of 1998 wrote it. Boards of up to 4 x 4 are
//! solved exactly: [`Plain`] finds what players can force without the rule of repetition,
//! [`Solver`] the true outcome, and [`check`] plays that out by the rules alone, with exact sets of
//! what was met. On larger boards [`look_ahead`] sees some moves ahead, and guesses.
//!
//! Three facts make the game small. The filled squares of a board stay filled, so the number of
//! markers never falls. A configuration can therefore only be repeated between two insertions that
//! fill a square. And after an insertion that fills a square, the game before it can be forgotten.

mod ahead;
mod best;
mod board;
mod game;
mod insertion;
mod packed;
mod plain;
mod proof;
mod record;
mod search;

pub use ahead::{Foreseen, look_ahead};
pub use best::{Analyst, Choice};
pub use board::{Board, BoardError, Player, Straights};
pub use game::{Configuration, Ending, Game, Reason, Repeat};
pub use insertion::{Insertion, InsertionError, Side};
pub use plain::{Plain, Value};
pub use proof::{Checked, ProofError, check};
pub use record::{Record, RecordError, RecordReason};
pub use search::Solver;

/// The largest board that is judged.
pub const MAX_SIZE: usize = 100;

/// The largest board that is solved.
pub const MAX_SOLVED: usize = 4;

/// The largest board on which the program plays; from [`MAX_SOLVED`] on it looks ahead.
pub const MAX_PLAYED: usize = 10;
