//! Finding a nimber again: the engine's own search, from nothing.

use std::time::Duration;

use sprig_domain::{Game, LandNimber, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Limits, Observer, Solver};

use crate::Plan;

/// Memory of the search, in bytes.
const MEMORY: usize = 64 << 20;

/// How long it may take: everything else waits for it. For lands of games that people play, 5,000
/// expansions take a tenth of this.
const LONGEST: Duration = Duration::from_secs(1);

/// Ends a search that is told to stop, or that meets lands with very many moves.
struct Bounds<'a> {
    plan: &'a Plan<'a>,
    deadline: Duration,
}

impl Observer<LandNimber> for Bounds<'_> {
    fn stop(&self) -> bool {
        self.plan.is_stopped() || self.is_late()
    }

    fn proved(&self, _: LandNimber) {}
}

impl Bounds<'_> {
    fn is_late(&self) -> bool {
        self.plan.now() >= self.deadline
    }
}

/// What a search from nothing has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recomputed {
    /// The nimber of the land.
    Nimber(Nimber),
    /// The expansions were not enough.
    Open,
    /// It would have taken too long, or it was told to stop. That says nothing about the source of
    /// a claim.
    TooDear,
}

/// A search that knows nothing.
pub struct Recomputer(Solver);

impl Recomputer {
    /// A search of a game.
    #[must_use]
    pub fn of(game: Game) -> Self {
        Self(Solver::of(game, Limits { memory: MEMORY, threads: 1 }))
    }

    /// The nimber of a land, if `expansions` are enough to find it.
    #[must_use]
    pub fn nimber(&self, land: &[u8], expansions: u64, plan: &Plan<'_>) -> Recomputed {
        let Ok(land) = CanonicalLand::from_key(land) else { return Recomputed::Open };
        let position = CanonicalPosition::from_lands([land]);
        let bounds = Bounds { plan, deadline: plan.now() + LONGEST };
        match self.0.solve(&position, Question::Nimber, expansions, &bounds) {
            Ok(Verdict::Nimber(nimber)) => Recomputed::Nimber(nimber),
            _ if plan.watched.is_stopped() || bounds.is_late() => Recomputed::TooDear,
            _ => Recomputed::Open,
        }
    }
}
