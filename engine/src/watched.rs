//! Long work that is watched from outside.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What long work shares with the threads that watch it: whether it is to stop, how far it is, and
/// what it works on.
#[derive(Debug, Default)]
pub struct Watched {
    stop: Arc<AtomicBool>,
    steps: AtomicU64,
    /// The lands whose claims are inspected just now, one for each thread, and whether that takes
    /// too long.
    lands: Mutex<BTreeMap<Box<[u8]>, bool>>,
    inspected: AtomicU64,
}

impl Watched {
    /// Work that stops when a flag is raised.
    #[must_use]
    pub fn until(stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..Self::default() }
    }

    /// Counts a step. Returns whether to go on.
    pub fn step(&self) -> bool {
        self.steps.fetch_add(1, Relaxed);
        !self.is_stopped()
    }

    /// How many steps were done. That it does not change means that the work stands still.
    pub fn steps(&self) -> u64 {
        self.steps.load(Relaxed)
    }

    /// The lands whose claims are inspected just now.
    pub fn lands(&self) -> Vec<Box<[u8]>> {
        self.locked().keys().cloned().collect()
    }

    /// Notes that the inspection of this land takes too long for those that wait for it.
    pub fn give_up(&self, land: &[u8]) {
        if let Some(is_given_up) = self.locked().get_mut(land) {
            *is_given_up = true;
        }
    }

    /// Whether the inspection of this land was [given up](Self::give_up).
    pub fn is_given_up(&self, land: &[u8]) -> bool {
        self.locked().get(land).copied().unwrap_or(false)
    }

    /// Notes that the inspection of a claim about this land begins.
    pub fn begin(&self, land: &[u8]) {
        self.locked().insert(land.into(), false);
    }

    /// Notes that the inspection is over.
    pub fn end(&self, land: &[u8]) {
        self.locked().remove(land);
        self.inspected.fetch_add(1, Relaxed);
    }

    /// How many inspections are over.
    pub fn inspected(&self) -> u64 {
        self.inspected.load(Relaxed)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<Box<[u8]>, bool>> {
        self.lands.lock().unwrap_or_else(PoisonError::into_inner)
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
