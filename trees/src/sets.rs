//! Sets of numbers, each stored once.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Sorted lists of numbers in one piece of memory, numbered in the order in which they came.
#[derive(Clone, Default)]
pub(crate) struct Sets {
    members: Vec<u32>,
    ends: Vec<usize>,
    index: HashTable<u32>,
}

/// The hash of a list is the sum of the hashes of its members: the hash of a prefix comes while walking along it.
#[inline]
pub(crate) fn hash(member: u32) -> u64 {
    let mut h = (u64::from(member) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^= h >> 32;
    h = h.wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^ h >> 32
}

/// The hash of a whole list.
pub(crate) fn hash_all(members: &[u32]) -> u64 {
    members.iter().fold(0, |sum, &m| sum.wrapping_add(hash(m)))
}

impl Sets {
    /// Lists stored.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.members.capacity() * size_of::<u32>()
            + self.ends.capacity() * size_of::<usize>()
            + self.index.allocation_size()
    }

    /// The list with this number.
    #[inline]
    pub fn get(&self, set: u32) -> &[u32] {
        slice(&self.members, &self.ends, set)
    }

    /// The list among those of this hash for which `is` holds.
    #[inline]
    pub fn find(&self, hash: u64, is: impl FnMut(&u32) -> bool) -> Option<u32> {
        self.index.find(hash, is).copied()
    }

    /// Finds or adds a sorted list; `true` when it is new.
    ///
    /// # Panics
    /// When 2³¹ lists are stored: far beyond any memory.
    pub fn intern(&mut self, sorted: &[u32]) -> (u32, bool) {
        debug_assert!(sorted.is_sorted());
        let Self { members, ends, index } = self;
        let found = index.entry(
            hash_all(sorted),
            |&set| slice(members, ends, set) == sorted,
            |&set| hash_all(slice(members, ends, set)),
        );
        match found {
            Entry::Occupied(found) => (*found.get(), false),
            Entry::Vacant(place) => {
                let set = u32::try_from(ends.len()).ok().filter(|&set| set < 1 << 31);
                let set = set.expect("fewer than 2^31 sets");
                place.insert(set);
                members.extend_from_slice(sorted);
                ends.push(members.len());
                (set, true)
            }
        }
    }
}

#[inline]
fn slice<'a>(members: &'a [u32], ends: &[usize], set: u32) -> &'a [u32] {
    let set = set as usize;
    let start = if set == 0 { 0 } else { ends[set - 1] };
    &members[start..ends[set]]
}
