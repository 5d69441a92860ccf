//! Numbers for lands and for sums of lands, shared by threads.

use std::sync::{Mutex, MutexGuard};

use sprig_domain::{Numbered, hash};

use crate::sets::{self, Sets};

/// A position: a single land by its number, every other sum by its number with the top bit set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Name(u32);

const SUM: u32 = 1 << 31;

impl Name {
    pub fn of_land(land: u32) -> Self {
        Self(land)
    }

    pub fn of_sum(sum: u32) -> Self {
        Self(sum | SUM)
    }

    /// The number of the land, or that of the sum.
    #[inline]
    pub fn split(self) -> Result<u32, u32> {
        if self.0 < SUM { Ok(self.0) } else { Err(self.0 ^ SUM) }
    }
}

/// Lands and sums of lands met so far.
///
/// Several tables, each with a lock of its own that is held for one look-up, so that threads seldom
/// meet.
pub(crate) struct Names {
    /// As many tables as a power of two. Land `k` of table `t` of `n` has the number `k * n + t`.
    tables: Vec<Mutex<Numbered<u8>>>,
    sums: Mutex<Sets>,
}

/// The bits of a hash that choose the table; the tables themselves use lower and higher bits.
const TABLE_BITS: u32 = 40;

impl Names {
    /// Names for a few threads, or, with one table, numbers without gaps.
    pub fn new(tables: usize) -> Self {
        assert!(tables.is_power_of_two());
        Self { tables: (0..tables).map(|_| Mutex::default()).collect(), sums: Mutex::default() }
    }

    fn table(&self, table: usize) -> MutexGuard<'_, Numbered<u8>> {
        self.tables[table].lock().expect("no thread panics in a look-up")
    }

    fn sums(&self) -> MutexGuard<'_, Sets> {
        self.sums.lock().expect("no thread panics in a look-up")
    }

    /// Lands met.
    pub fn lands(&self) -> usize {
        (0..self.tables.len()).map(|table| self.table(table).len()).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let tables = (0..self.tables.len()).map(|table| self.table(table).bytes());
        tables.sum::<usize>() + self.sums().bytes()
    }

    /// Sums met.
    pub fn sum_count(&self) -> usize {
        self.sums().len()
    }

    /// The table of a land whose key has this hash.
    fn table_of(&self, hashed: u64) -> usize {
        (hashed >> TABLE_BITS) as usize % self.tables.len()
    }

    /// Finds or adds a land.
    pub fn land(&self, key: &[u8]) -> u32 {
        let (hashed, count) = (hash(key), self.tables.len() as u32);
        let table = self.table_of(hashed);
        let (land, _) = self.table(table).intern(key, hashed, hash);
        assert!(land < SUM / count, "far fewer lands than numbers");
        land * count + table as u32
    }

    /// The number of a land, if it was met.
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        let (hashed, count) = (hash(key), self.tables.len() as u32);
        let table = self.table_of(hashed);
        let lands = self.table(table);
        Some(lands.find(hashed, |land| lands.get(land) == key)? * count + table as u32)
    }

    /// Puts the key of a land into `key`.
    pub fn key(&self, land: u32, key: &mut Vec<u8>) {
        let count = self.tables.len();
        key.clear();
        key.extend_from_slice(self.table(land as usize % count).get(land / count as u32));
    }

    /// The sum of `lands`, which this sorts.
    pub fn sum(&self, lands: &mut [u32]) -> Name {
        match *lands {
            [land] => Name::of_land(land),
            _ => {
                lands.sort_unstable();
                Name::of_sum(sets::intern(&mut self.sums(), lands).0)
            }
        }
    }

    /// Puts the lands of a position, sorted, into `lands`.
    pub fn lands_of(&self, position: Name, lands: &mut Vec<u32>) {
        lands.clear();
        match position.split() {
            Ok(land) => lands.push(land),
            Err(sum) => lands.extend_from_slice(self.sums().get(sum)),
        }
    }
}
