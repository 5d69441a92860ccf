//! How the memory of a search is shared out.
//!
//! The trees of the base are not counted: they are there before the search, and it shares them.

use sprig_search::{Limits, Prior};

use crate::genus::CLASSES;
use crate::tables;

/// What a thread takes for itself: its memory of recent lands, its generator, the options on its path, and the part of its stack
/// that it uses. Learning takes as much as a thread.
const THREAD: usize = 3 << 19;
/// Bytes of memory to a cell of the guesses that can be told apart; further features fall into a coarser cell.
const BYTES: usize = 1 << 14;
/// Cells that there are in any memory.
const CELLS: std::ops::Range<usize> = 1 << 13..1 << 20;

/// What each part of a search may take.
#[derive(Clone, Copy)]
pub(crate) struct Shares {
    /// Bytes for lands and nodes, also while their tables grow or are collected.
    pub tables: usize,
    /// Cells of the guesses.
    pub cells: usize,
}

impl Shares {
    /// The shares of the parts of a search; those of the least search if the memory is less.
    pub fn of(Limits { memory, threads }: Limits) -> Self {
        let memory = memory.max(least_memory(threads));
        let cells = (memory / BYTES).clamp(CELLS.start, CELLS.end);
        let others = (threads.max(1) + 1) * THREAD + cells * Prior::<CLASSES>::CELL_BYTES;
        Self { tables: memory.saturating_sub(others).max(tables::LEAST), cells }
    }
}

/// The least memory with which so many threads can search.
pub(crate) fn least_memory(threads: usize) -> usize {
    (threads.max(1) + 1) * THREAD + CELLS.start * Prior::<CLASSES>::CELL_BYTES + tables::LEAST
}
