//! What can go wrong with a coordinator as a whole.

use std::net::SocketAddr;

use sprig_store::StoreError;

use crate::access::TlsError;

/// Why a coordinator cannot start, or has stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another address with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The clock is wrong.
    #[error(
        "the clock of this machine shows a time before 1970, and certificates, logs and facts carry the time: set it first"
    )]
    Clock,
    /// The certificates cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No thread could be started.
    #[error(
        "cannot start the thread of the database: {0}; raise the limit of processes (ulimit -u)"
    )]
    Thread(std::io::Error),
    /// The network side ended by itself.
    #[error("the coordinator no longer accepts connections: {0}; start it again")]
    Serve(String),
    /// A part of it does not see that it is to end.
    #[error(
        "the coordinator did not end in {0} seconds and is left behind; all that it acknowledged is in the database"
    )]
    Late(u64),
    /// A bug.
    #[error(
        "the coordinator's driver ended unexpectedly ({0}); this is a bug, please report it with the log"
    )]
    Driver(String),
}
