//! What others have proved, told while a search runs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use sprig_domain::{LandNimber, Question, Verdict};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_search::{Limits, Observer, Solver};

const LIMITS: Limits = Limits { memory: 256 << 20, threads: 1 };

#[derive(Default)]
struct Recorder(Mutex<Vec<LandNimber>>);

impl Observer<LandNimber> for Recorder {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, fact: LandNimber) {
        self.0.lock().expect("no thread panics").push(fact);
    }
}

/// Tells the search a fact when it has done a number of expansions.
struct Teller<'a> {
    solver: &'a Solver,
    fact: LandNimber,
    after: u64,
    told: AtomicBool,
}

impl Observer<LandNimber> for Teller<'_> {
    fn stop(&self) -> bool {
        if self.solver.figures().expansions >= self.after && !self.told.swap(true, Relaxed) {
            self.solver.learn(&self.fact).expect("it is so");
        }
        false
    }

    fn proved(&self, _: LandNimber) {}
}

#[test]
fn a_fact_that_decides_the_goal_is_seen_soon() {
    let position = CanonicalPosition::of(&Position::start(22));
    let children = position.children().expect("a small position");
    let (solver, recorder) = (Solver::new(LIMITS), Recorder::default());
    let verdict = solver.solve(&position, Question::OUTCOME, u64::MAX, &recorder);
    assert_eq!(verdict, Ok(Verdict::Win));
    let facts = recorder.0.into_inner().expect("no thread panics");
    let wins = |fact: &&LandNimber| {
        let lands = std::slice::from_ref(&fact.land);
        fact.nimber == Nimber::ZERO && children.iter().any(|child| child.lands() == lands)
    };
    let fact = facts.iter().find(wins).expect("a move to one lost land").clone();

    let solver = Solver::new(LIMITS);
    let teller = Teller { solver: &solver, fact, after: 2_500, told: AtomicBool::new(false) };
    assert_eq!(solver.solve(&position, Question::OUTCOME, u64::MAX, &teller), Ok(Verdict::Win));
    assert!(solver.figures().expansions <= 3_500, "{:?}", solver.figures());
}
