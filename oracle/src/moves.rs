//! The two kinds of moves, step by step as the card procedure tells them.

use crate::{Card, OracleError, Stack, Table};

/// A stack of a row, and how many cards to cut from its top to its bottom first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The number of the stack in its row, from 0.
    pub stack: usize,
    /// Cards to cut; fewer than the stack has.
    pub cards: usize,
}

/// A move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// Joins two boundaries: their tops, after the cuts, are joined by a curve.
    Joining {
        /// The number of the row, from 0.
        row: usize,
        /// The stack that comes to lie on top.
        a: Cut,
        /// The other stack.
        b: Cut,
    },
    /// Divides a boundary, and its region: a curve runs from the top, after the cut, to the last
    /// card taken.
    Dividing {
        /// The number of the row, from 0.
        row: usize,
        /// The stack to divide.
        stack: Cut,
        /// Cards to take from the top to the new stack: at least 1, at most as many as the stack
        /// has before the move.
        take: usize,
        /// The numbers of the other stacks that go to the new row, ascending.
        along: Vec<usize>,
    },
}

impl Table {
    /// The table after a move.
    ///
    /// # Errors
    /// [`OracleError::NoTwin`] if the move is illegal, [`OracleError::NotOnTable`] if it is no move
    /// on this table.
    pub fn play(&self, played: &Move) -> Result<Self, OracleError> {
        self.play_watched(played, |_, _| {})
    }

    /// The table after a move. `watch` is shown the table after each step of the procedure that is
    /// not skipped, with the number of the step.
    ///
    /// # Errors
    /// As for [`Table::play`].
    pub fn play_watched(
        &self,
        played: &Move,
        watch: impl FnMut(u32, &Self),
    ) -> Result<Self, OracleError> {
        let mut table = self.clone();
        match *played {
            Move::Joining { row, a, b } => table.join(row, a, b, watch)?,
            Move::Dividing { row, stack, take, ref along } => {
                table.divide(row, stack, take, along, watch)?;
            }
        }
        Ok(table)
    }

    fn join(
        &mut self,
        row: usize,
        a: Cut,
        b: Cut,
        mut watch: impl FnMut(u32, &Self),
    ) -> Result<(), OracleError> {
        if a.stack == b.stack {
            return Err(OracleError::NotOnTable);
        }
        self.cut(row, a)?;
        self.cut(row, b)?;
        watch(1, self);
        for (step, stack) in [(2, a.stack), (3, b.stack)] {
            let top = self.rows[row][stack][0];
            let twin_needed = self.degree(top) > 0;
            self.attach_curve(top)?;
            if twin_needed {
                self.rows[row][stack].push(top);
                watch(step, self);
            }
        }
        let new = self.new_spot();
        self.rows[row][a.stack].insert(0, new);
        self.rows[row][b.stack].insert(0, new);
        watch(4, self);
        let below = std::mem::take(&mut self.rows[row][b.stack]);
        self.rows[row][a.stack].extend(below);
        self.rows[row].remove(b.stack);
        watch(5, self);
        Ok(())
    }

    fn divide(
        &mut self,
        row: usize,
        stack: Cut,
        take: usize,
        along: &[usize],
        mut watch: impl FnMut(u32, &Self),
    ) -> Result<(), OracleError> {
        self.cut(row, stack)?;
        let stacks = self.rows[row].len();
        let others = along.iter().all(|&other| other != stack.stack && other < stacks);
        if take == 0
            || take > self.rows[row][stack.stack].len()
            || !others
            || !along.is_sorted_by(|a, b| a < b)
        {
            return Err(OracleError::NotOnTable);
        }
        watch(1, self);
        let top = self.rows[row][stack.stack][0];
        let isolated = self.degree(top) == 0;
        self.attach_curve(top)?;
        self.rows[row][stack.stack].push(top);
        watch(2, self);
        let original = self.rows[row][stack.stack].split_off(take);
        let taken = std::mem::replace(&mut self.rows[row][stack.stack], original);
        let end = taken[take - 1];
        // The new row is laid above the original one.
        self.rows.insert(row, vec![taken]);
        let original = row + 1;
        watch(3, self);
        self.attach_curve(end)?;
        if !isolated {
            self.rows[original][stack.stack].insert(0, end);
            watch(4, self);
        }
        let new = self.new_spot();
        self.rows[row][0].insert(0, new);
        self.rows[original][stack.stack].insert(0, new);
        watch(5, self);
        if !along.is_empty() {
            let moved: Vec<Stack> = along
                .iter()
                .map(|&other| std::mem::take(&mut self.rows[original][other]))
                .collect();
            self.rows[row].extend(moved);
            self.rows[original].retain(|stack| !stack.is_empty());
            watch(6, self);
        }
        Ok(())
    }

    fn cut(&mut self, row: usize, cut: Cut) -> Result<(), OracleError> {
        let stack = self.rows.get_mut(row).and_then(|row| row.get_mut(cut.stack));
        let stack = stack.filter(|stack| cut.cards < stack.len()).ok_or(OracleError::NotOnTable)?;
        stack.rotate_left(cut.cards);
        Ok(())
    }

    /// Attaches one curve end to a spot. All twins of a dead spot are on the table, so then the
    /// step is not possible.
    fn attach_curve(&mut self, card: Card) -> Result<(), OracleError> {
        let degree = self.degrees.get_mut(&card).expect("every card on the table has a degree");
        if *degree >= 3 {
            return Err(OracleError::NoTwin(card));
        }
        *degree += 1;
        Ok(())
    }

    /// The lowest card that is not yet on the table; its spot lies on the new curve, so its degree
    /// is 2.
    fn new_spot(&mut self) -> Card {
        let card = (1..=Card::MAX).find(|card| !self.degrees.contains_key(card));
        let card = card.expect("fewer cards on the table than numbers");
        self.degrees.insert(card, 2);
        card
    }
}
