//! Why a worker ends without being told to.

use sprig_proto::AddressError;

/// Why a worker has ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not an address, or one where secrets would not be kept.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No address was given.
    #[error("no coordinator was named; give at least one with --coordinator URL")]
    Nowhere,
    /// The coordinator does not want this worker: it has another version, or has found that the
    /// worker contradicts itself.
    #[error("the coordinator at {url} refused this worker: {reason}")]
    Refused {
        /// The coordinator.
        url: String,
        /// Its reason.
        reason: String,
    },
    /// This program is too old for the coordinator.
    #[error("this worker is too old for the coordinator at {url}: {reason}")]
    Outdated {
        /// The coordinator.
        url: String,
        /// Which versions do not fit, and the remedy.
        reason: String,
    },
    /// The search thread is gone.
    #[error("the search has stopped: {0}")]
    Search(String),
}
