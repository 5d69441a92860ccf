//! Finding a nimber again: the engine's own search, from nothing.

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Fact, Goal, Limits, Observer, Question, Solver, Verdict, Watched};

/// Memory of the search, in bytes.
const MEMORY: usize = 64 << 20;

/// Children that an expansion may have on average. Those of start positions have some 25.
const CHILDREN: u64 = 1 << 10;

/// Ends a search that is told to stop, or that meets lands with very many moves.
struct Bounds<'a> {
    watched: &'a Watched,
    solver: &'a Solver,
    /// Children after which to stop.
    end: u64,
}

impl Observer for Bounds<'_> {
    fn stop(&self) -> bool {
        !self.watched.step() || self.solver.figures().children >= self.end
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
    /// The nimber of a land, if `expansions` are enough to find it, and it is not told to stop.
    #[must_use]
    pub fn nimber(&self, land: &[u8], expansions: u64, watched: &Watched) -> Option<Nimber> {
        let land = CanonicalLand::from_key(land).ok()?;
        let position = CanonicalPosition::from_lands([land]);
        let goal = Goal { position, question: Question::Nimber };
        let end = self.0.figures().children + CHILDREN * expansions;
        let bounds = Bounds { watched, solver: &self.0, end };
        match self.0.solve(&goal, expansions, &bounds) {
            Ok(Verdict::Nimber(nimber)) => Some(nimber),
            _ => None,
        }
    }
}
