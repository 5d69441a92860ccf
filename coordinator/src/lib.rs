//! Splits the game tree, leases jobs, takes in facts, answers queries. See `docs/cluster.md`.

use std::net::SocketAddr;
use std::sync::Arc;

use sprig_engine::CanonicalPosition;
use sprig_proto::Knowledge;
use sprig_store::Store;

/// How to run a coordinator.
#[derive(Debug)]
pub struct Config {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The database.
    pub store: Arc<Store>,
}

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
}

/// A running coordinator. It goes on until [`Coordinator::shutdown`]; dropping it stops it at once.
#[derive(Debug)]
pub struct Coordinator {
    address: SocketAddr,
}

impl Coordinator {
    /// Starts on the current tokio runtime; goes on with the unfinished jobs of the database.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn start(_config: Config) -> Result<Self, Error> {
        unimplemented!()
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Its address for workers and clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Runs until it fails: the database cannot be written, or a bug. Never returns otherwise.
    pub async fn failure(&mut self) -> Error {
        unimplemented!()
    }

    /// Takes no new calls, commits what it has, and ends.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn shutdown(self) -> Result<(), Error> {
        unimplemented!()
    }
}

/// What a database knows about a position. Needs no running coordinator.
///
/// # Errors
/// [`Error`].
pub fn knowledge(_store: &Store, _position: &CanonicalPosition) -> Result<Knowledge, Error> {
    unimplemented!()
}
