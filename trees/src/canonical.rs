//! Canonical trees: game trees without duplicates, with all reversible moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustc_hash::{FxHashMap, FxHashSet};
use sprig_engine::{CanonicalLand, CanonicalPosition};

use crate::print::{Nested, nested};
use crate::sets::{self, Sets};

/// A canonical tree of one [`CanonicalTrees`]. It means nothing outside of that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CanonicalTree(u32);

/// Canonical trees, each once.
#[derive(Clone, Default)]
pub struct CanonicalTrees {
    sets: Sets,
    /// For each tree, its height, and whether it is a Nim-heap.
    facts: Vec<(u16, bool)>,
    sums: FxHashMap<(CanonicalTree, CanonicalTree), CanonicalTree>,
}

impl CanonicalTrees {
    /// Trees met so far.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "nobody asks for it")]
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The tree with these options, in any order; duplicates are allowed.
    pub fn of(&mut self, options: &[CanonicalTree]) -> CanonicalTree {
        let height = options.iter().map(|&option| self.height(option) + 1).max().unwrap_or(0);
        let are_heaps = options.iter().all(|&option| self.heap(option).is_some());
        let mut options: Vec<u32> = options.iter().map(|option| option.0).collect();
        options.sort_unstable();
        options.dedup();
        let (tree, is_new) = sets::intern(&mut self.sets, &options);
        if is_new {
            // A set of h different heaps below h is the heap h.
            self.facts.push((height, are_heaps && options.len() == usize::from(height)));
        }
        CanonicalTree(tree)
    }

    /// The sum of two trees: each move is made in one of the two.
    pub fn add(&mut self, a: CanonicalTree, b: CanonicalTree) -> CanonicalTree {
        let pair = (a.min(b), a.max(b));
        if let Some(&sum) = self.sums.get(&pair) {
            return sum;
        }
        let mut options = Vec::new();
        for (moved, other) in [(a, b), (b, a)] {
            for option in self.options(moved).collect::<Vec<_>>() {
                options.push(self.add(option, other));
            }
        }
        let sum = self.of(&options);
        self.sums.insert(pair, sum);
        sum
    }

    /// The options of a tree.
    pub fn options(&self, tree: CanonicalTree) -> impl Iterator<Item = CanonicalTree> + '_ {
        self.sets.get(tree.0).iter().map(|&option| CanonicalTree(option))
    }

    /// The longest game that can be played on a tree, in moves.
    #[must_use]
    pub fn height(&self, tree: CanonicalTree) -> u16 {
        self.facts[tree.0 as usize].0
    }

    /// The size of the Nim-heap that a tree is, if it is one.
    #[must_use]
    pub fn heap(&self, tree: CanonicalTree) -> Option<u16> {
        let (height, is_heap) = self.facts[tree.0 as usize];
        is_heap.then_some(height)
    }

    /// How many trees can be reached from a tree, itself included.
    #[must_use]
    pub fn below(&self, tree: CanonicalTree) -> usize {
        let (mut seen, mut open) = (FxHashSet::default(), vec![tree]);
        while let Some(tree) = open.pop() {
            if seen.insert(tree) {
                open.extend(self.options(tree));
            }
        }
        seen.len()
    }

    /// The tree as nested sets, `{0;{1}}`: a Nim-heap is its size, and options go by height, then
    /// length, then text. `None` when that takes more than `max_chars`.
    #[must_use]
    pub fn nested(&self, tree: CanonicalTree, max_chars: usize) -> Option<String> {
        nested(self, tree, max_chars)
    }
}

impl Nested for CanonicalTrees {
    type Tree = CanonicalTree;

    fn heap_of(&self, tree: CanonicalTree) -> Option<u16> {
        self.heap(tree)
    }

    fn height_of(&self, tree: CanonicalTree) -> u16 {
        self.height(tree)
    }

    fn options_of(&self, tree: CanonicalTree) -> Vec<CanonicalTree> {
        self.options(tree).collect()
    }
}

