//! Reduction: what cannot matter to any later move is taken off the table.
//!
//! Each rule keeps the game tree up to isomorphism of trees. That is less than keeping the
//! isomorphism classes of the children: `222` written for `2a2a` loses the child `AB|AB`, which has
//! the same tree as the remaining child `22`. So the number of positions in a game tree depends on
//! how a region of two or three lives is laid out; with each of its spots in a stack of its own, as
//! here, it is the published one. The rules are repeated until none finds anything to do. That a
//! spot whose twin was taken away is written `2` instead of a letter needs no rule: it follows from
//! the table.

use crate::{Row, Stack, Table};

impl Table {
    /// The table after reduction.
    #[must_use]
    pub fn reduced(mut self) -> Self {
        loop {
            let before = self.rows.clone();
            self.remove_dead_cards();
            self.merge_adjacent_twins();
            self.remove_empty_stacks();
            self.remove_rows_without_moves();
            self.scatter_small_rows();
            if self.rows == before {
                return self;
            }
        }
    }

    /// No curve can end at a spot of degree 3.
    pub(crate) fn remove_dead_cards(&mut self) {
        for stack in self.rows.iter_mut().flatten() {
            stack.retain(|card| self.degrees[card] < 3);
        }
        self.degrees.retain(|_, degree| *degree < 3);
    }

    /// A curve between two adjacent twins would pass the same spots as a curve beside them.
    fn merge_adjacent_twins(&mut self) {
        for stack in self.rows.iter_mut().flatten() {
            stack.dedup();
            while stack.len() > 1 && stack.first() == stack.last() {
                stack.pop();
            }
        }
    }

    /// A boundary without living spots does not matter: no curve can start from it.
    pub(crate) fn remove_empty_stacks(&mut self) {
        for row in &mut self.rows {
            row.retain(|stack| !stack.is_empty());
        }
    }

    /// A move takes two lives of its region.
    fn remove_rows_without_moves(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        self.rows = rows.into_iter().filter(|row| self.lives(row) >= 2).collect();
        let rows = &self.rows;
        self.degrees.retain(|card, _| rows.iter().flatten().flatten().any(|c| c == card));
    }

    /// With two or three lives there is one move in a region, or two, and no walk along its
    /// boundaries makes a difference: each of its spots is laid in a stack of its own.
    fn scatter_small_rows(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        self.rows = rows
            .into_iter()
            .map(|row| if self.lives(&row) <= 3 { scattered(&row) } else { row })
            .collect();
    }
}

fn scattered(row: &Row) -> Row {
    let mut cards: Stack = row.concat();
    cards.sort_unstable();
    cards.dedup();
    cards.into_iter().map(|card| vec![card]).collect()
}

#[cfg(test)]
mod tests {
    use sprig_engine::notation;

    #[test]
    fn positions_are_reduced() {
        for (text, reduced) in [
            ("!", "!"),
            ("0", "0"),
            ("1", "1"),
            ("2", "!"),
            ("A|A", "!"),
            // A letter next to itself, also around the end.
            ("0.AA", "0.2"),
            ("0.A2A", "0.22"),
            // A spot that is left alone in its region is alone in the other one, too.
            ("0*2.A|A", "0*2.2"),
            ("0*2.A|AB|B", "0*2.A|A2"),
            // Three lives or fewer forget their boundaries, and private letters.
            ("2.2", "22"),
            ("1.A|0.A", "0.A|1A"),
            ("2a2a", "222"),
            // Two lives are enough for a letter pair and one more life.
            ("AB|AB+0", "0+AB|AB"),
            ("0.2a2a", "0.2a2a"),
        ] {
            let position = notation::read(text).expect(text);
            let expected = notation::read(reduced).expect(reduced);
            assert!(
                crate::isomorphic(&position, &expected),
                "{text} became {} and not {reduced}",
                crate::reduce(&position)
            );
        }
    }
}
