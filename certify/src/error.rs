//! What can go wrong while a certificate is sought.

use sprig_domain::{Node, TreeKey};
use sprig_engine::{CanonicalPosition, Nimber, NimberTooLarge, TooManyMoves, Unlisted};

/// The errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The facts do not suffice.
    #[error("the known facts do not prove `{0}`; solve it into the same database first")]
    Missing(CanonicalPosition),
    /// Two facts exclude each other.
    #[error("contradiction: the nimber of `{land}` is recorded as {known} and as {claimed}")]
    Contradiction {
        /// The land.
        land: CanonicalPosition,
        /// One nimber.
        known: Nimber,
        /// The other.
        claimed: Nimber,
    },
    /// A fact that cannot be.
    #[error(
        "contradiction: `{land}` is recorded to have the nimber {nimber}, but one move from there leads to the same nimber"
    )]
    SameNimber {
        /// The land.
        land: CanonicalPosition,
        /// Its recorded nimber.
        nimber: Nimber,
    },
    /// A node that is said to be lost and is won.
    #[error(
        "contradiction: the node `{0}` is recorded to be lost, but its trees or a move to another such node make it a win"
    )]
    Won(Box<Node>),
    /// A tree that cannot be written.
    #[error(
        "the tree {0} of a lost node is that of no position of the base; certify with a larger base"
    )]
    NoLand(TreeKey),
    /// It was told to stop before a proof was complete.
    #[error("the proof was not whole when the search for it was stopped")]
    Stopped,
    /// A land has too many moves.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// Listing the moves of a position takes more than is allowed.
    #[error(transparent)]
    Unlisted(#[from] Unlisted),
    /// A nimber does not fit.
    #[error(transparent)]
    NimberTooLarge(#[from] NimberTooLarge),
}
