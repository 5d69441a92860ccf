//! Keys as the tables compare them.

use super::LENGTH;
use crate::filter::Sketch;

/// A key or a raw land in words, with its hash and its sketch.
#[derive(Default, Clone)]
pub(crate) struct Key {
    pub(super) words: Vec<u32>,
    pub(super) bytes: usize,
    pub(super) hash: u32,
    pub(super) sketch: Sketch,
}

impl Key {
    pub fn set(&mut self, key: &[u8], sketch: Sketch) {
        assert!(key.len() < 1 << LENGTH, "lands are smaller, by the limits of positions");
        self.words.clear();
        self.bytes = key.len();
        self.hash = hash(key);
        self.sketch = sketch;
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
