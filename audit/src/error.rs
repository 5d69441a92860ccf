//! Why claims cannot be checked.

use std::io;

use sprig_domain::NodeError;
use sprig_misere::MisereError;
use sprig_search::SolveError;
use sprig_store::StoreError;
use sprig_trees::TreeError;

/// What has ended a check. All that was verified before is kept.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// It was told to stop.
    #[error("stopped; what was checked is kept, the same command goes on from there")]
    Stopped,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A temporary file failed.
    #[error("cannot sort claims: {0}; make room in the folder for temporary files")]
    Sort(#[from] io::Error),
    /// A search contradicts verified facts.
    #[error("a search contradicts the verified facts of the database: {0}")]
    Search(#[from] SolveError),
    /// The trees, or the lost nodes, do not fit into memory.
    #[error(transparent)]
    Misere(MisereError),
}

impl From<TreeError> for AuditError {
    fn from(error: TreeError) -> Self {
        MisereError::from(error).into()
    }
}

impl From<NodeError> for AuditError {
    fn from(error: NodeError) -> Self {
        MisereError::from(error).into()
    }
}

impl From<MisereError> for AuditError {
    fn from(error: MisereError) -> Self {
        match error {
            MisereError::Interrupted => Self::Stopped,
            error => Self::Misere(error),
        }
    }
}
