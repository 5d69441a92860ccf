//! The lands met so far, each with what is known and guessed about it.
//!
//! A land is the place of its record in the arena:
//!
//! ```text
//! word 0      sketch
//!      1      length of the key in bytes (12 bits), cell of the prior (20 bits)
//!      2      place of the list of children, or 0
//!      3      place of the nodes, or 0
//!      4, 5   nimbers that are still possible, one bit each; one bit left: the nimber is known
//!      6 ..   key, padded with zero bytes
//! ```
//!
//! A *nameless* land is a child of which nothing was known when it was listed. It has no record
//! at all: to find its key would
//! cost more than all else that is done with most children, and its bytes would take more room.
//! The list of children says by
//! which move it comes ([`Nameless`]), so that it can be made again; when the search comes to it, it gets a name there.
//!
//! Possible nimbers are only ever taken away, each by a proof, so readers may see words 4 and 5 at different times: what
//! they see was true and stays true.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicUsize};

use sprig_engine::Nimber;

use crate::arena::{AHEAD_BYTES, Arena, Chunk, Place, SEGMENT_BYTES};
use crate::filter::{Filter, Sketch};
use crate::prior::MOST_CELLS;

mod children;
mod key;
mod nameless;
mod nodes;

pub(crate) use children::{Listed, Lot, write_sum};
pub(crate) use key::{Key, hash};
pub(crate) use nameless::Nameless;

/// A land met by the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LandId(pub Place);

const META: Place = 1;
const CHILDREN: Place = 2;
const NODES: Place = 3;
const POSSIBLE: Place = 4;
const KEY: Place = 6;
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

/// What became of an attempt to intern a land.
pub(crate) enum Interned {
    /// It was there.
    Old(LandId),
    /// It is new.
    New(LandId),
    /// The table is nearly full and must grow first.
    Full,
}

pub(crate) struct Lands {
    arena: Arena,
    /// Open addressing with linear probing; places of lands, 0 when empty.
    table: Box<[AtomicU32]>,
    /// The lands of the table of which something is known.
    filter: Filter,
    count: AtomicUsize,
    /// Nameless lands.
    nameless: AtomicUsize,
    /// Numbers of couples count in the round in which they were found; of its count, the low half is compared.
    round: AtomicU32,
    /// Bytes that all of it may take, also while it grows or is collected.
    memory: usize,
}

/// Slots of a new table.
const SLOTS: usize = if cfg!(test) { 1 << 10 } else { 1 << 16 };
/// The least memory for lands: the first table, three segments, and what collecting these takes.
pub(crate) const LEAST: usize = 2 * SLOTS * SLOT + 3 * SEGMENT_BYTES + AHEAD_BYTES;

/// However soon the records take the memory, a table may grow to a slot for so many bytes, rounded down to a power of two.
const BYTES_PER_SLOT: usize = 48;

fn table(slots: usize) -> Box<[AtomicU32]> {
    (0..slots).map(|_| AtomicU32::new(0)).collect()
}

/// All places are even, so that their lowest bit may say that a word is none: every record has an even number of words.
fn even(words: usize) -> usize {
    words.next_multiple_of(2)
}

/// So much memory less what a collection takes: some segments, and a list of the lands that are kept.
fn usable(memory: usize) -> usize {
    memory - memory / 24 - AHEAD_BYTES
}

/// To so many slots the table grows whatever else there is.
fn most_slots(memory: usize) -> usize {
    (memory / BYTES_PER_SLOT + 1).next_power_of_two().max(2 * SLOTS) / 2
}

/// Bytes of a slot of the table, with its share of the filter.
const SLOT: usize = size_of::<AtomicU32>() + FILTER;
/// Bytes of the filter for each slot.
const FILTER: usize = 1;

