//! What is true, found by a search that hears of no other facts.

use sprig_domain::{Goal, LandNimber, Question, Verdict};
use sprig_engine::{CanonicalPosition, Position};
use sprig_search::{Limits, Observer, Solver};

/// Memory of a search, in bytes: small positions need little.
pub(crate) const MEMORY: usize = 64 << 20;

/// Limits of every search of a simulation: one thread, which makes the search repeatable.
pub const LIMITS: Limits = Limits { memory: MEMORY, threads: 1 };

/// An observer that does nothing.
pub struct Silent;

impl Observer<LandNimber> for Silent {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, _: LandNimber) {}
}

/// The goal: who wins from `spots` spots.
pub fn outcome_of(spots: usize) -> Goal {
    let position = CanonicalPosition::of(&Position::start(spots));
    Goal::normal(position, Question::OUTCOME)
}

/// Expansions that a goal takes a search alone.
pub fn effort(goal: &Goal) -> u64 {
    let solver = Solver::new(LIMITS);
    let verdict =
        solver.solve(goal.position(), goal.question(), u64::MAX, &Silent).expect("a small goal");
    assert!(!matches!(verdict, Verdict::Open { .. }));
    solver.figures().expansions
}
