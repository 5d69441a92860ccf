//! When two drawings are the same for the rest of a game.

use std::collections::{BTreeMap, BTreeSet};

use sprig_oracle::{Card, Table};

/// The degree of a spot.
pub(crate) fn degree(table: &Table, card: Card) -> u8 {
    table.degrees().find(|&(c, _)| c == card).map_or(0, |(_, degree)| degree)
}

/// The live spots that can be joined to `card`: those that share a region with it.
pub(crate) fn reached(table: &Table, card: Card) -> BTreeSet<Card> {
    let live: BTreeSet<Card> =
        table.degrees().filter(|&(_, degree)| degree < 3).map(|(card, _)| card).collect();
    let rows = table.rows().iter().filter(|row| row.concat().contains(&card));
    rows.flatten().flatten().copied().filter(|c| *c != card && live.contains(c)).collect()
}

/// The live spots of a drawing, named, up to mirroring single regions.
pub(crate) fn drawing(table: &Table) -> Vec<Walks> {
    let live: BTreeSet<Card> =
        table.degrees().filter(|&(_, degree)| degree < 3).map(|(card, _)| card).collect();
    let row = |row: &Vec<Vec<Card>>| -> Walks {
        let stacks = row.iter().map(|s| s.iter().copied().filter(|c| live.contains(c)).collect());
        stacks.filter(|stack: &Vec<Card>| !stack.is_empty()).collect()
    };
    sorted_regions(table.rows().iter().map(row).filter(|walks| !walks.is_empty()).collect())
}

/// The boundaries of a region as walks of living spots.
pub type Walks = Vec<Vec<Card>>;

/// The boundaries of each region where a move is left, as walks of living spots: if a spot occurs
/// twice in a row, there is nothing between the two.
pub(crate) fn living_walks(table: &Table) -> Vec<Walks> {
    let degrees: BTreeMap<Card, u8> = table.degrees().collect();
    let lives = |card: &Card| 3_u8.saturating_sub(degrees.get(card).copied().unwrap_or(3));
    let region = |row: &Vec<Vec<Card>>| {
        let walk = |stack: &Vec<Card>| {
            let mut walk: Vec<Card> = stack.iter().copied().filter(|c| lives(c) > 0).collect();
            walk.dedup();
            if walk.len() > 1 && walk.first() == walk.last() {
                walk.pop();
            }
            walk
        };
        row.iter().map(walk).filter(|walk| !walk.is_empty()).collect()
    };
    let has_move = |walks: &Walks| {
        let spots: BTreeSet<&Card> = walks.iter().flatten().collect();
        spots.into_iter().map(lives).sum::<u8>() > 1
    };
    table.rows().iter().map(region).filter(has_move).collect()
}

/// Regions in an order that does not depend on where walks begin, nor on which side of the paper is
/// looked at.
pub(crate) fn sorted_regions(regions: Vec<Walks>) -> Vec<Walks> {
    let sort = |walks: Walks| {
        let mirrored = walks.iter().map(|walk| walk.iter().rev().copied().collect()).collect();
        sorted(walks).min(sorted(mirrored))
    };
    let mut regions: Vec<Walks> = regions.into_iter().map(sort).collect();
    regions.sort();
    regions
}

/// The table with its dead spots, in a form in which tables that differ only in how they are
/// written are equal. A piece of dead spots alone is left out: where it lies makes no difference.
pub(crate) fn written(table: &Table) -> Vec<Vec<Vec<Card>>> {
    let live: BTreeSet<Card> =
        table.degrees().filter(|&(_, degree)| degree < 3).map(|(card, _)| card).collect();
    let alive = |stack: &&Vec<Card>| stack.iter().any(|card| live.contains(card));
    let rows = table.rows().iter().map(|row| row.iter().filter(alive).cloned().collect());
    let mut rows: Vec<_> = rows.map(sorted).filter(|row| !row.is_empty()).collect();
    rows.sort();
    rows
}

fn sorted(stacks: Vec<Vec<Card>>) -> Vec<Vec<Card>> {
    let mut stacks: Vec<_> = stacks.iter().map(|stack| least_rotation(stack)).collect();
    stacks.sort();
    stacks
}

fn least_rotation(walk: &[Card]) -> Vec<Card> {
    let rotations = (0..walk.len()).map(|start| [&walk[start..], &walk[..start]].concat());
    rotations.min().unwrap_or_default()
}
