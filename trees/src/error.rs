//! What can go wrong.

use sprig_domain::{TreeFlaw, TreeKey};
use sprig_engine::{CanonicalLand, TooManyMoves};
use sprig_search::Sprouts;

use crate::names::Names;

/// Why the moves of a land cannot be listed.
pub(crate) fn too_many(game: Sprouts, names: &Names, land: u32) -> TreeError {
    let mut key = Vec::new();
    names.key(land, &mut key);
    game.too_many(&key).into()
}

/// Why a tree could not be found, or was not believed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    /// A land of the game tree has more children than memory could hold.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// The caller's progress function asked to stop. What was found is kept; the same call goes on
    /// from there.
    #[error("stopped after {lands} lands; run it again to go on")]
    Stopped {
        /// Lands whose RCT is known.
        lands: usize,
    },
    /// The children of a tree are not its children.
    #[error(transparent)]
    Flaw(#[from] TreeFlaw),
    /// A child of a tree is not known.
    #[error("tree {key} is refused: its child {child} is not known; offer smaller trees first")]
    UnknownChild {
        /// The key that was offered.
        key: TreeKey,
        /// The unknown child.
        child: TreeKey,
    },
    /// The children of a tree are those of a tree that can be reduced, or that has a factor 1.
    #[error("tree {key} is refused: it is not reduced, its reduced form is {reduced}")]
    Reducible {
        /// The key that was offered.
        key: TreeKey,
        /// The tree that its children reduce to.
        reduced: TreeKey,
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
