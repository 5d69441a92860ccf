//! Games that are played like Sprouts and are not Sprouts.
//!
//! [`brussels`] has crosses instead of spots. On orientable surfaces it is nothing but a parity, on
//! non-orientable ones a game. [`antwerp`] has coloured spots. Each player has a colour, so that it
//! takes values of partizan games ([`partizan`]) and not nimbers.
//!
//! Black-and-white Sprouts is not in this crate: its positions are those of Sprouts, and the
//! engine, the search and the database take it as another value of a ruleset.

pub mod antwerp;
pub mod brussels;
pub mod partizan;

/// A position is too large to be solved: more had to be looked at than is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it takes more than {limit} {what}; give a smaller position")]
pub struct TooLarge {
    /// How many are allowed.
    pub limit: usize,
    /// What was counted, for the message.
    pub what: &'static str,
}
