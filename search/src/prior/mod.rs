//! Start numbers: what is expected of a couple before it is searched.
//!
//! Lands with equal features share a *cell*. A cell counts how many of its couples (land, heap)
//! were won and lost, in this search and in those from which the game's [`knowledge`] was gathered.
//! A cell with few counts also uses those of a coarser one. The numbers of a couple follow from the
//! probability that it is lost ([`Numbers::start`]).
//!
//! In misère play sums of trees take the place of heaps. There are more classes than heaps, and
//! only probabilities are asked for.

pub(crate) mod knowledge;

use std::collections::HashMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock};

use rustc_hash::FxBuildHasher;

use crate::game::Features;
use crate::kernel::numbers::Numbers;

/// Heaps from here on share one count.
pub(crate) const HEAPS: usize = 8;
/// The probability from the coarser cell weighs as much as this many counts of the cell itself.
const LEAN: f32 = 4.0;
/// Memory for cells is taken for this many at a time.
const BLOCK: usize = 1 << 8;
/// Marks the guess of a class that is still the probability of a loss; start numbers are smaller
/// than half a word each.
const PROBABILITY: u64 = 1 << 63;

/// Counts of couples won and lost, by features of the land and by the class of what stands beside
/// it: in normal play a heap.
pub struct Prior<const CLASSES: usize> {
    cells: Mutex<HashMap<Features, u32, FxBuildHasher>>,
    blocks: Vec<OnceLock<Box<[Cell<CLASSES>]>>>,
    /// Counts so far, and the stamp of the guesses made from them.
    counts: AtomicU64,
    stamp: AtomicU32,
}

struct Cell<const CLASSES: usize> {
    /// The coarser cell, and the size of its lands.
    coarser: AtomicU32,
    size: AtomicU32,
    counts: [Counts; CLASSES],
    /// When the guesses were made, and the guesses.
    stamp: AtomicU32,
    guess: [AtomicU64; CLASSES],
}

impl<const CLASSES: usize> Default for Cell<CLASSES> {
    fn default() -> Self {
        Self {
            coarser: AtomicU32::default(),
            size: AtomicU32::default(),
            counts: std::array::from_fn(|_| Counts::default()),
            stamp: AtomicU32::default(),
            guess: [const { AtomicU64::new(0) }; CLASSES],
        }
    }
}

/// Couples of one class.
#[derive(Default)]
struct Counts {
    won: AtomicU32,
    lost: AtomicU32,
}

/// The cell of everything.
pub(crate) const COARSEST: u32 = 0;
/// Cells at most.
pub(crate) const MOST_CELLS: usize = 1 << 20;
/// By level: the cells of this level are made only while at most this many sixteenths of all cells
/// are taken. So when lands can no longer be told apart by fine features, they still are by coarse
/// ones, and always by their size.
const ROOM: [usize; 3] = [16, 15, 14];

impl<const CLASSES: usize> Prior<CLASSES> {
    /// Bytes of a cell with its part of the table of cells, on average.
    pub const CELL_BYTES: usize = size_of::<Cell<CLASSES>>() + 64;

    /// A prior that starts from `knowledge` (none, or [`SPROUTS`](crate::SPROUTS)) and tells at
    /// most `cells` cells apart, which may be 2^20 at most. Further features fall into a coarser
    /// cell.
    #[must_use]
    pub fn new(knowledge: &[u8], cells: usize) -> Self {
        let mut prior = Self {
            cells: Mutex::new(HashMap::with_capacity_and_hasher(
                2 * knowledge.len() / knowledge::CELL,
                FxBuildHasher,
            )),
            blocks: (0..cells / BLOCK).map(|_| OnceLock::new()).collect(),
            counts: AtomicU64::new(0),
            stamp: AtomicU32::new(1),
        };
        prior.take_in(knowledge);
        prior
    }

    #[inline]
    fn at(&self, cell: u32) -> &Cell<CLASSES> {
        let block = &self.blocks[cell as usize / BLOCK];
        let block = block.get_or_init(|| (0..BLOCK).map(|_| Cell::default()).collect());
        &block[cell as usize % BLOCK]
    }

