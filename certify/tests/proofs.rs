//! What is extracted is a proof, and stays one while it becomes smaller. The oracle says so.

use std::collections::BTreeMap;
use std::num::{NonZero, NonZeroUsize};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use sprig_certify::{CertifyError, Claim, Extract, Losses, Nimbers, Settings, Written};
use sprig_domain::{Game, Node, TreeKey};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_misere::{Limits, Observer, Search};
use sprig_oracle::proof::{Checker, Facts, alone, misere};
use sprig_trees::Base;

fn position(text: &str) -> Position {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn canonical(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&position(text))
}

fn settings(small: u16, seed: u64) -> Settings {
    let threads = NonZero::<usize>::MIN;
    Settings { game: Game::Sprouts, small, seed, threads, watched: Arc::default() }
}

/// Begins from nothing: every land is small enough to be valued by plain recursion.
fn nimbers(text: &str, claim: Claim, seed: u64) -> Extract<Nimbers> {
    let settings = settings(15, seed);
    Extract::<Nimbers>::new([], &[], &canonical(text), claim, settings).expect("it can be proved")
}

/// Asserts that the facts prove what they claim, and returns how many there are.
fn assert_nimbers(text: &str, extract: &Extract<Nimbers>) -> usize {
    let facts: Vec<(CanonicalLand, Nimber)> = extract.facts().collect();
    let mut known = Facts::default();
    let written = |land: &CanonicalLand| Position(vec![land.to_land()]);
    for (land, nimber) in &facts {
        known.add(&written(land), *nimber).expect("each land once");
    }
    let checker = Checker::new(&known);
    for (land, nimber) in &facts {
        assert_eq!(checker.check(&written(land), *nimber), Ok(()), "{text}: {land}");
    }
    let claimed = match extract.nimber() {
        Some(nimber) => checker.check_nimber(&position(text), nimber),
        None => checker.check_win(&position(text)),
    };
    assert_eq!(claimed, Ok(()), "{text}");
    assert_eq!(extract.size(), facts.len());
    facts.len()
}

#[test]
fn nimbers_that_are_extracted_are_a_proof() {
    let sum = "0*4+0*3.2";
    for (text, nimber) in [("!", 0), ("0*2", 0), ("0*3", 1), ("0*4", 1), ("0*5", 1)] {
        for claim in [Claim::Outcome, Claim::Nimber] {
            let extract = nimbers(text, claim, 1);
            let claimed = claim == Claim::Nimber || nimber == 0;
            let nimber = claimed.then(|| Nimber::new(nimber).expect("small"));
            assert_eq!(extract.nimber(), nimber, "{text}");
            assert_nimbers(text, &extract);
        }
    }
    for claim in [Claim::Outcome, Claim::Nimber] {
        assert_nimbers(sum, &nimbers(sum, claim, 1));
    }
}

#[test]
fn minimization_of_nimbers_never_loses_a_proof() {
    for seed in 0..3 {
        let mut extract = nimbers("0*5", Claim::Outcome, seed);
        let first = assert_nimbers("0*5", &extract);
        let mut size = first;
        for round in 0..12 {
            extract.minimize(50, 1.0 / f64::from(1 + round)).expect("no contradiction");
            let smaller = assert_nimbers("0*5", &extract);
            assert!(smaller <= size, "seed {seed}: {size} facts became {smaller}");
            size = smaller;
        }
        assert!(size < first && size < 20, "seed {seed}: from {first} to {size}");
        let mut again = nimbers("0*5", Claim::Outcome, seed);
        (0..12)
            .for_each(|round| again.minimize(50, 1.0 / f64::from(1 + round)).expect("as before"));
        assert_eq!(again.size(), size, "the same seed gives the same proof");
    }
}

#[test]
fn no_proof_of_nimbers_is_below_the_bound() {
    for (text, reached) in [("0*2", true), ("0*3", false), ("0*4", false), ("0*5", false)] {
        for claim in [Claim::Outcome, Claim::Nimber] {
            let mut extract = nimbers(text, claim, 1);
            for round in 0..12 {
                extract.minimize(200, 1.0 / f64::from(1 + round)).expect("no contradiction");
            }
            let (size, bound) = (extract.size(), extract.bound(|| true));
            assert!(bound <= size && bound > size / 3, "{text}: {size} facts, at least {bound}");
            assert!(bound == size || !reached, "{text}: {size} facts, at least {bound}");
            assert_eq!(extract.bound(|| false), 0);
            // It changes nothing.
            extract.minimize(50, 0.1).expect("no contradiction");
            assert_nimbers(text, &extract);
        }
    }
}

