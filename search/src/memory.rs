//! How the memory of a search is shared out.

use crate::kernel::drive::Limits;
use crate::lands;
use crate::prior::{HEAPS, MOST_CELLS, Prior};

/// What a thread takes for itself: its memory of recent lands, its generator, and the part of its
/// stack that it uses. Learning takes as much as a thread.
const THREAD: usize = 512 << 10;
/// Bytes of a cell of the prior.
const CELL_BYTES: usize = Prior::<HEAPS>::CELL_BYTES;
/// Cells of the prior: the number that the search begins with, and the largest number.
const CELLS: (usize, usize) = (1 << 13, MOST_CELLS);

/// What each part of a search may take.
#[derive(Clone, Copy)]
pub(crate) struct Shares {
    /// Bytes for lands.
    pub lands: usize,
    /// Cells of the prior.
    pub cells: usize,
}

impl Limits {
    /// The least [`Limits::memory`] with which `threads` threads can search.
    pub fn least_memory(threads: usize) -> usize {
        (threads + 1) * THREAD + CELLS.0 * CELL_BYTES + lands::LEAST
    }

    /// The shares of the parts of the search. If the memory is less than the least, they are those
    /// of the least.
    pub(crate) fn shares(&self) -> Shares {
        let memory = self.memory.max(Self::least_memory(self.threads));
        let cells = (memory / 16 / CELL_BYTES).clamp(CELLS.0, CELLS.1);
        Shares { lands: memory - (self.threads + 1) * THREAD - cells * CELL_BYTES, cells }
    }
}
