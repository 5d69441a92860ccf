//! Lists that come again and again: each is stored once, and known by its number.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

/// Lists in one piece of memory, numbered from 0 in the order in which they came. Lands are lists
/// of bytes, sums and sets are lists of numbers. It is for one thread; what threads share is
/// interned by the kernel of the search.
#[derive(Clone, Debug)]
pub struct Numbered<T> {
    items: Vec<T>,
    /// Where each list ends.
    ends: Vec<usize>,
    index: HashTable<u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Vec::new(), index: HashTable::new() }
    }
}

impl<T: Copy + Eq> Numbered<T> {
    /// Lists stored.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>()
            + self.ends.capacity() * size_of::<usize>()
            + self.index.allocation_size()
    }

    /// The list with this number.
    ///
    /// # Panics
    /// When no list has it.
    #[inline]
    #[must_use]
    pub fn get(&self, number: u32) -> &[T] {
        slice(&self.items, &self.ends, number)
    }

    /// The number of the list among those of this hash for which `is` holds.
    #[inline]
    pub fn find(&self, hash: u64, mut is: impl FnMut(u32) -> bool) -> Option<u32> {
        self.index.find(hash, |&number| is(number)).copied()
    }

    /// Finds or adds a list whose `hash` is `hashed`; `true` when it is new. All calls have the
    /// same `hash`.
    ///
    /// # Panics
    /// When 2³² lists are stored.
    pub fn intern(&mut self, list: &[T], hashed: u64, hash: impl Fn(&[T]) -> u64) -> (u32, bool) {
        let Self { items, ends, index } = self;
        let found = index.entry(
            hashed,
            |&number| slice(items, ends, number) == list,
            |&number| hash(slice(items, ends, number)),
        );
        match found {
            Entry::Occupied(found) => (*found.get(), false),
            Entry::Vacant(place) => {
                let number = u32::try_from(ends.len()).expect("far fewer lists than numbers");
                place.insert(number);
                items.extend_from_slice(list);
                ends.push(items.len());
                (number, true)
            }
        }
    }

    /// Forgets all lists, and keeps their memory.
    pub fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
        self.index.clear();
    }
}

/// Lists of bytes, such as the keys of lands, are found by [`hash`].
impl Numbered<u8> {
    /// Finds or adds a key; `true` when it is new.
    ///
    /// # Panics
    /// When 2³² keys are stored.
    pub fn number(&mut self, key: &[u8]) -> (u32, bool) {
        self.intern(key, hash(key), hash)
    }

    /// The number of a key, if it was met.
    #[must_use]
    pub fn number_of(&self, key: &[u8]) -> Option<u32> {
        self.find(hash(key), |number| self.get(number) == key)
    }
}

/// A hash of bytes, for tables inside one process.
#[inline]
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[inline]
fn slice<'a, T>(items: &'a [T], ends: &[usize], number: u32) -> &'a [T] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &items[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_its_number_whatever_comes_between() {
        // A bad hash: lists that differ meet in one slot.
        let hash = |list: &[u8]| list.len() as u64;
        let mut numbered = Numbered::default();
        let lists: Vec<Vec<u8>> = (0..200u8).map(|n| vec![n; usize::from(n % 7)]).collect();
        let numbers: Vec<u32> =
            lists.iter().map(|list| numbered.intern(list, hash(list), hash).0).collect();
        // All empty lists are one.
        let empty = lists.iter().filter(|list| list.is_empty()).count();
        assert_eq!(numbered.len(), lists.len() - empty + 1);
        for (list, &number) in lists.iter().zip(&numbers) {
            assert_eq!(numbered.get(number), &list[..]);
            assert_eq!(numbered.intern(list, hash(list), hash), (number, false));
            assert_eq!(numbered.find(hash(list), |n| numbered.get(n) == &list[..]), Some(number));
        }
        assert_eq!(numbered.find(3, |n| numbered.get(n) == [1, 2, 3]), None);
        assert!(numbered.bytes() > 0 && !numbered.is_empty());
        numbered.clear();
        assert!(numbered.is_empty());
        assert_eq!(numbered.intern(&[9], 1, hash), (0, true));
    }

    #[test]
    fn keys_are_found_by_their_bytes() {
        let mut lands = Numbered::default();
        for n in 0..1000u32 {
            assert_eq!(lands.number_of(&n.to_be_bytes()), None);
            assert_eq!(lands.number(&n.to_be_bytes()), (n, true));
        }
        for n in 0..1000u32 {
            assert_eq!(lands.number(&n.to_be_bytes()), (n, false));
            assert_eq!(lands.number_of(&n.to_be_bytes()), Some(n));
        }
    }
}
