//! The lands met so far, each with what is known and guessed about it.
//!
//! A land is the place of its record in the arena:
//!
//! ```text
//! word 0      sketch
//!      1      length of the key in nibbles (12 bits), cell of the prior (20 bits)
//!      2      place of the list of children, or 0
//!      3      place of the first node, or 0
//!      4, 5   nimbers that are still possible, one bit each; one bit left: the nimber is known
//!      6 ..   key, in nibbles (see [`nibbles`])
//! ```
//!
//! A *nameless* land is a child of which nothing was known when it was listed. It has no record: to
//! find its key would cost more than everything else that is done with most children, and its bytes
//! would take more room. The list of children says by which move it is reached ([`Nameless`]), so
//! that it can be made again. When the search comes to it, it gets a name in the list.
//!
//! Possible nimbers are only ever taken away, each by a proof, so readers may see words 4 and 5 at
//! different times: what they see was true and stays true.

use sprig_engine::Nimber;

use crate::filter::{Filter, Sketch};
use crate::kernel::arena::{AHEAD_BYTES, Arena, Chunk, Place, SEGMENT_BYTES};
use crate::kernel::intern::{Interned, Interner};
use crate::kernel::sync::Ordering::Relaxed;
use crate::kernel::sync::{AtomicU32, AtomicUsize};
use crate::prior::MOST_CELLS;

mod children;
mod key;
mod marks;
mod nameless;
mod nibbles;
mod nodes;

pub(crate) use children::{Children, Listed, Lot, write_sums};
pub(crate) use key::{Key, hash};
pub(crate) use marks::Marks;
pub(crate) use nameless::Nameless;
use nodes::NODE;

/// A land met by the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LandId(pub Place);

const META: usize = 1;
const CHILDREN: usize = 2;
const NODES: usize = 3;
const POSSIBLE: usize = 4;
const KEY: usize = 6;
/// Bits for the length of a key, beside those for a cell.
const LENGTH: u32 = 12;
const _: () = assert!(MOST_CELLS == 1 << (u32::BITS - LENGTH));

/// The possible nimbers of a land, as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Possible(pub u64);

impl Possible {
    /// The nimber, if only one is possible.
    #[inline]
    pub fn known(self) -> Option<u8> {
        self.0.is_power_of_two().then(|| self.0.trailing_zeros() as u8)
    }

    #[inline]
    pub fn contains(self, heap: u8) -> bool {
        self.0 >> heap & 1 == 1
    }
}

pub(crate) struct Lands {
    records: Interner<AtomicU32>,
    /// The lands of the table of which something is known.
    filter: Filter,
    /// Nameless lands.
    nameless: AtomicUsize,
    /// The present round. Numbers of couples count in the round in which they were found; only the
    /// low halves of rounds are compared.
    round: AtomicU32,
    /// Bytes that the lands may take in all, also while the table grows or is collected.
    memory: usize,
}

/// Slots of a new table.
const SLOTS: usize = if cfg!(loom) {
    1 << 3
} else if cfg!(test) {
    1 << 10
} else {
    1 << 16
};
/// The least memory for lands: the first table, three segments, and what collecting these takes.
pub(crate) const LEAST: usize = 2 * SLOTS * SLOT + 3 * SEGMENT_BYTES + AHEAD_BYTES;

/// A table may always grow to one slot for each of this many bytes, rounded down to a power of two,
/// however soon the records take the memory.
const BYTES_PER_SLOT: usize = 32;

/// All places are even, so that the lowest bit of a word can say that it is no place.
const EVEN: usize = 2;

/// `memory` less what making room takes: [`Marks`] of lands, and some segments when they are collected.
fn usable(memory: usize) -> usize {
    memory - memory / marks::BYTES_PER_BYTE - AHEAD_BYTES
}

/// Bytes that records may take beside a table of so many slots, which may always grow to one for each
/// [`BYTES_PER_SLOT`].
fn left_by(slots: usize, memory: usize) -> usize {
    let most = (memory / BYTES_PER_SLOT + 1).next_power_of_two() / 2;
    usable(memory) - slots.max(most) * SLOT
}

