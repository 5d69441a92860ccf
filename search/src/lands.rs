//! The lands met so far, each with what is known and guessed about it.
//!
//! A land is the place of its record in the arena:
//!
//! ```text
//! word 0      hash of the key
//!      1      length of the key in bytes (12 bits), cell of the prior (20 bits)
//!      2, 3   nimbers that are still possible, one bit each; one bit left: the nimber is known
//!      4      place of the list of children, or 0
//!      5      place of the nodes, or 0
//!      6 ..   key, padded with zero bytes
//! ```
//!
//! Possible nimbers are only ever taken away, each by a proof, so readers may see words 2 and 3 at different times: what
//! they see was true and stays true.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicUsize};

use sprig_engine::Nimber;

use crate::arena::{AHEAD_BYTES, Arena, Chunk, Place, SEGMENT_BYTES};
use crate::node::Node;
use crate::numbers::Numbers;
use crate::prior::MOST_CELLS;

/// A land met by the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LandId(pub Place);

const META: Place = 1;
const POSSIBLE: Place = 2;
const CHILDREN: Place = 4;
const NODES: Place = 5;
const KEY: Place = 6;
/// Bits for the length of a key, beside those for a cell.
const LENGTH: u32 = 12;
const _: () = assert!(MOST_CELLS == 1 << (u32::BITS - LENGTH));

/// A key in words, with its hash.
#[derive(Default, Clone)]
pub(crate) struct Key {
    words: Vec<u32>,
    bytes: usize,
    hash: u32,
}

impl Key {
    pub fn set(&mut self, key: &[u8]) {
        assert!(key.len() < 1 << LENGTH, "lands are smaller, by the limits of positions");
        self.words.clear();
        self.bytes = key.len();
        self.hash = hash(key);
        let (whole, rest) = key.as_chunks::<4>();
        self.words.extend(whole.iter().map(|four| u32::from_le_bytes(*four)));
        if !rest.is_empty() {
            let mut word = [0; 4];
            word[..rest.len()].copy_from_slice(rest);
            self.words.push(u32::from_le_bytes(word));
        }
    }
}

/// A hash of bytes, good enough for tables of millions.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let (whole, rest) = bytes.as_chunks::<8>();
    let mut hash = 0x2545_f491_4f6c_dd1d ^ bytes.len() as u64;
    for eight in whole {
        hash = fold(hash ^ u64::from_le_bytes(*eight), 0x9e37_79b9_7f4a_7c15);
    }
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    hash = fold(hash ^ u64::from_le_bytes(word), 0xd6e8_feb8_6659_fd93);
    (hash ^ hash >> 32) as u32
}

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
    count: AtomicUsize,
    /// Numbers of couples count in the round in which they were found; of its count, the low half is compared.
    round: AtomicU32,
    /// Bytes that all of it may take, also while it grows or is collected.
    memory: usize,
}

/// Slots of a new table.
const SLOTS: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };
/// The least memory for lands: the first table, three segments, and what collecting these takes.
pub(crate) const LEAST: usize = 2 * SLOTS * SLOT + 3 * SEGMENT_BYTES + AHEAD_BYTES;

fn table(slots: usize) -> Box<[AtomicU32]> {
    (0..slots).map(|_| AtomicU32::new(0)).collect()
}

/// So much memory less what a collection takes: some segments, and a list of the lands that are kept.
fn usable(memory: usize) -> usize {
    memory - memory / 24 - AHEAD_BYTES
}

/// Bytes of a slot of the table.
const SLOT: usize = size_of::<AtomicU32>();

impl Lands {
    /// Empty tables of at most so many bytes, which must be more than [`LEAST`].
    pub fn new(memory: usize) -> Self {
        let arena = Arena::new(usable(memory) - SLOTS * SLOT);
        let (count, round) = (AtomicUsize::new(0), AtomicU32::new(1));
        Self { arena, table: table(SLOTS), count, round, memory }
    }

    pub fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// Slots of the table.
    pub fn slots(&self) -> usize {
        self.table.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.table.len() * SLOT
    }

    /// Whether the table should grow at the next opportunity.
    pub fn is_crowded(&self) -> bool {
        self.len() > self.table.len() / 8 * 5
    }

    /// Whether there is memory to double the table, beside this one and those before it: an allocator may keep them all, which
    /// together are as large as the table.
    pub fn may_grow(&self) -> bool {
        self.arena.taken() + 4 * self.table.len() * SLOT <= usable(self.memory)
    }

