//! The log of facts: which came when, and from whom.
//!
//! One record holds consecutive facts of one kind and one source. Its key is the sequence number of
//! the first. What the facts say stands in the family of their kind.

use sprig_domain::Game;

use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::fact::{Kind, Sequence};
use crate::record::{game, game_byte};
use crate::source::ProvenanceRecord;

/// Layout of a log record; the first byte of each.
const LAYOUT: u8 = 2;

/// Facts in one record. More would save little space, and a look-up of one of them reads all of
/// them.
pub(crate) const RECORD_FACTS: usize = 128;

/// A number of facts that will never be reached.
const OUT_OF_REACH: u64 = 1 << 60;

/// How many facts of each kind there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts([u64; Kind::ALL.len()]);

impl Counts {
    /// Facts of one kind.
    #[must_use]
    pub fn of(self, kind: Kind) -> u64 {
        self.0[kind as usize]
    }

    /// Facts of all kinds.
    #[must_use]
    pub fn total(self) -> u64 {
        self.0.iter().sum()
    }

    /// The number of the next fact.
    pub(crate) fn next(self) -> Sequence {
        Sequence(self.total())
    }

    pub(crate) fn add(&mut self, kind: Kind, facts: usize) {
        self.0[kind as usize] += facts as u64;
    }

    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|&count| put_varint(out, count));
    }

    /// Reads one count for each kind. A count that no machine can reach is damaged or forged, and
    /// the next number would wrap.
    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut counts = Self::default();
        for count in &mut counts.0 {
            *count = reader.varint()?;
        }
        let total = counts.0.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        total.filter(|&total| total < OUT_OF_REACH).map(|_| counts).ok_or(Malformed)
    }

    /// These counts less `those`; zero where `those` are more.
    pub(crate) fn without(self, those: Self) -> Self {
        Self(std::array::from_fn(|kind| self.0[kind].saturating_sub(those.0[kind])))
    }
}

/// The key of the record that begins with fact number `first`.
pub(crate) fn log_key(first: Sequence) -> [u8; 8] {
    first.0.to_be_bytes()
}

/// Four bits of a byte.
const NIBBLE: u8 = 4;

/// A kind in a game: the kind in the low half; in the high half the byte of the game, less that of
/// Sprouts.
fn kind_byte(kind: Kind, game: Game) -> u8 {
    kind as u8 | (game_byte(kind.game(game)) - game_byte(Game::Sprouts)) << NIBBLE
}

fn kind_and_game(byte: u8) -> Result<(Kind, Game), Malformed> {
    let kind = *Kind::ALL.get(usize::from(byte & 0xf)).ok_or(Malformed)?;
    let game = game((byte >> NIBBLE) + game_byte(Game::Sprouts))?;
    if kind.game(game) == game { Ok((kind, game)) } else { Err(Malformed) }
}

/// A record, decoded.
pub(crate) struct LogRecord<'a> {
    pub(crate) kind: Kind,
    pub(crate) game: Game,
    pub(crate) provenance: ProvenanceRecord,
    /// How many facts of each kind came before. Their sum is the number of the first fact.
    pub(crate) before: Counts,
    pub(crate) subjects: Vec<&'a [u8]>,
}

impl<'a> LogRecord<'a> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![LAYOUT, kind_byte(self.kind, self.game)];
        self.provenance.encode(&mut out);
        self.before.encode(&mut out);
        self.subjects.iter().for_each(|subject| put_bytes(&mut out, subject));
        out
    }

    pub(crate) fn decode(key: &[u8], record: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        if reader.byte()? != LAYOUT {
            return Err(Malformed);
        }
        let (kind, game) = kind_and_game(reader.byte()?)?;
        let provenance = ProvenanceRecord::decode(&mut reader)?;
        let before = Counts::decode(&mut reader)?;
        let mut subjects = Vec::new();
        while !reader.is_empty() {
            subjects.push(reader.bytes()?);
        }
        let record = Self { kind, game, provenance, before, subjects };
        if key == log_key(record.first()) { Ok(record) } else { Err(Malformed) }
    }

    /// The number of the first fact.
    pub(crate) fn first(&self) -> Sequence {
        self.before.next()
    }

    /// The subjects with the numbers of their facts.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (Sequence, &'a [u8])> + '_ {
        (self.first().0..).map(Sequence).zip(self.subjects.iter().copied())
    }

    /// How many facts there are up to the end of the record.
    pub(crate) fn after(&self) -> Counts {
        let mut after = self.before;
        after.add(self.kind, self.subjects.len());
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_counts_are_malformed() {
        let record = |count: u64| {
            let mut out = vec![LAYOUT, Kind::Nimber as u8, 1, 0, 0];
            [count, count, 0, 0].iter().for_each(|&count| put_varint(&mut out, count));
            put_bytes(&mut out, b"land");
            out
        };
        let decoded = |count: u64| {
            let record = record(count);
            LogRecord::decode(&log_key(Sequence(count.wrapping_mul(2))), &record).is_ok()
        };
        assert!(decoded(7));
        assert!(decoded((OUT_OF_REACH >> 1) - 1));
        assert!(!decoded(OUT_OF_REACH >> 1));
        assert!(!decoded(u64::MAX / 2 + 1));
        assert!(!decoded(u64::MAX));
    }
}
