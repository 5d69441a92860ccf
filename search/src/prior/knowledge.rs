//! What earlier searches have taught, in a compact table that ships with the program.
//!
//! ```text
//! table := cell*     30 bytes each, sorted
//! cell  := size u16, coarse u32, fine u64 (little endian),
//!          then for each of 8 heaps: won u8, lost u8
//! ```
//!
//! Counts are scaled down, so that what a search learns itself soon outweighs them. The table only
//! guides a search: no proof depends on it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::{COARSEST, HEAPS, Prior};
use crate::game::Features;

pub(super) const CELL: usize = 14 + 2 * HEAPS;
/// No pair of counts in the table is larger than this together.
const MOST: u32 = 24;
/// Cells with fewer counts are left out.
const FEWEST: u32 = 12;

impl<const CLASSES: usize> Prior<CLASSES> {
    /// Adds the counts of a table. Bytes beyond the last whole cell are ignored.
    pub(super) fn take_in(&mut self, table: &[u8]) {
        for bytes in table.as_chunks::<CELL>().0 {
            let (features, counts) = bytes.split_at(14);
            let features = Features {
                size: u16::from_le_bytes(features[..2].try_into().expect("2 bytes")),
                coarse: u32::from_le_bytes(features[2..6].try_into().expect("4 bytes")),
                fine: u64::from_le_bytes(features[6..].try_into().expect("8 bytes")),
            };
            let cell = if features == Features::default() { COARSEST } else { self.cell(features) };
            // No other thread counts yet.
            let add = |count: &AtomicU32, more: u8| {
                count.store(count.load(Relaxed) + u32::from(more), Relaxed);
            };
            for (here, [won, lost]) in self.at(cell).counts.iter().zip(counts.as_chunks().0) {
                add(&here.won, *won);
                add(&here.lost, *lost);
            }
        }
    }

    /// A table of what this prior has counted.
    pub fn knowledge(&self) -> Vec<u8> {
        let cells = self.cells.lock().expect("no thread panics with the cells in hand");
        let coarsest = (Features::default(), COARSEST);
        let cells = cells.iter().map(|(&features, &cell)| (features, cell)).chain([coarsest]);
        let mut table: Vec<[u8; CELL]> =
            cells.filter_map(|(features, cell)| self.row(features, cell)).collect();
        table.sort_unstable();
        table.concat()
    }

    fn row(&self, features: Features, cell: u32) -> Option<[u8; CELL]> {
        let mut row = [0; CELL];
        row[..2].copy_from_slice(&features.size.to_le_bytes());
        row[2..6].copy_from_slice(&features.coarse.to_le_bytes());
        row[6..14].copy_from_slice(&features.fine.to_le_bytes());
        let mut all = 0;
        for (here, pair) in self.at(cell).counts.iter().zip(row[14..].chunks_mut(2)) {
            let (won, lost) = (here.won.load(Relaxed), here.lost.load(Relaxed));
            all += won + lost;
            let (kept, both) = ((won + lost).min(MOST), (won + lost).max(1));
            pair[0] = ((2 * u64::from(won) * u64::from(kept) + u64::from(both))
                / (2 * u64::from(both))) as u8;
            pair[1] = kept as u8 - pair[0];
        }
        (all >= FEWEST).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        type Couples = Prior<HEAPS>;
        let prior = Couples::new(&[], 1 << 16);
        for i in 0..2000u16 {
            let features = Features {
                size: 1 + i % 7,
                coarse: 1 + u32::from(i % 3),
                fine: 1 + u64::from(i % 2),
            };
            prior.learn(prior.cell(features), usize::from(i % 5), i % 4 == 0);
        }
        let table = prior.knowledge();
        assert!(table.len() > 10 * CELL);
        assert!(Couples::new(&table, 1 << 16).knowledge() == table);
    }
}
