//! Trees of one forest in another.

use sprig_trees::{Forest, Tree};

/// The same tree in another forest.
pub fn copy(from: &Forest, tree: Tree, to: &mut Forest) -> Tree {
    if let Some(known) = to.find(from.key(tree)) {
        return known;
    }
    let mut options = Vec::new();
    for option in from.options(tree) {
        options.push(copy(from, option, to));
    }
    to.reduce(&mut options)
}
