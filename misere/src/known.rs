//! What a search knows, for others.

use sprig_domain::Outcome;
use sprig_engine::CanonicalPosition;

use sprig_search::Sprouts;

use super::Search;
use super::node::{ONE, part_of, push};
use super::trees::Trees;
use sprig_domain::Node;
use sprig_trees::Forest;

/// Positions with more lives than this are worth the larger base.
const MANY_LIVES: u32 = 33;

/// Spots of the start position whose game tree is the base, for small positions and for large ones.
const BASES: [usize; 2] = [5, 6];

/// The number of spots of the start position whose game tree is a large enough base for a search of
/// `position`.
#[must_use]
pub fn base_of(position: &CanonicalPosition) -> usize {
    let lives = position.lands().iter().map(|land| land.lives()).max().unwrap_or(0);
    BASES[usize::from(lives > MANY_LIVES)]
}

impl Search<Sprouts> {
    /// All nodes that are known to be lost.
    #[must_use]
    pub fn losses(&self) -> Vec<Node> {
        let (tables, mut words) = (self.shared.read(), Vec::new());
        let lost = tables.nodes.iter().filter(|&place| tables.numbers(place).disproof == 0);
        let node = |place| {
            tables.node_words(place, &mut words);
            Node::from(&self.sum(&tables, &words))
        };
        lost.map(node).collect()
    }
}

/// Outcomes of sums of trees, where they need no search.
pub struct Plain(Trees);

impl Plain {
    /// Outcomes by the trees of `forest`.
    #[must_use]
    pub fn new(forest: Forest) -> Self {
        Self(Trees::new(forest))
    }

    /// The outcome of a node without lands, if it follows from the genera of its trees or it has
    /// one tree at most.
    #[must_use]
    pub fn outcome(&self, node: &Node) -> Option<Outcome> {
        if !node.lands().lands().is_empty() {
            return None;
        }
        let trees = node.trees().iter().map(|&key| Some(part_of(self.0.forest.find(key)?).0));
        let (trees, mut words) = (trees.collect::<Option<Vec<_>>>()?, Vec::new());
        push(&mut words, if node.one() { ONE } else { 0 }, &[], &trees);
        let lost = self.0.is_loss(&words)?;
        Some(if lost { Outcome::Loss } else { Outcome::Win })
    }
}