    /// The cell of lands with these features.
    pub fn cell(&self, features: Features) -> u32 {
        let mut cells = self.cells.lock().expect("no thread panics with the cells in hand");
        if let Some(&cell) = cells.get(&features) {
            return cell;
        }
        let levels = features.coarse_to_fine();
        // A cell is made after its coarser ones. So those that exist come first, and mostly all but
        // the last one exist.
        let (mut level, mut coarser) = (levels.len() - 1, COARSEST);
        while level > 0 {
            if let Some(&cell) = cells.get(&levels[level - 1]) {
                coarser = cell;
                break;
            }
            level -= 1;
        }
        while level < levels.len() {
            // The features may be no finer than the coarser ones.
            if level == 0 || levels[level - 1] != levels[level] {
                let next = cells.len() + 1;
                if next >= self.blocks.len() * BLOCK / 16 * ROOM[level] {
                    return coarser;
                }
                let cell = self.at(next as u32);
                cell.coarser.store(coarser, Relaxed);
                cell.size.store(features.size.into(), Relaxed);
                cells.insert(levels[level], next as u32);
                coarser = next as u32;
            }
            level += 1;
        }
        coarser
    }

    /// The size of the lands of a cell.
    pub fn size(&self, cell: u32) -> u16 {
        self.at(cell).size.load(Relaxed) as u16
    }

    /// Learns the outcome of a couple of a class, whose land is in `cell`. Larger classes share the
    /// count of the last one.
    pub fn learn(&self, mut cell: u32, class: usize, lost: bool) {
        let class = class.min(CLASSES - 1);
        loop {
            let here = self.at(cell);
            let counts = &here.counts[class];
            let counter = if lost { &counts.lost } else { &counts.won };
            counter.fetch_add(1, Relaxed);
            if cell == COARSEST {
                break;
            }
            cell = here.coarser.load(Relaxed);
        }
        // Guesses are made anew whenever the counts have grown by an eighth.
        let counts = self.counts.fetch_add(1, Relaxed) + 1;
        let stamp = 1 + 8 * u64::from(counts.ilog2()) + ((counts << 3 >> counts.ilog2()) & 7);
        self.stamp.store(stamp as u32, Relaxed);
    }

    /// The guesses for couples whose land is in `cell`, by class. The low half of each has the
    /// probability of a loss, as bits of an `f32`. In normal play it is replaced by start numbers
    /// when they are asked for.
    #[inline]
    pub fn guesses(&self, cell: u32) -> &[AtomicU64; CLASSES] {
        let here = self.at(cell);
        let stamp = self.stamp.load(Relaxed);
        if here.stamp.load(Acquire) != stamp {
            self.guess(cell, stamp);
        }
        &here.guess
    }

    /// Makes the guesses of a cell anew.
    #[cold]
    fn guess(&self, cell: u32, stamp: u32) {
        let here = self.at(cell);
        for (guess, loss) in here.guess.iter().zip(self.losses(cell)) {
            let loss = loss.clamp(0.001, 0.999).to_bits();
            guess.store(PROBABILITY | u64::from(loss), Relaxed);
        }
        here.stamp.store(stamp, Release);
    }

    /// The probabilities, by class, that couples whose land is in `cell` are lost.
    fn losses(&self, cell: u32) -> [f32; CLASSES] {
        let here = self.at(cell);
        let coarser = if cell == COARSEST {
            // Before anything is known, small nimbers are taken to be likelier.
            std::array::from_fn(|class| 0.3 / (1 << (class % HEAPS)) as f32)
        } else {
            self.losses(here.coarser.load(Relaxed))
        };
        // Loaded before anything is computed, so that the classes are computed in parallel.
        let lost = here.counts.each_ref().map(|counts| counts.lost.load(Relaxed));
        let won = here.counts.each_ref().map(|counts| counts.won.load(Relaxed));
        std::array::from_fn(|class| {
            let (lost, won) = (lost[class] as f32, won[class] as f32);
            (lost + LEAN * coarser[class]) / (lost + won + LEAN)
        })
    }
}

impl Prior<HEAPS> {
    /// The start numbers of a couple whose land is in `cell`.
    #[inline]
    pub fn numbers(&self, cell: u32, heap: u8) -> Numbers {
        let guess = &self.guesses(cell)[usize::from(heap).min(HEAPS - 1)];
        let word = guess.load(Relaxed);
        if word & PROBABILITY != 0 {
            let numbers =
                Numbers::start(f32::from_bits(word as u32), self.size(cell).into(), 1.0, f32::ln);
            guess.store(u64::from(numbers.proof) | u64::from(numbers.disproof) << 32, Relaxed);
            return numbers;
        }
        Numbers { proof: word as u32, disproof: (word >> 32) as u32 }
    }
}
