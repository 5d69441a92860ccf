//! The lost nodes of a proof.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use sprig_engine::Position;

use super::super::finder::Finder;
use super::super::index::Mixed;
use super::super::land::{Spot, TooManyMoves, lives, to_written};
use super::super::name::Name;
use super::super::ready::Ready;
use super::super::reduce::lands_of;
use super::super::sketch::{fold, sketch};
use super::base::{Base, Part};
use super::forest::{Tree, ZERO};

/// A node: whether there is a 1, and then its parts, sorted. Parts below [`OPEN`] are lands of lost
/// nodes, parts from [`TREE`] on are trees without factor 1, none of them empty, and parts in
/// between are lands that a [`super::Checker`] has numbered.
pub(super) type Node = Box<[u32]>;

/// The first part that is a land of no lost node.
pub(super) const OPEN: u32 = 1 << 30;
/// The first part that is a tree: the empty one, which is left out.
pub(super) const TREE: u32 = 1 << 31;

/// Trees that may be met when the tree of a sum of trees is computed.
const MAX_SUM: u64 = 1 << 20;

/// Nodes that are said to be lost, and the lands in them.
pub struct Losses {
    /// The base, with the lands of nodes after its own.
    pub(super) base: Base,
    finder: Finder,
    pub(super) nodes: Vec<Node>,
    /// Nodes by the number that is mixed from their parts, or by the next number that was free.
    by_mixed: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
}

/// Why something is not taken in as a lost node.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// The trees of a sum are not known.
    #[error("`{0}` shall be one tree, but not all of its lands are in the base")]
    NotInBase(Position),
    /// The trees of a sum are too large to be added.
    #[error("`{0}` shall be one tree, but its trees are too large to be added")]
    TooLarge(Position),
    /// The node is there already.
    #[error("this is the node of fact {0} once more")]
    Repeated(u64),
    /// It has more spots than can be counted.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
}

impl Losses {
    /// No nodes, on the trees of a base.
    #[must_use]
    pub fn new(base: Base) -> Self {
        let finder = Finder::of(base.rules);
        Self { base, finder, nodes: Vec::new(), by_mixed: HashMap::default() }
    }

    /// The base.
    #[must_use]
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// The base, for other nodes.
    #[must_use]
    pub fn into_base(mut self) -> Base {
        self.base.lands.truncate(self.base.trees.len());
        self.base
    }

    /// Adds the node that consists of the lands of a position and, for each of the `sums`, of the
    /// one tree that all its lands together have. The order of nodes does not matter.
    ///
    /// # Errors
    /// [`Refused`] if a sum has no tree, or if the node is listed already.
    pub fn add(&mut self, lands: &Position, sums: &[Position]) -> Result<(), Refused> {
        self.add_ready(&Ready::of(lands)?, sums)
    }

    /// As for [`Self::add`], for lands that are ready.
    ///
    /// # Errors
    /// [`Refused`] if a sum has no tree, or the node is listed already.
    pub fn add_ready(&mut self, lands: &Ready, sums: &[Position]) -> Result<(), Refused> {
        let (mut one, mut parts) = (0, Vec::new());
        for (tint, name) in &lands.0 {
            match self.base.named_part(&mut self.finder.namer, *tint, name) {
                Part::Tree(tree) => put(&mut one, &mut parts, tree),
                Part::Land(land) => parts.push(land),
            }
        }
        for sum in sums {
            put(&mut one, &mut parts, self.tree_of(sum)?);
        }
        let node = node(one, parts);
        let mut mixed = mixed(one, &node[1..]);
        while let Some(&earlier) = self.by_mixed.get(&mixed) {
            if self.nodes[earlier as usize] == node {
                return Err(Refused::Repeated(u64::from(earlier) + 1));
            }
            mixed = mixed.wrapping_add(1);
        }
        self.by_mixed.insert(mixed, self.nodes.len() as u32);
        self.nodes.push(node);
        Ok(())
    }