impl Lands {
    /// Empty tables of at most so many bytes, which must be more than [`LEAST`].
    pub fn new(memory: usize) -> Self {
        Self {
            arena: Arena::new(usable(memory) - 2 * most_slots(memory) * SLOT),
            table: table(SLOTS),
            filter: Filter::new(SLOTS * FILTER),
            count: AtomicUsize::new(0),
            nameless: AtomicUsize::new(0),
            round: AtomicU32::new(1),
            memory,
        }
    }

    /// Lands with a name.
    pub fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// Lands held, with or without a name.
    pub fn held(&self) -> usize {
        self.len() + self.nameless.load(Relaxed)
    }

    /// So many nameless lands have been listed.
    pub fn count_nameless(&self, added: usize) {
        self.nameless.fetch_add(added, Relaxed);
    }

    /// Slots of the table.
    pub fn slots(&self) -> usize {
        self.table.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.table.len() * SLOT
    }

    /// Bytes that all records may take.
    pub fn capacity(&self) -> usize {
        self.arena.capacity()
    }

    /// Whether the table should grow at the next opportunity.
    pub fn is_crowded(&self) -> bool {
        self.len() > self.table.len() / 8 * 5
    }

    /// Whether there is memory to double the table, beside this one and those before it: an allocator may keep them all, which
    /// together are as large as the table.
    pub fn may_grow(&self) -> bool {
        self.arena.taken() + 4 * self.table.len() * SLOT <= usable(self.memory) + AHEAD_BYTES
    }

    /// Doubles the table.
    pub fn grow(&mut self) {
        let (grown, mut key) = (table(self.table.len() * 2), Vec::new());
        for land in self.iter() {
            self.key(land, &mut key);
            let mut at = hash(&key) as usize;
            while grown[at & (grown.len() - 1)].load(Relaxed) != 0 {
                at += 1;
            }
            grown[at & (grown.len() - 1)].store(land.0, Relaxed);
        }
        self.table = grown;
        self.filter = Filter::new(self.table.len() * FILTER);
        self.iter().for_each(|land| self.note(land));
        self.arena.limit(usable(self.memory) - 2 * self.table.len() * SLOT);
    }

    /// Begins anew; returns what was there, to be read only. Its memory is used again as it is [`Self::take_over`]n.
    pub fn renew(&mut self) -> Self {
        for slot in &mut self.table {
            *slot.get_mut() = 0;
        }
        *self.count.get_mut() = 0;
        *self.nameless.get_mut() = 0;
        self.filter.clear();
        let successor = self.arena.successor();
        Self {
            arena: std::mem::replace(&mut self.arena, successor),
            table: Box::default(),
            filter: Filter::new(0),
            count: AtomicUsize::new(0),
            nameless: AtomicUsize::new(0),
            round: AtomicU32::new(*self.round.get_mut()),
            memory: self.memory,
        }
    }

    /// Takes over the memory of the lands of `old` that are before `land`.
    pub fn take_over(&mut self, old: &mut Self, land: LandId) {
        old.arena.hand_over(land.0, &mut self.arena);
    }

    /// Finds or adds a land. `cell` is asked for a new one only.
    pub fn intern(&self, key: &Key, chunk: &mut Chunk, cell: impl FnOnce() -> u32) -> Interned {
        let mask = self.table.len() - 1;
        let mut at = key.hash as usize & mask;
        // The usual case first: it is there.
        let mut seen = self.table[at].load(Acquire);
        while seen != 0 {
            if self.is_key(seen, key) {
                return Interned::Old(LandId(seen));
            }
            at = (at + 1) & mask;
            seen = self.table[at].load(Acquire);
        }
        if self.len() > self.table.len() / 4 * 3 {
            return Interned::Full;
        }
        let Some(place) = self.write(key, chunk, cell()) else { return Interned::Full };
        loop {
            match self.table[at].compare_exchange(0, place, AcqRel, Acquire) {
                Ok(_) => {
                    self.count.fetch_add(1, Relaxed);
                    return Interned::New(LandId(place));
                }
                Err(other) if self.is_key(other, key) => {
                    self.arena.give_back(chunk, even(KEY as usize + key.words.len()));
                    return Interned::Old(LandId(other));
                }
                Err(_) => at = (at + 1) & mask,
            }
        }
    }

