//! All ways to name a colour for every value, as a set of 2^13 bits.

use crate::{Colour, Row, Table, Value};

/// How many colourings there are.
const ALL: usize = 1 << Value::COUNT;

/// A set of colourings. Bit v of a colouring's number says that value v is black.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Colourings([u64; ALL / 64]);

impl Colourings {
    /// Every colouring.
    #[must_use]
    pub fn all() -> Self {
        Self([u64::MAX; ALL / 64])
    }

    /// The colourings under which every row of a table has at most one wrong card.
    #[must_use]
    pub fn of(table: &Table) -> Self {
        table.rows().iter().fold(Self::all(), |left, row| left.and(row))
    }

    /// The colourings of this set under which a row has at most one wrong card.
    #[must_use]
    pub fn and(&self, row: &Row) -> Self {
        // The colourings under which a card is wrong, 64 of them in a word: the lowest six values
        // change within a word, the others from word to word.
        const WITHIN: [u64; 6] = [
            0xAAAA_AAAA_AAAA_AAAA,
            0xCCCC_CCCC_CCCC_CCCC,
            0xF0F0_F0F0_F0F0_F0F0,
            0xFF00_FF00_FF00_FF00,
            0xFFFF_0000_FFFF_0000,
            0xFFFF_FFFF_0000_0000,
        ];
        let mut left = self.clone();
        for (word, left) in left.0.iter_mut().enumerate() {
            let [a, b, c] = row.map(|card| {
                let value = card.value.index();
                let black = match value.checked_sub(WITHIN.len()) {
                    None => WITHIN[value],
                    Some(bit) => 0_u64.wrapping_sub((word as u64 >> bit) & 1),
                };
                if card.colour == Colour::Red { black } else { !black }
            });
            *left &= !(a & b | a & c | b & c);
        }
        left
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}
