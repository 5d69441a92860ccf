//! Reduced canonical trees: what a game is worth in misère play.
//!
//! A tree is the set of its options. A game is replaced by the set of its options' trees, and that
//! by a *reducer*: a part G of the set such that every member outside G has G itself as an option.
//! If G is empty, the set also has to be a win (the proviso). That changes no outcome of any sum
//! (`docs/misere.md`, theory, 1 to 3). Trees come in pairs G and G + 1, of which the smaller is
//! stored (theory, 5).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::super::index::Folded;

/// A tree: twice the number of the tree without its factor 1, and 1 more for the factor 1.
pub(super) type Tree = u32;

/// The tree without options.
pub(super) const ZERO: Tree = 0;

/// The nimbers of normal and of misère play, if the tree is tame (`docs/misere.md`, "Tame sums").
type Genus = Option<(u64, u64)>;

/// Trees met so far, options before the trees that have them.
#[derive(Clone)]
pub(super) struct Forest {
    trees: Vec<Stored>,
    numbers: HashMap<Box<[Tree]>, Tree, BuildHasherDefault<Folded>>,
    sums: HashMap<(Tree, Tree), Tree, BuildHasherDefault<Folded>>,
}

/// A tree without factor 1. Pairs are for the tree itself, and for it plus 1.
#[derive(Clone)]
struct Stored {
    /// The options, sorted.
    options: Box<[Tree]>,
    height: usize,
    is_loss: [bool; 2],
    genus: [Genus; 2],
}

impl Default for Forest {
    fn default() -> Self {
        let (numbers, sums) = Default::default();
        let mut forest = Self { trees: Vec::new(), numbers, sums };
        forest.add(Box::default());
        forest
    }
}

