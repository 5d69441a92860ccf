//! Whole goals on a board, with workers that tell the truth and workers that lie.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sprig_engine::{CanonicalPosition, Position};
use sprig_search::{Limits, Observer, Solver};

use super::*;
use crate::scout::Scout;

struct Silent;

impl Observer<LandNimber> for Silent {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, _: LandNimber) {}
}

/// Knows every answer.
struct Sage(Solver);

impl Sage {
    fn new() -> Self {
        Self(Solver::new(Limits { memory: 64 << 20, threads: 1 }))
    }

    fn verdict(&self, goal: &Goal) -> Verdict {
        let solved = self.0.solve(goal.position(), goal.question(), u64::MAX, &Silent);
        solved.expect("it is small")
    }

    fn facts(&self, goal: &Goal) -> Vec<LandNimber> {
        let fact = |land: &CanonicalLand| {
            let alone =
                Goal::normal(CanonicalPosition::from_lands([land.clone()]), Question::Nimber);
            let Verdict::Nimber(nimber) = self.verdict(&alone) else { panic!("{land}") };
            LandNimber { land: land.clone(), nimber }
        };
        goal.position().lands().iter().map(fact).collect()
    }
}

fn goal(spots: usize) -> Goal {
    let start = Position::start(spots);
    Goal::normal(CanonicalPosition::of(&start), Question::OUTCOME)
}

/// Plays a board to its end with five workers; the lease of each is its number. A worker answers
/// its leaf one time in three, and else leaves it open. `says` is what it answers.
fn play(
    spots: usize,
    seed: u64,
    tells_facts: bool,
    mut says: impl FnMut(u64, &Goal, Verdict) -> Verdict,
) -> (Board, usize, Vec<Arc<str>>) {
    let (sage, scout) = (Sage::new(), Scout::of(goal(spots).game()));
    let mut dice = SmallRng::seed_from_u64(seed);
    let mut board = Board::new(&goal(spots), 10).expect("an outcome");
    let mut refuted = Vec::new();
    let apart = |board: &mut Board, leaf: &Goal| {
        let parts = scout.parts(leaf, |_| None);
        board.take_apart(leaf, parts.map(|parts| parts.options));
    };
    apart(&mut board, &goal(spots));
    let mut held: BTreeMap<u64, Goal> = BTreeMap::new();
    for turn in 0..20_000 {
        if !board.is_open() {
            return (board, turn, refuted);
        }
        let worker = dice.random_range(1..=5);
        if let Some(leaf) = held.remove(&worker) {
            board.leave(worker);
            let truth = sage.verdict(&leaf);
            let answers = dice.random_range(0..3) == 0;
            if answers && tells_facts {
                refuted.extend(sage.facts(&leaf).iter().flat_map(|fact| board.learn(fact)));
            }
            let open = Verdict::Open {
                proof: dice.random_range(1..99),
                disproof: dice.random_range(1..99),
            };
            let said = if answers { says(worker, &leaf, truth) } else { open };
            board.settle(&leaf, said, 10, &format!("worker-{worker}"));
        }
        match board.assign(worker, &[], |_| true) {
            Some(Share::Leaf(leaf, _)) => drop(held.insert(worker, leaf)),
            Some(Share::Wait(leaf)) => apart(&mut board, &leaf),
            None => {}
        }
    }
    panic!("it has no end")
}

#[test]
fn true_words_and_facts_come_to_the_truth() {
    for spots in 3..=6 {
        let truth = numbers(Sage::new().verdict(&goal(spots)));
        for seed in 0..8 {
            for tells_facts in [false, true] {
                let (board, _, refuted) = play(spots, seed, tells_facts, |_, _, truth| truth);
                assert_eq!(Some(board.nodes[0].numbers), truth, "0*{spots}, seed {seed}");
                assert!(refuted.is_empty(), "{refuted:?}");
            }
        }
    }
}

#[test]
fn owners_are_counted_on_the_way_and_nowhere_else() {
    for seed in 0..8 {
        let (mut board, ..) = play(5, seed, false, |_, _, truth| truth);
        let held: Vec<u64> = board.ways.keys().copied().collect();
        held.into_iter().for_each(|lease| board.leave(lease));
        assert!(board.nodes.iter().all(|node| node.owners == 0));
    }
}

#[test]
fn a_liar_is_found_out_by_facts_and_its_lies_are_undone() {
    let mut found = 0;
    for seed in 0..16 {
        let lie = |worker, _: &Goal, truth| match (worker, truth) {
            (1, Verdict::Loss) => Verdict::Win,
            (1, Verdict::Win) => Verdict::Loss,
            (_, truth) => truth,
        };
        let (mut board, _, refuted) = play(5, seed, false, lie);
        let sage = Sage::new();
        let lands: Vec<CanonicalLand> = board.lands.keys().cloned().collect();
        let mut named = refuted;
        for land in lands {
            let alone = Goal::normal(CanonicalPosition::from_lands([land]), Question::OUTCOME);
            named.extend(sage.facts(&alone).iter().flat_map(|fact| board.learn(fact)));
        }
        assert!(named.iter().all(|name| **name == *"worker-1"), "{named:?}");
        found += usize::from(!named.is_empty());
        // Facts have decided everything, and no word counts any more.
        for node in &board.nodes {
            assert_eq!(
                Some(node.numbers),
                numbers(sage.verdict(&node.couple)),
                "{:?}",
                node.couple
            );
        }
    }
    assert!(found >= 4, "{found}");
}
