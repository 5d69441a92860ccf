//! The check of a proof: are these the nimbers of these lands, and do they decide this position?
//!
//! A proof is a set of *facts*, lands with nimbers. The program that made it is not trusted, and
//! nothing of the engine is used. Every fact is checked by two moves of look-ahead
//! ([`Checker::check`]); since games are finite, and each fact is checked by facts about later
//! positions only, all of them are true if all checks succeed, in whatever order.
//!
//! The other rules of this crate are as slow as they are obvious. A proof asks for millions of
//! options, so the rules are here once more, for lands of some hundred spots: a land is a row of
//! numbers, in which spots of equal looks that stand alone are counted and not listed (`land.rs`);
//! options are built directly, and only what a move touches is reduced anew (`options.rs`,
//! `rest.rs`, `reduce.rs`); what is found is named (`name.rs`). These rules are as quick as they
//! can be, and are tested against the card procedure, option by option.
//!
//! Every option of what is said to be lost is looked at. Of the replies to it, only those are
//! written out whose *sketch*, a number that isomorphic lands share, is that of something certified
//! (`sketch.rs`). So a wrong sketch can hide an answer and make the check refuse a proof, but it
//! cannot make the check accept anything false.
//!
//! There are no threads here. Any number of them may use a checker at once, or one alone.

mod check;
mod facts;
mod finder;
mod index;
mod land;
mod lands;
pub mod misere;
mod name;
mod open;
mod options;
mod plain;
mod ready;
mod reduce;
mod rest;
mod sketch;
mod surfaces;
#[cfg(test)]
mod tests;

pub use check::{Checker, Flaw};
pub use facts::{Facts, Refused};
pub use land::TooManyMoves;
pub use ready::Ready;

/// A crew of one, which does the work on this thread. A caller with threads runs the work on all of
/// them at once and waits for all of them; the work divides itself among them.
pub fn alone(work: &(dyn Fn() + Sync)) {
    work();
}
