//! How the memory of a search is shared out, and how its tables make room.
//!
//! The trees of the base are not counted: they are there before the search, and it shares them.

use std::sync::atomic::Ordering::Relaxed;

use sprig_search::kernel::intern::Interner;
use sprig_search::kernel::room;
use sprig_search::kernel::sync::AtomicU64;
use sprig_search::{Limits, Prior};

use crate::genus::CLASSES;
use crate::tables::Tables;

/// What a thread takes for itself: its memory of recent lands, its generator, the options on its
/// path, and the part of its stack that it uses. Learning takes as much as a thread.
const THREAD: usize = 3 << 19;
/// For each of this many bytes of memory, the guesses tell one more cell apart. Further features
/// fall into a coarser cell.
const BYTES: usize = 1 << 14;
/// The fewest and the most cells, whatever the memory.
const CELLS: std::ops::Range<usize> = 1 << 13..1 << 20;

/// The least memory for tables: the first ones, some segments, and what collecting these takes.
pub(crate) const LEAST: usize = 8 << 20;

/// What the tables may take of `memory` between collections. The rest is room for copying what is
/// kept, and for larger tables beside the smaller ones.
pub(crate) fn usable(memory: usize) -> usize {
    memory / 3 * 2
}

/// What each part of a search may take.
#[derive(Clone, Copy)]
pub(crate) struct Shares {
    /// Bytes for lands and nodes, also while their tables grow or are collected.
    pub tables: usize,
    /// Cells of the guesses.
    pub cells: usize,
}

impl Shares {
    /// The shares of the parts of a search. If the memory is less than the least, they are those of
    /// the least.
    pub fn of(Limits { memory, threads }: Limits) -> Self {
        let memory = memory.max(least_memory(threads));
        let cells = (memory / BYTES).clamp(CELLS.start, CELLS.end);
        let others = (threads.max(1) + 1) * THREAD + cells * Prior::<CLASSES>::CELL_BYTES;
        Self { tables: memory.saturating_sub(others).max(LEAST), cells }
    }
}

/// The least memory with which this number of threads can search.
pub(crate) fn least_memory(threads: usize) -> usize {
    (threads.max(1) + 1) * THREAD + CELLS.start * Prior::<CLASSES>::CELL_BYTES + LEAST
}

impl room::Tables for Tables {
    fn is_full(&self) -> bool {
        self.full.load(Relaxed)
    }

    fn may_grow(&self) -> bool {
        self.is_crowded() && self.bytes() + self.growth() <= usable(self.memory)
    }

    fn grow(&mut self) {
        self.grow_crowded();
    }

    fn collect(&mut self) -> bool {
        let next = self.successor();
        let old = std::mem::replace(self, next);
        let is_enough = self.take_in(&old);
        drop(old);
        self.full.store(false, Relaxed);
        self.share();
        is_enough
    }
}

impl Tables {
    /// Bounds what the records may take, between collections.
    pub fn share(&mut self) {
        let records = usable(self.memory).saturating_sub(self.slot_bytes());
        self.lands.arena.allow(records);
    }

    /// Bounds what the records may take while those of `old` are copied. Returns whether these
    /// tables may grow beside them.
    pub fn share_with(&mut self, old: &Self) -> bool {
        let slots = self.slot_bytes() + old.slot_bytes();
        self.lands.arena.allow(self.memory.saturating_sub(slots));
        self.lands.arena.taken() + slots + 2 * self.growth() <= self.memory
    }

    /// Bytes taken from the system.
    pub fn held(&self) -> usize {
        self.lands.arena.taken() + self.slot_bytes()
    }

    pub fn slot_bytes(&self) -> usize {
        (self.lands.slots() + self.nodes.slots()) * Interner::<AtomicU64>::SLOT
    }
}
