//! How a game ends: survivors, pharisees, and how long it lasts.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use sprig_oracle::{Card, Table};

/// The spots of a finished game.
///
/// With n spots and m moves there are 3n - m survivors, each with two dead neighbours of its own,
/// and m = 2n + p/4 for p pharisees. A survivor on a loop owns the spot that the loop starts from
/// and that spot's third neighbour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The spots that have a life left.
    pub survivors: Vec<Card>,
    /// The dead spots that no survivor owns.
    pub pharisees: Vec<Card>,
}

impl Ending {
    /// The ending of a full table on which no move is left.
    #[must_use]
    pub fn of(table: &Table) -> Self {
        let neighbours = neighbours(table);
        let near = |card: Card| neighbours.iter().filter(move |n| n.0 == card).map(|n| n.1);
        let (survivors, mut pharisees) = (living(table), BTreeSet::new());
        pharisees.extend(table.degrees().map(|(card, _)| card).filter(|c| !survivors.contains(c)));
        for &survivor in &survivors {
            let mut own: BTreeSet<Card> = near(survivor).collect();
            if own.len() == 1 {
                own = own.iter().flat_map(|&spot| near(spot)).chain(own.clone()).collect();
            }
            pharisees.retain(|card| !own.contains(card));
        }
        Self { survivors, pharisees: pharisees.into_iter().collect() }
    }
}

/// Bounds of the number of moves of a whole game of `spots` spots, judged by the table after
/// `moves` moves.
///
/// A game lasts from 2n to 3n - 1 moves, and one less for each further spot that survives for
/// certain: alive, and in no region where a move is left.
#[must_use]
pub fn lengths(table: &Table, spots: u32, moves: u32) -> RangeInclusive<u32> {
    let reduced = table.clone().reduced();
    if reduced.rows().is_empty() {
        return moves..=moves;
    }
    let active: BTreeSet<Card> = reduced.degrees().map(|(card, _)| card).collect();
    let stuck = living(table).iter().filter(|card| !active.contains(card)).count();
    // The last move leaves its new spot alive.
    let survivors = u32::try_from(stuck).expect("a table of cards") + 1;
    (moves + 1).max(2 * spots)..=3 * spots - survivors
}

fn living(table: &Table) -> Vec<Card> {
    table.degrees().filter(|&(_, degree)| degree < 3).map(|(card, _)| card).collect()
}

/// Pairs of spots that a curve joins, both ways.
fn neighbours(table: &Table) -> BTreeSet<(Card, Card)> {
    let walks = table.rows().iter().flatten().filter(|stack| stack.len() > 1);
    let steps = walks.flat_map(|s| (0..s.len()).map(|i| (s[i], s[(i + 1) % s.len()])));
    steps.flat_map(|(a, b)| [(a, b), (b, a)]).collect()
}
