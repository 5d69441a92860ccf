//! Black-and-white Sprouts: the engine against the oracle, and both against reference values.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use crate::common::Random;
use sprig_engine::{
    Budget, CanonicalLand, CanonicalPosition, Generator, Nimber, Position, mex, sketch,
};
use sprig_oracle::{Key, Outcome, Rules, Table, Values, child_keys_by, key};

const RULES: Rules = Rules::BlackAndWhite;

fn engine_children(position: &CanonicalPosition) -> Vec<CanonicalPosition> {
    let mut generator = Generator::with_optional_spot();
    let budget = &mut Budget::new(1 << 22, 1 << 30);
    position.children_by(&mut generator, budget).expect("a small position")
}

fn check_children(position: &Position) {
    let engine: BTreeSet<Key> = engine_children(&CanonicalPosition::of(position))
        .iter()
        .map(|child| key(&child.to_position()))
        .collect();
    let oracle = child_keys_by(RULES, position);
    assert!(
        engine == oracle,
        "children of {position}: only the engine has {:?}, only the oracle has {:?}",
        engine.difference(&oracle).collect::<Vec<_>>(),
        oracle.difference(&engine).collect::<Vec<_>>()
    );
}

/// The table after a random move, with its new spot or without it.
fn after_a_move(random: &mut Random, table: &Table) -> Option<Table> {
    let mut options = Vec::new();
    table.for_each_option_by(RULES, |_, option| options.push(option));
    (!options.is_empty()).then(|| options.swap_remove(random.below(options.len())))
}

#[test]
fn a_thousand_random_positions_have_the_same_children() {
    let mut checked = 0;
    for spots in 3..=7 {
        for seed in 0..200 {
            let mut random = Random(seed);
            let mut table = Table::start(spots);
            for _ in 0..=random.below(2 * spots as usize) {
                match after_a_move(&mut random, &table) {
                    Some(option) => table = option.reduced(),
                    None => break,
                }
            }
            check_children(&table.to_position());
            checked += 1;
        }
    }
    assert_eq!(checked, 1_000);
}

#[test]
fn drawings_and_arbitrary_lands_have_the_same_children() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut table = Table::start(2 + (seed % 4) as u32);
        while let Some(option) = after_a_move(&mut random, &table) {
            table = option;
            check_children(&table.to_position());
        }
    }
    for seed in 0..500 {
        check_children(&Position(vec![Random(seed).land()]));
    }
}

#[test]
fn children_are_made_again_from_their_ways_and_have_their_sketches() {
    let mut generator = Generator::with_optional_spot();
    let mut again = Generator::with_optional_spot();
    for seed in 0..200 {
        let position = CanonicalPosition::of(&Random(seed).position(3 + (seed % 4) as u32));
        for land in position.lands() {
            let mut ways = Vec::new();
            let listed = generator.children(land.key(), |child| {
                ways.push(child.way());
                let written = |lands: &sprig_engine::Lands| -> Vec<(Vec<u8>, u64)> {
                    lands.sketched().map(|(land, sketch)| (land.to_vec(), sketch)).collect()
                };
                for (land, sketched) in child.sketched() {
                    assert_eq!(sketched, sketch(land));
                    assert_eq!(sketched, sketch(CanonicalLand::from_reduced(land).key()));
                }
                let twin = again.child(land.key(), child.way()).expect("there is such a move");
                assert_eq!(written(twin), written(child), "{land}, move {}", child.way());
                std::ops::ControlFlow::<()>::Continue(())
            });
            assert!(listed.is_ok() && ways.is_sorted_by(|a, b| a < b), "{land}: {ways:?}");
            let most = 2 * land.ways();
            assert!(ways.iter().all(|&way| u64::from(way) < most), "{land}: {ways:?}");
        }
    }
}

/// Nimbers by plain recursion over the engine's children.
fn nimber(position: &CanonicalPosition, known: &mut HashMap<CanonicalLand, Nimber>) -> Nimber {
    let mut sum = Nimber::ZERO;
    for land in position.lands() {
        let value = if let Some(&value) = known.get(land) {
            value
        } else {
            let alone = CanonicalPosition::from_lands([land.clone()]);
            let options: Vec<Nimber> =
                engine_children(&alone).iter().map(|child| nimber(child, known)).collect();
            let value = mex(options).expect("small");
            known.insert(land.clone(), value);
            value
        };
        sum = sum.nim_sum(value);
    }
    sum
}

#[test]
fn values_are_those_of_others() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/variants/variants.tsv");
    let text = fs::read_to_string(&path).expect("it is there");
    let (mut known, mut values, mut seen) = (HashMap::new(), Values::of(RULES), 0);
    for line in text.lines().filter(|line| line.starts_with("black-and-white")) {
        let row: Vec<&str> = line.split('\t').collect();
        let spots = row[1].parse().expect("a number");
        let start = Position::start(spots);
        match row[2] {
            "normal" => {
                let found = nimber(&CanonicalPosition::of(&start), &mut known);
                assert_eq!(found.to_string(), row[3], "{line}");
                if spots <= 3 {
                    assert_eq!(values.nimber(&start), Ok(found), "{line}");
                }
            }
            _ => {
                let wins = values.misere_outcome(&start) == Outcome::Win;
                assert_eq!(if wins { "win" } else { "loss" }, row[3], "{line}");
            }
        }
        seen += 1;
    }
    assert!(seen >= 5);
    // Four spots are the smallest start position that the second player wins.
    let found = (1..=4)
        .map(|spots| nimber(&CanonicalPosition::of(&Position::start(spots)), &mut known).get());
    assert_eq!(found.collect::<Vec<_>>(), [2, 2, 1, 0]);
}
