//! The one law for what is believed: claims become verified facts when their steps have been checked.
//!
//! `docs/trust.md` has the rules and the argument that checked facts are true. Two things are done here:
//! - [`show`] and [`misere::show`] show one answer: every claim that it rests on, down to the end of the game;
//! - [`revalidate`] looks at all claims of a database, from the small to the large, and tells a [`Judge`] of those
//!   that do not follow.

mod ledger;
pub mod misere;
mod recompute;
mod revalidate;
mod show;

pub use ledger::Ledger;
pub use recompute::Recomputer;
pub use revalidate::{Claim, Judge, Revalidated, revalidate};
pub use show::{Proof, Statement, show};
