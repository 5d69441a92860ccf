//! Start numbers: what is expected of a couple before it is searched, learned from the couples solved so far.
//!
//! Lands with equal features share a *cell*. A cell counts how many of its couples (land, heap) were won and lost; a cell
//! with few counts leans on a coarser one. From the probability that a couple is lost follow its numbers,
//! `(1 + lives)^1.5 (1 - ln P)`.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use rustc_hash::FxBuildHasher;

use crate::game::Features;
use crate::numbers::Numbers;

/// Heaps from here on share one count.
const HEAPS: usize = 8;
/// A count of the coarser cell weighs as much as so many counts of its own.
const LEAN: f32 = 4.0;
/// Cells that can be told apart; further features fall into the coarsest cell.
const CELLS: usize = 1 << 16;
/// Start numbers are multiples of this, so that small differences show.
const UNIT: f32 = 4.0;
/// Weight of the surprise: how much more work an unlikely outcome is thought to be.
const SURPRISE: f32 = 1.0;

pub(crate) struct Prior {
    cells: Mutex<HashMap<Features, u16, FxBuildHasher>>,
    table: Vec<Cell>,
    /// Counts so far, and the stamp of the guesses made from them.
    counts: AtomicU64,
    stamp: AtomicU32,
}

#[derive(Default)]
struct Cell {
    /// The coarser cell, and the size of its lands.
    coarser: AtomicU32,
    size: AtomicU32,
    won: [AtomicU32; HEAPS],
    lost: [AtomicU32; HEAPS],
    /// When the numbers were computed, and the numbers.
    stamp: AtomicU32,
    guess: [AtomicU64; HEAPS],
}

/// The cell of everything.
const COARSEST: u16 = 0;

impl Prior {
    pub fn new() -> Self {
        let table = (0..CELLS).map(|_| Cell::default()).collect();
        let cells = Mutex::new(HashMap::default());
        Self { cells, table, counts: AtomicU64::new(0), stamp: AtomicU32::new(1) }
    }

    /// The cell of lands with these features.
    pub fn cell(&self, features: Features) -> u16 {
        let mut cells = self.cells.lock().expect("no thread panics with the cells in hand");
        let coarse = Features { fine: 0, ..features };
        let size = Features { coarse: 0, ..coarse };
        let mut coarser = COARSEST;
        if let Some(&cell) = cells.get(&features) {
            return cell;
        }
        for features in [size, coarse, features] {
            let next = cells.len() + 1;
            if next >= CELLS {
                return coarser;
            }
            coarser = *cells.entry(features).or_insert_with(|| {
                let cell = &self.table[next];
                cell.coarser.store(coarser.into(), Relaxed);
                cell.size.store(features.size.into(), Relaxed);
                next as u16
            });
        }
        coarser
    }

    /// Learns the outcome of a couple whose land is in `cell`.
    pub fn learn(&self, mut cell: u16, heap: u8, lost: bool) {
        let heap = usize::from(heap).min(HEAPS - 1);
        loop {
            let counts = &self.table[usize::from(cell)];
            let counter = if lost { &counts.lost[heap] } else { &counts.won[heap] };
            counter.fetch_add(1, Relaxed);
            if cell == COARSEST {
                break;
            }
            cell = counts.coarser.load(Relaxed) as u16;
        }
        // Guesses are made anew whenever the counts have grown by an eighth.
        let counts = self.counts.fetch_add(1, Relaxed) + 1;
        let stamp = 1 + 8 * u64::from(counts.ilog2()) + ((counts << 3 >> counts.ilog2()) & 7);
        self.stamp.store(stamp as u32, Relaxed);
    }

    /// The start numbers of a couple whose land is in `cell`.
    #[inline]
    pub fn numbers(&self, cell: u16, heap: u8) -> Numbers {
        let cell = &self.table[usize::from(cell)];
        let stamp = self.stamp.load(Relaxed);
        if cell.stamp.load(Relaxed) != stamp {
            self.guess(cell);
            cell.stamp.store(stamp, Relaxed);
        }
        let guess = cell.guess[usize::from(heap).min(HEAPS - 1)].load(Relaxed);
        Numbers { proof: guess as u32, disproof: (guess >> 32) as u32 }
    }

    fn guess(&self, cell: &Cell) {
        let work = UNIT * (1.0 + cell.size.load(Relaxed) as f32).powf(1.5);
        for heap in 0..HEAPS {
            let loss = self.loss(cell, heap).clamp(0.001, 0.999);
            let proof = work * (1.0 - SURPRISE * (1.0 - loss).ln());
            let disproof = work * (1.0 - SURPRISE * loss.ln());
            let guess = proof as u64 | (disproof as u64) << 32;
            cell.guess[heap].store(guess, Relaxed);
        }
    }

    /// The probability that a couple of a land of `cell` with `heap` is lost.
    fn loss(&self, cell: &Cell, heap: usize) -> f32 {
        let lost = cell.lost[heap].load(Relaxed) as f32;
        let all = lost + cell.won[heap].load(Relaxed) as f32;
        let coarser = if std::ptr::eq(cell, &self.table[usize::from(COARSEST)]) {
            // Before anything is known: small nimbers are likelier.
            0.3 / (1 << heap) as f32
        } else {
            self.loss(&self.table[cell.coarser.load(Relaxed) as usize], heap)
        };
        (lost + LEAN * coarser) / (all + LEAN)
    }
}
