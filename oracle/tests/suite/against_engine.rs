//! The engine against the oracle: children, canonical forms and nimbers.

use std::collections::{BTreeSet, HashMap};

use crate::common::Random;
use sprig_engine::paper::{Paper, Place, Witness};
use sprig_engine::{Budget, CanonicalLand, CanonicalPosition, Nimber, Position, mex};
use sprig_oracle::{Cut, Key, Move, Table, Values, child_keys, key};

/// The engine's children as isomorphism classes. Different children must be of different classes.
fn engine_children(position: &Position) -> BTreeSet<Key> {
    let children = CanonicalPosition::of(position).children().expect("a small position");
    let keys: BTreeSet<Key> = children.iter().map(|child| key(&child.to_position())).collect();
    assert_eq!(keys.len(), children.len(), "{position}: isomorphic children {children:?}");
    keys
}

fn check_children(position: &Position) {
    let (engine, oracle) = (engine_children(position), child_keys(position));
    assert!(
        engine == oracle,
        "children of {position}: only the engine has {:?}, only the oracle has {:?}",
        engine.difference(&oracle).collect::<Vec<_>>(),
        oracle.difference(&engine).collect::<Vec<_>>()
    );
}

/// The canonical form names the class of the position, and no other.
fn check_canonical(position: &Position) {
    let canonical = CanonicalPosition::of(position);
    let key = key(position);
    assert_eq!(sprig_oracle::key(&canonical.to_position()), key, "{position} became {canonical}");
    assert_eq!(CanonicalPosition::of(key.position()), canonical, "{position} as {key}");
}

#[test]
fn trees_of_small_games_are_the_same() {
    for spots in 1..=4 {
        let tree = sprig_oracle::tree(&Position::start(spots));
        let mut canonical = BTreeSet::new();
        for key in &tree {
            check_children(key.position());
            check_canonical(key.position());
            canonical.insert(CanonicalPosition::of(key.position()));
        }
        assert_eq!(canonical.len(), tree.len(), "{spots} spots");
    }
}

#[test]
fn random_positions_have_the_same_children() {
    for spots in 5..=9 {
        for seed in 0..150 {
            let position = Random(seed).position(spots);
            check_canonical(&position);
            check_children(&position);
        }
    }
}

#[test]
fn positions_that_were_never_reduced_have_the_same_children() {
    for spots in 2..=6 {
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut table = Table::start(spots);
            while let Some(option) = random.option(&table) {
                table = option;
                check_canonical(&table.to_position());
                check_children(&table.to_position());
            }
        }
    }
}

/// Lands that no game reaches are legal input, too.
#[test]
fn arbitrary_positions_have_the_same_children() {
    for seed in 0..1_000 {
        let position = Position(vec![Random(seed).land()]);
        check_canonical(&position);
        check_children(&position);
    }
}

/// Random games go on from the engine's children, so that both play the whole game.
#[test]
fn random_games_stay_the_same() {
    for seed in 0..30 {
        let mut random = Random(seed);
        let mut canonical = CanonicalPosition::of(&Position::start(5 + random.below(3)));
        loop {
            let children = canonical.children().expect("a small position");
            if canonical.to_position().0.iter().map(|land| land.lives()).sum::<u32>() <= 16 {
                check_children(&canonical.to_position());
            }
            if children.is_empty() {
                break;
            }
            canonical = children[random.below(children.len())].clone();
        }
    }
}

#[derive(Default)]
struct EngineNimbers(HashMap<CanonicalLand, Nimber>);

impl EngineNimbers {
    fn of(&mut self, land: &CanonicalLand) -> Nimber {
        if let Some(&known) = self.0.get(land) {
            return known;
        }
        let children = land.children().expect("a small land");
        let options = children.iter().map(|child| {
            child.lands().iter().fold(Nimber::ZERO, |sum, land| sum.nim_sum(self.of(land)))
        });
        let nimber = mex(options.collect::<Vec<_>>()).expect("a small nimber");
        self.0.insert(land.clone(), nimber);
        nimber
    }
}

#[test]
fn lands_of_four_spots_have_the_same_nimbers() {
    let mut engine = EngineNimbers::default();
    for land in CanonicalPosition::of(&Position::start(4)).lands() {
        engine.of(land);
    }
    let mut oracle = Values::default();
    for (land, &nimber) in &engine.0 {
        let position = Position(vec![land.to_land()]);
        assert_eq!(oracle.nimber(&position), Ok(nimber), "{land}");
    }
    assert_eq!(engine.0.len(), 1_188);
}

/// A move of the engine, as the card procedure describes it.
fn with_cards(paper: &Paper, witness: &Witness) -> Move {
    let [a, b] = witness.ends;
    let cut = |place: Place| Cut { stack: place.boundary, cards: place.spot };
    if !witness.divides() {
        return Move::Joining { row: witness.region, a: cut(a), b: cut(b) };
    }
    let boundaries = paper.regions().nth(witness.region).expect("a region");
    let length = boundaries[a.boundary].len();
    let take = (b.spot + length - a.spot) % length + 1;
    Move::Dividing { row: witness.region, stack: cut(a), take, along: witness.along.clone() }
}

/// What the engine says is drawn is what the cards give, on the position as it was written.
#[test]
fn witnesses_are_moves_of_the_card_procedure() {
    let mut played = 0;
    for seed in 0..600 {
        let mut random = Random(seed);
        let position = match seed % 2 {
            0 => random.position(4 + u32::try_from(seed % 5).expect("below 5")),
            _ => Position(vec![random.land()]),
        };
        let (paper, table) = (Paper::of(&position), Table::of(&position));
        let moves = paper.moves(&mut Budget::default()).expect("a small position");
        let classes: BTreeSet<Key> =
            moves.iter().map(|found| key(&found.child.to_position())).collect();
        assert_eq!(classes, child_keys(&position), "{position}");
        for found in moves {
            let cards = with_cards(&paper, &found.witness);
            let after = table.play(&cards).unwrap_or_else(|e| panic!("{position}: {cards:?}: {e}"));
            let drawn = key(&found.drawn.to_position());
            assert_eq!(key(&after.to_position()), drawn, "{position}: {cards:?}");
            played += 1;
        }
    }
    assert!(played > 5_000, "{played}");
}
