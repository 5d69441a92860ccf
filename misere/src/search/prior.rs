//! Start numbers: what is expected of a node before it is searched.
//!
//! Lands with equal features share a *cell*. A cell counts how many nodes of one of its lands beside trees of some class
//! were won and lost; a cell with few counts leans on a coarser one. From the probability that a node is lost follow its
//! numbers, `(1 + moves left)^1.5 (1 - ln P)`. Nothing here touches a proof.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock};

use rustc_hash::FxBuildHasher;
use sprig_engine::Shape;
use sprig_search::Numbers;

use super::genus::{CLASSES, FIRM_CLASSES};

/// A count of the coarser cell weighs as much as so many counts of its own.
const LEAN: f32 = 4.0;
/// Cells that can be told apart; further features fall into a coarser cell.
const CELLS: usize = 1 << 16;
/// Cells are made so many at a time.
const BLOCK: usize = 1 << 8;
/// Start numbers are multiples of this, so that small differences show.
const UNIT: f32 = 4.0;

pub(crate) struct Prior {
    cells: Mutex<HashMap<[u64; 2], u16, FxBuildHasher>>,
    blocks: Vec<OnceLock<Box<[Cell]>>>,
    /// Counts so far, and the stamp of the guesses made from them.
    counts: AtomicU64,
    stamp: AtomicU32,
}

#[derive(Default)]
struct Cell {
    coarser: AtomicU32,
    counts: [Counts; CLASSES],
    /// When the guesses were made, and the guesses: probabilities of a loss, as bits.
    stamp: AtomicU32,
    guess: [AtomicU32; CLASSES],
}

#[derive(Default)]
struct Counts {
    won: AtomicU32,
    lost: AtomicU32,
}

/// The cell of everything.
const COARSEST: u16 = 0;
/// The cell of sums of trees alone.
pub(crate) const TREES: u16 = 1;

/// Probabilities of a loss beside trees of each firm class.
pub(crate) type Firm = [f32; FIRM_CLASSES];

impl Prior {
    pub fn new() -> Self {
        Self {
            cells: Mutex::new(HashMap::default()),
            blocks: (0..CELLS / BLOCK).map(|_| OnceLock::new()).collect(),
            counts: AtomicU64::new(0),
            stamp: AtomicU32::new(1),
        }
    }

    #[inline]
    fn at(&self, cell: u16) -> &Cell {
        let block = &self.blocks[usize::from(cell) / BLOCK];
        let block = block.get_or_init(|| (0..BLOCK).map(|_| Cell::default()).collect());
        &block[usize::from(cell) % BLOCK]
    }

    /// The cell of lands of this shape.
    pub fn cell(&self, shape: Shape) -> u16 {
        let size = 1 + u64::from(shape.lives);
        let coarse = 1u64 << 32 | bits(&[shape.regions, shape.boundaries, shape.twos]);
        let fine = 1u64 << 32 | bits(&[shape.letters, shape.private, shape.zeros]);
        let mut cells = self.cells.lock().expect("no thread panics with the cells in hand");
        let mut coarser = COARSEST;
        for features in [[size, 0], [size | coarse << 16, 0], [size | coarse << 16, fine]] {
            let next = cells.len() + 1 + usize::from(TREES);
            coarser = match cells.get(&features) {
                Some(&cell) => cell,
                None if next >= CELLS => return coarser,
                None => {
                    self.at(next as u16).coarser.store(coarser.into(), Relaxed);
                    cells.insert(features, next as u16);
                    next as u16
                }
            };
        }
        coarser
    }

    /// Learns the outcome of a node with one land, of `cell`, or with none.
    pub fn learn(&self, mut cell: u16, class: usize, lost: bool) {
        loop {
            let here = self.at(cell);
            let counts = &here.counts[class];
            let counter = if lost { &counts.lost } else { &counts.won };
            counter.fetch_add(1, Relaxed);
            if cell == COARSEST || cell == TREES {
                break;
            }
            cell = here.coarser.load(Relaxed) as u16;
        }
        // Guesses are made anew whenever the counts have grown by an eighth.
        let counts = self.counts.fetch_add(1, Relaxed) + 1;
        let stamp = 1 + 8 * u64::from(counts.ilog2()) + ((counts << 3 >> counts.ilog2()) & 7);
        self.stamp.store(stamp as u32, Relaxed);
    }

    /// The probability that a node with one land, of `cell`, and trees of `class` is lost.
    #[inline]
    pub fn loss(&self, cell: u16, class: usize) -> f32 {
        f32::from_bits(self.guesses(cell)[class].load(Relaxed))
    }

    /// These probabilities for all firm classes.
    pub fn firm(&self, cell: u16) -> Firm {
        let guesses = self.guesses(cell);
        std::array::from_fn(|class| f32::from_bits(guesses[class].load(Relaxed)))
    }

    #[inline]
    fn guesses(&self, cell: u16) -> &[AtomicU32; CLASSES] {
        let here = self.at(cell);
        let stamp = self.stamp.load(Relaxed);
        if here.stamp.load(Relaxed) != stamp {
            for class in 0..CLASSES {
                let loss = self.count(cell, class).clamp(0.001, 0.999);
                here.guess[class].store(loss.to_bits(), Relaxed);
            }
            here.stamp.store(stamp, Relaxed);
        }
        &here.guess
    }

    fn count(&self, cell: u16, class: usize) -> f32 {
        let here = self.at(cell);
        let lost = here.counts[class].lost.load(Relaxed) as f32;
        let all = lost + here.counts[class].won.load(Relaxed) as f32;
        let coarser = match cell {
            COARSEST | TREES => 0.3 / (1 << (class % FIRM_CLASSES)) as f32,
            _ => self.count(here.coarser.load(Relaxed) as u16, class),
        };
        (lost + LEAN * coarser) / (all + LEAN)
    }
}

/// The probabilities for the sum of two lands, taking them for games with nimbers.
pub(crate) fn sum(a: &Firm, b: &Firm) -> Firm {
    std::array::from_fn(|class| (0..FIRM_CLASSES).map(|heap| a[heap] * b[heap ^ class]).sum())
}

/// The start numbers of a node that is lost with probability `loss` and lasts `moves` moves.
#[inline]
pub(crate) fn numbers(loss: f32, moves: u32) -> Numbers {
    let moves = 1.0 + moves as f32;
    let work = UNIT * moves * moves.sqrt();
    let loss = loss.clamp(0.001, 0.999);
    Numbers {
        proof: (work * (1.0 - ln(1.0 - loss))) as u32,
        disproof: (work * (1.0 - ln(loss))) as u32,
    }
}

/// The logarithm to about two digits, from the parts of the float.
#[inline]
fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0;
    std::f32::consts::LN_2 * (exponent as f32 + m * (1.3465 - 0.3465 * m))
}

fn bits(counts: &[u8; 3]) -> u64 {
    counts.iter().fold(0, |bits, &count| bits << 8 | u64::from(count))
}
