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
        let outcome = if forest.outcome(tree) == Outcome::Win { 'W' } else { 'L' };
        ids.insert(tree, (place, format!("{height}-{number}-{outcome}")));
    }
    let links = order.values().map(|&tree| {
        let mut options: Vec<_> = forest.options(tree).map(|option| ids[&option].clone()).collect();
        options.sort_unstable();
        let options = options.into_iter().map(|(_, id)| id).collect();
        Link { tree, id: ids[&tree].1.clone(), options }
    });
    Some(links.collect())
}
