//! The sizes of a game tree: positions, canonical trees, RCTs.

use rustc_hash::FxHashSet;
use sprig_engine::{CanonicalLand, CanonicalPosition, shape};
use sprig_search::{Sprouts, TooMany};

use crate::canonical::{CanonicalTree, CanonicalTrees};
use crate::children::Mover;
use crate::error::{TreeError, too_many};
use crate::forest::{Forest, Tree};
use crate::names::{Name, Names};

/// Sizes of the game tree of a position, with the position and the end of the game included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeCounts {
    /// Positions, up to reduction and isomorphism.
    pub positions: usize,
    /// Single lands among them.
    pub lands: usize,
    /// Canonical trees: positions up to game trees without duplicates.
    pub canonical_trees: usize,
    /// RCTs of the positions, with their factor 1.
    pub rcts: usize,
    /// The largest Nim-heap among the RCTs.
    pub largest_heap: u16,
}

impl TreeCounts {
    /// Counts the tree of `position`, visiting every position of it.
    ///
    /// # Errors
    /// [`TreeError::TooManyMoves`].
    pub fn of(position: &CanonicalPosition) -> Result<Self, TreeError> {
        Ok(Census::of(position)?.counts())
    }
}

/// Every position of a game tree, with its canonical tree and its RCT.
pub struct Census {
    tree: GameTree,
    canonical: CanonicalTrees,
    forest: Forest,
    /// What each position is worth, by its number in the game tree.
    values: Vec<(CanonicalTree, Tree)>,
}

/// A position of a [`Census`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The position.
    pub position: CanonicalPosition,
    /// Its canonical tree.
    pub canonical: CanonicalTree,
    /// Its RCT.
    pub tree: Tree,
}

impl Census {
    /// Visits every position that a game from `position` can lead to.
    ///
    /// A sum of lands is visited as a position; its RCT is not taken from those of the lands. That
    /// checks [`crate::Sums`], and it is the only way to meet RCTs that only reversible moves lead
    /// to.
    ///
    /// # Errors
    /// [`TreeError::TooManyMoves`].
    pub fn of(position: &CanonicalPosition) -> Result<Self, TreeError> {
        let tree = GameTree::explore(position)?;
        let mut canonical = CanonicalTrees::default();
        let mut forest = Forest::default();
        let none = canonical.of(&[]);
        let mut values = vec![(none, Tree::ZERO); tree.len()];
        let mut children = Vec::new();
        for position in tree.ascending() {
            tree.children(position, &mut children);
            let of_children = children.iter().map(|&child| values[tree.number(child)]);
            let (trees, mut options): (Vec<CanonicalTree>, Vec<Tree>) = of_children.unzip();
            values[tree.number(position)] = (canonical.of(&trees), forest.reduce(&mut options));
        }
        Ok(Self { tree, canonical, forest, values })
    }

    /// How much of everything there is.
    #[must_use]
    pub fn counts(&self) -> TreeCounts {
        let rcts: FxHashSet<Tree> = self.values.iter().map(|value| value.1).collect();
        TreeCounts {
            positions: self.tree.len(),
            lands: self.tree.names.lands(),
            canonical_trees: self.canonical.len(),
            rcts: rcts.len(),
            largest_heap: rcts.iter().filter_map(|&rct| self.forest.heap(rct)).max().unwrap_or(0),
        }
    }

    /// The canonical trees.
    #[must_use]
    pub fn canonical(&self) -> &CanonicalTrees {
        &self.canonical
    }

