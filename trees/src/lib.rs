//! Reduced canonical trees of misère play, and the trees of Sprouts positions.
//!
//! In misère play, a player who cannot move wins. So the value of a game is more than a nimber. It
//! is its *reduced canonical tree* (RCT), the set of the RCTs of its options without duplicates and
//! without reversible moves. Two games with the same RCT can replace each other in every sum. The
//! theory, with the sources of every step, is in `docs/misere.md`.
//!
//! * [`Forest`] holds RCTs, each once; a [`Tree`] names one of them inside the process, and a
//!   [`TreeKey`](sprig_domain::TreeKey) names it everywhere.
//! * [`Sums`] adds RCTs.
//! * [`Base`] finds the RCTs of all lands that can arise from a position.
//! * [`Census`] visits all positions of a game tree, with their [canonical trees](CanonicalTrees)
//!   and RCTs; [`TreeCounts`] says how many there are.
//!
//! ```
//! use std::num::NonZero;
//! use std::ops::ControlFlow;
//!
//! use sprig_engine::{CanonicalPosition, Position};
//! use sprig_trees::Base;
//!
//! let mut base = Base::default();
//! let two = CanonicalPosition::of(&Position::start(2));
//! let tree = base.build(&two, NonZero::<usize>::MIN, |_news| ControlFlow::Continue(()))?;
//! // Two spots are worth {2} in misère play, a game that no heap is worth.
//! assert_eq!(base.forest().nested(tree, 80).as_deref(), Some("{2}"));
//! assert_eq!(base.forest().heap(tree), None);
//! # Ok::<(), sprig_trees::TreeError>(())
//! ```

mod base;
mod canonical;
mod children;
mod counts;
mod error;
mod estimate;
mod forest;
mod helpers;
mod merge;
mod names;
mod news;
mod print;
mod reduce;
mod sets;
mod sum;
mod values;
mod walk;

pub use base::{Base, Progress};
pub use canonical::{CanonicalBase, CanonicalTree, CanonicalTrees};
pub use counts::{Census, Member, TreeCounts};
pub use error::TreeError;
pub use estimate::Estimate;
pub use forest::{Forest, Tree};
pub use news::News;
pub use sum::Sums;
