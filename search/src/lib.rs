//! Proof-number search over sums of independent games.
//!
//! The search proves outcomes and nimbers in normal play. It is generic over [`Game`]: lands are bytes, and a game
//! says which sums of lands a move leads to. Threads, but no input or output, no clock and no async.

mod arena;
mod collect;
mod expand;
mod filter;
mod game;
mod lands;
mod look;
mod memory;
mod namer;
mod node;
mod noise;
mod numbers;
mod prior;
mod search;
mod solver;
mod sprouts;
pub mod step;
#[doc(hidden)]
pub mod steps;
mod tables;
mod walk;
mod watched;

use sprig_engine::{CanonicalLand, Nimber};

pub use arena::{Arena, Chunk, Place};
pub use game::{Features, Game, Keys, Moves};
pub use noise::Noise;
pub use numbers::{Numbers, WeakSum, slack};
pub use prior::Prior;
pub use search::Limits;
pub use solver::{SolveError, Solver};
pub use sprouts::KNOWLEDGE as SPROUTS;
pub use watched::Watched;

/// A proved fact: the nimber of a land. The couple (land, nimber) is lost.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fact {
    /// Canonical bytes of the land (exact form).
    pub land: CanonicalLand,
    /// Its nimber.
    pub nimber: Nimber,
}

/// Two proofs that exclude each other: somebody is wrong, and no result that rests on either can be trusted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("contradiction: land `{land}` can only have nimber {}, and now {} is claimed", List(*.possible), List(*.claimed))]
pub struct Contradiction {
    /// The land.
    pub land: CanonicalLand,
    /// The nimbers that were possible before, one bit each.
    pub possible: u64,
    /// The nimbers that the later proof leaves, one bit each.
    pub claimed: u64,
}

/// A set of nimbers as text.
struct List(u64);

impl std::fmt::Display for List {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let members: Vec<_> =
            (0..64).filter(|n| self.0 >> n & 1 == 1).map(|n: u32| n.to_string()).collect();
        match members.len() {
            0 => f.write_str("none"),
            1..=8 => f.write_str(&members.join(" or ")),
            _ => {
                let missing: Vec<_> =
                    (0..64).filter(|n| self.0 >> n & 1 == 0).map(|n: u32| n.to_string()).collect();
                write!(f, "other than {}", missing.join(", "))
            }
        }
    }
}

/// How a search is told to end, and where its facts go.
pub trait Observer: Sync {
    /// Whether to stop. Asked often.
    fn stop(&self) -> bool;
    /// A land's nimber has just been proved. Called once a fact, by the thread that proved it; it must not block
    /// for long.
    fn proved(&self, fact: Fact);
}
