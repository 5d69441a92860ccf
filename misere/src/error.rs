//! What can go wrong.

use sprig_engine::{CanonicalLand, TooManyMoves};

use crate::{Node, TreeKey};

/// Why a tree could not be found, or was not believed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MisereError {
    /// A land of the game tree has more children than memory could hold.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// The caller's progress function asked to stop. What was found is kept; the same call goes on from there.
    #[error("stopped after {lands} lands; run it again to go on")]
    Stopped {
        /// Lands whose RCT is known.
        lands: usize,
    },
    /// It was told to stop before it was found out.
    #[error("it was told to stop")]
    Interrupted,
    /// The children of a tree are not sorted, or one of them stands twice.
    #[error("tree {key} is refused: its children are not in strictly ascending order")]
    Unsorted {
        /// The key that was offered.
        key: TreeKey,
    },
    /// A child of a tree is not known.
    #[error("tree {key} is refused: its child {child} is not known; offer smaller trees first")]
    UnknownChild {
        /// The key that was offered.
        key: TreeKey,
        /// The unknown child.
        child: TreeKey,
    },
    /// The children of a tree do not have its key.
    #[error("tree {key} is refused: its children make tree {actual}")]
    WrongKey {
        /// The key that was offered.
        key: TreeKey,
        /// The key of the set of the children.
        actual: TreeKey,
    },
    /// The children of a tree are those of a tree that can be reduced, or that has a factor 1.
    #[error("tree {key} is refused: it is not reduced, its reduced form is {reduced}")]
    Reducible {
        /// The key that was offered.
        key: TreeKey,
        /// The tree that its children reduce to.
        reduced: TreeKey,
    },
    /// Bytes that are no node of a search.
    #[error("bytes are refused as a node of misère play: {reason}")]
    NoNode {
        /// What is wrong with them.
        reason: String,
    },
    /// A node was said to be lost that is won.
    #[error("node `{node}` is said to be lost but is won: a bug or a forgery")]
    Refuted {
        /// The node.
        node: Box<Node>,
    },
    /// A proof was asked for that has not been found.
    #[error("the outcome is not proved; solve the position first")]
    NoProof,
    /// A node that the proof needs was said to be lost, and nothing that is known shows that.
    #[error("node `{node}` is said to be lost, which follows from nothing that is known")]
    Unsupported {
        /// The node.
        node: Box<Node>,
    },
    /// What must be kept does not fit into the memory that the search may take.
    #[error("the memory limit of {bytes} bytes is too small for this search; allow more")]
    Memory {
        /// The limit.
        bytes: usize,
    },
    /// A land was said to have an RCT that it does not have.
    #[error(
        "land `{land}` is said to have tree {claimed} but has tree {actual}: a bug or a forgery"
    )]
    Contradiction {
        /// The land.
        land: Box<CanonicalLand>,
        /// The tree that was claimed.
        claimed: TreeKey,
        /// The tree that is known, or was computed.
        actual: TreeKey,
    },
}
