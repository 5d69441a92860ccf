//! Records of games of Sprouts, as the World Game of Sprouts Association writes them.
//!
//! `3+ (Ann, Bob*) 1(4)2 1(5)4[3] ..`: a move names the ends of its curve and the new spot. A list
//! in brackets tells what a curve separates, `!` tells on which side of a spot it ends, and `@` in
//! which region it runs (`docs/records.md`).
//!
//! [`parse`] reads text, [`replay`] plays it on full tables of cards ([`sprig_oracle::Table`]). A
//! record seldom names one drawing alone, so a replay keeps all of them ([`Readings`]). [`Writer`]
//! is the strict inverse; [`curve`] and [`told`] find the moves of games that were played on paper
//! or are given by their positions.

mod drawing;
mod ending;
mod error;
mod follow;
mod options;
mod readings;
mod replay;
mod text;
mod way;
mod write;

pub use drawing::Walks;
pub use ending::{Ending, lengths};
pub use error::{MoveError, MoveProblem, Problem, RecordError};
pub use follow::{ToldError, curve, fresh_spots, told};
pub use options::options;
pub use readings::{Dialect, Reading, Readings};
pub use replay::{Replayed, replay};
pub use text::{Place, Player, Record, Written, parse};
pub use write::{WriteError, Writer, head, write};

/// The most spots of a game: those of the largest start position.
pub const MAX_SPOTS: u32 = 106;

/// The most readings of a record that are followed at a time.
pub const MAX_READINGS: usize = 1024;
