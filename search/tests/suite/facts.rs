//! What others have proved, told while a search runs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use sprig_domain::{LandNimber, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
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

#[test]
fn what_is_expected_is_what_a_search_without_expansions_says() {
    let (asked, searched) = (Solver::new(LIMITS), Solver::new(LIMITS));
    let goal = CanonicalPosition::of(&Position::start(9));
    let children = goal.children().expect("few");
    for heap in 0..3 {
        let question = Question::Outcome { heap: Nimber::new(heap).expect("small") };
        for position in children.iter().chain([&goal]) {
            let expected = asked.expect(position, question).expect("there is room");
            let found = searched.solve(position, question, 0, &Recorder::default());
            assert_eq!(expected, found.expect("there is room"), "{position} + {heap}");
        }
    }
    assert_eq!(asked.figures().expansions, 0);
}

#[test]
fn a_visit_keeps_the_numbers_of_the_goal_before() {
    let solver = Solver::new(LIMITS);
    let solve = |position: &CanonicalPosition, expansions| {
        let solved = solver.solve(position, Question::OUTCOME, expansions, &Recorder::default());
        solved.expect("there is room")
    };
    let goal = CanonicalPosition::of(&Position::start(20));
    solve(&goal, 1_000);
    let view = solver.view(&goal, Question::OUTCOME, 1).expect("it has come there");
    let part = view.options[0].place.goal().expect("a place of normal play").position().clone();
    let seen = |position: &CanonicalPosition| {
        let view = solver.view(position, Question::OUTCOME, 1).expect("it has come there");
        (view.at.proof, view.at.disproof)
    };
    let before = seen(&part);
    solver.visit(&part, Question::OUTCOME);
    assert_eq!(solve(&part, 0), Verdict::Open { proof: before.0, disproof: before.1 });
    // Without it, all numbers are forgotten at a new goal.
    let other = Solver::new(LIMITS).expect(&part, Question::OUTCOME).expect("there is room");
    solve(&goal, 0);
    assert_ne!(Verdict::Open { proof: before.0, disproof: before.1 }, other);
    assert_ne!(seen(&part), before);
}

#[test]
fn keys_that_no_search_asks_for_change_nothing() {
    let solver = Solver::new(LIMITS);
    // Two lands as one, the same spots in another order, and a letter that is a dead end.
    for key in [&[0, 2, 6, 0, 3][..], &[0, 2, 3, 3, 6, 2, 1, 3, 3], &[0, 2, 7, 3, 7, 3]] {
        let land = CanonicalLand::from_checked_key(key).expect("it follows the grammar");
        assert!(CanonicalLand::from_key(key).is_err(), "{land}");
        solver.learn(&LandNimber { land, nimber: Nimber::ZERO }).expect("taken");
    }
    for (spots, verdict) in [(11, Verdict::Win), (12, Verdict::Loss)] {
        let start = CanonicalPosition::of(&Position::start(spots));
        assert_eq!(solver.solve(&start, Question::OUTCOME, u64::MAX, &()), Ok(verdict));
    }
}