/// Bytes of a slot of the table, with its share of the filter.
const SLOT: usize = Interner::<AtomicU32>::SLOT + FILTER;
/// Bytes of the filter for each slot.
const FILTER: usize = 1;

impl Lands {
    /// Empty tables of at most `memory` bytes, which must be more than [`LEAST`].
    pub fn new(memory: usize) -> Self {
        Self {
            records: Interner::new(Arena::new(left_by(SLOTS, memory), EVEN), SLOTS),
            filter: Filter::new(SLOTS * FILTER),
            nameless: AtomicUsize::new(0),
            round: AtomicU32::new(1),
            memory,
        }
    }

    /// Lands with a name.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Lands held, with or without a name.
    pub fn held(&self) -> usize {
        self.len() + self.nameless.load(Relaxed)
    }

    /// Notes that `added` nameless lands have been listed.
    pub fn count_nameless(&self, added: usize) {
        self.nameless.fetch_add(added, Relaxed);
    }

    /// Slots of the table.
    pub fn slots(&self) -> usize {
        self.records.slots()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.records.arena.bytes() + self.slots() * SLOT
    }

    /// Bytes that all records may take.
    pub fn capacity(&self) -> usize {
        self.records.arena.capacity()
    }

    /// Whether the table should grow at the next opportunity.
    pub fn is_crowded(&self) -> bool {
        self.records.is_crowded()
    }

    /// Whether there is memory for a table twice as large, which takes the place of this one.
    pub fn may_grow(&self) -> bool {
        self.records.arena.taken() + 2 * self.slots() * SLOT <= usable(self.memory) + AHEAD_BYTES
    }

    /// Doubles the table.
    pub fn grow(&mut self) {
        let mut all = self.marks();
        self.iter().for_each(|land| all.mark(land));
        self.filter = Filter::new(0);
        let mut bytes = Vec::new();
        self.records.regrow(all.iter().map(|land| land.0), |arena, place| {
            read_key(arena, place, &mut bytes);
            hash(&bytes)
        });
        self.filter = Filter::new(self.slots() * FILTER);
        all.iter().for_each(|land| self.note(land));
        self.settle();
    }

    /// Gives back what was taken to make room.
    pub fn settle(&mut self) {
        self.records.arena.allow(left_by(self.slots(), self.memory));
    }

    /// Begins anew. Returns what was there, to be read only. The memory of that is used again as it
    /// is [handed over](Self::hand_over).
    pub fn renew(&mut self) -> Self {
        self.nameless = AtomicUsize::new(0);
        self.filter.clear();
        Self {
            records: self.records.renew(),
            filter: Filter::new(0),
            nameless: AtomicUsize::new(0),
            round: AtomicU32::new(self.round.load(Relaxed)),
            memory: self.memory,
        }
    }

    /// Gives the memory of the lands before `land` to the lands that are copied.
    pub fn hand_over(&mut self, land: LandId) {
        self.records.arena.hand_over(land.0);
    }

    /// Finds or adds a land. `cell` is called for a new one only.
    pub fn intern(&self, key: &Key, chunk: &mut Chunk, cell: impl FnOnce() -> u32) -> Interned {
        self.records.intern(key, chunk, |record| {
            record[0].store(key.sketch.0, Relaxed);
            record[META].store(key.nibbles as u32 | cell() << LENGTH, Relaxed);
            record[POSSIBLE].store(u32::MAX, Relaxed);
            record[POSSIBLE + 1].store(u32::MAX, Relaxed);
            for (word, &value) in record[KEY..].iter().zip(&key.words) {
                word.store(value, Relaxed);
            }
        })
    }

    /// The land with this key, if it was met.
    pub fn find(&self, key: &Key) -> Option<LandId> {
        self.records.find(key).map(LandId)
    }

    /// Lands of which something is known.
    #[inline]
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Whether anything is known of a land.
    pub fn is_known_of(&self, land: LandId) -> bool {
        self.possible(land).0 != u64::MAX || self.has_nodes(land)
    }

