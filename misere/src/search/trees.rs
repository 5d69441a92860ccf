//! The trees of a search: those of its base.

use super::genus::{Genera, Mix};
use super::node::{TREE, has_one, split};
use crate::forest::{Forest, Tree};

pub(crate) struct Trees {
    pub forest: Forest,
    genera: Genera,
}

impl Trees {
    pub fn new(forest: Forest) -> Self {
        let genera = Genera::of(&forest);
        Self { forest, genera }
    }

    /// The sum of the trees of a node, and its factor 1.
    #[inline]
    pub fn mix(&self, node: &[u32]) -> Mix {
        let start = Mix::of_one(has_one(node));
        split(node).1.iter().fold(start, |mix, &part| self.genera.add(mix, part ^ TREE))
    }

    /// The longest game on a part that is a tree.
    #[inline]
    pub fn height(&self, part: u32) -> u32 {
        self.forest.height(tree(part)).into()
    }

    /// Whether a node without lands is lost, if that needs no search.
    #[inline]
    pub fn is_loss(&self, node: &[u32]) -> Option<bool> {
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
    Tree((part ^ TREE) << 1)
}
