//! Tables that walks share, and that make room when they are full.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, RwLock, RwLockReadGuard};

use super::counters::Counters;
use super::noise::Noise;
use super::walk::Leave;

/// Tables that can be full.
pub trait Tables: Send + Sync {
    /// Whether they must grow or be collected before walks go on.
    fn is_full(&self) -> bool;

    /// Whether they should grow, and have the memory for it.
    fn may_grow(&self) -> bool;

    /// Grows the tables. They are not full afterwards.
    fn grow(&mut self);

    /// Drops what can be found again. Returns whether that was enough. The tables are not full
    /// afterwards.
    fn collect(&mut self) -> bool;

    /// Begins a new round, in problems that have rounds: the numbers of all nodes are forgotten.
    fn begin_round(&self) {}
}

/// A thread's own tools, which may hold indices into the tables.
pub trait Tools {
    /// Forgets every index, since the tables were collected.
    fn forget(&mut self);
}

/// Tools that are kept over collections.
pub struct Kept<W> {
    tools: W,
    /// How many collections the tools have seen: their indices are those of the tables after these.
    collections: u64,
}

impl<W> Kept<W> {
    /// Tools that hold no index yet.
    pub fn new(tools: W) -> Self {
        Self { tools, collections: 0 }
    }
}

/// Tables with all that walks share.
pub struct Shared<T> {
    /// Walks hold the lock for reading as long as they go. It is held for writing to grow or
    /// collect the tables.
    tables: RwLock<T>,
    /// Held by the thread that makes room. A thread that waited to write while there is room would
    /// wait until there is none: the readers do not stop before that.
    room: Mutex<()>,
    /// What is counted.
    pub counters: Counters,
    /// The [`Noise`] of the walks. It orders no other memory.
    noise: AtomicU32,
    /// How many facts from elsewhere were taken in.
    pub(super) learned: AtomicU64,
}

/// Why no lock of the tables is poisoned.
const WHOLE: &str = "no thread panics while it changes the tables";

impl<T: Tables> Shared<T> {
    /// Shares tables.
    pub fn new(tables: T) -> Self {
        Self {
            tables: RwLock::new(tables),
            room: Mutex::new(()),
            counters: Counters::default(),
            noise: AtomicU32::new(Noise::NONE.0),
            learned: AtomicU64::new(0),
        }
    }

    /// The tables, to be read.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.tables.read().expect(WHOLE)
    }

    /// Some figures of the tables, or zeros while they grow or are collected.
    pub fn glance<const N: usize>(&self, see: impl FnOnce(&T) -> [usize; N]) -> [usize; N] {
        self.peek(see).unwrap_or([0; N])
    }

    /// What `see` sees in the tables; `None` while they grow or are collected.
    pub fn peek<R>(&self, see: impl FnOnce(&T) -> R) -> Option<R> {
        self.tables.try_read().ok().map(|tables| see(&tables))
    }

    /// Changes what is not indexed. It waits until no walk goes.
    pub fn alter(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.tables.write().expect(WHOLE));
    }

    /// Replaces the tables, or part of them, by others in which no index means what it did.
    pub fn replace(&self, change: impl FnOnce(&mut T)) {
        let mut tables = self.tables.write().expect(WHOLE);
        change(&mut tables);
        // Before anybody reads the tables with the indices of those before.
        self.counters.collections.fetch_add(1, Relaxed);
    }

    /// The tables, when no thread uses them any more.
    pub fn into_tables(self) -> T {
        self.tables.into_inner().expect(WHOLE)
    }

    /// Gives the walks this noise.
    pub fn differ(&self, noise: Noise) {
        self.noise.store(noise.0, Relaxed);
    }

    /// The noise of the walks.
    #[inline]
    pub fn noise(&self) -> Noise {
        Noise(self.noise.load(Relaxed))
    }

    /// Notes that a fact from elsewhere was taken in. It may decide a node on a walk, which shows
    /// when that node is looked at.
    pub fn has_learned(&self) {
        self.learned.fetch_add(1, Relaxed);
    }

    /// Calls `act` with the tables, and again whenever it had no room.
    ///
    /// # Errors
    /// The errors of `act`; [`Leave::Full`] when no room can be made.
    pub fn attempt<W: Tools, A, C>(
        &self,
        Kept { tools, collections }: &mut Kept<W>,
        mut act: impl FnMut(&T, &mut W) -> Result<A, Leave<C>>,
    ) -> Result<A, Leave<C>> {
        loop {
            let tables = self.read();
            // Indices from before a collection mean nothing in the tables after it.
            let now = self.counters.collections.load(Relaxed);
            if std::mem::replace(collections, now) != now {
                tools.forget();
            }
            match act(&tables, tools) {
                Err(Leave::Full) => {
                    drop(tables);
                    if !self.make_room() {
                        return Err(Leave::Full);
                    }
                }
                done => return done,
            }
        }
    }

    /// Grows the tables, or collects them when the memory is used up. Returns whether there is room
    /// then.
    pub fn make_room(&self) -> bool {
        let _turn = self.room.lock().expect("no thread panics while it makes room");
        if !self.read().is_full() {
            // Another thread has made room meanwhile.
            return true;
        }
        let mut tables = self.tables.write().expect(WHOLE);
        if tables.may_grow() {
            tables.grow();
            return true;
        }
        // Without an expansion since the last collection, another one would not help.
        if !self.counters.collect() {
            return false;
        }
        let is_enough = tables.collect();
        self.counters.collections.fetch_add(1, Relaxed);
        is_enough
    }
}
