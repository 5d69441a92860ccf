//! Keys as the tables compare them.

use super::{KEY, LENGTH, length, nibbles};
use crate::filter::Sketch;
use crate::kernel::arena::{Arena, Place};
use crate::kernel::intern;
use crate::kernel::sync::Ordering::Relaxed;

/// A key in [words of nibbles](nibbles), with its hash and its sketch.
#[derive(Default, Clone)]
pub(crate) struct Key {
    pub(super) words: Vec<u32>,
    pub(super) nibbles: usize,
    pub(super) hash: u32,
    pub(super) sketch: Sketch,
}

impl Key {
    pub fn set(&mut self, key: &[u8], sketch: Sketch) {
        self.nibbles = nibbles::pack(key, &mut self.words);
        assert!(self.nibbles < 1 << LENGTH, "lands are smaller, by the limits of positions");
        self.hash = hash(key);
        self.sketch = sketch;
    }
}

impl intern::Key for Key {
    #[inline]
    fn hash(&self) -> u32 {
        self.hash
    }

    #[inline]
    fn words(&self) -> usize {
        KEY + self.words.len()
    }

    #[inline]
    fn is_at(&self, arena: &Arena, place: Place) -> bool {
        if arena.word(place, 0).load(Relaxed) != self.sketch.0
            || length(arena, place) != self.nibbles
        {
            return false;
        }
        let words = arena.words(place, KEY..KEY + self.words.len());
        words.iter().zip(&self.words).all(|(word, &value)| word.load(Relaxed) == value)
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
