//! Records that are found by their keys: lands and nodes alike.
//!
//! ```text
//! record := payload word * PAYLOAD, key word *
//! ```
//!
//! The low half of the first word of a key is the number of its words. Keys are compared whole, so two keys never
//! pass for one. Only payloads change; a record never moves.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

use sprig_search::kernel::arena::{Arena, Chunk, Place};

pub(crate) struct Records<const PAYLOAD: usize> {
    arena: Arena,
    /// Open addressing with linear probing: the hash of a key above the place of its record; 0 when empty.
    slots: Box<[AtomicU64]>,
    count: AtomicUsize,
}

/// What became of an attempt to add a record.
pub(crate) enum Interned {
    Old(Place),
    New(Place),
    /// The table must grow first, or the arena is full.
    Full,
}

fn slots(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

impl<const PAYLOAD: usize> Records<PAYLOAD> {
    pub fn new(count: usize) -> Self {
        assert!(count.is_power_of_two());
        Self { arena: Arena::new(usize::MAX), slots: slots(count), count: AtomicUsize::new(0) }
    }

    pub fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.slots.len() * 8
    }

    /// Bytes that the table takes more once it has grown.
    pub fn growth(&self) -> usize {
        self.slots.len() * 8
    }

    /// Whether the table should grow at the next opportunity.
    pub fn is_crowded(&self) -> bool {
        self.len() > self.slots.len() / 8 * 5
    }

    /// Doubles the table.
    pub fn grow(&mut self) {
        let grown = slots(self.slots.len() * 2);
        for slot in self.slots.iter().map(|slot| slot.load(Relaxed)).filter(|&slot| slot != 0) {
            let mut at = (slot >> 32) as usize;
            while grown[at & (grown.len() - 1)].load(Relaxed) != 0 {
                at += 1;
            }
            grown[at & (grown.len() - 1)].store(slot, Relaxed);
        }
        self.slots = grown;
    }

    /// The record with this key.
    #[inline]
    pub fn find(&self, key: &[u32], hash: u32) -> Option<Place> {
        self.probe(key, hash).ok()
    }

    /// The record, or the empty slot where it belongs.
    #[inline]
    fn probe(&self, key: &[u32], hash: u32) -> Result<Place, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at].load(Acquire);
            if slot == 0 {
                return Err(at);
            }
            if (slot >> 32) as u32 == hash && self.has_key(slot as Place, key) {
                return Ok(slot as Place);
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn has_key(&self, place: Place, key: &[u32]) -> bool {
        // The first words must agree before the others may be looked at: there may be fewer.
        self.word(place, PAYLOAD).load(Relaxed) == key[0]
            && self
                .arena
                .words(place + PAYLOAD as u32, key.len())
                .iter()
                .zip(key)
                .all(|(word, &value)| word.load(Relaxed) == value)
    }

    /// Finds or adds a record.
    pub fn intern(
        &self,
        key: &[u32],
        hash: u32,
        chunk: &mut Chunk,
        payload: impl FnOnce() -> [u32; PAYLOAD],
    ) -> Interned {
        let mut at = match self.probe(key, hash) {
            Ok(place) => return Interned::Old(place),
            Err(at) => at,
        };
        if self.len() > self.slots.len() / 8 * 7 {
            return Interned::Full;
        }
        let words = PAYLOAD + key.len();
        let Some(place) = self.arena.take(chunk, words) else { return Interned::Full };
        let record = self.arena.words(place, words);
        for (word, &value) in record.iter().zip(payload().iter().chain(key)) {
            word.store(value, Relaxed);
        }
        loop {
            let slot = u64::from(hash) << 32 | u64::from(place);
            match self.slots[at].compare_exchange(0, slot, AcqRel, Acquire) {
                Ok(_) => {
                    self.count.fetch_add(1, Relaxed);
                    return Interned::New(place);
                }
                Err(other) if (other >> 32) as u32 == hash && self.has_key(other as Place, key) => {
                    self.arena.give_back(chunk, words);
                    return Interned::Old(other as Place);
                }
                Err(_) => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// A word of the payload.
    #[inline]
    pub fn word(&self, place: Place, word: usize) -> &AtomicU32 {
        self.arena.word(place + word as u32)
    }

    /// The key of a record.
    #[inline]
    pub fn key(&self, place: Place) -> &[AtomicU32] {
        let words = self.word(place, PAYLOAD).load(Relaxed) & 0xffff;
        self.arena.words(place + PAYLOAD as u32, words as usize)
    }

    /// Room for other words beside the records.
    pub fn take(&self, chunk: &mut Chunk, words: usize) -> Option<Place> {
        self.arena.take(chunk, words)
    }

    /// Words from [`Self::take`].
    #[inline]
    pub fn words(&self, place: Place, words: usize) -> &[AtomicU32] {
        self.arena.words(place, words)
    }

    /// All records, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = Place> + '_ {
        self.slots.iter().map(|slot| slot.load(Relaxed) as Place).filter(|&place| place != 0)
    }
}
