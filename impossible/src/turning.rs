//! What a person turns over at a challenge: read, and judged by the rules.

use thiserror::Error;

use crate::{Card, CardError, Colour, Table, Value};

/// A value that remains in both colours. It loses a challenge for who turned the cards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clash {
    /// The value.
    pub value: Value,
    /// The rows in which a red card of it remains, from 0, ascending.
    pub red: Vec<usize>,
    /// The rows in which a black card of it remains.
    pub black: Vec<usize>,
}

/// Why a text does not say which card to turn over in each row.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TurnError {
    /// Not as many cards as rows.
    #[error("name one card of each of the {rows} rows, in their order; {words} came")]
    Count {
        /// Rows on the table.
        rows: usize,
        /// Cards that were named.
        words: usize,
    },
    /// Neither a number nor a card.
    #[error("row {row}: {error}; or say 1, 2 or 3, its place in the row")]
    NoCard {
        /// The row, from 1.
        row: usize,
        /// Why the word is no card.
        error: CardError,
    },
    /// A card of another row, or of none.
    #[error("row {row} is {cards} and has no {card}")]
    Elsewhere {
        /// The row, from 1.
        row: usize,
        /// Its cards.
        cards: String,
        /// The card that was named.
        card: Card,
    },
}

impl Table {
    /// The values that remain in both colours when the cards at these places, from 0, are turned
    /// over, one in each row. If there are none, the challenge is met.
    ///
    /// # Panics
    /// When there is not one place below three for each row.
    #[must_use]
    pub fn clashes(&self, turned: &[usize]) -> Vec<Clash> {
        assert_eq!(turned.len(), self.rows().len(), "one card of each row");
        assert!(turned.iter().all(|&place| place < 3), "a row has three cards");
        let with = |card: Card| -> Vec<usize> {
            let remains = |&number: &usize| {
                (0..3).any(|place| place != turned[number] && self.rows()[number][place] == card)
            };
            (0..self.rows().len()).filter(remains).collect()
        };
        let clashes = Value::all().map(|value| {
            let [red, black] =
                [Colour::Red, Colour::Black].map(|colour| with(Card { colour, value }));
            Clash { value, red, black }
        });
        clashes.filter(|clash| !clash.red.is_empty() && !clash.black.is_empty()).collect()
    }

    /// Reads which card a person turns over in each row: its place, 1 to 3, or its name, in the
    /// order of the rows, with blanks, commas or full stops between them. The result has places
    /// from 0.
    ///
    /// # Errors
    /// [`TurnError`] at the first thing that is wrong.
    pub fn read_turned(&self, text: &str) -> Result<Vec<usize>, TurnError> {
        let is_between = |sign: char| sign.is_whitespace() || sign == ',' || sign == '.';
        let words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
        if words.len() != self.rows().len() {
            return Err(TurnError::Count { rows: self.rows().len(), words: words.len() });
        }
        let place = |(number, word): (usize, &&str)| {
            if let Some(place) = ["1", "2", "3"].iter().position(|place| place == word) {
                return Ok(place);
            }
            let row = number + 1;
            let card: Card = word.parse().map_err(|error| TurnError::NoCard { row, error })?;
            let cards = &self.rows()[number];
            cards.iter().position(|&of| of == card).ok_or_else(|| {
                let [a, b, c] = cards;
                TurnError::Elsewhere { row, cards: format!("{a} {b} {c}"), card }
            })
        };
        words.iter().enumerate().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Table, read_table};

    fn example() -> Table {
        read_table("R3 B3 R0 / B0 R3 B2").expect("a table")
    }

    #[test]
    fn what_remains_in_both_colours_is_named_with_its_rows() {
        assert_eq!(example().clashes(&[1, 0]), []);
        let clashes = example().clashes(&[2, 2]);
        let shown: Vec<_> =
            clashes.iter().map(|of| (of.value.to_string(), &of.red[..], &of.black[..])).collect();
        assert_eq!(shown, [("3".to_owned(), &[0, 1][..], &[0][..])]);
        assert_eq!(Table::default().clashes(&[]), []);
    }

    #[test]
    fn cards_are_turned_by_place_or_by_name() {
        for text in ["2 1", "B3 B0", "b3,1", " 2.b0 "] {
            assert_eq!(example().read_turned(text), Ok(vec![1, 0]), "{text:?}");
        }
        assert_eq!(Table::default().read_turned(" "), Ok(vec![]));
        for (text, part) in [
            ("", "name one card of each of the 2 rows, in their order; 0 came"),
            ("1 2 3", "name one card of each of the 2 rows, in their order; 3 came"),
            ("1 4", "row 2: `4` is no card"),
            ("1 0", "row 2: `0` is no card"),
            ("1 B3", "row 2 is B0 R3 B2 and has no B3"),
        ] {
            let error = example().read_turned(text).expect_err(text).to_string();
            assert!(error.starts_with(part), "{text:?}: {error}");
        }
    }
}
