//! Games that tell two trees apart.
//!
//! After J. Conway, *On Numbers and Games* (1976), chapter 12: different RCTs G and H always have a
//! game T such that one of G + T and H + T is a win and the other a loss, and T can be built from G
//! and H.

use std::collections::HashMap;

use sprig_domain::Outcome;
use sprig_trees::{Forest, Sums, Tree};

use crate::{SumTooLarge, add};

/// Builds games that tell trees apart, and remembers them.
#[derive(Default)]
pub struct Comparer {
    told: HashMap<(Tree, Tree), Tree>,
    linked: HashMap<(Tree, Tree), Tree>,
    adjoints: HashMap<Tree, Tree>,
}

impl Comparer {
    /// A tree T such that G + T is a loss and H + T is a win; `None` if G and H are the same. Both
    /// sums are worked out to check it, and each may lead to at most `allowed` trees.
    ///
    /// # Errors
    /// [`SumTooLarge`].
    ///
    /// # Panics
    /// When a sum does not have the outcome that the theory says.
    pub fn tell_apart(
        &mut self,
        forest: &mut Forest,
        (g, h): (Tree, Tree),
        allowed: f64,
    ) -> Result<Option<Tree>, SumTooLarge> {
        if g == h {
            return Ok(None);
        }
        let test = self.told(forest, g, h);
        let mut sums = Sums::default();
        for (tree, outcome) in [(g, Outcome::Loss), (h, Outcome::Win)] {
            let sum = add(forest, &mut sums, tree, test, allowed)?;
            assert_eq!(forest.outcome(sum), outcome, "the sum with what tells them apart");
        }
        Ok(Some(test))
    }

    /// T with G + T lost and H + T won, for different trees.
    fn told(&mut self, forest: &mut Forest, g: Tree, h: Tree) -> Tree {
        if let Some(&known) = self.told.get(&(g, h)) {
            return known;
        }
        let test = match self.direct(forest, g, h) {
            Some(test) => test,
            None => {
                let other = self.direct(forest, h, g).expect("one of both ways there is");
                self.turned(forest, g, other)
            }
        };
        self.told.insert((g, h), test);
        test
    }

    /// T with G + T lost and H + T won, where G is linked to an option of H, or G is a loss and H
    /// is empty.
    fn direct(&mut self, forest: &mut Forest, g: Tree, h: Tree) -> Option<Tree> {
        if forest.outcome(g) == Outcome::Loss && forest.outcome(h) == Outcome::Win {
            return Some(Tree::ZERO);
        }
        let options: Vec<Tree> = forest.options(h).collect();
        let linked = options.into_iter().find(|&option| !are_near(forest, g, option))?;
        Some(self.linked(forest, g, linked))
    }

    /// From T with G + T won and H + T lost, makes a tree that loses with G and wins with H. The
    /// move to T wins beside H, loses beside G, and each option of G meets its adjoint.
    fn turned(&mut self, forest: &mut Forest, g: Tree, test: Tree) -> Tree {
        let options: Vec<Tree> = forest.options(g).collect();
        let mut answers = vec![test];
        for option in options {
            answers.push(self.adjoint(forest, option));
        }
        forest.reduce(&mut answers)
    }

    /// T with both sums lost. Neither tree is an option of the other.
    fn linked(&mut self, forest: &mut Forest, a: Tree, b: Tree) -> Tree {
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.linked.get(&pair) {
            return known;
        }
        let tree = if a == b {
            self.adjoint(forest, a)
        } else {
            let mut answers = Vec::new();
            for (own, other) in [(a, b), (b, a)] {
                let options: Vec<Tree> = forest.options(own).collect();
                for option in options {
                    answers.push(self.told(forest, option, other));
                }
            }
            forest.reduce(&mut answers)
        };
        self.linked.insert(pair, tree);
        tree
    }

    /// The adjoint of the tree: their sum is lost.
    fn adjoint(&mut self, forest: &mut Forest, tree: Tree) -> Tree {
        if tree == Tree::ZERO {
            return Tree::ONE;
        }
        if let Some(&known) = self.adjoints.get(&tree) {
            return known;
        }
        let options: Vec<Tree> = forest.options(tree).collect();
        let mut answers: Vec<Tree> =
            options.into_iter().map(|option| self.adjoint(forest, option)).collect();
        let adjoint = forest.reduce(&mut answers);
        self.adjoints.insert(tree, adjoint);
        adjoint
    }
}

/// Whether one tree is an option of the other, so that no game makes both lose.
fn are_near(forest: &Forest, a: Tree, b: Tree) -> bool {
    forest.has_option(a, b) || forest.has_option(b, a)
}
