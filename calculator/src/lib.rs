//! Trees of misère play as people write them: `{0;{2};{3;{2}}}+2`.
//!
//! An [`Expression`] is read from text, and has a reduced canonical tree ([`sprig_trees::Tree`]).
//! [`explain`] tells how the options of a game become those of its tree. A [`Comparer`] builds a
//! game that tells two trees apart, and [`Pairs`] finds out which games of a set do. [`links`] lists
//! a tree with all below it, [`Genera`] have their [`Genus`], [`canonical_trees`] and [`rcts`] list
//! all trees of little height, and a [`Count`] counts them. A [`Quotient`] holds what a
//! closed set of games can tell apart. The theory is in `docs/misere.md`.

mod census;
mod compare;
mod copy;
mod count;
mod explain;
mod expression;
mod genus;
mod links;
mod quotient;
mod sums;
mod within;

pub use census::{HIGHEST_CANONICAL, HIGHEST_RCTS, canonical_trees, rcts};
pub use compare::Comparer;
pub use copy::copy;
pub use count::{Count, HIGHEST_COUNTED};
pub use explain::{Candidate, Explained, explain};
pub use expression::{Expression, ExpressionError, ExpressionProblem, SumTooLarge, add, nim_heap};
pub use genus::{Genera, Genus};
pub use links::{Link, links};
pub use quotient::{Element, Quotient, QuotientTooLarge, Seen};
pub use within::{Apart, Pairs};
