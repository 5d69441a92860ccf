//! What was written, record by record, for those that keep a copy.

use rocksdb::{WriteBatch, WriteBatchIteratorCf};

use crate::reader::Reader;
use crate::tables::FAMILIES;

/// A record that was written or deleted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The family of the record.
    pub family: String,
    /// Its key.
    pub key: Vec<u8>,
    /// Its value; `None` if it was deleted.
    pub value: Option<Vec<u8>>,
}

impl Change {
    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.family.len() + self.key.len() + self.value.as_ref().map_or(0, Vec::len)
    }
}

/// The numbers by which RocksDB knows the families of one database.
pub(crate) struct Numbers(Vec<(u32, &'static str)>);

impl Numbers {
    /// Asks RocksDB for the numbers: they depend on the order in which the families were made.
    pub(crate) fn of(reader: &Reader) -> Self {
        let number = |&name: &&'static str| {
            let mut write = WriteBatch::default();
            write.put_cf(reader.family(name), b"", b"");
            let mut seen = Seen::default();
            write.iterate_cf(&mut seen);
            (seen.0[0].0, name)
        };
        Self(FAMILIES.iter().map(number).collect())
    }

    /// The changes of a batch, except those of families that belong to one database alone.
    pub(crate) fn changes(&self, write: &WriteBatch) -> Vec<Change> {
        let mut seen = Seen::default();
        write.iterate_cf(&mut seen);
        let named = seen.0.into_iter().filter_map(|(number, key, value)| {
            let (_, family) = self.0.iter().find(|(known, _)| *known == number)?;
            Some(Change { family: (*family).to_owned(), key, value })
        });
        named.collect()
    }
}

/// What a batch holds: family, key, value.
#[derive(Default)]
struct Seen(Vec<(u32, Vec<u8>, Option<Vec<u8>>)>);

impl WriteBatchIteratorCf for Seen {
    fn put_cf(&mut self, family: u32, key: &[u8], value: &[u8]) {
        self.0.push((family, key.into(), Some(value.into())));
    }

    fn delete_cf(&mut self, family: u32, key: &[u8]) {
        self.0.push((family, key.into(), None));
    }

    fn merge_cf(&mut self, _: u32, _: &[u8], _: &[u8]) {
        unreachable!("nothing is ever merged");
    }
}
