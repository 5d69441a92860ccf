//! Why a worker ends other than by being told to.

use sprig_search::Contradiction;

/// Why a worker has ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not an address.
    #[error("`{url}` is not the address of a coordinator: write it like http://127.0.0.1:7425")]
    Address {
        /// What was given.
        url: String,
    },
    /// The coordinator does not want this worker: another version, or it caught the worker in a contradiction.
    #[error("the coordinator at {url} refused this worker: {reason}")]
    Refused {
        /// The coordinator.
        url: String,
        /// Its reason.
        reason: String,
    },
    /// A fact of somebody else contradicts what this worker has proved.
    #[error(
        "{0}; it came from the coordinator's database against this worker's own proof: keep the database and both logs, and report it"
    )]
    Contradiction(Contradiction),
    /// The search thread is gone.
    #[error("the search has stopped: {0}")]
    Search(String),
}
