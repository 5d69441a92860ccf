//! Lands by number.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

/// Keys of lands in one piece of memory, numbered in the order in which they came.
#[derive(Default)]
pub(crate) struct Lands {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    index: HashTable<u32>,
}

/// A hash for tables inside the process.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

impl Lands {
    /// Lands stored.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * size_of::<usize>()
            + self.index.allocation_size()
    }

    /// The key of the land with this number.
    #[inline]
    pub fn get(&self, land: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, land)
    }

    /// The number of the land with this key, whose [`hash`] is `hash`.
    pub fn find(&self, key: &[u8], hash: u64) -> Option<u32> {
        self.index.find(hash, |&land| self.get(land) == key).copied()
    }

    /// Finds or adds a land.
    ///
    /// # Panics
    /// When `limit` lands are stored.
    pub fn intern(&mut self, key: &[u8], hash: u64, limit: u32) -> u32 {
        let Self { bytes, ends, index } = self;
        let found = index.entry(
            hash,
            |&land| slice(bytes, ends, land) == key,
            |&land| self::hash(slice(bytes, ends, land)),
        );
        match found {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                let land = u32::try_from(ends.len()).ok().filter(|&land| land < limit);
                let land = land.expect("far fewer lands than numbers");
                place.insert(land);
                bytes.extend_from_slice(key);
                ends.push(bytes.len());
                land
            }
        }
    }
}

#[inline]
fn slice<'a>(bytes: &'a [u8], ends: &[usize], land: u32) -> &'a [u8] {
    let land = land as usize;
    let start = if land == 0 { 0 } else { ends[land - 1] };
    &bytes[start..ends[land]]
}