    fn tree_of(&mut self, sum: &Position) -> Result<Tree, Refused> {
        let lands = lands_of(sum)?;
        let tree = |land: &Vec<Spot>| match self.base.part(&mut self.finder, sketch(land), land) {
            Some(Part::Tree(tree)) => Some(tree),
            _ => None,
        };
        let trees: Option<Vec<Tree>> = lands.iter().map(tree).collect();
        let trees = trees.ok_or_else(|| Refused::NotInBase(sum.clone()))?;
        let forest = &mut self.base.forest;
        let met = trees.iter().map(|&tree| forest.below(tree));
        if met.fold(1, u64::saturating_mul) > MAX_SUM {
            return Err(Refused::TooLarge(sum.clone()));
        }
        Ok(trees.into_iter().fold(ZERO, |sum, tree| forest.sum(sum, tree)))
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many of them have lands that are not in the base.
    #[must_use]
    pub fn with_lands(&self) -> u64 {
        self.nodes.iter().filter(|node| node.get(1).is_some_and(|&part| part < TREE)).count() as u64
    }

    /// Most lives of a land of a node that is not in the base.
    #[must_use]
    pub fn lives(&self) -> u32 {
        let lands = 0..self.lands() as u32;
        lands.map(|land| lives(self.land(land)) as u32).max().unwrap_or(0)
    }

    /// How many lands of nodes are not in the base.
    pub(super) fn lands(&self) -> usize {
        self.base.lands.len() - self.base.trees.len()
    }

    /// A land of a node, by its number.
    pub(super) fn land(&self, land: u32) -> &[Spot] {
        self.base.lands.name(self.base.trees.len() as u32 + land)
    }

    /// Whether the sum of two sums is lost, as far as the nodes and trees alone tell. `one` is the
    /// 1 of both together, and `parts` and `more` are their parts.
    pub(super) fn is_loss(&self, one: u32, parts: &[u32], more: &[u32]) -> Option<bool> {
        let plain = self.is_plain_loss(one, parts, more);
        if plain.is_some() {
            return plain;
        }
        let mut mixed = mixed(one, parts).wrapping_add(mixed(0, more));
        while let Some(&number) = self.by_mixed.get(&mixed) {
            let found = &self.nodes[number as usize];
            if found.len() == 1 + parts.len() + more.len() && found[0] == one {
                let mut sorted = [parts, more].concat();
                sorted.sort_unstable();
                if found[1..] == sorted {
                    return Some(true);
                }
            }
            mixed = mixed.wrapping_add(1);
        }
        None
    }

    /// As for [`Self::is_loss`], as far as trees alone tell.
    pub(super) fn is_plain_loss(&self, one: u32, parts: &[u32], more: &[u32]) -> Option<bool> {
        let parts = || parts.iter().chain(more);
        if parts().any(|&part| part < TREE) {
            return None;
        }
        let trees: Vec<Tree> = parts().map(|part| (part ^ TREE) * 2).collect();
        self.base.forest.sum_is_loss(one == 1, &trees)
    }

    /// A sum in words; `open` are the lands that a checker has numbered.
    pub(super) fn describe(&self, one: u32, parts: &[u32], open: impl Fn(u32) -> Name) -> String {
        let (mut lands, mut heights) = (Vec::new(), Vec::new());
        for &part in parts {
            match part {
                0..OPEN => lands.push(to_written(self.land(part))),
                OPEN..TREE => lands.push(to_written(&open(part))),
                TREE.. => heights.push(self.base.forest.height((part ^ TREE) * 2).to_string()),
            }
        }
        lands.sort();
        let mut words = format!("`{}`", Position(lands));
        if one == 1 {
            words += " + 1";
        }
        match heights.len() {
            0 => words,
            1 => format!("{words} + a tree of height {}", heights[0]),
            _ => format!("{words} + trees of heights {}", heights.join(", ")),
        }
    }
}

/// A number that sums with the same parts have in common. It adds up over the parts.
fn mixed(one: u32, parts: &[u32]) -> u64 {
    let mix = |&part: &u32| fold(part.into(), 8);
    parts.iter().map(mix).fold(u64::from(one) << 60, u64::wrapping_add)
}

/// Adds a tree to the parts of a node.
pub(super) fn put(one: &mut u32, parts: &mut Vec<u32>, tree: Tree) {
    *one ^= tree % 2;
    if tree / 2 != ZERO {
        parts.push(TREE | (tree / 2));
    }
}

/// The node with these parts.
pub(super) fn node(one: u32, mut parts: Vec<u32>) -> Node {
    parts.sort_unstable();
    parts.insert(0, one);
    parts.into()
}
