//! What a search of any game speaks of: sums of lands and trees.

use sprig_domain::{Node, TreeKey};
use sprig_engine::{CanonicalLand, CanonicalPosition};

/// A sum of lands whose trees are not known, of 1 or not, and of trees without factor 1: a [`Node`]
/// of any game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sum {
    /// Keys of the lands, or raw lands.
    pub lands: Vec<Box<[u8]>>,
    /// Whether there is a 1.
    pub one: bool,
    /// The trees.
    pub trees: Vec<TreeKey>,
}

impl From<&CanonicalPosition> for Sum {
    fn from(position: &CanonicalPosition) -> Self {
        let lands = position.lands().iter().map(|land| land.key().into()).collect();
        Self { lands, one: false, trees: Vec::new() }
    }
}

impl From<&Node> for Sum {
    fn from(node: &Node) -> Self {
        Self { one: node.one(), trees: node.trees().to_vec(), ..Self::from(node.lands()) }
    }
}

/// A sum of lands of Sprouts.
impl From<&Sum> for Node {
    fn from(sum: &Sum) -> Self {
        let lands = sum.lands.iter().map(|land| CanonicalLand::from_reduced(land));
        let lands = CanonicalPosition::from_lands(lands.collect::<Vec<_>>());
        Self::new(lands, sum.one, sum.trees.iter().copied())
    }
}