    /// Doubles the table.
    pub fn grow(&mut self) {
        let grown = table(self.table.len() * 2);
        for slot in &self.table {
            let place = slot.load(Relaxed);
            if place != 0 {
                let mut at = self.arena.word(place).load(Relaxed) as usize;
                while grown[at & (grown.len() - 1)].load(Relaxed) != 0 {
                    at += 1;
                }
                grown[at & (grown.len() - 1)].store(place, Relaxed);
            }
        }
        self.table = grown;
        self.arena.limit(usable(self.memory) - 2 * self.table.len() * SLOT);
    }

    /// Begins anew; returns what was there, to be read only. Its memory is used again as it is [`Self::take_over`]n.
    pub fn renew(&mut self) -> Self {
        for slot in &mut self.table {
            *slot.get_mut() = 0;
        }
        *self.count.get_mut() = 0;
        let successor = self.arena.successor();
        let arena = std::mem::replace(&mut self.arena, successor);
        let (count, round) = (AtomicUsize::new(0), AtomicU32::new(*self.round.get_mut()));
        Self { arena, table: Box::default(), count, round, memory: self.memory }
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
                    self.arena.give_back(chunk, KEY as usize + key.words.len());
                    return Interned::Old(LandId(other));
                }
                Err(_) => at = (at + 1) & mask,
            }
        }
    }

    fn write(&self, key: &Key, chunk: &mut Chunk, cell: u32) -> Option<Place> {
        let words = KEY as usize + key.words.len();
        let place = self.arena.take(chunk, words)?;
        let record = self.arena.words(place, words);
        record[0].store(key.hash, Relaxed);
        record[META as usize].store(key.bytes as u32 | cell << LENGTH, Relaxed);
        record[POSSIBLE as usize].store(u32::MAX, Relaxed);
        record[POSSIBLE as usize + 1].store(u32::MAX, Relaxed);
        for (word, &value) in record[KEY as usize..].iter().zip(&key.words) {
            word.store(value, Relaxed);
        }
        Some(place)
    }

    #[inline]
    fn is_key(&self, place: Place, key: &Key) -> bool {
        if self.arena.word(place).load(Relaxed) != key.hash {
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

    /// The length of the key of the land at a place, in bytes.
    #[inline]
    fn length(&self, place: Place) -> usize {
        (self.arena.word(place + META).load(Relaxed) & ((1 << LENGTH) - 1)) as usize
    }

    /// The hash of the key of a land.
    #[inline]
    pub fn hash(&self, land: LandId) -> u32 {
        self.arena.word(land.0).load(Relaxed)
    }

    /// The cell of the prior that the land belongs to.
    #[inline]
    pub fn cell(&self, land: LandId) -> u32 {
        self.arena.word(land.0 + META).load(Relaxed) >> LENGTH
    }

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

    /// The list of children, if the land was expanded.
    #[inline]
    pub fn children(&self, land: LandId) -> Option<Children<'_>> {
        let place = self.arena.word(land.0 + CHILDREN).load(Acquire);
        (place != 0).then(|| {
            let header = self.arena.words(place, 2);
            let (singles, sums) = (header[0].load(Relaxed), header[1].load(Relaxed));
            let words = self.arena.words(place, 2 + (singles + sums) as usize);
            Children {
                singles: &words[2..2 + singles as usize],
                sums: &words[2 + singles as usize..],
            }
        })
    }

    /// Publishes the list of children of a land; `false` when there is no room. See [`Children`] for the layout of `sums`.
    pub fn set_children(
        &self,
        land: LandId,
        singles: &[u32],
        sums: &[u32],
        chunk: &mut Chunk,
    ) -> bool {
        let words = 2 + singles.len() + sums.len();
        let Some(place) = self.arena.take(chunk, words) else { return false };
        let record = self.arena.words(place, words);
        record[0].store(singles.len() as u32, Relaxed);
        record[1].store(sums.len() as u32, Relaxed);
        for (word, &value) in record[2..].iter().zip(singles.iter().chain(sums)) {
            word.store(value, Relaxed);
        }
        self.arena.word(land.0 + CHILDREN).store(place, Release);
        true
    }

    /// The node of the couple (land, heap), if one was made.
    #[inline]
    pub fn node(&self, land: LandId, heap: u8) -> Option<Node<'_>> {
        let place = self.arena.word(land.0 + NODES).load(Acquire);
        if place == 0 || self.arena.word(place).load(Relaxed) <= u32::from(heap) {
            return None;
        }
        self.node_at(place, heap)
    }

    #[inline]
    fn node_at(&self, place: Place, heap: u8) -> Option<Node<'_>> {
        let words = self.arena.words(place + 1 + 3 * u32::from(heap), 3);
        Some(Node { words: words.try_into().ok()?, round: &self.round })
    }

    /// Begins a new round: all numbers of couples are forgotten, and everything else is kept.
    pub fn begin_round(&self) {
        self.round.fetch_add(1, Relaxed);
    }

    /// Whether a couple of the land was visited.
    pub fn has_nodes(&self, land: LandId) -> bool {
        self.arena.word(land.0 + NODES).load(Relaxed) != 0
    }

    /// The nodes of the land's couples that were visited in this round, with their heaps.
    pub fn nodes(&self, land: LandId) -> impl Iterator<Item = (u8, Numbers)> {
        let place = self.arena.word(land.0 + NODES).load(Acquire);
        let there = place != 0 && self.arena.holds(place);
        let size = if there { self.arena.word(place).load(Relaxed) } else { 0 };
        (0..size as u8).filter_map(move |heap| Some((heap, self.node(land, heap)?.numbers()?)))
    }

    /// The node of the couple (land, heap), made if need be; `None` when there is no room.
    pub fn node_mut(&self, land: LandId, heap: u8, chunk: &mut Chunk) -> Option<Node<'_>> {
        let mut place = self.arena.word(land.0 + NODES).load(Acquire);
        let old = if place == 0 { 0 } else { self.arena.word(place).load(Relaxed) };
        if old <= u32::from(heap) {
            let size = (u32::from(heap) + 1).next_power_of_two();
            let words = 1 + 3 * size as usize;
            let grown = self.arena.take(chunk, words)?;
            let record = self.arena.words(grown, words);
            record[0].store(size, Relaxed);
            if old > 0 {
                let kept = self.arena.words(place + 1, 3 * old as usize);
                for (word, kept) in record[1..].iter().zip(kept) {
                    word.store(kept.load(Relaxed), Relaxed);
                }
            }
            // Numbers another thread writes to the old nodes meanwhile are lost; they are only guesses.
            self.arena.word(land.0 + NODES).store(grown, Release);
            place = grown;
        }
        self.node_at(place, heap)
    }

    /// Words of the record of a land and of its nodes.
    pub fn words(&self, land: LandId) -> usize {
        let key = self.length(land.0).div_ceil(4);
        let nodes = self.arena.word(land.0 + NODES).load(Relaxed);
        let heaps = if nodes == 0 { 0 } else { self.arena.word(nodes).load(Relaxed) as usize };
        KEY as usize + key + if heaps == 0 { 0 } else { 1 + 3 * heaps }
    }

    /// All lands, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = LandId> + '_ {
        self.table.iter().map(|slot| slot.load(Relaxed)).filter(|&place| place != 0).map(LandId)
    }
}

