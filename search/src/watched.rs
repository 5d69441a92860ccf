//! Long work that is watched from outside.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// What long work and those who watch it share: whether it is to stop, and how far it is.
#[derive(Debug, Default)]
pub struct Watched {
    stop: AtomicBool,
    steps: AtomicU64,
}

impl Watched {
    /// Counts a step; says whether to go on.
    pub fn step(&self) -> bool {
        self.steps.fetch_add(1, Relaxed);
        !self.is_stopped()
    }

    /// How many steps were done. That it does not change means that the work stands still.
    pub fn steps(&self) -> u64 {
        self.steps.load(Relaxed)
    }

    /// Tells the work to stop.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the work is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The flag alone.
    pub fn flag(&self) -> &AtomicBool {
        &self.stop
    }
}