/// Finds the canonical trees of positions.
#[derive(Default)]
pub struct CanonicalBase {
    trees: CanonicalTrees,
    known: FxHashMap<CanonicalLand, CanonicalTree>,
    /// Lands that were looked at.
    looked: Arc<AtomicU64>,
}

impl CanonicalBase {
    /// Counts there, too, the lands that are looked at, for those who wait.
    #[must_use]
    pub fn counting(self, looked: Arc<AtomicU64>) -> Self {
        Self { looked, ..self }
    }

    /// The trees.
    #[must_use]
    pub fn trees(&self) -> &CanonicalTrees {
        &self.trees
    }

    /// The trees, to make more.
    pub fn trees_mut(&mut self) -> &mut CanonicalTrees {
        &mut self.trees
    }

    /// The canonical tree of a position; `None` when that takes more than `most` lands, or its sum
    /// more than `most` trees.
    pub fn tree(&mut self, position: &CanonicalPosition, most: usize) -> Option<CanonicalTree> {
        let lands = position.lands().iter().map(|land| self.land(land, most));
        let lands: Vec<CanonicalTree> = lands.collect::<Option<_>>()?;
        let bound = lands.iter().map(|&land| self.trees.below(land) as f64).product::<f64>();
        if lands.len() > 1 && bound > most as f64 {
            return None;
        }
        let none = self.trees.of(&[]);
        Some(lands.into_iter().fold(none, |sum, land| self.trees.add(sum, land)))
    }

    fn land(&mut self, land: &CanonicalLand, most: usize) -> Option<CanonicalTree> {
        if let Some(&known) = self.known.get(land) {
            return Some(known);
        }
        self.looked.fetch_add(1, Relaxed);
        let mut options = Vec::new();
        for child in land.children().ok()? {
            // These sums lie below the land, so they are no more than its tree has.
            let mut sum = self.trees.of(&[]);
            for land in child.lands() {
                let tree = self.land(land, most)?;
                sum = self.trees.add(sum, tree);
            }
            options.push(sum);
        }
        if self.known.len() == most {
            return None;
        }
        let tree = self.trees.of(&options);
        self.known.insert(land.clone(), tree);
        Some(tree)
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::Position;

    use crate::Census;

    use super::*;

    #[test]
    fn land_by_land_comes_what_a_census_finds() {
        for text in ["!", "0*2", "0*4", "0*2.AB|AB+22", "0*2+0*2"] {
            let position = CanonicalPosition::of(&text.parse::<Position>().expect(text));
            let mut base = CanonicalBase::default();
            let tree = base.tree(&position, 10_000).expect("small");
            let census = Census::of(&position).expect("few moves");
            let last = census.members().last().expect("the position itself");
            assert_eq!(last.position, position);
            let texts = [
                base.trees().nested(tree, usize::MAX),
                census.canonical().nested(last.canonical, usize::MAX),
            ];
            assert_eq!(texts[0], texts[1], "{text}");
        }
        let start = CanonicalPosition::of(&Position::start(4));
        assert_eq!(CanonicalBase::default().tree(&start, 100), None);
    }

    #[test]
    fn duplicates_count_once_and_nothing_else_falls_away() {
        let mut trees = CanonicalTrees::default();
        let zero = trees.of(&[]);
        let one = trees.of(&[zero, zero]);
        let odd = trees.of(&[one]);
        assert_eq!(trees.of(&[one, one]), odd);
        assert_eq!(trees.nested(odd, 100).as_deref(), Some("{1}"), "it is as good as 0, and stays");
        let two = trees.of(&[one, zero]);
        assert_eq!(trees.nested(two, 100).as_deref(), Some("2"));
        let sum = trees.add(one, one);
        assert_eq!(sum, odd);
        let sum = trees.add(two, one);
        assert_eq!(trees.nested(sum, 100).as_deref(), Some("{1;2;{1}}"));
        assert_eq!((trees.height(sum), trees.below(sum)), (3, 5));
        assert_eq!(trees.nested(sum, 8), None);
    }
}
