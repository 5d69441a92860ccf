//! The one law for what is believed: a claim becomes a verified fact when its step has been
//! checked.
//!
//! `docs/trust.md` has the rules and the argument that checked facts are true. Claims are taken
//! from the small to the large, so that all a claim could rest on has been decided before it:
//! nimbers ([`check_nimbers`]), trees and lands with trees ([`check_lands`]), lost nodes
//! ([`check_losses`]). [`check_database`] does that with all claims of a database. A [`Judge`]
//! hears of every claim what became of it. [`show`] and [`misere::show`] show one answer.

mod base;
mod claims;
mod database;
mod environment;
mod error;
mod lands;
mod ledger;
mod lenient;
mod losses;
pub mod misere;
mod nimbers;
mod patience;
mod recompute;
mod search;
mod show;
pub mod sort;

pub use base::{base_of, facts_of, tree_of};
pub use claims::{Claim, Judge, Plan, Verdict};
pub use database::{check_database, check_exclusions};
pub use environment::Environment;
pub use error::AuditError;
pub use lands::{check_lands, find_tree, learn_base};
pub use ledger::Ledger;
pub use lenient::Lenient;
pub use losses::check_losses;
pub use nimbers::{Nimbers, check_nimbers};
pub use patience::Patience;
pub use recompute::{Recomputed, Recomputer};
pub use show::{Proof, Statement, show};
