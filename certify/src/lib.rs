//! Small certificates: which facts a proof needs, out of many that are known.
//!
//! A proof is a set of facts in which each fact has what it needs (`rules.rs`): it is checked by
//! two moves of look-ahead, from facts to facts. In normal play facts are nimbers of lands
//! (`nimbers.rs`), in misère play lost nodes (`losses.rs`). An [`Extract`] takes known facts, from
//! a database say, and finds a small such set: first greedily, then by local search for as long as
//! it is allowed to.
//!
//! Nothing here has to be trusted: what comes out is checked by the oracle, which shares no code
//! with it. It starts threads, but knows no input or output and no clock.

mod bound;
mod error;
mod foreseen;
mod known;
mod lands;
mod losses;
mod minimize;
mod needs;
mod nimbers;
mod nodes;
mod prices;
mod proof;
mod random;
mod rules;
mod spare;
mod spelling;
mod valued;
mod walker;
mod ways;

pub use error::CertifyError;
pub use losses::{Losses, Written};
pub use nimbers::{Claim, Nimbers};
pub use rules::Rules;

use std::num::NonZero;
use std::sync::Arc;

use sprig_domain::Game;
use sprig_engine::Watched;

use crate::minimize::Minimizer;

/// How to look for a proof.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The game whose nimbers are known. Lost nodes are those of the game of their base.
    pub game: Game,
    /// Lands with at most `small` lives need not be known: their nimbers are found by plain
    /// recursion.
    pub small: u16,
    /// What the random choices start from; the same seed gives the same proof, whatever the number
    /// of threads.
    pub seed: u64,
    /// How many threads work out what facts need.
    pub threads: NonZero<usize>,
    /// The flag by which the caller stops the search for a proof.
    pub watched: Arc<Watched>,
}

/// Finds a small proof: of nimbers ([`Nimbers`]) or of lost nodes ([`Losses`]).
pub struct Extract<R: Rules>(Minimizer<R>);

impl<R: Rules> Extract<R> {
    /// How many facts the best proof so far has.
    pub fn size(&self) -> usize {
        self.0.best().len()
    }

    /// Tries `steps` changes, or makes the whole proof anew, which takes as long as thousands of
    /// them. Keeps those that do not make the proof larger, and some others at first.
    ///
    /// # Errors
    /// [`CertifyError`] when facts contradict each other.
    pub fn minimize(&mut self, steps: u64, temperature: f64) -> Result<(), CertifyError> {
        self.0.minimize(steps, temperature)
    }

    /// A number of facts that every proof has at least which this search could make: from the facts
    /// that it was given and those of small lands, by the ways that it looks at. Other facts may
    /// give smaller ones. The longer `go_on` lets it look, the higher it comes; it is asked before
    /// each fact that is added to the bound.
    pub fn bound(&mut self, go_on: impl FnMut() -> bool) -> usize {
        self.0.bound(go_on)
    }
}
