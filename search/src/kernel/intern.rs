//! Tables of records that are found by their keys, shared by threads without locks.
//!
//! A table uses open addressing with linear probing over records in an [`Arena`]. A record is
//! written whole before its place is published in a slot, and never moves. A thread that finds that
//! another one was quicker gives its own record back. Keys are compared whole, so two keys are
//! never taken for one.

use super::arena::{Arena, Chunk, Place};
use super::sync::Ordering::{AcqRel, Acquire, Relaxed};
use super::sync::{AtomicU32, AtomicU64, AtomicUsize, reset};

/// The key of a record.
pub trait Key {
    /// Its hash.
    fn hash(&self) -> u32;
    /// Words of a record with this key.
    fn words(&self) -> usize;
    /// Whether the record at a place has this key.
    fn is_at(&self, arena: &Arena, place: Place) -> bool;
}

/// A slot of a table: the place of a record, alone (`AtomicU32`), or with the hash of its key
/// (`AtomicU64`), so that records with other keys are told apart without a look at them.
pub trait Slot: Send + Sync + Sized {
    /// What a slot holds.
    type Word: Copy;
    /// An empty slot.
    fn empty() -> Self;
    /// What the slot holds, read with `Acquire`.
    fn get(&self) -> Self::Word;
    /// Publishes `word` in the slot, if it is empty.
    ///
    /// # Errors
    /// What another thread has published there.
    fn claim(&self, word: Self::Word) -> Result<(), Self::Word>;
    /// Sets a slot that no other thread can see.
    fn set(&mut self, word: Self::Word);
    /// What a slot holds for the record at `place`, which is not 0.
    fn pack(hash: u32, place: Place) -> Self::Word;
    /// The place, 0 if the slot is empty.
    fn place(word: Self::Word) -> Place;
    /// The hash, if the slot has it.
    fn hash(word: Self::Word) -> Option<u32>;
}

impl Slot for AtomicU32 {
    type Word = u32;

    fn empty() -> Self {
        Self::new(0)
    }

    #[inline]
    fn get(&self) -> u32 {
        self.load(Acquire)
    }

    #[inline]
    fn claim(&self, word: u32) -> Result<(), u32> {
        self.compare_exchange(0, word, AcqRel, Acquire).map(drop)
    }

    fn set(&mut self, word: u32) {
        reset(self, word);
    }

    #[inline]
    fn pack(_: u32, place: Place) -> u32 {
        place
    }

    #[inline]
    fn place(word: u32) -> Place {
        word
    }

    #[inline]
    fn hash(_: u32) -> Option<u32> {
        None
    }
}

impl Slot for AtomicU64 {
    type Word = u64;

    fn empty() -> Self {
        Self::new(0)
    }

    #[inline]
    fn get(&self) -> u64 {
        self.load(Acquire)
    }

    #[inline]
    fn claim(&self, word: u64) -> Result<(), u64> {
        self.compare_exchange(0, word, AcqRel, Acquire).map(drop)
    }

    fn set(&mut self, word: u64) {
        *self = Self::new(word);
    }

    #[inline]
    fn pack(hash: u32, place: Place) -> u64 {
        u64::from(hash) << 32 | u64::from(place)
    }

    #[inline]
    fn place(word: u64) -> Place {
        word as Place
    }

    #[inline]
    fn hash(word: u64) -> Option<u32> {
        Some((word >> 32) as u32)
    }
}

/// What became of an attempt to intern a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interned {
    /// It was there.
    Old(Place),
    /// It is new.
    New(Place),
    /// The table is nearly full and must grow first, or the arena is full.
    Full,
}

/// A table of records.
pub struct Interner<S> {
    /// Where the records are, and whatever else belongs to them.
    pub arena: Arena,
    /// As many slots as a power of two, or none.
    slots: Box<[S]>,
    count: AtomicUsize,
}

fn slots<S: Slot>(count: usize) -> Box<[S]> {
    (0..count).map(|_| S::empty()).collect()
}

/// Puts a word that is not there yet into a table with empty slots.
fn put<S: Slot>(slots: &mut [S], word: S::Word, hash: u32) {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    while S::place(slots[at].get()) != 0 {
        at = (at + 1) & mask;
    }
    slots[at].set(word);
}

impl<S: Slot> Interner<S> {
    /// Bytes of a slot.
    pub const SLOT: usize = size_of::<S>();

    /// An empty table in an arena. The number of slots is a power of two.
    pub fn new(arena: Arena, count: usize) -> Self {
        assert!(count.is_power_of_two(), "hashes are masked");
        Self { arena, slots: slots(count), count: AtomicUsize::new(0) }
    }

    /// Records held.
    #[inline]
    pub fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Slots of the table.
    #[inline]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Records from which on the table should grow at the next opportunity.
    pub fn crowd(&self) -> usize {
        self.slots.len() / 8 * 5
    }

