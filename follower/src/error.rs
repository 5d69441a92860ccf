//! Why a follower ends without being told to.

use sprig_proto::AddressError;
use sprig_store::StoreError;

/// Why a follower has ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not an address, or one where secrets would not be kept.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No address was given.
    #[error("no coordinator was named; give at least one with --coordinator URL")]
    Nowhere,
    /// The copy cannot be used or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The coordinator does not want this follower.
    #[error("the coordinator at {url} refused this follower: {reason}")]
    Refused {
        /// The coordinator.
        url: String,
        /// Its reason.
        reason: String,
    },
    /// Somebody is there and does not say in which reign it leads.
    #[error("the coordinator at {url} cannot be asked whether it leads: {reason}")]
    Silent {
        /// The coordinator.
        url: String,
        /// Why.
        reason: String,
    },
    /// A bug.
    #[error("the copy was not written ({0}); this is a bug, please report it with the log")]
    Writer(String),
}
