//! Long work that is watched from outside.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};

use crate::step::Key;

/// What long work and those who watch it share: whether it is to stop, how far it is, and at what it is.
#[derive(Debug, Default)]
pub struct Watched {
    stop: Arc<AtomicBool>,
    steps: AtomicU64,
    /// The lands whose claims are inspected just now, one for each thread.
    lands: Mutex<BTreeSet<Key>>,
}

impl Watched {
    /// Work that stops when a flag is raised.
    #[must_use]
    pub fn until(stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..Self::default() }
    }

    /// Counts a step; says whether to go on.
    pub fn step(&self) -> bool {
        self.steps.fetch_add(1, Relaxed);
        !self.is_stopped()
    }

    /// How many steps were done. That it does not change means that the work stands still.
    pub fn steps(&self) -> u64 {
        self.steps.load(Relaxed)
    }

    /// The lands whose claims are inspected just now.
    pub fn lands(&self) -> Vec<Key> {
        self.lands.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(crate) fn begin(&self, land: &[u8]) {
        self.lands.lock().unwrap_or_else(PoisonError::into_inner).insert(land.into());
    }

    pub(crate) fn end(&self, land: &[u8]) {
        self.lands.lock().unwrap_or_else(PoisonError::into_inner).remove(land);
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