    /// Adds a land to the filter, if anything is known of it.
    pub fn note(&self, land: LandId) {
        let possible = self.possible(land);
        if !self.is_known_of(land) {
            return;
        }
        let sketch = self.sketch(land);
        self.filter.add(sketch);
        if let Some(nimber) = possible.known() {
            self.filter.add_nimber(sketch, nimber);
        }
    }

    /// The sketch of a land.
    #[inline]
    pub fn sketch(&self, land: LandId) -> Sketch {
        Sketch(self.records.arena.word(land.0, 0).load(Relaxed))
    }

    /// Copies the key of a land to `out`.
    pub fn key(&self, land: LandId, out: &mut Vec<u8>) {
        read_key(&self.records.arena, land.0, out);
    }

    /// The key of a land, in a new vector.
    pub fn bytes_of(&self, land: LandId) -> Vec<u8> {
        let mut key = Vec::new();
        self.key(land, &mut key);
        key
    }

    /// The cell of the prior that the land belongs to.
    #[inline]
    pub fn cell(&self, land: LandId) -> u32 {
        self.records.arena.word(land.0, META).load(Relaxed) >> LENGTH
    }

    /// The nimbers that are possible for a land.
    #[inline]
    pub fn possible(&self, land: LandId) -> Possible {
        let words = self.records.arena.words(land.0, POSSIBLE..POSSIBLE + 2);
        let (low, high) = (words[0].load(Relaxed), words[1].load(Relaxed));
        Possible(u64::from(low) | u64::from(high) << 32)
    }

    /// Leaves only the nimbers in `kept` possible. Returns what was possible before and what is
    /// after.
    ///
    /// If nothing is left, two proofs contradict each other, and the land keeps what it had.
    pub fn restrict(&self, land: LandId, kept: u64) -> (Possible, Possible) {
        let before = self.possible(land);
        if before.0 & kept == 0 {
            return (before, Possible(0));
        }
        let words = self.records.arena.words(land.0, POSSIBLE..POSSIBLE + 2);
        let low = words[0].fetch_and(kept as u32, Relaxed);
        let high = words[1].fetch_and((kept >> 32) as u32, Relaxed);
        let before = u64::from(low) | u64::from(high) << 32;
        (Possible(before), Possible(before & kept))
    }

    /// Begins a new round: all numbers of couples are forgotten, and everything else is kept.
    pub fn begin_round(&self) {
        self.round.fetch_add(1, Relaxed);
    }

    /// Words of the record of a land and of its nodes.
    pub fn words(&self, land: LandId) -> usize {
        let key = length(&self.records.arena, land.0).div_ceil(nibbles::PER_WORD);
        let [record, node] = [KEY + key, NODE].map(|words| self.records.arena.taken_by(words));
        record + self.all_nodes(land).count() * node
    }

    /// No lands, of which some are to be marked.
    pub fn marks(&self) -> Marks {
        Marks::new(self.records.arena.places())
    }

    /// All lands, in the order of [`Interner::iter`].
    pub fn iter(&self) -> impl Iterator<Item = LandId> + '_ {
        self.records.iter().map(LandId)
    }
}

/// The length of the key of the land at a place, in nibbles.
#[inline]
fn length(arena: &Arena, place: Place) -> usize {
    (arena.word(place, META).load(Relaxed) & ((1 << LENGTH) - 1)) as usize
}

/// Copies the key of the land at a place to `out`.
fn read_key(arena: &Arena, place: Place, out: &mut Vec<u8>) {
    let nibbles = length(arena, place);
    let words = arena.words(place, KEY..KEY + nibbles.div_ceil(nibbles::PER_WORD));
    nibbles::unpack(words.iter().map(|word| word.load(Relaxed)), nibbles, out);
}

/// The nimber `value` as the theory's type.
pub(crate) fn nimber(value: u8) -> Nimber {
    Nimber::new(value.into()).expect("possible nimbers are in range")
}
