//! The log of facts: which came when, and from whom.
//!
//! One record holds consecutive facts of one source. Its key is the sequence number of the first.

use sprig_engine::Nimber;

use crate::bytes::{Malformed, Reader, put_bytes};
use crate::fact::{RULES, Sequence, decode_nimber};
use crate::source::ProvenanceRecord;

/// Layout of a log record; the first byte of each.
const LAYOUT: u8 = 1;

/// Facts in one record. More would save little space; whoever asks for one of them reads them all.
pub(crate) const RECORD_FACTS: usize = 128;

/// The key of the record that begins with fact number `first`.
pub(crate) fn log_key(first: Sequence) -> [u8; 8] {
    first.0.to_be_bytes()
}

/// A record, decoded.
pub(crate) struct LogRecord<'a> {
    pub(crate) first: Sequence,
    pub(crate) provenance: ProvenanceRecord,
    pub(crate) facts: Vec<(Nimber, &'a [u8])>,
}

impl<'a> LogRecord<'a> {
    pub(crate) fn encode(provenance: ProvenanceRecord, facts: &[(Nimber, &[u8])]) -> Vec<u8> {
        let mut out = vec![LAYOUT];
        out.extend(RULES);
        provenance.encode(&mut out);
        for (nimber, land) in facts {
            out.push(nimber.get());
            put_bytes(&mut out, land);
        }
        out
    }

    pub(crate) fn decode(key: &[u8], record: &'a [u8]) -> Result<Self, Malformed> {
        let first = Sequence(u64::from_be_bytes(key.try_into().map_err(|_| Malformed)?));
        let mut reader = Reader::new(record);
        if reader.byte()? != LAYOUT || reader.array()? != RULES {
            return Err(Malformed);
        }
        let provenance = ProvenanceRecord::decode(&mut reader)?;
        let mut facts = Vec::new();
        while !reader.is_empty() {
            facts.push((decode_nimber(reader.byte()?)?, reader.bytes()?));
        }
        Ok(Self { first, provenance, facts })
    }

    /// The number after that of the last fact.
    pub(crate) fn end(&self) -> Sequence {
        Sequence(self.first.0 + self.facts.len() as u64)
    }
}
