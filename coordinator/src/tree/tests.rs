//! The tree proves what a plain recursion proves, whatever order its leaves are answered in.

use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_proto::{Outcome, WorkerId};
use sprig_search::{Fact, Goal, Question, Verdict};

use super::{Couple, LandId, Pick, Root, Tree};

const WORKER: WorkerId = WorkerId(1);

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn n(value: u64) -> Nimber {
    Nimber::new(value).expect("in range")
}

fn enter(tree: &mut Tree, text: &str, question: Question) -> Root {
    tree.enter(&Goal { position: position(text), question }, &[])
}

fn outcome(heap: u64) -> Question {
    Question::Outcome { heap: n(heap) }
}

fn lease(tree: &mut Tree, root: &Root) -> Couple {
    match tree.pick(root, WORKER).expect("no dispute") {
        Some(Pick::Lease(couple)) => couple,
        other => panic!("a leaf was expected, not {other:?}"),
    }
}

fn expand(tree: &mut Tree, root: &Root) {
    match tree.pick(root, WORKER).expect("no dispute") {
        Some(Pick::Expand(land)) => list(tree, land),
        other => panic!("an expansion was expected, not {other:?}"),
    }
}

fn list(tree: &mut Tree, land: LandId) {
    tree.asked(land);
    let land = tree.land(land).clone();
    let options = land.children().expect("few");
    tree.expand(&land, Some(&options), &[]).expect("no dispute");
}

/// Lets the tree alone do the work: every leaf is answered open, until all is expanded.
fn solve(tree: &mut Tree, root: &Root) {
    while tree.conclusion(root).is_none() {
        match tree.pick(root, WORKER).expect("no dispute") {
            None => assert!(tree.conclusion(root).is_some(), "something is left to do"),
            Some(Pick::Expand(land)) => list(tree, land),
            Some(Pick::Lease(couple)) => {
                let open = Verdict::Open { proof: 3, disproof: 5 };
                tree.answer(couple, open, true).expect("no dispute");
            }
        }
    }
}

#[test]
fn it_solves_by_itself() {
    for (spots, nimber) in [(1, 0), (2, 0), (3, 1), (4, 1)] {
        let mut tree = Tree::default();
        let root = enter(&mut tree, &format!("0*{spots}"), Question::Nimber);
        solve(&mut tree, &root);
        let conclusion = tree.conclusion(&root).expect("solved");
        assert_eq!(conclusion.nimber, Some(n(nimber)), "{spots} spots");
        assert_eq!(conclusion.outcome, Outcome::from(nimber != 0));
        // What the tree proves are the true nimbers.
        for fact in tree.take_found() {
            let mut alone = Tree::default();
            let goal = Goal {
                position: CanonicalPosition::from_lands([fact.land.clone()]),
                question: outcome(fact.nimber.get().into()),
            };
            let root = alone.enter(&goal, &[]);
            solve(&mut alone, &root);
            assert_eq!(
                alone.conclusion(&root).expect("solved").outcome,
                Outcome::Loss,
                "{:?}",
                fact.land
            );
        }
    }
}

#[test]
fn a_sum_is_solved_by_the_nimbers_of_its_lands() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, "0*3+0*4", outcome(0));
    solve(&mut tree, &root);
    assert_eq!(tree.conclusion(&root).expect("solved").outcome, Outcome::Loss);
}

#[test]
fn a_leased_leaf_is_expanded_for_the_next_worker() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, "0*4", outcome(0));
    let first = lease(&mut tree, &root);
    tree.lease(first).expect("no dispute");
    expand(&mut tree, &root);
    let second = lease(&mut tree, &root);
    tree.lease(second).expect("no dispute");
    let third = lease(&mut tree, &root);
    assert_ne!(second, third, "nobody is sent where somebody is already");
    assert!(!tree.is_free(second) && tree.is_free(third));
    tree.release(second).expect("no dispute");
    assert!(tree.is_free(second));
}

#[test]
fn a_lost_option_wins_and_makes_its_siblings_idle() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, "0*4", outcome(0));
    let whole = lease(&mut tree, &root);
    tree.lease(whole).expect("no dispute");
    expand(&mut tree, &root);
    let (a, b) = (lease(&mut tree, &root), {
        let a = lease(&mut tree, &root);
        tree.lease(a).expect("no dispute");
        lease(&mut tree, &root)
    });
    assert!(tree.matters(b, &root.lands));
    tree.take_solved();
    tree.answer(a, Verdict::Loss, true).expect("no dispute");
    assert!(tree.take_solved());
    assert_eq!(tree.conclusion(&root).expect("solved").outcome, Outcome::Win);
    assert!(!tree.matters(b, &root.lands));
}

#[test]
fn numbers_of_a_hard_leaf_survive_its_expansion() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, "0*4", outcome(0));
    let whole = lease(&mut tree, &root);
    let hard = Verdict::Open { proof: 4_000, disproof: 9_000 };
    tree.answer(whole, hard, true).expect("no dispute");
    expand(&mut tree, &root);
    let numbers = tree.couple(whole);
    // Sums among the options keep their start numbers, so the numbers need not be the same.
    assert!(numbers.disproof > 1_000, "{numbers:?}");
}

#[test]
fn contradictions_are_disputes() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, "0*4", outcome(0));
    let whole = lease(&mut tree, &root);
    tree.answer(whole, Verdict::Win, true).expect("no dispute");
    let fact = |nimber| Fact { land: position("0*4").lands()[0].clone(), nimber: n(nimber) };
    assert!(tree.learn(&fact(0)).is_err(), "a won couple cannot be lost");
    tree.learn(&fact(1)).expect("no dispute");
    tree.learn(&fact(1)).expect("twice is harmless");
    let dispute = tree.learn(&fact(2)).unwrap_err();
    assert!(dispute.0.contains("nimber 1") && dispute.0.contains("nimber 2"), "{}", dispute.0);
}

#[test]
fn claims_without_end_are_a_dispute_and_no_crash() {
    let mut tree = Tree::default();
    let root = enter(&mut tree, "0*4", Question::Nimber);
    let results: Vec<_> = (0..64)
        .map(|heap| {
            let couple = Couple { land: root.lands[0], heap: n(heap) };
            tree.answer(couple, Verdict::Win, true)
        })
        .collect();
    assert!(results[..63].iter().all(Result::is_ok) && results[63].is_err());
}
