//! The lost nodes of a proof.

use std::collections::HashMap;

use sprig_engine::{self as written, Position};

use super::super::index::Index;
use super::super::land::Land;
use super::base::Base;
use super::forest::{Tree, ZERO};

/// A node: whether there is a 1, and then its parts, sorted. Parts below [`OPEN`] are lands of lost nodes, parts from [`TREE`] on
/// are trees without factor 1 of which none is empty, and what is between are lands that a [`super::Checker`] has numbered.
pub(super) type Node = Box<[u32]>;

/// The first part that is a land of no lost node.
pub(super) const OPEN: u32 = 1 << 30;
/// The first part that is a tree: the empty one, which is left out.
pub(super) const TREE: u32 = 1 << 31;

/// Trees that may be met when a sum of trees is made one tree.
const MAX_SUM: u64 = 1 << 20;

/// Nodes that are said to be lost, and the lands in them.
pub struct Losses {
    pub(super) base: Base,
    /// Lands that are not in the base.
    numbers: Index<u32>,
    pub(super) lands: Vec<Land>,
    pub(super) nodes: Vec<Node>,
    by_node: HashMap<Node, u64>,
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
}

impl Losses {
    /// No nodes, on the trees of a base.
    #[must_use]
    pub fn new(base: Base) -> Self {
        Self {
            base,
            numbers: Index::default(),
            lands: Vec::new(),
            nodes: Vec::new(),
            by_node: HashMap::new(),
        }
    }

    /// Adds the node that consists of the lands of a position and, for each of the `sums`, of the one tree that all its lands together
    /// have. The order of nodes does not matter.
    ///
    /// # Errors
    /// [`Refused`] if a sum has no tree, or the node is listed already.
    pub fn add(&mut self, lands: &Position, sums: &[Position]) -> Result<(), Refused> {
        let (mut one, mut parts) = (0, Vec::new());
        for land in Land::of(lands).reduced() {
            match self.base.tree(&land) {
                Some(tree) => put(&mut one, &mut parts, tree),
                None => parts.push(self.number(land)),
            }
        }
        for sum in sums {
            put(&mut one, &mut parts, self.tree_of(sum)?);
        }
        let node = node(one, parts);
        let number = self.nodes.len() as u64 + 1;
        if let Some(&earlier) = self.by_node.get(&node) {
            return Err(Refused::Repeated(earlier));
        }
        self.by_node.insert(node.clone(), number);
        self.nodes.push(node);
        Ok(())
    }

    fn number(&mut self, land: Land) -> u32 {
        let (tint, name) = (land.tint(), land.name());
        if let Some(&number) = self.numbers.named(tint, &name) {
            return number;
        }
        let number = self.lands.len() as u32;
        self.numbers.insert(tint, name, number);
        self.lands.push(land);
        number
    }

    fn tree_of(&mut self, sum: &Position) -> Result<Tree, Refused> {
        let lands = Land::of(sum).reduced();
        let trees: Option<Vec<Tree>> = lands.iter().map(|land| self.base.tree(land)).collect();
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
        self.lands.iter().map(|land| land.lives() as u32).max().unwrap_or(0)
    }

    /// The number of a reduced land that is not in the base, if it is in a node.
    pub(super) fn land(&self, land: &Land) -> Option<u32> {
        self.numbers.get(land).copied()
    }

    /// Whether a node is lost, as far as the nodes and its trees alone say.
    pub(super) fn is_loss(&self, node: &Node) -> Option<bool> {
        self.is_plain_loss(node).or_else(|| self.by_node.contains_key(node).then_some(true))
    }

    /// Whether a node is lost, as far as its trees alone say.
    pub(super) fn is_plain_loss(&self, node: &Node) -> Option<bool> {
        let (one, parts) = node.split_first().expect("a node begins with 0 or 1");
        if parts.first().is_some_and(|&part| part < TREE) {
            return None;
        }
        let trees: Vec<Tree> = parts.iter().map(|part| (part ^ TREE) * 2).collect();
        self.base.forest.sum_is_loss(*one == 1, &trees)
    }

    /// A node in words; `open` are the lands that a checker has numbered.
    pub(super) fn describe<'a>(&self, node: &Node, open: impl Fn(u32) -> &'a Land) -> String {
        let (mut lands, mut heights) = (Vec::new(), Vec::new());
        for &part in &node[1..] {
            match part {
                0..OPEN => lands.push(written(&self.lands[part as usize])),
                OPEN..TREE => lands.push(written(open(part))),
                TREE.. => heights.push(self.base.forest.height((part ^ TREE) * 2).to_string()),
            }
        }
        let mut words = format!("`{}`", Position(lands));
        if node[0] == 1 {
            words += " + 1";
        }
        match heights.len() {
            0 => words,
            1 => format!("{words} + a tree of height {}", heights[0]),
            _ => format!("{words} + trees of heights {}", heights.join(", ")),
        }
    }
}

fn written(land: &Land) -> written::Land {
    land.to_written()
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
