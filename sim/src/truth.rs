//! What is true, found by a search that talks to nobody.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use sprig_domain::{Goal, LandNimber, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_search::{Limits, Observer, Solver};

/// Memory of a search, in bytes: small positions need little.
pub(crate) const MEMORY: usize = 64 << 20;

/// Limits of every search of a simulation: one thread, which makes the search repeatable.
pub const LIMITS: Limits = Limits { memory: MEMORY, threads: 1 };

/// Searches without talking.
pub struct Silent;

impl Observer for Silent {
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

/// Checks the nimber of a land by a search of its own; remembers what it has checked.
pub fn check(land: &CanonicalLand, nimber: Nimber) -> Result<(), String> {
    static KNOWN: OnceLock<Mutex<HashMap<CanonicalLand, Nimber>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let remembered = lock().get(land).copied();
    let truth = match remembered {
        Some(truth) => truth,
        None => {
            let position = CanonicalPosition::from_lands([land.clone()]);
            let solver = Solver::new(LIMITS);
            let verdict = solver
                .solve(&position, Question::Nimber, u64::MAX, &Silent)
                .map_err(|e| e.to_string())?;
            let Verdict::Nimber(truth) = verdict else {
                return Err(format!("{land}: {verdict:?}"));
            };
            lock().insert(land.clone(), truth);
            truth
        }
    };
    if truth == nimber { Ok(()) } else { Err(format!("{land} has nimber {truth}, not {nimber}")) }
}
