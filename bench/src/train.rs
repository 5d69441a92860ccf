//! Gathers what searches teach about lands by their features: the table that ships with the
//! program.

use sprig_domain::{LandNimber, Question};
use sprig_engine::{CanonicalPosition, Position};
use sprig_search::{Limits, Observer, SolveError, Solver};

/// Lets a search run to its end.
struct Patient;

impl Observer<LandNimber> for Patient {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, _: LandNimber) {}
}

/// Solves the start positions with the numbers of spots in `spots`, each from empty tables, and
/// returns the table of what was learned.
///
/// # Errors
/// [`SolveError`] when a position cannot be solved.
pub fn train(spots: &[usize], memory: usize) -> Result<Vec<u8>, SolveError> {
    let solver = Solver::untaught(Limits { memory, threads: 1 });
    for &spots in spots {
        let position = CanonicalPosition::of(&Position::start(spots));
        for question in [Question::OUTCOME, Question::Nimber] {
            solver.solve(&position, question, u64::MAX, &Patient)?;
        }
        solver.forget();
    }
    Ok(solver.knowledge())
}
