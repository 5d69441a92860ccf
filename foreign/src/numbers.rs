//! Numbers for trees, which GLOP and SPOTS name by them.

use std::collections::HashMap;

use sprig_domain::Outcome;
use sprig_trees::{Forest, Tree};

use crate::Name;
use crate::name::Number;

/// Names for the trees of a forest, by height, then by content key: the same trees have the same
/// names.
pub struct Numbers {
    trees: Vec<Tree>,
    numbers: HashMap<Tree, u32>,
}

impl Numbers {
    /// Numbers every tree of `forest` that is no heap.
    pub fn of(forest: &Forest) -> Self {
        let mut trees: Vec<_> =
            forest.trees().filter(|&tree| forest.heap(tree).is_none()).collect();
        trees.sort_by_cached_key(|&tree| (forest.height(tree), forest.key(tree)));
        let mut numbers = HashMap::new();
        for group in trees.chunk_by(|&a, &b| forest.height(a) == forest.height(b)) {
            numbers.extend(group.iter().copied().zip(1..));
        }
        Self { trees, numbers }
    }

    /// The trees that have numbers, in their order.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// The name of a tree, perhaps with factor 1.
    ///
    /// # Panics
    /// When the tree was not in the forest.
    pub fn name(&self, forest: &Forest, tree: Tree) -> Name {
        let bare = tree.without_factor();
        match forest.heap(bare) {
            Some(heap) => Name::Heap(heap ^ u16::from(tree.has_factor())),
            None => Name::Numbered(Number {
                height: forest.height(bare),
                number: self.numbers[&bare],
                factor: tree.has_factor(),
                win: forest.outcome(tree) == Outcome::Win,
            }),
        }
    }
}
