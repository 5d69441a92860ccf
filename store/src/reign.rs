//! Which reign a database leads in, or which coordinator it follows.

use std::path::Path;

use rocksdb::WriteBatch;
use sprig_domain::Reign;

use crate::bytes::{Malformed, Reader as Bytes, put_bytes, put_varint};
use crate::directory;
use crate::seal::Secret;
use crate::store::Store;
use crate::tables::REIGN;
use crate::{Reader, StoreError};

/// Layout of the record; its first byte.
const LAYOUT: u8 = 1;
/// The key of the only record.
const KEY: &[u8] = &[0];

const LEADS: u8 = 0;
const FOLLOWS: u8 = 1;

/// The name of the file in the database of a coordinator that was succeeded.
const SUCCEEDED: &str = "SUCCEEDED";

/// The name of the file that says to which reign such a coordinator has handed in what it had.
const HANDED_IN: &str = "HANDED_IN";

/// What a database follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Following {
    /// The identity of the coordinator's database.
    pub database: u64,
    /// The number of the last record of it that is here.
    pub position: u64,
    /// Where the coordinator was.
    pub url: String,
}

/// Which reign a database leads in, or what it follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Succession {
    /// Its reign or, while it follows a coordinator, that coordinator's reign.
    pub reign: Reign,
    /// How many facts it had from that coordinator when it was promoted last; 0 before.
    pub inherited: u64,
    /// What it follows; `None` if it leads.
    pub following: Option<Following>,
}

impl Succession {
    pub(crate) fn put(&self, reader: &Reader, write: &mut WriteBatch) {
        write.put_cf(reader.family(REIGN), KEY, self.encode());
    }

    fn encode(&self) -> Vec<u8> {
        let Self { reign, inherited, following } = self;
        let mut out = vec![LAYOUT];
        out.extend(reign.line.to_be_bytes());
        put_varint(&mut out, reign.number);
        out.extend(reign.proof);
        put_varint(&mut out, *inherited);
        match following {
            None => out.push(LEADS),
            Some(Following { database, position, url }) => {
                out.push(FOLLOWS);
                out.extend(database.to_be_bytes());
                put_varint(&mut out, *position);
                put_bytes(&mut out, url.as_bytes());
            }
        }
        out
    }

    fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Bytes::new(record);
        if reader.byte()? != LAYOUT {
            return Err(Malformed);
        }
        let line = u64::from_be_bytes(reader.array()?);
        let reign = Reign { line, number: reader.varint()?, proof: reader.array()? };
        let inherited = reader.varint()?;
        let following = match reader.byte()? {
            LEADS => None,
            FOLLOWS => {
                let database = u64::from_be_bytes(reader.array()?);
                let position = reader.varint()?;
                Some(Following { database, position, url: reader.string()? })
            }
            _ => return Err(Malformed),
        };
        reader.end()?;
        Ok(Self { reign, inherited, following })
    }
}

impl Reader {
    /// Which reign this database leads in, or what it follows. Unless it says otherwise, it leads
    /// in the first reign of its own line.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn succession(&self) -> Result<Succession, StoreError> {
        match self.get(REIGN, KEY)? {
            Some(record) => self.sound(REIGN, KEY, Succession::decode(&record)),
            None => {
                let reign = Reign::first(self.identity()?);
                Ok(Succession { reign, inherited: 0, following: None })
            }
        }
    }

    /// What it follows; `None` if it leads.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn following(&self) -> Result<Option<Following>, StoreError> {
        Ok(self.succession()?.following)
    }

    /// The later reign in which another database leads in the place of this one, if a coordinator
    /// has heard of it here.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn successor(&self) -> Result<Option<Reign>, StoreError> {
        let Some(by) = succeeded(self.dir())? else { return Ok(None) };
        Ok(by.succeeds(&self.succession()?.reign).then_some(by))
    }

    /// Whether the owner of this secret has made the reign.
    #[must_use]
    pub fn vouches(&self, reign: &Reign) -> bool {
        self.open.seal.proof(reign.line, reign.number) == reign.proof
    }
}

impl Store {
    /// Writes down that a follower was promoted in its place, so that it no longer leads, even
    /// after a restart.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn succeeded(&self, by: &Reign) -> Result<(), StoreError> {
        directory::replace(self.dir(), SUCCEEDED, &encode(by))
    }

    /// Writes down that the coordinator that leads in this reign has everything that is here.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn handed_in(&self, to: &Reign) -> Result<(), StoreError> {
        directory::replace(self.dir(), HANDED_IN, &encode(to))
    }

    /// Whether a coordinator that leads in its place has everything that is here.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn is_handed_in(&self) -> Result<bool, StoreError> {
        let Some(text) = directory::read(self.dir(), HANDED_IN)? else { return Ok(false) };
        let reign = self.succession()?.reign;
        Ok(decode(&text).is_some_and(|to| to.succeeds(&reign)))
    }

    /// Refuses to lead if a follower was promoted in its place.
    ///
    /// # Errors
    /// [`StoreError::Succeeded`].
    pub fn may_lead(&self) -> Result<(), StoreError> {
        match self.successor()? {
            Some(by) => Err(StoreError::Succeeded { dir: self.dir().into(), by }),
            None => Ok(()),
        }
    }
}

/// The later reign that the database in `dir` knows of.
pub(crate) fn succeeded(dir: &Path) -> Result<Option<Reign>, StoreError> {
    let Some(text) = directory::read(dir, SUCCEEDED)? else { return Ok(None) };
    let damaged = || StoreError::Damaged {
        dir: dir.into(),
        detail: format!("file {SUCCEEDED} is no record of a reign"),
    };
    decode(&text).ok_or_else(damaged).map(Some)
}

/// `reign 2 of line 00c0ffee00c0ffee`.
fn encode(by: &Reign) -> String {
    format!("{by}\n")
}

fn decode(text: &str) -> Option<Reign> {
    let (number, line) = text.trim_end().strip_prefix("reign ")?.split_once(" of line ")?;
    let line = u64::from_str_radix(line, 16).ok()?;
    Some(Reign { number: number.parse().ok()?, ..Reign::first(line) })
}

/// A reign with the proof that the owner of `secret` makes.
pub(crate) fn made(secret: &Secret, line: u64, number: u64) -> Reign {
    let proof = crate::seal::Seal::new(secret).proof(line, number);
    Reign { line, number, proof }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let reign = made(&Secret::new([7; Secret::BYTES]), 0xc0ffee, 3);
        let following = Following { database: 9, position: 300, url: "http://a:1".into() };
        for following in [None, Some(following)] {
            let succession = Succession { reign, inherited: 70_000, following };
            let bytes = succession.encode();
            assert_eq!(Succession::decode(&bytes), Ok(succession));
            for length in 0..bytes.len() {
                assert_eq!(Succession::decode(&bytes[..length]), Err(Malformed));
            }
        }
        let read = decode(&encode(&reign)).expect("it is whole");
        assert_eq!((read.line, read.number), (reign.line, reign.number));
        assert_eq!(decode("reign x of line 1"), None);
    }

    #[test]
    fn only_the_owner_makes_a_reign() {
        let store = Store::in_memory_of(&Secret::new([7; Secret::BYTES])).expect("memory");
        let reign = made(&Secret::new([7; Secret::BYTES]), 1, 2);
        assert!(store.vouches(&reign));
        assert!(!store.vouches(&Reign { number: 3, ..reign }));
        assert!(!store.vouches(&made(&Secret::new([8; Secret::BYTES]), 1, 2)));
    }
}
