//! The check of a misère proof: are these nodes lost, and do they decide this position?
//!
//! A misère proof is a set of *lost nodes*, written as sums of lands. The trees of the lands of the
//! base are found out here ([`Base`]); every other land stands for itself. A node is checked by two
//! moves of look-ahead ([`Checker::check`]): every option of it must be won, by a move to a node of
//! the set, or by its trees alone. Since games are finite, and each node is checked by nodes that
//! come later in a game, all of them are lost if all checks succeed, in whatever order.

mod base;
mod check;
mod forest;
mod losses;
mod options;
#[cfg(test)]
mod tests;

pub use base::{Base, NoBase};
pub use check::{Checker, Flaw};
pub use losses::{Losses, Refused};
