//! Trees of misère play as people write them: `{0;{2};{3;{2}}}+2`.
//!
//! An [`Expression`] is read and worth a reduced canonical tree ([`sprig_trees::Tree`]). [`explain`] tells how the options of
//! a game become those of its tree, and a [`Comparer`] builds a game that tells two trees apart. The theory is in
//! `docs/misere.md`.

mod compare;
mod explain;
mod expression;

pub use compare::Comparer;
pub use explain::{Candidate, Explained, explain};
pub use expression::{Expression, ExpressionError, ExpressionProblem, SumTooLarge, add, nim_heap};
