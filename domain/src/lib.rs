//! The nouns of the domain: rules, goals, outcomes, facts, keys of trees, sums of lands and trees,
//! figures, states of jobs, wishes, views of searches, reigns.
//!
//! Every other crate speaks about these and defines none of its own. The store, the wire and the
//! command line encode them, each in its own form. Nothing here searches, reads or writes.

mod fact;
mod figures;
mod goal;
mod job;
mod node;
mod numbered;
mod outcome;
mod reign;
mod ruleset;
mod sum;
mod tree_key;
mod varint;
mod view;
mod wish;

pub use fact::{Contradiction, Fact, LandNimber};
pub use figures::Figures;
pub use goal::{Goal, NotAsked, Question};
pub use job::{JobId, JobState, Terms};
pub use node::{Node, NodeError};
pub use numbered::{Numbered, hash};
pub use outcome::{Conclusion, Outcome, Verdict};
pub use reign::Reign;
pub use ruleset::{Game, Play, Ruleset, UnknownGame};
pub use sum::cancel;
pub use tree_key::{TreeFlaw, TreeKey};
pub use varint::{put_varint, take_varint};
pub use view::{Branch, Place, View};
pub use wish::{Wish, WishEnd, WishKind};