#[test]
fn threads_do_not_change_the_proof() {
    // Many facts to choose from: those of several proofs.
    let proofs = (0..6).map(|seed| nimbers("0*5", Claim::Nimber, seed));
    let known: BTreeMap<Box<[u8]>, Nimber> = proofs
        .flat_map(|extract| extract.facts().collect::<Vec<_>>())
        .map(|(land, nimber)| (land.key().into(), nimber))
        .collect();
    let extract = |threads| {
        let threads = NonZero::new(threads).expect("not none");
        let settings = Settings { threads, ..settings(4, 1) };
        let known = known.clone();
        let claim = Claim::Outcome;
        Extract::<Nimbers>::new(known, &[], &canonical("0*5"), claim, settings)
            .expect("it can be proved")
    };
    let [mut one, mut two, mut many] = [1, 2, 7].map(extract);
    for _ in 0..3 {
        let facts: Vec<(CanonicalLand, Nimber)> = one.facts().collect();
        assert!(facts.len() > 10 && facts.len() < known.len());
        assert!(two.facts().eq(facts.iter().cloned()), "two threads");
        assert!(many.facts().eq(facts), "seven threads");
        for extract in [&mut one, &mut two, &mut many] {
            extract.minimize(40, 0.5).expect("no contradiction");
        }
    }
    assert_nimbers("0*5", &many);
    let bounds = [one, two, many].map(|mut extract| extract.bound(|| true));
    assert!(bounds.iter().all(|&bound| bound > 1 && bound == bounds[0]), "{bounds:?}");
}

#[test]
fn what_the_facts_do_not_say_is_missing() {
    let settings = || settings(3, 1);
    let none = || std::iter::empty();
    let extract =
        |text| Extract::<Nimbers>::new(none(), &[], &canonical(text), Claim::Outcome, settings());
    assert!(matches!(extract("0*5"), Err(CertifyError::Missing(_))));
    // Two nimbers of one land, and a nimber that an option has.
    let fact = |text, nimber| {
        (canonical(text).lands()[0].key().into(), Nimber::new(nimber).expect("small"))
    };
    let extract = |facts: Vec<(Box<[u8]>, Nimber)>| {
        Extract::<Nimbers>::new(facts, &[], &canonical("0*2"), Claim::Outcome, settings()).err()
    };
    let two = extract(vec![fact("0*2", 0), fact("0*2", 1)]);
    assert!(matches!(two, Some(CertifyError::Contradiction { .. })));
    let mut lie = vec![fact("0.AB|AB", 0), fact("1a1a", 1)];
    lie.push(fact("0*2", 0));
    assert!(matches!(extract(lie), Some(CertifyError::SameNimber { .. })));
}

#[test]
fn who_does_not_wait_is_heard() {
    let stopped = settings(15, 1);
    stopped.watched.stop();
    let extract =
        |settings| Extract::<Nimbers>::new([], &[], &canonical("0*5"), Claim::Outcome, settings);
    assert!(matches!(extract(stopped), Err(CertifyError::Stopped)));
    assert!(extract(settings(15, 1)).is_ok());
}

#[derive(Default)]
struct Keeper(Mutex<Vec<Node>>);

impl Observer<Node> for Keeper {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, node: Node) {
        self.0.lock().expect("no thread panics").push(node);
    }
}

fn base(text: &str) -> Base {
    let mut base = Base::default();
    let go_on = |_: &sprig_trees::News<'_>| ControlFlow::Continue(());
    base.build(&canonical(text), NonZeroUsize::MIN, go_on).expect("small");
    base
}

/// The nodes that searches find to be lost.
fn lost(with: &str, texts: &[&str]) -> Vec<Node> {
    let search = Search::new(&base(with), Limits { memory: 1 << 30, threads: 1 });
    let keeper = Keeper::default();
    for text in texts {
        search.solve(&canonical(text), &keeper).expect("it fits").expect("nobody says stop");
    }
    keeper.0.into_inner().expect("no thread panics")
}

fn losses(with: &str, text: &str, nodes: &[Node], seed: u64) -> Extract<Losses> {
    let losses = Losses::new(base(with), nodes.to_vec(), &[]).expect("they are lost");
    Extract::<Losses>::new(losses, &canonical(text), settings(0, seed))
        .unwrap_or_else(|e| panic!("{text} on {with}: {e}"))
}

