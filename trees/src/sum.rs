//! Sums of reduced canonical trees.

use rustc_hash::FxHashMap;

use crate::forest::{Forest, Tree};

/// Adds RCTs of one [`Forest`], and remembers the sums.
///
/// The number of sums grows with the product of the sizes of both trees: This is harmless for the
/// small lands into which larger ones fall, but not for two large ones.
#[derive(Default)]
pub struct Sums(FxHashMap<(Tree, Tree), Tree>);

impl Sums {
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.0.capacity() * (size_of::<(Tree, Tree, Tree)>() + 1)
    }

    /// An upper bound of the trees that are met on the way to the sum of these: the product of the
    /// numbers of trees below each.
    #[must_use]
    pub fn bound(forest: &Forest, trees: &[Tree]) -> f64 {
        trees.iter().map(|&tree| forest.below(tree) as f64).product()
    }

    /// The RCT of `a + b`.
    pub fn add(&mut self, forest: &mut Forest, a: Tree, b: Tree) -> Tree {
        let sum = self.add_bare(forest, a.without_factor(), b.without_factor());
        if a.has_factor() == b.has_factor() { sum } else { sum.plus_one() }
    }

    /// The sum of two trees without factor 1.
    fn add_bare(&mut self, forest: &mut Forest, a: Tree, b: Tree) -> Tree {
        if a == Tree::ZERO || b == Tree::ZERO {
            return a.max(b);
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&sum) = self.0.get(&pair) {
            return sum;
        }
        let mut options = Vec::with_capacity(forest.option_count(a) + forest.option_count(b));
        for (moved, other) in [(a, b), (b, a)] {
            for i in 0..forest.option_count(moved) {
                let option = Tree(forest.sets.get(moved.number())[i]);
                options.push(self.add(forest, option, other));
            }
        }
        let sum = forest.reduce(&mut options);
        self.0.insert(pair, sum);
        sum
    }
}
