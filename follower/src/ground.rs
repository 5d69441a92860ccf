//! The environment of a follower: threads and chance. They are real unless a simulation brings its
//! own, in which a seed decides everything.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::SystemTime;

use sprig_blocking::Blocking;

/// The environment of a follower.
#[derive(Clone)]
pub struct Ground {
    /// Random numbers, which scatter its tries to connect.
    pub random: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Where it writes its copy.
    pub blocking: Blocking,
}

impl Ground {
    /// The real world.
    pub fn real() -> Self {
        // The standard library seeds every hasher anew.
        let random = || std::hash::RandomState::new().hash_one(SystemTime::now());
        Self { random: Arc::new(random), blocking: Blocking::Threads }
    }
}

impl fmt::Debug for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ground({:?})", self.blocking)
    }
}
