//! The trees of a search: those of its base.

use sprig_domain::Outcome;

use super::genus::{Genera, Mix};
use super::node::{TREE, has_one, split};
use sprig_trees::{Forest, Tree};

/// The trees of a base, and what they say of their sums.
pub struct Trees {
    pub(crate) forest: Forest,
    genera: Genera,
}

impl Trees {
    /// The trees of a forest.
    #[must_use]
    pub fn new(forest: Forest) -> Self {
        let genera = Genera::of(&forest);
        Self { forest, genera }
    }

    /// The outcome of a sum of trees without factor 1, and of 1 if `one`, if that needs no search:
    /// for one tree, and for tame ones.
    #[must_use]
    pub fn outcome(&self, one: bool, trees: &[Tree]) -> Option<Outcome> {
        if let [tree] = *trees {
            return Some(self.forest.outcome(if one { tree.plus_one() } else { tree }));
        }
        let start = Mix::of_one(one);
        let mix = trees.iter().fold(start, |mix, tree| self.genera.add(mix, tree.number()));
        mix.is_loss().map(|lost| if lost { Outcome::Loss } else { Outcome::Win })
    }

    /// The sum of the trees of a node, and its factor 1.
    #[inline]
    pub(crate) fn mix(&self, node: &[u32]) -> Mix {
        let start = Mix::of_one(has_one(node));
        split(node).1.iter().fold(start, |mix, &part| self.genera.add(mix, part ^ TREE))
    }

    /// The length of the longest game on a part that is a tree.
    #[inline]
    pub(crate) fn height(&self, part: u32) -> u32 {
        self.forest.height(tree(part)).into()
    }

    /// Whether a node without lands is lost, if that needs no search.
    #[inline]
    pub(crate) fn is_loss(&self, node: &[u32]) -> Option<bool> {
        match *node {
            [_, part] => {
                let tree = tree(part);
                Some(!self.forest.wins(if has_one(node) { tree.plus_one() } else { tree }))
            }
            _ => self.mix(node).is_loss(),
        }
    }
}

/// The tree that a part is.
#[inline]
pub(crate) fn tree(part: u32) -> Tree {
    Tree::of_word((part ^ TREE) << 1)
}
