//! What carries connections: the network of this machine, or one that a simulation brings.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use tonic::transport::{Channel, Endpoint, Error};

/// A connection on its way.
type Connecting = Pin<Box<dyn Future<Output = Result<Channel, Error>> + Send>>;

/// How a simulated network connects.
pub type Dial = dyn Fn(Endpoint) -> Connecting + Send + Sync;

/// The network. The default is the real one.
#[derive(Clone, Default)]
pub struct Network(Option<Arc<Dial>>);

impl Network {
    /// A simulated network.
    pub fn simulated(dial: Arc<Dial>) -> Self {
        Self(Some(dial))
    }

    /// Connects.
    ///
    /// # Errors
    /// When no peer answers, or not in this way.
    pub async fn connect(&self, endpoint: Endpoint) -> Result<Channel, Error> {
        match &self.0 {
            None => endpoint.connect().await,
            Some(dial) => dial(endpoint).await,
        }
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Simulated" } else { "Real" })
    }
}