    fn write(&self, key: &Key, chunk: &mut Chunk, cell: u32) -> Option<Place> {
        let place = self.take(chunk, KEY as usize + key.words.len())?;
        let words = KEY as usize + key.words.len();
        let record = self.arena.words(place, words);
        record[0].store(key.sketch.0, Relaxed);
        record[META as usize].store(key.bytes as u32 | cell << LENGTH, Relaxed);
        record[POSSIBLE as usize].store(u32::MAX, Relaxed);
        record[POSSIBLE as usize + 1].store(u32::MAX, Relaxed);
        for (word, &value) in record[KEY as usize..].iter().zip(&key.words) {
            word.store(value, Relaxed);
        }
        Some(place)
    }

    /// Hands out zero words at an even place.
    fn take(&self, chunk: &mut Chunk, words: usize) -> Option<Place> {
        self.arena.take(chunk, even(words))
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
        Sketch(self.arena.word(land.0).load(Relaxed))
    }

    #[inline]
    fn is_key(&self, place: Place, key: &Key) -> bool {
        if self.sketch(LandId(place)) != key.sketch {
            return false;
        }
        if self.length(place) != key.bytes {
            return false;
        }
        let words = self.arena.words(place + KEY, key.words.len());
        words.iter().zip(&key.words).all(|(word, &value)| word.load(Relaxed) == value)
    }

    /// Copies the key of a land to `out`.
    pub fn key(&self, land: LandId, out: &mut Vec<u8>) {
        let bytes = self.length(land.0);
        out.clear();
        for word in self.arena.words(land.0 + KEY, bytes.div_ceil(4)) {
            out.extend_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        out.truncate(bytes);
    }

    /// The key of a land, anew.
    pub fn bytes_of(&self, land: LandId) -> Vec<u8> {
        let mut key = Vec::new();
        self.key(land, &mut key);
        key
    }

    /// The length of the key of the land at a place, in bytes.
    #[inline]
    fn length(&self, place: Place) -> usize {
        (self.arena.word(place + META).load(Relaxed) & ((1 << LENGTH) - 1)) as usize
    }

    /// The cell of the prior that the land belongs to.
    #[inline]
    pub fn cell(&self, land: LandId) -> u32 {
        self.arena.word(land.0 + META).load(Relaxed) >> LENGTH
    }

    /// The nimbers that are possible for a land.
    #[inline]
    pub fn possible(&self, land: LandId) -> Possible {
        let words = self.arena.words(land.0 + POSSIBLE, 2);
        let (low, high) = (words[0].load(Relaxed), words[1].load(Relaxed));
        Possible(u64::from(low) | u64::from(high) << 32)
    }

    /// Leaves only the nimbers in `kept` possible. Returns what was possible before and is after.
    ///
    /// Nothing left means that two proofs contradict each other; then the land keeps what it had.
    pub fn restrict(&self, land: LandId, kept: u64) -> (Possible, Possible) {
        let before = self.possible(land);
        if before.0 & kept == 0 {
            return (before, Possible(0));
        }
        let words = self.arena.words(land.0 + POSSIBLE, 2);
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
        let key = self.length(land.0).div_ceil(4);
        let nodes = self.arena.word(land.0 + NODES).load(Relaxed);
        let heaps = if nodes == 0 { 0 } else { self.arena.word(nodes).load(Relaxed) as usize };
        even(KEY as usize + key) + if heaps == 0 { 0 } else { even(1 + 3 * heaps) }
    }

    /// All lands, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = LandId> + '_ {
        self.table.iter().map(|slot| slot.load(Relaxed)).filter(|&place| place != 0).map(LandId)
    }
}

/// The nimber `value` as the theory's type.
pub(crate) fn nimber(value: u8) -> Nimber {
    Nimber::new(value.into()).expect("possible nimbers are in range")
}