impl Forest {
    /// How many trees there are, without those with a factor 1.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    fn stored(&self, tree: Tree) -> &Stored {
        &self.trees[tree as usize / 2]
    }

    /// The length of the longest game on the tree.
    pub fn height(&self, tree: Tree) -> usize {
        self.stored(tree).height + (tree % 2) as usize
    }

    /// The options of a tree; those of G + 1 are the options of G, each plus 1, and G.
    pub fn options(&self, tree: Tree) -> impl Iterator<Item = Tree> + '_ {
        let one = tree % 2;
        let options = self.stored(tree).options.iter().map(move |option| option ^ one);
        options.chain((one == 1).then_some(tree ^ 1))
    }

    fn has_option(&self, tree: Tree, option: Tree) -> bool {
        let one = tree % 2;
        self.stored(tree).options.binary_search(&(option ^ one)).is_ok()
            || one == 1 && option == tree ^ 1
    }

    /// Whether the player to move on the tree loses.
    fn is_loss(&self, tree: Tree) -> bool {
        self.stored(tree).is_loss[tree as usize % 2]
    }

    /// Whether a sum of trees, and of 1 if `one`, is a loss, where that needs no search: for one
    /// tree, and for tame trees.
    pub fn sum_is_loss(&self, one: bool, trees: &[Tree]) -> Option<bool> {
        if let [tree] = *trees {
            return Some(self.is_loss(tree ^ Tree::from(one)));
        }
        let (mut sum, mut firm) = (u64::from(one), false);
        for tree in trees {
            let (plus, minus) = self.stored(*tree).genus[*tree as usize % 2]?;
            sum ^= plus;
            firm |= plus == minus;
        }
        Some(if firm { sum == 0 } else { sum == 1 })
    }

    /// The tree of a game whose options have these trees.
    pub fn reduce(&mut self, mut set: Vec<Tree>) -> Tree {
        set.sort_unstable();
        set.dedup();
        // Members outside a reducer are higher than it, so the highest is one of them and has it as
        // an option.
        let highest = set.iter().copied().max_by_key(|&member| self.height(member));
        let reducer =
            highest.and_then(|tree| self.options(tree).find(|&option| self.reduces(option, &set)));
        reducer.unwrap_or_else(|| self.irreducible(set))
    }

    /// Whether a game with this set of options can be replaced by `tree`.
    fn reduces(&self, tree: Tree, set: &[Tree]) -> bool {
        self.options(tree).all(|option| set.binary_search(&option).is_ok())
            && set.iter().all(|&other| self.has_option(tree, other) || self.has_option(other, tree))
            && (tree != ZERO || set.iter().any(|&option| self.is_loss(option)))
    }

    /// The tree with exactly this set of options.
    fn irreducible(&mut self, set: Vec<Tree>) -> Tree {
        if let Some(&tree) = self.numbers.get(&set[..]) {
            return tree;
        }
        let is = |tree: Tree| {
            self.stored(tree).options.len() + 1 == set.len()
                && self.options(tree).all(|option| set.binary_search(&option).is_ok())
        };
        let pair = set.iter().map(|option| option ^ 1).find(|&tree| tree % 2 == 1 && is(tree));
        pair.unwrap_or_else(|| self.add(set.into()))
    }

    fn add(&mut self, options: Box<[Tree]>) -> Tree {
        let all = || options.iter().copied();
        let height = all().map(|option| self.height(option) + 1).max().unwrap_or(0);
        let is_loss = !options.is_empty() && all().all(|option| !self.is_loss(option));
        let with_one = !is_loss && all().all(|option| !self.is_loss(option ^ 1));
        let genus = self.genus(all());
        // The options of the tree plus 1: those of the tree, each plus 1, and the tree.
        let mut plus_one: Vec<Genus> = all().map(|option| self.genus_of(option ^ 1)).collect();
        plus_one.push(genus);
        let pair = [genus, tame(plus_one)];
        let tree = 2 * self.trees.len() as Tree;
        self.numbers.insert(options.clone(), tree);
        self.trees.push(Stored { options, height, is_loss: [is_loss, with_one], genus: pair });
        tree
    }

    fn genus_of(&self, tree: Tree) -> Genus {
        self.stored(tree).genus[tree as usize % 2]
    }

    fn genus(&self, options: impl Iterator<Item = Tree>) -> Genus {
        tame(options.map(|option| self.genus_of(option)).collect())
    }

    /// The tree of the sum of two trees.
    pub fn sum(&mut self, a: Tree, b: Tree) -> Tree {
        let one = (a ^ b) & 1;
        let (a, b) = (a.min(b) & !1, a.max(b) & !1);
        if a == ZERO {
            return b ^ one;
        }
        if let Some(sum) = self.sums.get(&(a, b)) {
            return sum ^ one;
        }
        let mut options = Vec::new();
        for (moved, other) in [(a, b), (b, a)] {
            for option in self.options(moved).collect::<Vec<_>>() {
                options.push(self.sum(option, other));
            }
        }
        let sum = self.reduce(options);
        self.sums.insert((a, b), sum);
        sum ^ one
    }

    /// How many trees can be reached from a tree, itself included.
    pub fn below(&self, tree: Tree) -> u64 {
        let mut seen = std::collections::HashSet::from([tree]);
        let mut open = vec![tree];
        while let Some(tree) = open.pop() {
            open.extend(self.options(tree).filter(|&option| seen.insert(option)));
        }
        seen.len() as u64
    }
}

/// The genus of a game whose options have these genera; `None` if it is not tame.
fn tame(options: Vec<Genus>) -> Genus {
    let (mut plus, mut minus) = (0u64, 0u64);
    for genus in &options {
        let (p, m) = (*genus)?;
        plus |= 1 << p;
        minus |= 1 << m;
    }
    let plus = u64::from((!plus).trailing_zeros());
    let minus = if options.is_empty() { 1 } else { u64::from((!minus).trailing_zeros()) };
    // Larger numbers do not fit into the bits; no such tree was ever met.
    let fits = plus < 63 && minus < 63;
    (fits && (plus == minus || plus + minus == 1)).then_some((plus, minus))
}