/// The children of a land whose values were open when it was expanded.
///
/// Children whose nimber `v` was known are not listed: that `v` is impossible for the land says all there is to say.
/// Known lands of a sum are folded into a heap, and equal lands cancel.
pub(crate) struct Children<'a> {
    /// Children that are one land.
    pub singles: &'a [AtomicU32],
    /// Children that are a sum: a word `lands | heap << 16`, then the lands.
    sums: &'a [AtomicU32],
}

impl<'a> Children<'a> {
    /// The sums: the heap of the known part, and the lands.
    pub fn sums(&self) -> impl Iterator<Item = (u8, &'a [AtomicU32])> {
        let mut rest = self.sums;
        std::iter::from_fn(move || {
            let (header, tail) = rest.split_first()?;
            let header = header.load(Relaxed);
            let (lands, tail) = tail.split_at((header & 0xffff) as usize);
            rest = tail;
            Some(((header >> 16) as u8, lands))
        })
    }
}

/// The header word of a sum of `lands` lands beside a heap.
pub(crate) fn sum_header(lands: usize, heap: u8) -> u32 {
    lands as u32 | u32::from(heap) << 16
}

/// The nimber `value` as the theory's type.
pub(crate) fn nimber(value: u8) -> Nimber {
    Nimber::new(value.into()).expect("possible nimbers are in range")
}
