//! Keys of the tables: words. The low half of the first one says how many there are.
//!
//! ```text
//! record := payload word * PAYLOAD, key word *
//! ```

use sprig_search::kernel::arena::{Arena, Place};
use sprig_search::kernel::intern;
use sprig_search::kernel::sync::AtomicU32;
use sprig_search::kernel::sync::Ordering::Relaxed;

/// A key, with its hash, of a record that has `PAYLOAD` words before it.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a, const PAYLOAD: usize> {
    pub key: &'a [u32],
    pub hash: u32,
}

impl<const PAYLOAD: usize> intern::Key for Words<'_, PAYLOAD> {
    #[inline]
    fn hash(&self) -> u32 {
        self.hash
    }

    #[inline]
    fn words(&self) -> usize {
        PAYLOAD + self.key.len()
    }

    #[inline]
    fn is_at(&self, arena: &Arena, place: Place) -> bool {
        // The first words must agree before the others may be looked at: the record may have fewer
        // words.
        arena.word(place, PAYLOAD).load(Relaxed) == self.key[0]
            && arena
                .words(place, PAYLOAD..PAYLOAD + self.key.len())
                .iter()
                .zip(self.key)
                .all(|(word, &value)| word.load(Relaxed) == value)
    }
}

impl<const PAYLOAD: usize> Words<'_, PAYLOAD> {
    /// Writes a record.
    #[inline]
    pub fn write(self, payload: [u32; PAYLOAD], record: &[AtomicU32]) {
        for (word, &value) in record.iter().zip(payload.iter().chain(self.key)) {
            word.store(value, Relaxed);
        }
    }

    /// The key of the record at a place.
    #[inline]
    pub fn of(arena: &Arena, place: Place) -> &[AtomicU32] {
        let words = arena.word(place, PAYLOAD).load(Relaxed) & 0xffff;
        arena.words(place, PAYLOAD..PAYLOAD + words as usize)
    }
}
