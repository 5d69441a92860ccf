//! Finding a nimber again: the engine's own search, from nothing.

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Fact, Goal, Limits, Observer, Question, Solver, Verdict};

/// Memory of the search, in bytes.
const MEMORY: usize = 64 << 20;

struct Silent;

impl Observer for Silent {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, _: Fact) {}
}

/// A search that knows nothing.
pub struct Recomputer(Solver);

impl Default for Recomputer {
    fn default() -> Self {
        Self(Solver::new(Limits { memory: MEMORY, threads: 1 }))
    }
}

impl Recomputer {
    /// The nimber of a land, if `expansions` are enough to find it.
    #[must_use]
    pub fn nimber(&self, land: &[u8], expansions: u64) -> Option<Nimber> {
        let land = CanonicalLand::from_key(land).ok()?;
        let position = CanonicalPosition::from_lands([land]);
        let goal = Goal { position, question: Question::Nimber };
        match self.0.solve(&goal, expansions, &Silent) {
            Ok(Verdict::Nimber(nimber)) => Some(nimber),
            _ => None,
        }
    }
}
