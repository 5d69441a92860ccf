//! The server of a copy: workers read facts there, so that the coordinator need not send each fact
//! to each of them.
//!
//! The coordinator tells a worker *where* the facts stand that it may know, and which record the
//! copy must have. So what is told to whom is decided in one place, and a copy that lags tells
//! nothing that was withdrawn.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use sprig_store::Held;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::access::{self, Gate, Protection};
use crate::service::CopyService;
use crate::{Error, ReloadError};

/// A copy that tells facts. It goes on until it is dropped.
#[derive(Debug)]
pub struct Copies {
    address: SocketAddr,
    gate: Gate,
    server: JoinHandle<Result<(), tonic::transport::Error>>,
}

impl Copies {
    /// Tells workers what is `held`, on the current tokio runtime. `told` counts the facts.
    ///
    /// # Errors
    /// [`Error::Listen`], [`Error::Tls`].
    pub async fn start(
        listen: SocketAddr,
        protection: Protection,
        held: watch::Receiver<Option<Held>>,
        told: Arc<AtomicU64>,
    ) -> Result<Self, Error> {
        let gate = Gate::new(protection)?;
        let failed = |source| Error::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let incoming = access::listen(listener, gate.clone());
        let router = CopyService::new(held, told).router(gate.clone());
        let server = tokio::spawn(router.serve_with_incoming(incoming));
        Ok(Self { address, gate, server })
    }

    /// Its address for workers.
    pub fn url(&self) -> String {
        let scheme = if self.gate.is_encrypted() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// From now on, other tokens and certificates count, without a restart.
    ///
    /// # Errors
    /// [`ReloadError`]; then the old ones count on.
    pub fn reload(&self, protection: Protection) -> Result<(), ReloadError> {
        self.gate.exchange(protection)
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        self.server.abort();
    }
}
