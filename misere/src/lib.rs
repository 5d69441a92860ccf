//! Proof-number search of misère outcomes, on the trees of a base.
//!
//! A node is a sum of lands whose trees the base does not have, of the factor 1 or not, and of
//! trees. Nodes that are proved lost are kept and told. Which nodes are won follows from these.
//! [`Search`] takes any game that the search of normal play takes (`docs/adding-a-game.md`), and
//! takes Sprouts by default. The theory, the shape of the search and what was measured are in
//! `docs/misere.md`.

mod collect;
mod error;
mod genus;
mod guess;
mod known;
mod memory;
mod namer;
mod node;
mod nodes;
mod options;
mod packed;
mod proof;
mod search;
mod sprouts;
mod sum;
mod tables;
mod trees;
mod view;
mod words;

pub use error::{MisereError, OutcomeError};
pub use known::{Plain, base_of};
pub use search::Search;
pub use sprig_search::{Limits, Observer};
pub use sum::Sum;
pub use trees::Trees;
