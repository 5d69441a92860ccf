//! Bans of persons that are not listened to any more, with their times and reasons, and bans that
//! were lifted.

use std::fmt;
use std::sync::PoisonError;

use rocksdb::{Direction, WriteBatch};

use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::tables::BANS;
use crate::{Store, StoreError, UnixMillis};

/// A person that is responsible for facts: a name, and whether its owner has proved it by a token
/// or certificate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Person {
    /// Whether the name was proved. A proved name and a free one that read alike are two persons.
    pub proved: bool,
    /// The name.
    pub name: String,
}

/// The latest record of whether a person is banned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BanRecord {
    /// The person.
    pub person: Person,
    /// Since when the person is banned, or no longer banned.
    pub time: UnixMillis,
    /// Whether the person is banned.
    pub state: BanState,
}

/// Whether a person is banned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BanState {
    /// The person is not listened to.
    Banned {
        /// Why, for people.
        reason: String,
        /// The claim that was found out, if it was one.
        claim: Option<String>,
    },
    /// The person is listened to again.
    Lifted {
        /// Who has lifted the ban.
        by: String,
    },
}

const BANNED: u8 = 0;
const BANNED_FOR_A_CLAIM: u8 = 1;
const LIFTED: u8 = 2;

const FREE: u8 = 0;
const PROVED: u8 = 1;

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Person {
    fn key(&self) -> Vec<u8> {
        let mut key = vec![if self.proved { PROVED } else { FREE }];
        key.extend(self.name.as_bytes());
        key
    }

    fn of_key(key: &[u8]) -> Result<Self, Malformed> {
        let (first, name) = key.split_first().ok_or(Malformed)?;
        let proved = match *first {
            FREE => false,
            PROVED => true,
            _ => return Err(Malformed),
        };
        let name = String::from_utf8(name.to_vec()).map_err(|_| Malformed)?;
        Ok(Self { proved, name })
    }
}

impl BanRecord {
    fn encode(&self) -> Vec<u8> {
        let tag = match &self.state {
            BanState::Banned { claim: None, .. } => BANNED,
            BanState::Banned { claim: Some(_), .. } => BANNED_FOR_A_CLAIM,
            BanState::Lifted { .. } => LIFTED,
        };
        let mut out = vec![tag];
        put_varint(&mut out, self.time.0);
        match &self.state {
            BanState::Banned { reason, claim } => {
                put_bytes(&mut out, reason.as_bytes());
                if let Some(claim) = claim {
                    put_bytes(&mut out, claim.as_bytes());
                }
            }
            BanState::Lifted { by } => put_bytes(&mut out, by.as_bytes()),
        }
        out
    }

    pub(crate) fn decode(key: &[u8], record: &[u8]) -> Result<Self, Malformed> {
        let person = Person::of_key(key)?;
        let mut reader = Reader::new(record);
        let tag = reader.byte()?;
        let time = UnixMillis(reader.varint()?);
        let state = match tag {
            BANNED => BanState::Banned { reason: reader.string()?, claim: None },
            BANNED_FOR_A_CLAIM => {
                let reason = reader.string()?;
                BanState::Banned { reason, claim: Some(reader.string()?) }
            }
            LIFTED => BanState::Lifted { by: reader.string()? },
            _ => return Err(Malformed),
        };
        reader.end()?;
        Ok(Self { person, time, state })
    }
}

impl Store {
    /// The latest record of every person that was ever banned.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn bans(&self) -> Result<Vec<BanRecord>, StoreError> {
        let entries = self.scan(BANS, &[], Direction::Forward);
        let bans = entries.map(|entry| {
            let (key, record) = entry?;
            self.sound(BANS, &key, BanRecord::decode(&key, &record))
        });
        bans.collect()
    }

    /// Writes bans, or that they are lifted, in place of what was known of these persons, all or
    /// nothing.
    ///
    /// # Errors
    /// When the disk fails; the store takes no more batches then.
    pub fn record_bans(&self, bans: &[BanRecord]) -> Result<(), StoreError> {
        let mut writer = self.core.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed {
            return Err(StoreError::Closed { dir: self.dir().into() });
        }
        let mut write = WriteBatch::default();
        self.put_bans(&mut write, bans);
        self.put(&mut writer, write)?;
        self.note(writer.counts);
        Ok(())
    }

    pub(crate) fn put_bans(&self, write: &mut WriteBatch, bans: &[BanRecord]) {
        for ban in bans {
            write.put_cf(self.family(BANS), ban.person.key(), ban.encode());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(proved: bool, name: &str) -> Person {
        Person { proved, name: name.into() }
    }

    #[test]
    fn bans_are_kept_by_person_and_the_latest_counts() {
        let store = Store::in_memory().expect("memory");
        let banned = |person, claim: Option<&str>| BanRecord {
            person,
            time: UnixMillis(7),
            state: BanState::Banned { reason: "it\tlied\n".into(), claim: claim.map(Into::into) },
        };
        let free = banned(person(false, "node\t7"), Some("nimber 2"));
        let proved = banned(person(true, "node\t7"), None);
        store.record_bans(&[free.clone(), proved.clone()]).expect("written");
        assert_eq!(store.bans().expect("read"), [free.clone(), proved.clone()]);
        let state = BanState::Lifted { by: "boss".into() };
        let lifted = BanRecord { time: UnixMillis(8), state, ..free };
        store.record_bans(std::slice::from_ref(&lifted)).expect("written");
        assert_eq!(store.bans().expect("read"), [lifted, proved]);
    }

    #[test]
    fn other_bytes_are_malformed() {
        for (key, record) in
            [(&b""[..], &b"\0\0\0"[..]), (b"\x02a", b"\0\0\0"), (b"\0a", b"\x03\0\0")]
        {
            assert_eq!(BanRecord::decode(key, record), Err(Malformed), "{key:?} {record:?}");
        }
        assert_eq!(BanRecord::decode(b"\0a", b"\0\0\0\0"), Err(Malformed), "more follows");
    }
}
