//! The strict writer. What it writes, the strict reader reads as one position.

use sprig_oracle::{Card, Move, OracleError, Table};

use crate::drawing::{degree, reached};
use crate::error::MoveProblem;
use crate::{Dialect, Player, Readings, Written};

/// Writes a game move by move.
#[derive(Clone, Debug)]
pub struct Writer {
    table: Table,
    /// What a reader knows.
    readings: Readings,
}

/// Why a move cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteError {
    /// It cannot be made.
    #[error(transparent)]
    Move(#[from] OracleError),
    /// No text says which of several positions is meant.
    #[error("no record tells this move from another: {0}")]
    Unwritable(MoveProblem),
}

impl Writer {
    /// The writer of a game that has not begun.
    #[must_use]
    pub fn start(spots: u32) -> Self {
        Self::of(Table::start(spots))
    }

    /// The writer of the rest of a game, from a full table that the reader sees.
    #[must_use]
    pub fn of(table: Table) -> Self {
        Self { readings: Readings::of(table.clone(), Dialect::Strict), table }
    }

    /// The table after the moves that were written.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Makes a move and writes it, as short as it can be.
    ///
    /// # Errors
    /// [`WriteError`]; then nothing has changed.
    pub fn write(&mut self, made: &Move) -> Result<Written, WriteError> {
        let after = self.table.play(made)?;
        let mut failure = MoveProblem::Marks;
        for text in self.texts(made, &after) {
            match self.readings.after(&text) {
                Ok(readings) if readings.are_all(&after) => {
                    *self = Self { table: after, readings };
                    return Ok(text);
                }
                Ok(_) => failure = MoveProblem::Ambiguous(2),
                Err(problem) => failure = problem,
            }
        }
        Err(WriteError::Unwritable(failure))
    }

    /// The texts that may tell the move, the short ones first. The reader decides which marks are
    /// right.
    fn texts(&self, made: &Move, after: &Table) -> Vec<Written> {
        let new = after.degrees().last().map_or(0, |(card, _)| card);
        let [from, to] = ends(&self.table, made);
        let ats = std::iter::once(None).chain(reached(after, new).into_iter().map(Some));
        let mut texts = Vec::new();
        for at in ats {
            for list in lists(&self.table, made) {
                for marks in [[false, false], [true, false], [false, true], [true, true]] {
                    let ends = [(from, marks[0]), (to, marks[1])];
                    texts.push(Written { ends, new, at, list: list.clone() });
                }
            }
        }
        texts
    }
}

/// The lists that tell what a move separates, the short one first.
fn lists(table: &Table, made: &Move) -> Vec<Vec<Card>> {
    let Move::Dividing { row, stack, take, along } = made else { return vec![Vec::new()] };
    let row = &table.rows()[*row];
    let mut walk = row[stack.stack].clone();
    walk.rotate_left(stack.cards);
    let (taken, left) = walk.split_at(*take);
    let ends = ends(table, made);
    let side = |own: &[Card], other: &[Card], gone: bool| {
        let mut list: Vec<Card> = own.iter().copied().filter(|c| !other.contains(c)).collect();
        let stacks = row.iter().enumerate().filter(|&(s, _)| s != stack.stack);
        let stacks = stacks.filter(|(s, _)| along.contains(s) == gone);
        list.extend(stacks.flat_map(|(_, stack)| stack));
        list.retain(|&card| degree(table, card) < 3 && !ends.contains(&card));
        list.sort_unstable();
        list.dedup();
        list
    };
    let mut lists = vec![side(taken, left, true), side(left, taken, false)];
    lists.sort_by_key(Vec::len);
    lists.dedup();
    lists
}

fn row(made: &Move) -> usize {
    match *made {
        Move::Joining { row, .. } | Move::Dividing { row, .. } => row,
    }
}

/// The spots that a move joins, the smaller one first.
fn ends(table: &Table, made: &Move) -> [Card; 2] {
    let row = &table.rows()[row(made)];
    let [a, b] = match *made {
        Move::Joining { a, b, .. } => [row[a.stack][a.cards], row[b.stack][b.cards]],
        Move::Dividing { stack, take, .. } => {
            let walk = &row[stack.stack];
            [walk[stack.cards], walk[(stack.cards + take - 1) % walk.len()]]
        }
    };
    [a.min(b), a.max(b)]
}

/// The head of a record: `8+ (Ann, Bob*)`.
#[must_use]
pub fn head(spots: u32, misere: bool, players: &[Player]) -> String {
    let mut text = format!("{spots}{}", if misere { '-' } else { '+' });
    if !players.is_empty() {
        let star = |player: &Player| if player.inviting { "*" } else { "" };
        let names: Vec<_> = players.iter().map(|p| format!("{}{}", p.name, star(p))).collect();
        text += &format!(" ({})", names.join(", "));
    }
    text
}

/// The record of a whole game.
///
/// # Errors
/// [`WriteError`] for the first move that cannot be written.
pub fn write(
    spots: u32,
    misere: bool,
    players: &[Player],
    moves: &[Move],
) -> Result<String, WriteError> {
    let mut text = head(spots, misere, players);
    let mut writer = Writer::start(spots);
    for made in moves {
        text += &format!(" {}", writer.write(made)?);
    }
    Ok(text)
}
