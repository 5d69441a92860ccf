//! Facts as their families hold them.

use sprig_engine::Nimber;
use sprig_misere::TreeKey;

use crate::bytes::{Malformed, Reader, put_varint};
use crate::fact::{Fact, Kind, Sequence, Status, StoredFact, Value};
use crate::tables::{FACTS, LOSSES, RCTS, TREES};

/// What the keys of a family begin with: the game, the play and the surface.
pub(crate) type Rules = [u8; 3];
pub(crate) const NORMAL_PLAY: Rules = [1, 0, 0];
pub(crate) const MISERE_PLAY: Rules = [1, 1, 0];
/// A tree is the same in every game.
const MISERE_PLAY_OF_ANY_GAME: Rules = [0, 1, 0];

const NIMBER_BITS: u8 = 0b0011_1111;
const VERIFIED_BIT: u8 = 0b0100_0000;
const _: () = assert!(Nimber::LIMIT as usize == NIMBER_BITS as usize + 1, "a nimber has six bits");

impl Kind {
    /// The family that holds the facts of this kind.
    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Nimber => FACTS,
            Self::Tree => TREES,
            Self::Rct => RCTS,
            Self::Loss => LOSSES,
        }
    }

    pub(crate) fn rules(self) -> Rules {
        match self {
            Self::Nimber => NORMAL_PLAY,
            Self::Tree => MISERE_PLAY_OF_ANY_GAME,
            Self::Rct | Self::Loss => MISERE_PLAY,
        }
    }

    /// The key of a subject in the family.
    pub(crate) fn key(self, subject: &[u8]) -> Vec<u8> {
        [&self.rules()[..], subject].concat()
    }

    /// The subject of a key.
    pub(crate) fn subject(self, key: &[u8]) -> Result<&[u8], Malformed> {
        key.strip_prefix(&self.rules()).ok_or(Malformed)
    }
}

/// The value of a subject in the family of its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FactRecord {
    pub(crate) value: Value,
    pub(crate) status: Status,
    pub(crate) sequence: Sequence,
}

impl FactRecord {
    /// The fact about `subject` that this is the record of.
    pub(crate) fn about(self, subject: &[u8]) -> StoredFact {
        let Self { value, status, sequence } = self;
        StoredFact { sequence, fact: Fact { subject: subject.into(), value, status } }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let verified = if self.status == Status::Verified { VERIFIED_BIT } else { 0 };
        let nimber = if let Value::Nimber(nimber) = self.value { nimber.get() } else { 0 };
        let mut out = vec![nimber | verified];
        put_varint(&mut out, self.sequence.0);
        match &self.value {
            Value::Nimber(_) | Value::Loss => {}
            Value::Options(options) => options.iter().for_each(|key| out.extend(key.as_bytes())),
            Value::Rct(tree) => out.extend(tree.as_bytes()),
        }
        out
    }

    pub(crate) fn decode(kind: Kind, record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        let tag = reader.byte()?;
        let status = if tag & VERIFIED_BIT == 0 { Status::Claimed } else { Status::Verified };
        let tag = tag & !VERIFIED_BIT;
        if kind != Kind::Nimber && tag != 0 {
            return Err(Malformed);
        }
        let sequence = Sequence(reader.varint()?);
        let value = match kind {
            Kind::Nimber => Value::Nimber(decode_nimber(tag)?),
            Kind::Tree => {
                let mut options = Vec::new();
                while !reader.is_empty() {
                    options.push(TreeKey::from_bytes(reader.array()?));
                }
                Value::Options(options.into())
            }
            Kind::Rct => Value::Rct(TreeKey::from_bytes(reader.array()?)),
            Kind::Loss => Value::Loss,
        };
        reader.end()?;
        Ok(Self { value, status, sequence })
    }
}

pub(crate) fn decode_nimber(byte: u8) -> Result<Nimber, Malformed> {
    Nimber::new(byte.into()).map_err(|_| Malformed)
}