    /// The RCTs.
    #[must_use]
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Each land, as canonical bytes, with its RCT.
    pub fn lands(&self) -> impl Iterator<Item = (Box<[u8]>, Tree)> + '_ {
        let mut key = Vec::new();
        (0u32..).zip(&self.values[..self.tree.names.lands()]).map(move |(land, &(_, rct))| {
            self.tree.names.key(land, &mut key);
            (key.as_slice().into(), rct)
        })
    }

    /// All positions, those with few lives first.
    pub fn members(&self) -> impl Iterator<Item = Member> + '_ {
        let (mut lands, mut key) = (Vec::new(), Vec::new());
        self.tree.ascending().into_iter().map(move |name| {
            self.tree.names.lands_of(name, &mut lands);
            let lands = lands.iter().map(|&land| {
                self.tree.names.key(land, &mut key);
                CanonicalLand::from_key(&key).expect("the names are keys")
            });
            let position = CanonicalPosition::from_lands(lands.collect::<Vec<_>>());
            let (canonical, tree) = self.values[self.tree.number(name)];
            Member { position, canonical, tree }
        })
    }
}

/// Every position of a game tree.
struct GameTree {
    names: Names,
    /// The children of all lands, one land after the other.
    children: Vec<Name>,
    ends: Vec<usize>,
}

impl GameTree {
    fn explore(position: &CanonicalPosition) -> Result<Self, TreeError> {
        // With one table, the numbers of lands have no gaps.
        let mut tree = Self { names: Names::new(1), children: Vec::new(), ends: Vec::new() };
        let mut mover = Mover::exact();
        mover.name(&tree.names, position);
        tree.names.sum(&mut []);
        let mut children = Vec::new();
        // Children are numbered when they are met, so both loops run until nothing new is met.
        while tree.ends.len() < tree.names.lands() {
            let land = tree.ends.len() as u32;
            let found = mover.children(&tree.names, land, &mut children);
            found.map_err(|TooMany| too_many(Sprouts::default(), &tree.names, land))?;
            children.sort_unstable();
            children.dedup();
            tree.children.extend_from_slice(&children);
            tree.ends.push(tree.children.len());
        }
        let mut sum = 0;
        while sum < tree.names.sum_count() {
            tree.children(Name::of_sum(sum as u32), &mut children);
            sum += 1;
        }
        Ok(tree)
    }

    fn len(&self) -> usize {
        self.names.lands() + self.names.sum_count()
    }

    /// Numbers the positions: lands, then sums.
    fn number(&self, position: Name) -> usize {
        match position.split() {
            Ok(land) => land as usize,
            Err(sum) => self.ends.len() + sum as usize,
        }
    }

    /// All positions, children before parents.
    fn ascending(&self) -> Vec<Name> {
        let count = self.ends.len() as u32;
        let mut key = Vec::new();
        let lives = (0..count).map(|land| {
            self.names.key(land, &mut key);
            u32::from(shape(&key).lives)
        });
        let lives: Vec<u32> = lives.collect();
        let sums = (0..self.names.sum_count() as u32).map(Name::of_sum);
        let mut all: Vec<Name> = (0..count).map(Name::of_land).chain(sums).collect();
        let mut lands = Vec::new();
        // Every move takes a life.
        all.sort_by_cached_key(|&position| {
            self.names.lands_of(position, &mut lands);
            lands.iter().map(|&land| lives[land as usize]).sum::<u32>()
        });
        all
    }

    /// Fills `children` with the children of a position: a move in one land, the others unaltered.
    fn children(&self, position: Name, children: &mut Vec<Name>) {
        children.clear();
        let (mut lands, mut moved, mut sum) = (Vec::new(), Vec::new(), Vec::new());
        self.names.lands_of(position, &mut lands);
        for (i, &land) in lands.iter().enumerate() {
            if i > 0 && lands[i - 1] == land {
                continue;
            }
            let start = if land == 0 { 0 } else { self.ends[land as usize - 1] };
            for &child in &self.children[start..self.ends[land as usize]] {
                self.names.lands_of(child, &mut moved);
                sum.clear();
                sum.extend(lands[..i].iter().chain(&lands[i + 1..]).chain(&moved));
                children.push(self.names.sum(&mut sum));
            }
        }
    }
}
