//! A tree and all below it, each told by its options: the link representation of Lemoine and
//! Viennot.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sprig_domain::Outcome;
use sprig_trees::{Forest, Tree};

/// A tree among those below another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The tree.
    pub tree: Tree,
    /// `5-1-W`: its height, a number among the trees of this height, and its outcome in misère
    /// play. The number of a Nim-heap is 0; others are counted from 1 in the order of their texts,
    /// short ones first.
    pub id: String,
    /// `3-1+1-W` of a tree that is 1 + a smaller tree: height and number of that, and the outcome of
    /// the sum.
    pub factored: Option<String>,
    /// The identifiers of its options, in the same order.
    pub options: Vec<String>,
}

/// The tree and all below it, the low ones first; `None` when one cannot be written in `max_chars`
/// characters.
#[must_use]
pub fn links(forest: &Forest, root: Tree, max_chars: usize) -> Option<Vec<Link>> {
    let (mut found, mut open) = (BTreeSet::new(), vec![root]);
    while let Some(tree) = open.pop() {
        if found.insert(tree) {
            open.extend(forest.options(tree));
        }
    }
    let mut order = BTreeMap::new();
    for tree in found {
        let text = forest.nested(tree, max_chars)?;
        order.insert((forest.height(tree), forest.heap(tree).is_none(), text.len(), text), tree);
    }
    let (mut ids, mut counts) = (HashMap::new(), HashMap::new());
    for (place, &tree) in order.values().enumerate() {
        let height = forest.height(tree);
        let number = match forest.heap(tree) {
            Some(_) => 0,
            None => {
                let count = counts.entry(height).or_insert(0);
                *count += 1;
                *count
            }
        };
        ids.insert(tree, (place, format!("{height}-{number}"), letter(forest, tree)));
    }
    let id = |tree| format!("{}-{}", ids[&tree].1, ids[&tree].2);
    let links = order.values().map(|&tree| {
        let mut options: Vec<_> = forest.options(tree).collect();
        options.sort_unstable_by_key(|option| ids[option].0);
        // The smaller tree is an option of the sum, by the move that takes 1 away.
        let factored = tree.has_factor().then(|| {
            let (_, smaller, _) = &ids[&tree.without_factor()];
            format!("{smaller}+1-{}", letter(forest, tree))
        });
        Link { tree, id: id(tree), factored, options: options.into_iter().map(id).collect() }
    });
    Some(links.collect())
}

/// The letter of its outcome.
fn letter(forest: &Forest, tree: Tree) -> char {
    if forest.outcome(tree) == Outcome::Win { 'W' } else { 'L' }
}
