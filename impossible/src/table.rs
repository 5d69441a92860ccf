//! The table: rows of three cards, and how they are written.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use crate::{Card, CardError};

/// As many rows as a deck has threes.
pub const MAX_ROWS: usize = 17;

/// The longest text that is read, in bytes.
const MAX_TEXT: usize = 1 << 16;

/// Three cards that were played together.
pub type Row = [Card; 3];

/// The rows on the table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

/// Why a text is no table, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {mistake}")]
pub struct TableError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub mistake: Mistake,
}

/// What is wrong with a table or a hand.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Mistake {
    /// The text is too long.
    #[error("the text goes on for more than {MAX_TEXT} bytes; a deck has 52 cards")]
    TooLong,
    /// A word that is no card.
    #[error(transparent)]
    Card(#[from] CardError),
    /// A row that is not three cards.
    #[error("this row has {0} cards; a row has three, rows end with the line or with `/`")]
    Row(usize),
    /// A card that occurs too often.
    #[error("{0} is there for the third time; a deck has two of every colour and value")]
    Third(Card),
    /// Too many rows.
    #[error("this is row 18; the 52 cards of a deck make {MAX_ROWS} rows at most")]
    Rows,
}

impl Table {
    /// The rows in the order in which they are written.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Lays one more row on the table. The reader and the dealer check that no card occurs too
    /// often.
    pub fn lay(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// The rows with these numbers, from 0.
    #[must_use]
    pub fn only(&self, rows: &[usize]) -> Self {
        Self { rows: rows.iter().map(|&row| self.rows[row]).collect() }
    }
}

impl From<Vec<Row>> for Table {
    fn from(rows: Vec<Row>) -> Self {
        Self { rows }
    }
}

impl fmt::Display for Table {
    /// One row a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.iter().try_for_each(|[a, b, c]| writeln!(f, "{a} {b} {c}"))
    }
}

/// Counts cards, and finds the third of a kind.
#[derive(Default)]
struct Deck(HashMap<Card, u8>);

impl Deck {
    fn take(&mut self, card: Card) -> Result<(), Mistake> {
        let taken = self.0.entry(card).or_default();
        *taken += 1;
        if *taken > 2 { Err(Mistake::Third(card)) } else { Ok(()) }
    }
}

/// Reads a table: three cards a row, rows by line or with `/` between them. `#` starts a comment.
/// No row at all is a table too.
///
/// # Errors
/// [`TableError`] at the first thing that is wrong.
pub fn read_table(text: &str) -> Result<Table, TableError> {
    let at = |line, column, mistake| TableError { line, column, mistake };
    if text.len() > MAX_TEXT {
        return Err(at(1, 1, Mistake::TooLong));
    }
    let (mut table, mut deck) = (Table::default(), Deck::default());
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let line = line.split('#').next().unwrap_or_default();
        let is_row = |row: &&str| !row.trim().is_empty() || line.contains('/');
        for row in line.split('/').filter(is_row) {
            let column_of = |part: &str| {
                let before = part.as_ptr().addr() - line.as_ptr().addr();
                line[..before].chars().count() + 1
            };
            let mut cards = Vec::new();
            for word in row.split_whitespace() {
                let wrong = |mistake| at(line_number, column_of(word), mistake);
                if table.rows.len() == MAX_ROWS {
                    return Err(wrong(Mistake::Rows));
                }
                let card: Card = word.parse().map_err(|error: CardError| wrong(error.into()))?;
                deck.take(card).map_err(wrong)?;
                cards.push(card);
            }
            let first = &row[row.len() - row.trim_start().len()..];
            let row = <Row>::try_from(&cards[..])
                .map_err(|_| at(line_number, column_of(first), Mistake::Row(cards.len())))?;
            table.lay(row);
        }
    }
    Ok(table)
}

/// Reads cards with blanks between them, a hand for example, that lie beside a table.
///
/// # Errors
/// [`TableError`] at the first thing that is wrong; the line is 1.
pub fn read_cards(text: &str, beside: &Table) -> Result<Vec<Card>, TableError> {
    let mut deck = Deck::default();
    for &card in beside.rows.iter().flatten() {
        deck.take(card).map_err(|mistake| TableError { line: 1, column: 1, mistake })?;
    }
    text.split_whitespace()
        .map(|word| {
            let before = word.as_ptr().addr() - text.as_ptr().addr();
            let column = text[..before].chars().count() + 1;
            let wrong = |mistake| TableError { line: 1, column, mistake };
            let card: Card = word.parse().map_err(|error: CardError| wrong(error.into()))?;
            deck.take(card).map_err(wrong)?;
            Ok(card)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_by_line_and_by_stroke() {
        let lines = read_table("R3 B3 R0\n\n# a comment\nB0 R3 B2 # another\r\n").expect("a table");
        assert_eq!(read_table("r3 b3 r0 / B0 R3 B2"), Ok(lines.clone()));
        assert_eq!(lines.to_string(), "R3 B3 R0\nB0 R3 B2\n");
        assert_eq!(read_table("").expect("no rows").rows().len(), 0);
    }

    #[test]
    fn mistakes_name_line_and_column() {
        for (text, part) in [
            ("X3 R1 R2", "line 1, column 1: `X3` is no card; a card is R or B"),
            ("R1 R11 R2", "line 1, column 4: `R11` is no card"),
            ("R1 R2 R", "line 1, column 7: `R` is no card"),
            ("R1 R2 R3\n R4 R5\n", "line 2, column 2: this row has 2 cards; a row has three"),
            ("R1 R2 R3 R4", "line 1, column 1: this row has 4 cards"),
            ("R1 R2 R3 /", "line 1, column 11: this row has 0 cards"),
            ("R1 R2 R3 / / B1 B2 B3", "line 1, column 12: this row has 0 cards"),
            ("R1 R2 R3\nR1 R4 R5\nR6 R1 R7", "line 3, column 4: R1 is there for the third time"),
            ("R1 R1 R1", "line 1, column 7: R1 is there for the third time"),
            ("é1 R1 R2", "line 1, column 1: `é1` is no card"),
        ] {
            let error = read_table(text).expect_err(text).to_string();
            assert!(error.starts_with(part), "{text:?}: {error}");
        }
        let error = read_table(&"R1 ".repeat(1 << 16)).expect_err("long").to_string();
        assert!(error.contains("more than 65536 bytes"), "{error}");
    }

    #[test]
    fn the_eighteenth_row_is_too_many() {
        let deck = Value::all()
            .flat_map(|value| [Colour::Red, Colour::Black].map(|colour| Card { colour, value }));
        let deck: Vec<Card> = deck.flat_map(|card| [card, card]).collect();
        let rows: Vec<Row> = deck.chunks_exact(3).map(|row| [row[0], row[1], row[2]]).collect();
        let text = Table::from(rows).to_string();
        assert_eq!(read_table(&text).expect("17 rows").rows().len(), MAX_ROWS);
        let error = read_table(&(text + "RK R1 R2\n")).expect_err("18 rows").to_string();
        assert!(error.starts_with("line 18, column 1: this is row 18"), "{error}");
    }

    #[test]
    fn a_hand_shares_the_deck_with_the_table() {
        let table = read_table("R1 R1 B1").expect("a table");
        assert_eq!(read_cards("R2 B1", &table).expect("a hand").len(), 2);
        let error = read_cards("R2  R1", &table).expect_err("three").to_string();
        assert!(error.starts_with("line 1, column 5: R1 is there for the third time"), "{error}");
    }

    use crate::{Colour, Value};
}
