//! Random games on full tables, played to the end: the procedure's way to tell degrees, and how
//! long games last.

use std::collections::BTreeSet;

use crate::common::Random;
use sprig_oracle::{Card, Table};

/// On a full table a spot's degree is the number of its twins, or 0 if it is alone in its stack, as
/// the card procedure has it. And its boundary list says everything.
fn check_degrees(table: &Table) {
    for (card, degree) in table.degrees() {
        let alone = table.rows().iter().flatten().any(|stack| *stack == [card]);
        let twins = if alone { 0 } else { table.copies(card) };
        assert_eq!(usize::from(degree), twins, "card {card} of {table}");
    }
    assert_eq!(table.to_string().parse().as_ref(), Ok(table));
}

/// Pairs of spots that a curve joins, both ways.
fn neighbours(table: &Table) -> BTreeSet<(Card, Card)> {
    let walks = table.rows().iter().flatten().filter(|stack| stack.len() > 1);
    walks
        .flat_map(|s| (0..s.len()).map(|i| (s[i], s[(i + 1) % s.len()])))
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .collect()
}

/// Checks the last table of a game of `moves` moves and returns the number of its pharisees.
fn check_end(table: &Table, spots: usize, moves: usize) -> usize {
    let neighbours = neighbours(table);
    let (survivors, dead): (Vec<_>, Vec<_>) = table.degrees().partition(|&(_, degree)| degree < 3);
    assert!(survivors.iter().all(|&(_, degree)| degree == 2), "{table}");
    assert_eq!(survivors.len(), 3 * spots - moves, "{table}");
    // Every survivor has two dead neighbours of its own. If it lies on a loop, one of them is the
    // spot that the loop starts from, and the other that spot's third neighbour.
    let near = |card: Card| neighbours.iter().filter(move |pair| pair.0 == card).map(|pair| pair.1);
    let mut owned = BTreeSet::new();
    for &(survivor, _) in &survivors {
        let mut own: BTreeSet<Card> = near(survivor).collect();
        if own.len() == 1 {
            own = own.iter().flat_map(|&spot| near(spot)).chain(own.clone()).collect();
            own.remove(&survivor);
        }
        assert_eq!(own.len(), 2, "neighbours of {survivor} in {table}");
        assert!(
            own.iter().all(|&spot| dead.contains(&(spot, 3))),
            "neighbours of {survivor} in {table}"
        );
        assert!(own.is_disjoint(&owned), "neighbours of {survivor} in {table}");
        owned.extend(own);
    }
    dead.len() - owned.len()
}

#[test]
fn games_last_2n_moves_and_a_quarter_of_the_pharisees() {
    let mut lengths = BTreeSet::new();
    for spots in 1..=6 {
        for seed in 0..100 {
            let mut random = Random(seed);
            let mut table = Table::start(spots);
            let mut moves = 0;
            while let Some(option) = random.option(&table) {
                table = option;
                moves += 1;
                check_degrees(&table);
            }
            let spots = spots as usize;
            let pharisees = check_end(&table, spots, moves);
            assert_eq!(pharisees % 4, 0, "seed {seed}: {table}");
            assert_eq!(moves, 2 * spots + pharisees / 4, "seed {seed}: {table}");
            assert!((2 * spots..3 * spots).contains(&moves), "seed {seed}: {table}");
            lengths.insert((spots, moves));
        }
    }
    // The games are not all alike.
    assert!(lengths.len() > 12, "{lengths:?}");
}
