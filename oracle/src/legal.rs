//! All legal moves: every choice of the card procedure is tried.

use crate::{Card, Cut, Move, Row, Rules, Table};

impl Table {
    /// Calls `visit` with every legal move and the table after it.
    ///
    /// Joining A to B and B to A differ in the cut of the joined stack only, so only one of them is
    /// tried. Nothing else is left out: many of the tables are isomorphic.
    pub fn for_each_option(&self, mut visit: impl FnMut(&Move, Self)) {
        for (r, row) in self.rows.iter().enumerate() {
            self.for_each_joining(r, row, &mut visit);
            self.for_each_dividing(r, row, &mut visit);
        }
    }

    /// As for [`Self::for_each_option`], in a game. In black-and-white Sprouts each move comes
    /// twice, the second time with its new spot taken away again: a curve without a spot is one
    /// whose spot cannot be used.
    pub fn for_each_option_by(&self, rules: Rules, mut visit: impl FnMut(&Move, Self)) {
        self.for_each_option(|played, option| {
            let bare = rules.may_leave_out().then(|| option.without(self.new_card(&option)));
            visit(played, option);
            if let Some(bare) = bare {
                visit(played, bare);
            }
        });
    }

    /// The card that a move has laid.
    fn new_card(&self, option: &Self) -> Card {
        let new =
            option.degrees().map(|(card, _)| card).find(|card| !self.degrees.contains_key(card));
        new.expect("a move lays a new card")
    }

    /// The table without a card and its twins.
    fn without(&self, card: Card) -> Self {
        let mut table = self.clone();
        table.rows.iter_mut().flatten().for_each(|stack| stack.retain(|&c| c != card));
        table.remove_empty_stacks();
        table.degrees.remove(&card);
        table
    }

    fn for_each_joining(&self, r: usize, row: &Row, visit: &mut impl FnMut(&Move, Self)) {
        let cuts: Vec<Cut> = (0..row.len()).flat_map(|s| cuts_of(row, s)).collect();
        for &a in &cuts {
            for &b in cuts.iter().filter(|b| b.stack > a.stack) {
                let joining = Move::Joining { row: r, a, b };
                if let Ok(option) = self.play(&joining) {
                    visit(&joining, option);
                }
            }
        }
    }

    fn for_each_dividing(&self, r: usize, row: &Row, visit: &mut impl FnMut(&Move, Self)) {
        for stack in (0..row.len()).flat_map(|s| cuts_of(row, s)) {
            for take in 1..=row[stack.stack].len() {
                // The choice of the stacks that go along never makes a move illegal.
                let dividing = |along| Move::Dividing { row: r, stack, take, along };
                if self.play(&dividing(Vec::new())).is_err() {
                    continue;
                }
                for_each_subset(row.len(), stack.stack, |along| {
                    let dividing = dividing(along);
                    let option = self.play(&dividing).expect("the dividing move is legal");
                    visit(&dividing, option);
                });
            }
        }
    }
}

fn cuts_of(row: &Row, stack: usize) -> impl Iterator<Item = Cut> + use<> {
    (0..row[stack].len()).map(move |cards| Cut { stack, cards })
}

/// Calls `visit` with every set of numbers below `count` that does not hold `without`, by counting
/// in binary.
fn for_each_subset(count: usize, without: usize, mut visit: impl FnMut(Vec<usize>)) {
    let others: Vec<usize> = (0..count).filter(|&number| number != without).collect();
    let mut chosen = vec![false; others.len()];
    loop {
        visit(others.iter().zip(&chosen).filter(|c| *c.1).map(|c| *c.0).collect());
        let Some(carry) = chosen.iter().position(|&bit| !bit) else { return };
        chosen[..carry].fill(false);
        chosen[carry] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_all_visited() {
        let mut seen = Vec::new();
        for_each_subset(4, 1, |subset| seen.push(subset));
        seen.sort();
        assert_eq!(
            seen,
            [vec![], vec![0], vec![0, 2], vec![0, 2, 3], vec![0, 3], vec![2], vec![2, 3], vec![3]]
        );
    }

    #[test]
    fn two_spots_have_five_first_moves() {
        let mut options = Vec::new();
        Table::start(2).for_each_option(|_, option| options.push(option.to_string()));
        options.sort();
        // One curve between the spots, and round each of them a loop with the other one inside or
        // outside.
        assert_eq!(options, ["3,1,3,2", "3,1/3,1;2", "3,1;2/3,1", "3,2/1;3,2", "3,2;1/3,2"]);
    }
}
