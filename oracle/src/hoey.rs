//! Dan Hoey's boundary lists: `5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2`.
//!
//! Cards of a stack from top to bottom with `,` between them, `;` between the stacks of a row, `/`
//! between rows.

use std::fmt;
use std::str::FromStr;

use crate::{Card, OracleError, Stack, Table};

/// Longest boundary list that is read, in bytes.
pub(crate) const MAX_TEXT: usize = 65_536;

impl FromStr for Table {
    type Err = OracleError;

    /// Reads a full table: the degree of a spot is the number of its twins, or 0 if it is alone in
    /// its stack.
    fn from_str(text: &str) -> Result<Self, OracleError> {
        if text.len() > MAX_TEXT {
            return Err(OracleError::TooLong(text.len()));
        }
        let mut table = Self::default();
        for (r, row) in text.split('/').enumerate() {
            let stacks = row.split(';').enumerate();
            table
                .rows
                .push(stacks.map(|(s, stack)| read_stack(stack, r, s)).collect::<Result<_, _>>()?);
        }
        for stack in table.rows.iter().flatten() {
            for &card in stack {
                let degree = table.degrees.entry(card).or_insert(0);
                *degree += u8::from(stack.len() > 1);
                if *degree > 3 {
                    return Err(OracleError::TooManyTwins(card));
                }
            }
        }
        Ok(table)
    }
}

fn read_stack(text: &str, row: usize, stack: usize) -> Result<Stack, OracleError> {
    let read_card = |card: &str| match card.parse::<Card>() {
        Ok(number) if number > 0 && !card.starts_with('+') => Ok(number),
        _ => Err(OracleError::NotACard { row: row + 1, stack: stack + 1, text: card.into() }),
    };
    text.split(',').map(read_card).collect()
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |parts: Vec<String>, separator: &str| parts.join(separator);
        let stack = |s: &Stack| join(s.iter().map(Card::to_string).collect(), ",");
        let row = |r: &Vec<Stack>| join(r.iter().map(stack).collect(), ";");
        f.write_str(&join(self.rows.iter().map(row).collect(), "/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundary_lists_are_printed_as_they_were_read() {
        for text in ["1", "1;2;3", "2,1;3/2,1", "5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2"] {
            assert_eq!(text.parse::<Table>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn degrees_are_read_off_the_table() {
        let table: Table = "1,3,2,3;4".parse().expect("well-formed");
        assert_eq!(table.degrees().collect::<Vec<_>>(), [(1, 1), (2, 1), (3, 2), (4, 0)]);
    }

    #[test]
    fn mistakes_name_their_place() {
        let not_a_card =
            |row, stack, text: &str| OracleError::NotACard { row, stack, text: text.into() };
        for (text, error) in [
            ("", not_a_card(1, 1, "")),
            ("1,2;3,x/4", not_a_card(1, 2, "x")),
            ("1/2,,3", not_a_card(2, 1, "")),
            ("0", not_a_card(1, 1, "0")),
            ("+1", not_a_card(1, 1, "+1")),
            ("1,1,1,1", OracleError::TooManyTwins(1)),
        ] {
            assert_eq!(text.parse::<Table>(), Err(error), "{text}");
        }
    }
}
