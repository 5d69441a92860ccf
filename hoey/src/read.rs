//! The reader.

use std::str::FromStr;

use crate::{Card, List, ListError, MAX_TEXT, Mark};

impl FromStr for List {
    type Err = ListError;

    fn from_str(text: &str) -> Result<Self, ListError> {
        Self::read(text, 1)
    }
}

impl List {
    /// Reads a list that begins at `column` of some text.
    ///
    /// # Errors
    /// [`ListError`] with the column.
    pub fn read(text: &str, mut column: usize) -> Result<Self, ListError> {
        if text.len() > MAX_TEXT {
            return Err(ListError::TooLong(text.len()));
        }
        if text.is_empty() {
            return Err(ListError::Empty);
        }
        let mut regions = Vec::new();
        for region in text.split('/') {
            let mut stacks = Vec::new();
            for stack in region.split(';') {
                let mut cards = Vec::new();
                for card in stack.split(',') {
                    cards.push(read(card, column)?);
                    column += card.chars().count() + 1;
                }
                stacks.push(cards);
            }
            regions.push(stacks);
        }
        Ok(Self { regions })
    }
}

fn read(text: &str, column: usize) -> Result<Card, ListError> {
    let (digits, mark) = match text.strip_suffix(['o', 't']) {
        Some(digits) if text.ends_with('o') => (digits, Some(Mark::Once)),
        Some(digits) => (digits, Some(Mark::Twice)),
        None => (text, None),
    };
    match digits.parse() {
        Ok(spot) if !digits.starts_with(['0', '+']) => Ok(Card { spot, mark, column }),
        _ => Err(ListError::NoSpot { column, text: text.chars().take(40).collect() }),
    }
}