/// Asserts that the nodes prove who wins.
fn assert_losses(with: &str, text: &str, extract: &Extract<Losses>) -> Vec<Written> {
    let written = extract.facts().expect("every tree is that of a position");
    let oracle = misere::Base::of(&position(with), alone, |_, _| true).expect("small");
    let mut known = misere::Losses::new(oracle);
    for node in &written {
        let sums: Vec<Position> = node.sums.iter().map(|sum| position(&sum.to_string())).collect();
        known.add(&position(&node.lands.to_string()), &sums).expect("each node once");
    }
    let checker = misere::Checker::new(&known);
    for (number, node) in written.iter().enumerate() {
        assert_eq!(checker.check(number), Ok(()), "{text} on {with}: {node:?}");
    }
    let claimed = match extract.is_loss() {
        true => checker.check_loss(&position(text)),
        false => checker.check_win(&position(text)),
    };
    assert_eq!(claimed, Ok(()), "{text} on {with}");
    assert_eq!(extract.size(), written.len());
    written
}

#[test]
fn lost_nodes_that_are_extracted_are_a_proof() {
    let outcomes = ["W", "L", "L", "L", "W", "W", "L", "L", "L"];
    for (with, most) in [("!", 5), ("0*2", 6), ("0*3", 7), ("0*4", 9)] {
        for spots in 1..=most {
            let text = format!("0*{spots}");
            let extract = losses(with, &text, &lost(with, &[&text]), 1);
            assert_eq!(extract.is_loss(), outcomes[spots - 1] == "L", "{text} on {with}");
            assert_losses(with, &text, &extract);
        }
    }
    // In the second one, nodes have equal lands.
    for sum in ["0*4+0*3.2", "0*4+0*4"] {
        assert_losses("0*2", sum, &losses("0*2", sum, &lost("0*2", &[sum]), 1));
    }
}

#[test]
fn minimization_of_lost_nodes_never_loses_a_proof() {
    // What other positions have taught gives a choice.
    let nodes = lost("0*3", &["0*9", "0*8", "0*7"]);
    for seed in 0..2 {
        let mut extract = losses("0*3", "0*8", &nodes, seed);
        let first = assert_losses("0*3", "0*8", &extract).len();
        let mut size = first;
        for round in 0..24 {
            extract.minimize(200, 1.0 / f64::from(1 + round)).expect("no contradiction");
            let smaller = assert_losses("0*3", "0*8", &extract).len();
            assert!(smaller <= size, "seed {seed}: {size} nodes became {smaller}");
            size = smaller;
        }
        assert!(size < first, "seed {seed}: {first} nodes");
        let bound = extract.bound(|| true);
        assert!(bound > 1 && bound <= size, "seed {seed}: {size} nodes, at least {bound}");
        // It goes on from what was written.
        let written = extract.facts().expect("spelled before");
        let losses = Losses::new(base("0*3"), [], &written).expect("they are lost");
        let again =
            Extract::<Losses>::new(losses, &canonical("0*8"), settings(0, seed)).expect("a proof");
        assert_eq!(again.size(), size);
        assert_losses("0*3", "0*8", &again);
    }
}

#[test]
fn won_and_missing_nodes_are_told() {
    let extract = |nodes: Vec<Node>, text| {
        let losses = Losses::new(base("0*3"), nodes, &[])?;
        Extract::<Losses>::new(losses, &canonical(text), settings(0, 1)).map(|e| e.is_loss())
    };
    let node = |text, trees: &[TreeKey]| Node::new(canonical(text), false, trees.to_vec());
    assert!(matches!(extract(vec![], "0*5"), Err(CertifyError::Missing(_))));
    assert!(extract(vec![], "0*3").expect("a tree says it"));
    // By its trees, and by a move to another one.
    assert!(matches!(extract(vec![node("0*2.AB|AB", &[])], "0*3"), Err(CertifyError::Won(_))));
    let two = vec![node("0*4", &[]), node("0*3.AB|AB", &[])];
    assert!(canonical("0*4").children().expect("few").contains(&canonical("0*3.AB|AB")));
    assert!(matches!(extract(two, "0*4"), Err(CertifyError::Won(_))));
    // Trees that the base does not have.
    let strange = base("0*4").forest().trees().last().map(|t| base("0*4").forest().key(t));
    let strange = node("0*5", &[strange.expect("there are trees")]);
    assert!(extract(vec![strange], "0*3").expect("left aside"));
}
