//! Reduced canonical trees, each stored once and without its factor 1.

use std::fmt;

use hashbrown::HashTable;
use rustc_hash::FxHashSet;
use sprig_domain::Outcome;

use crate::sets::{self, Sets};
use sprig_domain::TreeKey;

/// A reduced canonical tree of one [`Forest`]. It means nothing outside of that; [`Forest::key`]
/// gives a key that does.
///
/// The lowest bit is the factor 1, and the other bits number the tree without it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tree(pub(crate) u32);

impl Tree {
    /// The empty tree, and the Nim-heap 0.
    pub const ZERO: Self = Self(0);
    /// The Nim-heap 1.
    pub const ONE: Self = Self(1);

    /// This tree plus 1: the factor 1 is added, or removed, since 1 + 1 = 0.
    #[inline]
    #[must_use]
    pub fn plus_one(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// Whether the tree has a factor 1.
    #[inline]
    #[must_use]
    pub fn has_factor(self) -> bool {
        self.0 & 1 == 1
    }

    /// The tree without its factor 1.
    #[inline]
    #[must_use]
    pub fn without_factor(self) -> Self {
        Self(self.0 & !1)
    }

    /// Its number in the forest, from 0 on without gaps, regardless of its factor.
    #[inline]
    #[must_use]
    pub fn number(self) -> u32 {
        self.0 >> 1
    }

    /// The tree as a word: twice its [number](Self::number), and one more for the factor 1.
    #[inline]
    #[must_use]
    pub fn word(self) -> u32 {
        self.0
    }

    /// The tree that gave this [word](Self::word).
    #[inline]
    #[must_use]
    pub fn of_word(word: u32) -> Self {
        Self(word)
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tree {}{}", self.number(), if self.has_factor() { "+1" } else { "" })
    }
}

/// All RCTs met so far.
///
/// Every tree in a forest is reduced, and so are all its options. Trees are only ever added.
#[derive(Clone)]
pub struct Forest {
    /// Options of the trees without factor 1, sorted.
    pub(crate) sets: Sets,
    facts: Vec<Facts>,
    keys: Vec<TreeKey>,
    by_key: HashTable<u32>,
}

/// What is known of a tree without factor 1 besides its options.
#[derive(Clone, Copy)]
struct Facts {
    height: u16,
    /// Whether it is a Nim-heap.
    heap: bool,
    /// Whether it is a win, first alone and then with the factor 1.
    wins: [bool; 2],
}

impl Default for Forest {
    fn default() -> Self {
        let mut forest = Self {
            sets: Sets::default(),
            facts: Vec::new(),
            keys: Vec::new(),
            by_key: HashTable::new(),
        };
        forest.add(&[]);
        forest
    }
}

impl Forest {
    /// Trees stored, not counting those with a factor 1.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a forest always holds the empty tree")]
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether the tree is in this forest, and not only in another one that has grown out of it.
    #[must_use]
    pub fn has(&self, tree: Tree) -> bool {
        (tree.number() as usize) < self.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.sets.bytes()
            + self.facts.capacity() * size_of::<Facts>()
            + self.keys.capacity() * size_of::<TreeKey>()
            + self.by_key.allocation_size()
    }

    /// The longest game that can be played on the tree, in moves.
    #[inline]
    #[must_use]
    pub fn height(&self, tree: Tree) -> u16 {
        self.facts[tree.number() as usize].height + u16::from(tree.has_factor())
    }

    /// The outcome of misère play on the tree alone.
    #[must_use]
    pub fn outcome(&self, tree: Tree) -> Outcome {
        if self.wins(tree) { Outcome::Win } else { Outcome::Loss }
    }

    /// Whether the player to move wins it.
    #[inline]
    #[must_use]
    pub fn wins(&self, tree: Tree) -> bool {
        self.facts[tree.number() as usize].wins[usize::from(tree.has_factor())]
    }

    /// The size of the Nim-heap that the tree is, if it is one.
    #[must_use]
    pub fn heap(&self, tree: Tree) -> Option<u16> {
        self.facts[tree.number() as usize].heap.then(|| self.height(tree))
    }

    /// The options of the tree. Those of G + 1 are the options of G, each plus 1, and G.
    pub fn options(&self, tree: Tree) -> impl Iterator<Item = Tree> + '_ {
        let factor = tree.0 & 1;
        let options = self.sets.get(tree.number()).iter().map(move |&option| Tree(option ^ factor));
        options.chain((factor == 1).then_some(tree.without_factor()))
    }

    /// How many trees can be reached from the tree, itself included, not counting those with a
    /// factor 1 apart.
    #[must_use]
    pub fn below(&self, tree: Tree) -> usize {
        let mut seen = FxHashSet::default();
        let mut open = vec![tree.number()];
        while let Some(base) = open.pop() {
            if seen.insert(base) {
                open.extend(self.sets.get(base).iter().map(|&option| Tree(option).number()));
            }
        }
        seen.len()
    }

    /// How many options the tree has.
    #[inline]
    #[must_use]
    pub fn option_count(&self, tree: Tree) -> usize {
        self.sets.get(tree.number()).len() + usize::from(tree.has_factor())
    }

    /// Whether a move leads from `tree` to `option`.
    #[inline]
    #[must_use]
    pub fn has_option(&self, tree: Tree, option: Tree) -> bool {
        let factor = tree.0 & 1;
        self.sets.get(tree.number()).binary_search(&(option.0 ^ factor)).is_ok()
            || factor == 1 && option == tree.without_factor()
    }

    /// The content key of the tree.
    #[must_use]
    pub fn key(&self, tree: Tree) -> TreeKey {
        let key = self.keys[tree.number() as usize];
        if tree.has_factor() { key.plus_one() } else { key }
    }

    /// The tree with this content key, if it is in the forest.
    #[must_use]
    pub fn find(&self, key: TreeKey) -> Option<Tree> {
        let bare = if key.has_factor() { key.plus_one() } else { key };
        let base = self.by_key.find(place(bare), |&base| self.keys[base as usize] == bare)?;
        Some(Tree(base << 1 | u32::from(key.has_factor())))
    }

    /// Adds the tree without factor 1 that has these sorted options. They must make a reduced tree.
    pub(crate) fn add(&mut self, options: &[u32]) -> Tree {
        let trees = || options.iter().map(|&option| Tree(option));
        let height = trees().map(|option| self.height(option) + 1).max().unwrap_or(0);
        let heaps = trees().all(|option| self.heap(option).is_some());
        let win = options.is_empty() || trees().any(|option| !self.wins(option));
        let win_with_factor = !win || trees().any(|option| !self.wins(option.plus_one()));
        let mut keys: Vec<TreeKey> = trees().map(|option| self.key(option)).collect();
        keys.sort_unstable();
        let key = TreeKey::of_sorted(&keys);

        let (base, new) = sets::intern(&mut self.sets, options);
        assert!(new, "tree {key} is added twice");
        // A set of h different heaps below h is the heap h.
        let heap = heaps && options.len() == usize::from(height);
        self.facts.push(Facts { height, heap, wins: [win, win_with_factor] });
        self.keys.push(key);
        let keys = &self.keys;
        let taken = self.by_key.find(place(key), |&other| keys[other as usize] == key);
        assert!(taken.is_none(), "two different trees have the key {key}");
        self.by_key.insert_unique(place(key), base, |&other| place(keys[other as usize]));
        Tree(base << 1)
    }
}

/// The place in a table of a key, which is a hash already.
fn place(key: TreeKey) -> u64 {
    u64::from_le_bytes(key.as_bytes()[..8].try_into().expect("8 of 16 bytes"))
}
