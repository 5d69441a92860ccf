//! Threads that share tables prove the same facts as one thread alone, also when the tables are
//! collected again and again.

use std::collections::HashMap;
use std::sync::Mutex;

use sprig_domain::{LandNimber, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_search::{Limits, Observer, SolveError, Solver};

/// Collects facts, and refuses two nimbers for one land.
#[derive(Default)]
struct Notes(Mutex<HashMap<CanonicalLand, Nimber>>);

impl Observer<LandNimber> for Notes {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, fact: LandNimber) {
        let before = self.0.lock().expect("no panics").insert(fact.land.clone(), fact.nimber);
        assert!(before.is_none_or(|nimber| nimber == fact.nimber), "{}", fact.land);
    }
}

fn solve(spots: usize, threads: usize, memory: usize, notes: &Notes) -> (Verdict, u64) {
    let solver = Solver::new(Limits { memory, threads });
    let position = CanonicalPosition::of(&Position::start(spots));
    let verdict = solver.solve(&position, Question::OUTCOME, u64::MAX, notes);
    let verdict = verdict.expect("start positions can be solved");
    (verdict, solver.figures().collections)
}

/// A win exactly when the number of spots is 3, 4 or 5 modulo 6 (Applegate, Jacobson and Sleator
/// 1991).
fn expected(spots: usize) -> Verdict {
    if spots % 6 >= 3 { Verdict::Win } else { Verdict::Loss }
}

#[test]
fn threads_prove_what_one_thread_proves() {
    let notes = Notes::default();
    for spots in 2..=13 {
        for threads in [1, 2, 5] {
            assert_eq!(
                solve(spots, threads, 1 << 30, &notes).0,
                expected(spots),
                "{spots} on {threads}"
            );
        }
    }
    assert!(notes.0.into_inner().expect("no panics").len() > 1_000);
}

#[test]
fn collected_tables_prove_the_same() {
    let notes = Notes::default();
    let mut collections = 0;
    let least = Limits::least_memory;
    for spots in [14, 15, 18] {
        for (threads, memory) in [(1, least(1)), (3, least(3) + (1 << 20)), (1, 1 << 30)] {
            let (verdict, collected) = solve(spots, threads, memory, &notes);
            assert_eq!(verdict, expected(spots));
            collections += collected;
        }
    }
    assert!(collections > 20, "the small tables were full {collections} times only");
}

#[test]
fn too_little_memory_is_refused_before_anything_is_done() {
    let least = Limits::least_memory(2);
    for memory in [0, 1 << 20, least - 1] {
        let solver = Solver::new(Limits { memory, threads: 2 });
        let position = CanonicalPosition::of(&Position::start(8));
        let error = solver
            .solve(&position, Question::Nimber, u64::MAX, &Notes::default())
            .expect_err("a refusal");
        assert_eq!(error, SolveError::Memory { wanted: least });
        assert_eq!(solver.figures().expansions, 0);
    }
    assert_eq!(solve(8, 2, least, &Notes::default()).0, Verdict::Loss);
}
