//! All trees of little height, whether a game leads to them or not.

use std::collections::BTreeSet;

use sprig_trees::{CanonicalTree, CanonicalTrees, Forest, Tree};

/// The greatest height up to which RCTs can be listed: trying all sets of 22 trees finds 4,171,780.
pub const HIGHEST_RCTS: u16 = 5;

/// The greatest height up to which canonical trees can be listed: there are 65,536, and then
/// 2^65536.
pub const HIGHEST_CANONICAL: u16 = 4;

/// All canonical trees of height up to `height`, the low ones first. Each set of lower trees is one
/// (proposition 1 of Lemoine and Viennot).
///
/// # Panics
/// When `height` is above [`HIGHEST_CANONICAL`].
pub fn canonical_trees(trees: &mut CanonicalTrees, height: u16) -> Vec<CanonicalTree> {
    assert!(height <= HIGHEST_CANONICAL, "memory has room for those up to this height");
    let mut all = vec![trees.of(&[])];
    for _ in 0..height {
        all = subsets(&all).map(|set| trees.of(&set)).collect();
    }
    all.sort_by_key(|&tree| (trees.height(tree), tree));
    all
}

/// All RCTs of height up to `height`, the low ones first: what the sets of lower ones reduce to
/// (J. Conway, *On Numbers and Games*, p. 140).
///
/// # Panics
/// When `height` is above [`HIGHEST_RCTS`].
pub fn rcts(forest: &mut Forest, height: u16) -> Vec<Tree> {
    assert!(height <= HIGHEST_RCTS, "memory has room for those up to this height");
    let mut all = vec![Tree::ZERO];
    for _ in 0..height {
        let found: BTreeSet<Tree> =
            subsets(&all).map(|mut set| forest.reduce(&mut set)).chain(all.clone()).collect();
        all = found.into_iter().collect();
    }
    all.sort_by_key(|&tree| (forest.height(tree), tree));
    all
}

/// All subsets of few things.
fn subsets<T: Copy>(things: &[T]) -> impl Iterator<Item = Vec<T>> {
    (0..1_u64 << things.len()).map(move |chosen| {
        let chosen = things.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
        chosen.map(|(_, &thing)| thing).collect()
    })
}
