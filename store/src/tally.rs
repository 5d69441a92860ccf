//! How many facts were sealed with our key, and how many claims have gone: counted as they come, so
//! that it is not necessary to read all facts to say how many count as claims.

use rocksdb::WriteBatch;

use crate::bytes::{Malformed, Reader as Bytes};
use crate::log::Counts;
use crate::reader::Reader;
use crate::seal::KeyId;
use crate::tables::SEAL;
use crate::{Kind, StoreError};

/// First byte of the keys of the family.
const GONE: u8 = 0;
const SEALED: u8 = 1;

/// Counts that change with commits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    /// Facts with our seal.
    pub(crate) sealed: Counts,
    /// Claims that were withdrawn, or whose place a verified fact took. The log still counts them.
    pub(crate) gone: Counts,
}

/// How much of a database is ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worth {
    /// Facts that carry our seal: those are verified.
    pub verified: Counts,
    /// Facts that do not carry it, whatever their bits say.
    pub claimed: Counts,
}

fn sealed_key(id: KeyId) -> [u8; 9] {
    let mut key = [SEALED; 9];
    key[1..].copy_from_slice(&id.0);
    key
}

impl Tally {
    pub(crate) fn add(&mut self, kind: Kind, sealed: bool, replaced: usize) {
        self.sealed.add(kind, usize::from(sealed));
        self.gone.add(kind, replaced);
    }

    /// Writes the counts that differ from `before`.
    pub(crate) fn put(self, before: Self, reader: &Reader, write: &mut WriteBatch) {
        for (key, now, before) in [
            (&[GONE][..], self.gone, before.gone),
            (&sealed_key(reader.open.seal.id), self.sealed, before.sealed),
        ] {
            if now != before {
                let mut record = Vec::new();
                now.encode(&mut record);
                write.put_cf(reader.family(SEAL), key, record);
            }
        }
    }
}

/// Deletes the count of a key that is not ours.
pub(crate) fn forget(key: KeyId, reader: &Reader, write: &mut WriteBatch) {
    write.delete_cf(reader.family(SEAL), sealed_key(key));
}

impl Reader {
    pub(crate) fn tally(&self) -> Result<Tally, StoreError> {
        let counts = |key: &[u8]| {
            let record = self.get(SEAL, key)?;
            self.sound(SEAL, key, record.map_or(Ok(Counts::default()), |record| counts(&record)))
        };
        Ok(Tally { sealed: counts(&sealed_key(self.open.seal.id))?, gone: counts(&[GONE])? })
    }

    /// How many facts of all games are verified here, and how many are claims, as counted when they came.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn worth(&self) -> Result<Worth, StoreError> {
        let Tally { sealed, gone } = self.tally()?;
        let standing = self.counts()?.without(gone);
        Ok(Worth { verified: sealed, claimed: standing.without(sealed) })
    }

    /// How many facts were sealed here with other keys than ours, as [`Reader::keys`] tells.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sealed_by_others(&self) -> Result<u64, StoreError> {
        let ours = self.open.seal.id;
        let others = self.keys()?.into_iter().filter(|(key, _)| *key != ours);
        Ok(others.map(|(_, counts)| counts.total()).sum())
    }

    /// The keys that facts were sealed with here, and how many with each. Any program could have
    /// written these.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn keys(&self) -> Result<Vec<(KeyId, Counts)>, StoreError> {
        let mut keys = Vec::new();
        for entry in self.scan(SEAL, &[SEALED], rocksdb::Direction::Forward) {
            let (key, record) = entry?;
            let id = key.strip_prefix(&[SEALED]).and_then(|id| id.try_into().ok()).ok_or(Malformed);
            let id = self.sound(SEAL, &key, id)?;
            keys.push((KeyId(id), self.sound(SEAL, &key, counts(&record))?));
        }
        Ok(keys)
    }
}

fn counts(record: &[u8]) -> Result<Counts, Malformed> {
    let mut reader = Bytes::new(record);
    let counts = Counts::decode(&mut reader)?;
    reader.end()?;
    Ok(counts)
}
