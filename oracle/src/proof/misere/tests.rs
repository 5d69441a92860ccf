//! Trees, outcomes and lost nodes against the card procedure.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use sprig_certificate::Reader;
use sprig_engine::Position;

use super::super::alone;
use super::super::finder::Finder;
use super::super::land::{Spot, to_written};
use super::super::plain::all_options;
use super::super::reduce::lands_of;
use super::super::sketch::sketch;
use super::base::{NoBase, Part};
use super::forest::{Forest, Tree, ZERO};
use super::losses::{Node, OPEN, TREE, node, put};
use super::options::{Options, each};
use super::{Base, Checker, Flaw, Losses, Refused};
use crate::{Outcome, Values};

fn read(text: &str) -> Position {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn base(text: &str) -> Base {
    Base::of(&read(text), alone, |_, _| true).expect("small")
}

/// The trees of the lands of a position.
fn trees(base: &Base, position: &Position) -> Vec<Tree> {
    let mut finder = Finder::default();
    let tree = |land: &Vec<_>| match base.part(&mut finder, sketch(land), land) {
        Some(Part::Tree(tree)) => tree,
        _ => panic!("it is in the base"),
    };
    lands_of(position).expect("small").iter().map(tree).collect()
}

fn sum(forest: &mut Forest, trees: &[Tree]) -> Tree {
    trees.iter().fold(ZERO, |sum, &tree| forest.sum(sum, tree))
}

/// The factor 1 and the other parts.
fn split(trees: &[Tree]) -> Node {
    let (mut one, mut parts) = (0, Vec::new());
    trees.iter().for_each(|&tree| put(&mut one, &mut parts, tree));
    node(one, parts)
}

/// Whether a sum is a loss, without computing its tree.
fn is_loss(forest: &Forest, trees: &[Tree]) -> Option<bool> {
    let node = split(trees);
    let trees: Vec<Tree> = node[1..].iter().map(|part| (part ^ TREE) * 2).collect();
    forest.sum_is_loss(node[0] == 1, &trees)
}

#[test]
fn there_are_as_many_trees_as_published() {
    for (spots, lands, rcts) in [(2, 17, 5), (3, 126, 7), (4, 1_188, 35)] {
        let mut base = base(&format!("0*{spots}"));
        assert_eq!(base.lands(), lands);
        let mut different = BTreeSet::new();
        for key in crate::tree(&Position::start(spots)) {
            let trees = trees(&base, key.position());
            different.insert(sum(&mut base.forest, &trees));
        }
        assert_eq!(different.len(), rcts, "{spots} spots");
    }
}

#[test]
fn outcomes_are_those_of_brute_force() {
    let (mut base, mut values) = (base("0*4"), Values::default());
    for key in crate::tree(&Position::start(4)) {
        let lost = values.misere_outcome(key.position()) == Outcome::Loss;
        let trees = trees(&base, key.position());
        let tree = sum(&mut base.forest, &trees);
        assert_eq!(base.forest.sum_is_loss(false, &[tree]), Some(lost), "{key}");
        // Where the sum is tame, its tree is not needed.
        assert!(is_loss(&base.forest, &trees).is_none_or(|found| found == lost), "{key}");
    }
}

#[test]
fn tame_sums_are_what_their_trees_say() {
    let mut base = base("0*4");
    let all: BTreeSet<Tree> = base.trees.iter().copied().collect();
    let (mut tame, mut wild) = (0, 0);
    for &a in &all {
        for &b in &all {
            for trees in [vec![a, b], vec![a, b, a]] {
                let Some(lost) = is_loss(&base.forest, &trees) else {
                    wild += 1;
                    continue;
                };
                tame += 1;
                let tree = sum(&mut base.forest, &trees);
                assert_eq!(base.forest.sum_is_loss(false, &[tree]), Some(lost), "{trees:?}");
            }
        }
    }
    assert!(tame > 300 && wild > 1_000, "{tame} tame sums, {wild} others");
}

/// What the literature says of some trees (SPROUTS, the paper on misère play).
#[test]
fn examples_are_as_published() {
    let mut base = base("0*4");
    let mut tree = |text: &str| {
        let trees = trees(&base, &read(text));
        sum(&mut base.forest, &trees)
    };
    let (two, special) = (tree("0*2"), tree("0*2.AB|AB"));
    assert_eq!(tree("0*3"), 1);
    assert_eq!(tree("22"), 1);
    assert_eq!(tree("0*2+0*3+22"), two);
    let forest = &mut base.forest;
    let empty = forest.reduce(Vec::new());
    let one = forest.reduce(vec![empty]);
    let heap = forest.reduce(vec![empty, one]);
    assert_eq!((empty, one), (0, 1));
    // S_2 = {2}, and the other is {1;{2}}; together with 2 they tell 2 and 2 + 2 + 2 apart.
    assert_eq!(two, forest.reduce(vec![heap]));
    assert_eq!(special, forest.reduce(vec![one, two]));
    let three = sum(forest, &[heap, heap, heap]);
    let with = [heap, three].map(|tree| sum(forest, &[tree, special]));
    assert_eq!(with.map(|tree| forest.sum_is_loss(false, &[tree])), [Some(false), Some(true)]);
}

/// All positions of the game of four spots, on a smaller base: those that are lost follow from the
/// others, and those that are won do not.
#[test]
fn lost_positions_follow_from_all_others() {
    let mut values = Values::default();
    for with in ["!", "0*2", "0*3"] {
        let (mut lost, mut won) = (Vec::new(), Vec::new());
        for key in crate::tree(&Position::start(4)) {
            let position = key.position().clone();
            match values.misere_outcome(&position) {
                Outcome::Loss => lost.push(position),
                Outcome::Win => won.push(position),
            }
        }
        let mut losses = Losses::new(base(with));
        let mut listed = HashMap::new();
        for position in &lost {
            // Different positions may be one node.
            if losses.add(position, &[]).is_ok() {
                listed.insert(listed.len(), position);
            }
        }
        let checker = Checker::new(&losses);
        for number in 0..listed.len() {
            assert_eq!(checker.check(number), Ok(()), "{} on {with}", listed[&number]);
        }
        lost.iter().for_each(|p| assert_eq!(checker.check_loss(p), Ok(()), "{p} on {with}"));
        for position in &won {
            assert_eq!(checker.check_win(position), Ok(()), "{position} on {with}");
            assert!(checker.check_loss(position).is_err(), "{position} on {with}");
        }
        // A position that is won is added to the lost ones.
        for position in won.iter().step_by(29) {
            let mut liars = Losses::new(base(with));
            liars.add(position, &[]).expect("the first");
            lost.iter().for_each(|position| drop(liars.add(position, &[])));
            let flaw = Checker::new(&liars).check(0);
            let is_told = matches!(flaw, Err(Flaw::Won | Flaw::Lost(_)));
            assert!(is_told, "{position} on {with}: {flaw:?}");
        }
    }
}

/// The familiar options of a land, as the plain listing has them, without any sketch.
fn plainly_familiar(
    losses: &Losses,
    land: &[Spot],
    finder: &mut Finder,
) -> BTreeSet<(u32, Vec<u32>)> {
    let mut familiar = BTreeSet::new();
    all_options(land, |option| {
        let (mut one, mut parts) = (0, Vec::new());
        for land in option.lands() {
            let number = losses.base.lands.find(&mut finder.namer, land);
            let Some(number) = number else { return true };
            match losses.base.trees.get(number as usize) {
                Some(&tree) => put(&mut one, &mut parts, tree),
                None => parts.push(number - losses.base.trees.len() as u32),
            }
        }
        parts.sort_unstable();
        familiar.insert((one, parts));
        true
    });
    familiar
}

#[test]
fn no_answer_is_passed_over() {
    let mut losses = Losses::new(base("0*4"));
    for name in ["9.cert", "10.cert", "11.cert", "13.cert"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../certificates/misere").join(name);
        let mut reader = Reader::open(File::open(path).expect("it ships")).expect("a certificate");
        while let Some(entry) = reader.next_entry().expect("it is whole") {
            let loss: sprig_certificate::Loss = entry.text.parse().expect("a lost node");
            // Trees of a larger base are not known here. Only the lands matter.
            losses.add(&loss.lands, &[]).ok();
        }
    }
    let (options, mut finder) = (Options::new(&losses, Arc::default()), Finder::default());
    let mut count = 0;
    for land in 0..losses.lands() as u32 {
        for (_, parts) in each(&options.all(land).expect("small")) {
            for &part in parts.iter().filter(|&&part| part < TREE) {
                let spots = if part < OPEN { losses.land(part).into() } else { options.land(part) };
                let list = options.familiar(part);
                let familiar: BTreeSet<_> = each(&list).map(|(one, p)| (one, p.to_vec())).collect();
                let written = to_written(&spots);
                assert_eq!(familiar, plainly_familiar(&losses, &spots, &mut finder), "{written}");
                count += 1;
            }
        }
    }
    assert!(count > 1_000, "{count} lands");
}

#[test]
fn flaws_say_what_is_wrong() {
    let losses = |with: &str, nodes: &[&str]| {
        let mut losses = Losses::new(base(with));
        for text in nodes {
            let mut fields = text.split(' ').map(read);
            let lands = fields.next().expect("split gives one");
            losses.add(&lands, &fields.collect::<Vec<_>>()).expect("each once");
        }
        losses
    };
    let check = |with, nodes: &[&str]| Checker::new(&losses(with, nodes)).check(0);
    assert_eq!(check("0*3", &["0*3"]), Ok(()));
    assert_eq!(check("0*3", &["0*2.AB|AB"]), Err(Flaw::Won));
    assert_eq!(check("0*3", &["!"]), Err(Flaw::Won));
    assert!(matches!(check("!", &["0*2"]), Err(Flaw::Unanswered(_))));
    let lost = losses("0*3", &["0*4"]);
    let checker = Checker::new(&lost);
    assert!(matches!(checker.check_win(&read("0*4")), Err(Flaw::Claim(_))));
    assert!(matches!(checker.check_win(&read("0*2")), Err(Flaw::Claim(_))));
    assert!(matches!(checker.check_loss(&read("0*5")), Err(Flaw::Claim(_))));
    assert!(matches!(checker.check_loss(&read("!")), Err(Flaw::Claim(_))));

    let mut losses = Losses::new(base("0*3"));
    assert_eq!(losses.add(&read("0*2+0*3"), &[]), Ok(()));
    // The two factors 1 cancel each other.
    assert_eq!(losses.add(&read("22+0*2"), &[]), Err(Refused::Repeated(1)));
    assert_eq!(losses.add(&read("!"), &[read("22+0*2")]), Err(Refused::Repeated(1)));
    assert!(matches!(losses.add(&read("!"), &[read("0*4")]), Err(Refused::NotInBase(_))));
    let mut large = Losses::new(base("0*4"));
    let many = vec![read("0*4+0*4+0*4+0*4+0*4+0*4+0*4+0*4")];
    assert!(matches!(large.add(&read("!"), &many), Err(Refused::TooLarge(_))));
    assert!(matches!(Base::of(&read("0*60"), alone, |_, _| true), Err(NoBase::TooLarge(_))));
}
