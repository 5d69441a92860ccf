//! The moves of a table, one for each position that they lead to.

use std::collections::BTreeMap;

use sprig_engine::CanonicalPosition;
use sprig_oracle::{Card, Move, Table};

use crate::drawing::degree;
use crate::readings::position;
use crate::way::{Side, Way};

/// Every position that one move leads to, with a move that leads there; `None` if more than `limit`
/// moves would have to be tried. Fresh spots can be exchanged, so not each of them is tried.
#[must_use]
pub fn options(table: &Table, limit: usize) -> Option<BTreeMap<CanonicalPosition, Move>> {
    let degree = |card| degree(table, card);
    let lives = |card| degree(card) < 3;
    let live: Vec<Card> = table.degrees().filter(|&(_, d)| d < 3).map(|(card, _)| card).collect();
    let mut moves = Vec::new();
    for (number, &from) in live.iter().enumerate() {
        for &to in &live[number..] {
            if from == to && degree(from) == 2 {
                continue;
            }
            for way in Way::all(table, [from, to], &lives, &degree) {
                match way.joining() {
                    Some(joining) => moves.push(joining),
                    None => divisions(&way, &degree, limit, &mut moves)?,
                }
                if moves.len() > limit {
                    return None;
                }
            }
        }
    }
    let mut options = BTreeMap::new();
    for made in moves {
        let after = table.play(&made).expect("the curve ends at live spots");
        options.entry(position(&after)).or_insert(made);
    }
    Some(options)
}

/// All ways to lay the other pieces on the sides of a dividing curve. Of fresh spots only the
/// number on each side counts.
fn divisions(
    way: &Way<'_>,
    degree: &dyn Fn(Card) -> u8,
    limit: usize,
    moves: &mut Vec<Move>,
) -> Option<()> {
    let (fresh, other): (Vec<_>, Vec<_>) =
        way.pieces().into_iter().partition(|(_, cards)| cards.iter().all(|&c| degree(c) == 0));
    let ways = (fresh.len() + 1).checked_shl(u32::try_from(other.len()).ok()?)?;
    if other.len() > 20 || moves.len().saturating_add(ways) > limit {
        return None;
    }
    for some in 0..=fresh.len() {
        for chosen in 0..1_usize << other.len() {
            let others = other.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
            let mut pieces: Vec<usize> =
                fresh[..some].iter().chain(others.map(|(_, piece)| piece)).map(|p| p.0).collect();
            pieces.sort_unstable();
            moves.extend(way.with(Side::Taken, &pieces));
        }
    }
    Some(())
}
