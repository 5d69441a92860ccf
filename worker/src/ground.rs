//! What a worker stands on: network, processor and chance. They are real unless a simulation brings its own, in which
//! a seed decides everything.

use std::fmt;
use std::hash::BuildHasher;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tonic::transport::{Channel, Endpoint, Error};

/// A connection on its way.
type Connecting = Pin<Box<dyn Future<Output = Result<Channel, Error>> + Send>>;

/// How a simulated network connects.
pub type Dial = dyn Fn(Endpoint) -> Connecting + Send + Sync;

/// A world in which one thread does everything.
#[derive(Clone)]
pub struct Scene {
    /// The network.
    pub dial: Arc<Dial>,
    /// Expansions after which a search lets the others have their turn.
    pub slice: u64,
    /// How long they take.
    pub time: Duration,
}

/// The ground under a worker.
#[derive(Clone)]
pub struct Ground {
    /// Random numbers: the identity of the worker, and how its tries to connect are scattered.
    pub random: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// None: the real network, and a thread for the search.
    pub scene: Option<Scene>,
}

impl Ground {
    /// The real world.
    pub fn real() -> Self {
        // The standard library seeds every hasher anew.
        let random = || std::hash::RandomState::new().hash_one(SystemTime::now());
        Self { random: Arc::new(random), scene: None }
    }
}

impl fmt::Debug for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.scene.is_some() { "Ground(simulated)" } else { "Ground(real)" })
    }
}
