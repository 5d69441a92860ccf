//! When two drawings are the same for the rest of a game.

use std::collections::BTreeSet;

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
pub(crate) fn drawing(table: &Table) -> Vec<Vec<Vec<Card>>> {
    let live: BTreeSet<Card> =
        table.degrees().filter(|&(_, degree)| degree < 3).map(|(card, _)| card).collect();
    let mut drawing: Vec<_> = Vec::new();
    for row in table.rows() {
        let stacks = row.iter().map(|s| s.iter().copied().filter(|c| live.contains(c)).collect());
        let stacks: Vec<Vec<Card>> = stacks.filter(|s: &Vec<Card>| !s.is_empty()).collect();
        if stacks.is_empty() {
            continue;
        }
        let mirrored = stacks.iter().map(|s| s.iter().rev().copied().collect()).collect();
        drawing.push(sorted(stacks).min(sorted(mirrored)));
    }
    drawing.sort();
    drawing
}

/// The table with its dead spots, so that two that differ only in how they are written become equal. A piece of dead
/// spots alone is left out: where it lies makes no difference.
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
