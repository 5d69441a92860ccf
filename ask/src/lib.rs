//! What a person asks of a position, whether on a command line or in a browser.
//!
//! [`read`] takes a position as a person types it. [`valued`] puts every move together with what is
//! known of the position it leads to, the best first. [`JobRow`] and its neighbours are the rows in
//! which a cluster is shown, and [`SightRow`] what its searches see. This crate is pure: its callers
//! bring the facts.

mod rows;
mod sight;
mod spots;
mod typed;
mod value;
mod words;

pub use rows::{BanRow, JobRow, WorkerRow, state};
pub use sight::{BranchRow, ExpectedRow, LookerRow, SightRow, ViewRow, WishRow, WishesRow};
pub use spots::{in_notation, notice};
pub use typed::{Unread, read, read_notation};
pub use value::{
    Course, Curve, Source, Value, Valued, ending, follows, lives, player, sourced, valued, word,
};
pub use words::{plural, with_verb};
