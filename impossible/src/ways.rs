//! How many ways to turn over one card in each row meet a challenge.

use std::collections::HashMap;

use crate::{Card, Colour, Table, Value};

/// Which cards of a value must be turned over, and the sign of that case.
const CASES: [(&[Colour], i64); 3] =
    [(&[Colour::Red], 1), (&[Colour::Black], 1), (&[Colour::Red, Colour::Black], -1)];

impl Table {
    /// How many ways there are to turn over one card in each row: 3^N for N rows.
    #[must_use]
    pub fn all_ways(&self) -> u64 {
        3_u64.pow(self.rows().len() as u32)
    }

    /// How many of them meet the challenge, exactly.
    ///
    /// A way meets it if of each value no red card remains or no black one. By inclusion and
    /// exclusion that is "no red one" + "no black one" - "none at all", a sum over three cases for
    /// each value. Once each value has its case, the rows are independent: a row in which two cards
    /// must be turned over allows no way, one with one such card a single way, and any other three.
    /// Cases that ask for a card of the same rows are counted together, so the work is bounded by
    /// 2^N sets of rows and not by 3^N ways.
    #[must_use]
    pub fn ways(&self) -> u64 {
        let mut sums = HashMap::from([(0_u32, 1_i64)]);
        for value in Value::all() {
            let is_there =
                |colour| self.rows().iter().flatten().any(|&card| card == Card { colour, value });
            // In one colour alone a value allows everything: its three cases add up to "any".
            if !is_there(Colour::Red) || !is_there(Colour::Black) {
                continue;
            }
            let mut next = HashMap::new();
            for (colours, sign) in CASES {
                let Some(asked) = self.asked(value, colours) else { continue };
                for (&rows, &sum) in sums.iter().filter(|&(rows, _)| rows & asked == 0) {
                    *next.entry(rows | asked).or_default() += sign * sum;
                }
            }
            sums = next;
        }
        let free = |rows: u32| 3_i64.pow(self.rows().len() as u32 - rows.count_ones());
        let ways: i64 = sums.iter().map(|(&rows, &sum)| sum * free(rows)).sum();
        ways.try_into().expect("a number of ways is not negative")
    }

    /// The rows, as bits, in which a card of a value and of these colours must be turned over; `None`
    /// if one row has two of them.
    fn asked(&self, value: Value, colours: &[Colour]) -> Option<u32> {
        let is_asked = |card: &&Card| card.value == value && colours.contains(&card.colour);
        let mut asked = 0;
        for (number, row) in self.rows().iter().enumerate() {
            match row.iter().filter(is_asked).count() {
                0 => {}
                1 => asked |= 1 << number,
                _ => return None,
            }
        }
        Some(asked)
    }
}
