//! The environment of a coordinator: threads, time and chance. They are real unless a simulation
//! brings its own, in which a seed decides everything.

use std::hash::BuildHasher;
use std::num::NonZeroUsize;
use std::time::SystemTime;

use sprig_audit::Environment;
use sprig_blocking::Blocking;

/// The environment of a coordinator.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The run of the coordinator; no two runs on one database may have the same.
    pub epoch: u64,
    /// Where the database is asked and claims are checked.
    pub blocking: Blocking,
    /// The clock and the dice with which claims are checked.
    pub environment: Environment,
    /// Threads that check claims.
    pub threads: NonZeroUsize,
}

impl Ground {
    /// The real world. Claims are checked on all cores of the machine: no search runs while an
    /// answer is shown.
    pub fn real() -> Self {
        // The standard library seeds every hasher anew.
        let epoch = std::hash::RandomState::new().hash_one(SystemTime::now());
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { epoch, blocking: Blocking::Threads, environment: Environment::default(), threads }
    }
}
