//! Impossible!, a game with cards by Torben Mogensen.
//!
//! Rows of three cards lie on the [`Table`]. A challenge is met if one card of every row can be
//! turned over so that of no value both a red and a black card remain. That is the same as to name
//! a colour for every value so that no row has more than one *wrong* card, one of the other colour
//! than its value has: then the wrong card of each row is turned. "One of two cards is right", for
//! every pair of cards in a row, is a clause of two literals, so the challenge is an instance of
//! 2-SAT with 13 variables and decided in linear time ([`Table::challenge`]). An impossible table
//! has a [`Core`], the fewest rows that are impossible alone, and a chain of reasons.
//!
//! [`Table::ways`] counts the ways to turn cards over that meet a challenge, [`Table::clashes`]
//! judges one, and [`Ends`] counts at which row tables become impossible.
//!
//! [`advise`] chooses the row to play: the first player that makes the table impossible loses, so
//! the row leaves the opponent as few colourings as possible. A [`Game`] of a person against the
//! program follows from its seed and its rows.

mod advice;
mod card;
mod challenge;
mod colourings;
mod core;
mod deal;
mod ends;
mod game;
mod table;
mod turning;
mod ways;

pub use advice::{Advised, Match, advise, play_match, safe_rows};
pub use card::{Card, CardError, Colour, Value};
pub use challenge::{Answer, Reason};
pub use colourings::Colourings;
pub use core::Core;
pub use deal::{Deal, HAND};
pub use ends::{Ends, LAST_ROW, Layers};
pub use game::{BLUFFED_FROM, Game, Player};
pub use table::{MAX_ROWS, Mistake, Row, Table, TableError, read_cards, read_table};
pub use turning::{Clash, TurnError};
