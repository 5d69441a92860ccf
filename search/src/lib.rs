//! Proof-number search over sums of independent games.
//!
//! [`Search`] proves outcomes and nimbers in normal play, of any impartial game whose positions
//! fall into independent parts, *lands*. A land is a string of bytes; the game says which sums of
//! lands a move leads to ([`Rules`], or for more speed [`Game`]). [`Solver`] is the search of
//! Sprouts. `docs/adding-a-game.md` shows how to add a game, and `docs/search.md` what the search
//! does. It has threads, but no input or output, no clock and no async.
//!
//! ```
//! use sprig_domain::{Question, Verdict};
//! use sprig_engine::{CanonicalPosition, Position};
//! use sprig_search::{Limits, Solver};
//!
//! let solver = Solver::new(Limits { memory: 64 << 20, threads: 1 });
//! let eight = CanonicalPosition::of(&Position::start(8));
//! let verdict = solver.solve(&eight, Question::OUTCOME, u64::MAX, &())?;
//! assert_eq!(verdict, Verdict::Loss);
//! # Ok::<(), sprig_search::SolveError>(())
//! ```

mod avoided;
mod collect;
mod couples;
mod expand;
mod filter;
mod game;
pub mod kernel;
mod lands;
mod look;
mod memory;
#[cfg(all(test, loom))]
mod model;
mod namer;
mod node;
mod prior;
mod rules;
mod search;
mod solver;
mod sprouts;
pub mod step;
#[doc(hidden)]
pub mod steps;
mod tables;
mod view;

#[cfg(test)]
extern crate self as sprig_search;

pub use game::{Features, Game, Keys, Moves, TooMany};
pub use kernel::drive::{Limits, Observer};
pub use kernel::noise::Noise;
pub use kernel::numbers::{Numbers, WeakSum};
pub use prior::Prior;
pub use rules::{Canon, Child, Listing, Rules};
pub use search::{Found, Search, SearchError};
pub use solver::{SolveError, Solver};
pub use sprig_domain::{Figures, Question, Verdict};
pub use sprig_engine::Nimber;
pub use sprouts::{KNOWLEDGE as SPROUTS, Sprouts};
pub use view::Beside;
