//! The RCTs of lands and of sums of lands.

use crate::forest::{Forest, Tree};
use crate::names::{Name, Names};
use crate::sum::Sums;

/// What is known of the lands and sums of one [`Names`].
#[derive(Default)]
pub(crate) struct Values {
    pub forest: Forest,
    pub sums: Sums,
    /// The RCTs of lands.
    lands: Vec<Tree>,
    /// The RCTs of sums of lands.
    sum_values: Vec<Tree>,
    /// Lands with an RCT.
    pub known: usize,
    /// Lands to which the walk gave an RCT and that were not told yet.
    pub untold_lands: Vec<u32>,
    /// This many trees, the first ones, are no news.
    pub told_trees: usize,
}

/// Stands for a tree that is not known. No tree has this number: there are fewer than 2³¹ without
/// factor 1.
const UNKNOWN: Tree = Tree(u32::MAX);

fn get(values: &[Tree], at: u32) -> Option<Tree> {
    values.get(at as usize).copied().filter(|&tree| tree != UNKNOWN)
}

fn set(values: &mut Vec<Tree>, at: u32, tree: Tree) {
    let at = at as usize;
    if values.len() <= at {
        values.resize(at + 1, UNKNOWN);
    }
    values[at] = tree;
}

impl Values {
    /// The RCT of a land, if it is known.
    #[inline]
    pub fn land(&self, land: u32) -> Option<Tree> {
        get(&self.lands, land)
    }

    /// Sets the RCT of a land.
    ///
    /// # Panics
    /// When it has another one.
    pub fn set_land(&mut self, land: u32, tree: Tree) {
        let before = self.land(land);
        assert!(before.is_none_or(|before| before == tree), "a land has two RCTs");
        self.known += usize::from(before.is_none());
        set(&mut self.lands, land, tree);
    }

    /// The RCT of a position, all of whose lands have one.
    ///
    /// # Panics
    /// When one of its lands has none.
    pub fn position(&mut self, names: &Names, position: Name) -> Tree {
        let sum = match position.split() {
            Ok(land) => return self.land(land).expect("children come before parents"),
            Err(sum) => sum,
        };
        if let Some(tree) = get(&self.sum_values, sum) {
            return tree;
        }
        let mut lands = Vec::new();
        names.lands_of(position, &mut lands);
        let tree = |land: u32| self.land(land).expect("children come before parents");
        let mut trees: Vec<Tree> = lands.into_iter().map(tree).collect();
        // The order does not depend on the run, so that every run meets the same sums on the way.
        trees.sort_by_key(|&tree| self.forest.key(tree));
        let mut total = Tree::ZERO;
        for tree in trees {
            total = self.sums.add(&mut self.forest, total, tree);
        }
        set(&mut self.sum_values, sum, total);
        total
    }

    /// Marks everything that is known now as no news any more.
    pub fn mark_told(&mut self) {
        self.untold_lands.clear();
        self.told_trees = self.forest.len();
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let Self { forest, sums, lands, sum_values, untold_lands, .. } = self;
        let numbers = lands.capacity() + sum_values.capacity() + untold_lands.capacity();
        forest.bytes() + sums.bytes() + numbers * size_of::<u32>()
    }

    /// Every land that has an RCT, with that.
    pub fn lands(&self) -> impl Iterator<Item = (u32, Tree)> + '_ {
        (0..).zip(self.lands.iter().copied()).filter(|&(_, tree)| tree != UNKNOWN)
    }
}
