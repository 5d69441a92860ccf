//! Why a table is impossible.

use std::collections::VecDeque;

use crate::challenge::{LITERALS, literal, opposite};
use crate::{Card, Colour, Colourings, Reason, Table, Value};

/// The fewest rows that are impossible alone, and a value that they allow neither colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core {
    /// The numbers of the rows, from 0, ascending.
    pub rows: Vec<usize>,
    /// The value.
    pub value: Value,
    /// Why the value is not red: steps from "the black card is wrong", which means that red is
    /// right, to "black is right".
    pub not_red: Vec<Reason>,
    /// Why it is not black.
    pub not_black: Vec<Reason>,
}

impl Core {
    /// The core of an impossible table.
    ///
    /// # Panics
    /// When the table is possible.
    pub(crate) fn of(table: &Table) -> Self {
        let rows = (1..=table.rows().len())
            .find_map(|size| fewest(table, 0, size, &Colourings::all()))
            .expect("the table is impossible");
        let chain = |value, from: Colour| {
            let card = |colour| Card { colour, value };
            chain(table, &rows, card(from), card(from.other()))
        };
        let found = Value::all().filter_map(|value| {
            Some((value, chain(value, Colour::Red)?, chain(value, Colour::Black)?))
        });
        let shortest = found.min_by_key(|(_, not_red, not_black)| not_red.len() + not_black.len());
        let (value, not_red, not_black) = shortest.expect("the rows are impossible");
        Self { rows, value, not_red, not_black }
    }
}

/// The first choice of `size` rows from `from` on that no colouring of `left` meets.
fn fewest(table: &Table, from: usize, size: usize, left: &Colourings) -> Option<Vec<usize>> {
    if size == 0 {
        return left.is_empty().then(Vec::new);
    }
    (from..=table.rows().len().checked_sub(size)?).find_map(|row| {
        let mut rest = fewest(table, row + 1, size - 1, &left.and(&table.rows()[row]))?;
        rest.insert(0, row);
        Some(rest)
    })
}

/// The shortest chain of reasons by which one card is right if another is.
fn chain(table: &Table, rows: &[usize], from: Card, to: Card) -> Option<Vec<Reason>> {
    let reasons: Vec<Reason> = table.reasons().filter(|of| rows.contains(&of.row)).collect();
    let mut led: [Option<Reason>; LITERALS] = [None; LITERALS];
    let mut open = VecDeque::from([from]);
    while let Some(right) = open.pop_front() {
        for reason in reasons.iter().filter(|of| of.wrong == opposite(right)) {
            let place = &mut led[literal(reason.right)];
            if place.is_none() && reason.right != from {
                *place = Some(*reason);
                open.push_back(reason.right);
            }
        }
    }
    let mut steps = Vec::new();
    let mut card = to;
    while card != from {
        let reason = led[literal(card)]?;
        steps.push(reason);
        card = opposite(reason.wrong);
    }
    steps.reverse();
    Some(steps)
}
