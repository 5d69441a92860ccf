//! What a coordinator stands on: disk and chance. They are real unless a simulation brings its own, in which a seed
//! decides everything.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long the simulated disk takes, asked before each use.
pub type Pace = dyn Fn() -> Duration + Send + Sync;

/// Where what blocks is done.
#[derive(Clone)]
pub enum Disk {
    /// On threads, so that nothing else waits for it.
    Real,
    /// After a pause, by the one thread of a simulation: no other order of events than that of the seed.
    Simulated(Arc<Pace>),
}

/// The ground under a coordinator.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The run of the coordinator; no two runs on one database may have the same.
    pub epoch: u64,
    /// The disk.
    pub disk: Disk,
}

impl Ground {
    /// The real world.
    pub fn real() -> Self {
        // The standard library seeds every hasher anew.
        let epoch = std::hash::RandomState::new().hash_one(SystemTime::now());
        Self { epoch, disk: Disk::Real }
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Real => "Real",
            Self::Simulated(_) => "Simulated",
        })
    }
}