    /// Whether the table should grow at the next opportunity.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        self.len() > self.crowd()
    }

    /// Doubles the table. The slots must have the hashes.
    pub fn grow(&mut self) {
        let mut grown = slots::<S>(2 * self.slots.len());
        for word in self.slots.iter().map(S::get).filter(|&word| S::place(word) != 0) {
            put(&mut grown, word, S::hash(word).expect("slots of this kind have the hashes"));
        }
        self.slots = grown;
    }

    /// As for [`Self::grow`], where `hash` tells the hashes of the keys of the records, which are at
    /// `places`. Takes no memory but for the new table, since the old one is dropped before.
    pub fn regrow(
        &mut self,
        places: impl Iterator<Item = Place>,
        mut hash: impl FnMut(&Arena, Place) -> u32,
    ) {
        let count = 2 * self.slots.len();
        self.slots = Box::default();
        self.slots = slots(count);
        for place in places {
            let hash = hash(&self.arena, place);
            put(&mut self.slots, S::pack(hash, place), hash);
        }
    }

    /// Begins anew in an arena that uses the memory of this one again, as it is [handed
    /// over](Arena::hand_over). Returns what was there, to be read only.
    pub fn renew(&mut self) -> Self {
        for slot in &mut self.slots {
            slot.set(S::pack(0, 0));
        }
        self.count = AtomicUsize::new(0);
        let successor = self.arena.successor();
        let arena = std::mem::replace(&mut self.arena, successor);
        Self { arena, slots: Box::default(), count: AtomicUsize::new(0) }
    }

    /// The record with this key.
    #[inline]
    pub fn find(&self, key: &impl Key) -> Option<Place> {
        self.probe(key, key.hash()).ok()
    }

    /// The record, or the empty slot where it belongs.
    #[inline]
    fn probe(&self, key: &impl Key, hash: u32) -> Result<Place, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let word = self.slots[at].get();
            if S::place(word) == 0 {
                return Err(at);
            }
            if self.is(word, key, hash) {
                return Ok(S::place(word));
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn is(&self, word: S::Word, key: &impl Key, hash: u32) -> bool {
        S::hash(word).is_none_or(|other| other == hash) && key.is_at(&self.arena, S::place(word))
    }

    /// Finds or adds a record. `write` puts a new one into as many zero words as the key says.
    #[inline]
    pub fn intern(
        &self,
        key: &impl Key,
        chunk: &mut Chunk,
        write: impl FnOnce(&[AtomicU32]),
    ) -> Interned {
        let hash = key.hash();
        let mut at = match self.probe(key, hash) {
            // The usual case.
            Ok(place) => return Interned::Old(place),
            Err(at) => at,
        };
        if self.len() > self.slots.len() / 4 * 3 {
            return Interned::Full;
        }
        let words = key.words();
        let Some(place) = self.arena.take(chunk, words) else { return Interned::Full };
        write(self.arena.words(place, 0..words));
        loop {
            match self.slots[at].claim(S::pack(hash, place)) {
                Ok(()) => {
                    self.count.fetch_add(1, Relaxed);
                    return Interned::New(place);
                }
                Err(other) if self.is(other, key, hash) => {
                    self.arena.give_back(chunk, words);
                    return Interned::Old(S::place(other));
                }
                Err(_) => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// All records, in an order of which every beginning is spread evenly over the table: another
    /// one that takes in the first of them, and more, is crowded nowhere.
    pub fn iter(&self) -> impl Iterator<Item = Place> + '_ {
        // The numbers of the slots, with their bits in the opposite order.
        let shift = usize::BITS - self.slots.len().trailing_zeros();
        let number = move |at: usize| at.reverse_bits().checked_shr(shift).unwrap_or(0);
        let slots = (0..self.slots.len()).map(move |at| &self.slots[number(at)]);
        slots.map(|slot| S::place(slot.get())).filter(|&place| place != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number(u32);

    impl Key for Number {
        fn hash(&self) -> u32 {
            self.0.wrapping_mul(0x9e37_79b1)
        }

        fn words(&self) -> usize {
            2
        }

        fn is_at(&self, arena: &Arena, place: Place) -> bool {
            arena.word(place, 0).load(Relaxed) == self.0
        }
    }

    #[test]
    fn records_come_once_and_from_all_parts_of_the_table() {
        const SLOTS: usize = 1 << 10;
        let table = Interner::<AtomicU32>::new(Arena::new(64 << 20, 1), SLOTS);
        let mut chunk = Chunk::default();
        for number in 0..600 {
            let found = table
                .intern(&Number(number), &mut chunk, |record| record[0].store(number, Relaxed));
            assert!(matches!(found, Interned::New(_)));
        }
        let mut order: Vec<u32> =
            table.iter().map(|place| table.arena.word(place, 0).load(Relaxed)).collect();
        let mut parts = [0; 4];
        for &number in &order[..150] {
            parts[Number(number).hash() as usize % SLOTS * parts.len() / SLOTS] += 1;
        }
        assert!(parts.iter().all(|part| (25..50).contains(part)), "{parts:?}");
        order.sort_unstable();
        assert!(order.into_iter().eq(0..600));
    }
}
