//! What can go wrong.

use sprig_domain::{Node, NodeError};
use sprig_engine::TooManyMoves;
use sprig_trees::TreeError;

use crate::sum::Sum;

/// Why a search cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OutcomeError {
    /// A sum was said to be lost that is won: a fact from elsewhere is wrong, or the rules of the
    /// game are not what it says.
    #[error("a sum is said to be lost but is won")]
    Refuted {
        /// The sum.
        sum: Sum,
    },
    /// All that is left rests on lands with too many moves to be listed.
    #[error("a land has too many moves to be listed")]
    TooManyMoves {
        /// Key of the first such land.
        land: Vec<u8>,
    },
    /// What must be kept does not fit into the memory that the search may take.
    #[error("the memory limit of {bytes} bytes is too small for this search; allow more")]
    Memory {
        /// The limit.
        bytes: usize,
    },
}

/// Why an outcome of Sprouts could not be found, or was not believed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MisereError {
    /// The trees of lands do not allow it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Bytes are not those of a node.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The search was told to stop before it had found the outcome.
    #[error("it was told to stop")]
    Interrupted,
    /// A node was said to be lost that is won.
    #[error("node `{node}` is said to be lost but is won: a bug or a forgery")]
    Refuted {
        /// The node.
        node: Box<Node>,
    },
    /// A proof was asked for that has not been found.
    #[error("the outcome is not proved; solve the position first")]
    NoProof,
    /// Nodes that the proof needs were said to be lost, and what is known does not show that.
    #[error("{}", unsupported(nodes))]
    Unsupported {
        /// The nodes, at least one.
        nodes: Vec<Node>,
    },
    /// What must be kept does not fit into the memory that the search may take.
    #[error("the memory limit of {bytes} bytes is too small for this search; allow more")]
    Memory {
        /// The limit.
        bytes: usize,
    },
}

impl From<TooManyMoves> for MisereError {
    fn from(error: TooManyMoves) -> Self {
        Self::Tree(error.into())
    }
}

fn unsupported(nodes: &[Node]) -> String {
    let first = nodes.first().map(|node| format!(", the first `{node}`")).unwrap_or_default();
    let count = nodes.len();
    format!("what is known does not show that {count} nodes are lost which the proof needs{first}")
}
