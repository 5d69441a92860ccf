//! What games of a set tell apart.
//!
//! Different RCTs are told apart by some game ([`crate::Comparer`]), but perhaps by none that comes
//! up in the game that is played. Lemoine and Viennot ask that for Sprouts (*Analysis of misère
//! Sprouts game with reduced canonical trees*, 2009, section 2.7).

use std::collections::{BTreeMap, HashMap, HashSet};

use sprig_trees::{Forest, Tree};

/// Outcomes of sums of two trees in misère play.
#[derive(Default)]
pub struct Pairs {
    /// Whether the player to move wins, by the two trees in order.
    wins: HashMap<(Tree, Tree), bool>,
}

impl Pairs {
    /// Whether the player to move wins the sum. Without a move left, that player does.
    pub fn wins(&mut self, forest: &Forest, a: Tree, b: Tree) -> bool {
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.wins.get(&pair) {
            return known;
        }
        let is_over = forest.options(a).next().is_none() && forest.options(b).next().is_none();
        let wins = is_over
            || forest.options(a).any(|option| !self.wins(forest, option, b))
            || forest.options(b).any(|option| !self.wins(forest, a, option));
        self.wins.insert(pair, wins);
        wins
    }

    /// Whether the sums of two trees with a third have different outcomes.
    pub fn are_told_apart(&mut self, forest: &Forest, (g, h): (Tree, Tree), by: Tree) -> bool {
        self.wins(forest, g, by) != self.wins(forest, h, by)
    }
}

/// What one game beside another tells of these trees, of all below them, and of each of these
/// plus 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart {
    /// How many trees there are.
    pub trees: usize,
    /// How many classes they fall into: trees of different classes have different outcomes beside one
    /// tree of the set.
    pub classes: usize,
}

impl Apart {
    /// Plays out all sums of two trees of the set.
    pub fn of(forest: &Forest, trees: impl IntoIterator<Item = Tree>) -> Self {
        let mut open: Vec<Tree> = trees.into_iter().collect();
        let mut found = HashSet::new();
        while let Some(tree) = open.pop() {
            for tree in [tree, tree.plus_one()] {
                if found.insert(tree) {
                    open.extend(forest.options(tree));
                }
            }
        }
        // Options are lower than their tree, so what a sum rests on comes before it.
        let mut order: Vec<Tree> = found.into_iter().collect();
        order.sort_unstable_by_key(|&tree| (forest.height(tree), tree));
        let places: BTreeMap<Tree, usize> = order.iter().zip(0..).map(|(&t, at)| (t, at)).collect();
        let options: Vec<Vec<usize>> = order
            .iter()
            .map(|&tree| forest.options(tree).map(|it| places[&it]).collect())
            .collect();
        let mut rows: Vec<Vec<bool>> = Vec::new();
        for a in 0..order.len() {
            let mut row: Vec<bool> = rows.iter().map(|other| other[a]).collect();
            for b in a..order.len() {
                // What a move leads to has come before: in another row, or in this one.
                let after_a = options[a].iter().map(|&option| rows[option][b]);
                let after_b = options[b].iter().map(|&option| row[option]);
                let is_over = options[a].is_empty() && options[b].is_empty();
                let wins = is_over || after_a.chain(after_b).any(|wins| !wins);
                row.push(wins);
            }
            rows.push(row);
        }
        let trees = rows.len();
        Self { trees, classes: rows.into_iter().collect::<HashSet<_>>().len() }
    }
}

#[cfg(test)]
mod tests {
    use sprig_domain::Outcome;
    use sprig_trees::Sums;

    use super::*;
    use crate::nim_heap;

    #[test]
    fn a_sum_of_two_is_played_out_as_its_tree_says() {
        let mut forest = Forest::default();
        let two = nim_heap(&mut forest, 2);
        let set = forest.reduce(&mut vec![two]);
        let trees = [Tree::ZERO, Tree::ONE, two, two.plus_one(), set, set.plus_one()];
        let (mut pairs, mut sums) = (Pairs::default(), Sums::default());
        for a in trees {
            for b in trees {
                let sum = sums.add(&mut forest, a, b);
                let wins = forest.outcome(sum) == Outcome::Win;
                assert_eq!(pairs.wins(&forest, a, b), wins, "{a:?} + {b:?}");
            }
        }
        let apart = Apart::of(&forest, [set]);
        assert_eq!(apart.trees, trees.len());
        let mut rows = HashSet::new();
        for a in trees {
            rows.insert(trees.map(|b| pairs.wins(&forest, a, b)));
        }
        assert_eq!(apart.classes, rows.len());
    }

    #[test]
    fn nim_tells_all_its_heaps_apart() {
        let mut forest = Forest::default();
        let heap = nim_heap(&mut forest, 6);
        // A heap and the same plus 1 are both heaps.
        assert_eq!(Apart::of(&forest, [heap]), Apart { trees: 8, classes: 8 });
    }
}
