//! Facts: the nimbers of lands, as families `facts` and `log` hold them.

use std::fmt;

use sprig_engine::Nimber;

use crate::bytes::{Malformed, Reader, put_varint};

/// What the keys of `facts` and `excluded` begin with: the game, the play and the surface.
pub(crate) const RULES: [u8; 3] = [SPROUTS, NORMAL_PLAY, SPHERE];
const SPROUTS: u8 = 1;
const NORMAL_PLAY: u8 = 0;
const SPHERE: u8 = 0;

const NIMBER_BITS: u8 = 0b0011_1111;
const VERIFIED_BIT: u8 = 0b0100_0000;
const _: () = assert!(Nimber::LIMIT as usize == NIMBER_BITS as usize + 1, "a nimber has six bits");

/// Place of a fact in the order in which facts were committed: 0 for the first, without gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Sequence(pub u64);

/// How far a fact can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// A worker says so.
    Claimed,
    /// Its step of the proof was checked against verified facts.
    Verified,
}

/// The nimber of a land. The couple (land, nimber) is lost.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fact {
    /// Canonical bytes of the land.
    pub land: Box<[u8]>,
    /// Its nimber.
    pub nimber: Nimber,
    /// Whether it was checked.
    pub status: Status,
}

/// A fact and its place in the order of commits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StoredFact {
    /// Its place.
    pub sequence: Sequence,
    /// The fact, with the status it has by now.
    pub fact: Fact,
}

/// The value of a land in family `facts`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FactRecord {
    pub(crate) nimber: Nimber,
    pub(crate) status: Status,
    pub(crate) sequence: Sequence,
}

impl FactRecord {
    /// The fact about `land` that this is the record of.
    pub(crate) fn about(self, land: &[u8]) -> StoredFact {
        let Self { nimber, status, sequence } = self;
        StoredFact { sequence, fact: Fact { land: land.into(), nimber, status } }
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        let verified = if self.status == Status::Verified { VERIFIED_BIT } else { 0 };
        let mut out = vec![self.nimber.get() | verified];
        put_varint(&mut out, self.sequence.0);
        out
    }

    pub(crate) fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        let tag = reader.byte()?;
        let status = if tag & VERIFIED_BIT == 0 { Status::Claimed } else { Status::Verified };
        let nimber = decode_nimber(tag & !VERIFIED_BIT)?;
        let sequence = Sequence(reader.varint()?);
        reader.end()?;
        Ok(Self { nimber, status, sequence })
    }
}

pub(crate) fn decode_nimber(byte: u8) -> Result<Nimber, Malformed> {
    Nimber::new(byte.into()).map_err(|_| Malformed)
}

/// The key of a land in `facts` and `excluded`.
pub(crate) fn land_key(land: &[u8]) -> Vec<u8> {
    [&RULES[..], land].concat()
}

/// The land of a key.
pub(crate) fn land_of_key(key: &[u8]) -> Result<&[u8], Malformed> {
    key.strip_prefix(&RULES).ok_or(Malformed)
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
