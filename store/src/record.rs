//! Facts as their families hold them.

use sprig_domain::TreeKey;
use sprig_domain::{Game, Play, Ruleset};
use sprig_engine::Nimber;

use crate::bytes::{Malformed, Reader, put_varint};
use crate::fact::{Fact, Kind, Sequence, Status, StoredFact, Value};
use crate::seal::Seal;
use crate::tables::{FACTS, LOSSES, RCTS, TREES};

/// What the keys of a family begin with: the game, the play and the surface.
pub(crate) type Rules = [u8; 3];
const SPROUTS: u8 = 1;
const NORMAL: u8 = 0;
const MISERE: u8 = 1;
/// The sphere. Other surfaces are reserved: lands on the sphere keep their keys.
const SPHERE: u8 = 0;
/// A tree is the same in every game.
const MISERE_PLAY_OF_ANY_GAME: Rules = [0, MISERE, SPHERE];

/// The bytes of a ruleset.
pub(crate) const fn rules(ruleset: Ruleset) -> Rules {
    let game = match ruleset.game {
        Game::Sprouts => SPROUTS,
    };
    let play = match ruleset.play {
        Play::Normal => NORMAL,
        Play::Misere => MISERE,
    };
    [game, play, SPHERE]
}

/// The ruleset that has these bytes.
pub(crate) fn ruleset(rules: Rules) -> Result<Ruleset, Malformed> {
    match rules {
        [SPROUTS, NORMAL, SPHERE] => Ok(Ruleset::NORMAL),
        [SPROUTS, MISERE, SPHERE] => Ok(Ruleset::MISERE),
        _ => Err(Malformed),
    }
}

const NIMBER_BITS: u8 = 0b0011_1111;
const VERIFIED_BIT: u8 = 0b0100_0000;
/// The record ends with a seal. Never without [`VERIFIED_BIT`].
const SEALED_BIT: u8 = 0b1000_0000;
const _: () = assert!(Nimber::LIMIT as usize == NIMBER_BITS as usize + 1, "a nimber has six bits");

/// What a record says of whether its fact was checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Mark {
    /// Nothing: it is claimed.
    Claimed,
    /// A bit says that it was checked, as programs before seals wrote it. Anybody can set a bit.
    Bit,
    /// It carries a seal that was not made with our secret.
    Foreign,
    /// It carries our seal.
    Own,
}

impl Mark {
    /// What the fact is worth here.
    pub(crate) fn status(self) -> Status {
        if self == Self::Own { Status::Verified } else { Status::Claimed }
    }
}

impl From<Status> for Mark {
    fn from(status: Status) -> Self {
        match status {
            Status::Claimed => Self::Claimed,
            Status::Verified => Self::Own,
        }
    }
}

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
            Self::Nimber => rules(Ruleset::NORMAL),
            Self::Tree => MISERE_PLAY_OF_ANY_GAME,
            Self::Rct | Self::Loss => rules(Ruleset::MISERE),
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
    pub(crate) mark: Mark,
    pub(crate) sequence: Sequence,
}

impl FactRecord {
    pub(crate) fn status(&self) -> Status {
        self.mark.status()
    }

    /// The fact about `subject` that this is the record of.
    pub(crate) fn about(self, subject: &[u8]) -> StoredFact {
        let status = self.status();
        let Self { value, sequence, .. } = self;
        StoredFact { sequence, fact: Fact { subject: subject.into(), value, status } }
    }

    /// The record about `subject`, sealed if the fact is verified. What was marked by others is written as a claim.
    pub(crate) fn encode(&self, subject: &[u8], seal: &Seal) -> Vec<u8> {
        let sealed = self.status() == Status::Verified;
        let marks = if sealed { SEALED_BIT | VERIFIED_BIT } else { 0 };
        let nimber = if let Value::Nimber(nimber) = self.value { nimber.get() } else { 0 };
        let mut out = vec![nimber | marks];
        put_varint(&mut out, self.sequence.0);
        match &self.value {
            Value::Nimber(_) | Value::Loss => {}
            Value::Options(options) => options.iter().for_each(|key| out.extend(key.as_bytes())),
            Value::Rct(tree) => out.extend(tree.as_bytes()),
        }
        if sealed {
            out.extend(seal.tag(subject, &self.value));
        }
        out
    }

    /// Reads the record about `subject`, and holds its seal against ours.
    pub(crate) fn decode(
        kind: Kind,
        subject: &[u8],
        record: &[u8],
        seal: &Seal,
    ) -> Result<Self, Malformed> {
        let first = *record.first().ok_or(Malformed)?;
        let (record, tag) = match (first & SEALED_BIT != 0, first & VERIFIED_BIT != 0) {
            (true, true) => {
                record.split_last_chunk().map(|(r, &tag)| (r, Some(tag))).ok_or(Malformed)?
            }
            (true, false) => return Err(Malformed),
            (false, _) => (record, None),
        };
        let mut reader = Reader::new(record);
        let nimber = reader.byte()? & NIMBER_BITS;
        if kind != Kind::Nimber && nimber != 0 {
            return Err(Malformed);
        }
        let sequence = Sequence(reader.varint()?);
        let value = match kind {
            Kind::Nimber => Value::Nimber(decode_nimber(nimber)?),
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
        let mark = match tag {
            None if first & VERIFIED_BIT == 0 => Mark::Claimed,
            None => Mark::Bit,
            Some(tag) if tag == seal.tag(subject, &value) => Mark::Own,
            Some(_) => Mark::Foreign,
        };
        Ok(Self { value, mark, sequence })
    }
}

pub(crate) fn decode_nimber(byte: u8) -> Result<Nimber, Malformed> {
    Nimber::new(byte.into()).map_err(|_| Malformed)
}
