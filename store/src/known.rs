//! What is known about one land, and what may be added to it.

use sprig_engine::Nimber;

use crate::bytes::{Malformed, Reader, put_varint};
use crate::fact::{FactRecord, Sequence, Status};
use crate::source::ProvenanceRecord;

/// Values that the nimber of a land does not have, each with the first source that said so.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Excluded(Vec<(u64, ProvenanceRecord)>);

/// What families `facts` and `excluded` hold about one land, and whether that has to be written again.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) fact: Option<FactRecord>,
    pub(crate) excluded: Excluded,
    pub(crate) changed: bool,
}

/// A claim against what is known.
pub(crate) enum Refused {
    /// The nimber is known, and is this.
    Is(FactRecord),
    /// This value is excluded.
    IsNot(Nimber, ProvenanceRecord),
}

/// The bit of a nimber in a set of values.
pub(crate) fn bit(nimber: Nimber) -> u64 {
    1 << nimber.get()
}

impl Known {
    /// Takes in a claim that the nimber is `nimber`. Says whether that is new; if so, the fact gets number `next`.
    pub(crate) fn insert(
        &mut self,
        nimber: Nimber,
        status: Status,
        next: Sequence,
    ) -> Result<bool, Refused> {
        if let Some(record) = &mut self.fact {
            if record.nimber != nimber {
                return Err(Refused::Is(*record));
            }
            self.changed |= status > record.status;
            record.status = status.max(record.status);
            return Ok(false);
        }
        if let Some(provenance) = self.excluded.origin(nimber) {
            return Err(Refused::IsNot(nimber, provenance));
        }
        self.fact = Some(FactRecord { nimber, status, sequence: next });
        self.changed = true;
        Ok(true)
    }

    /// Takes in a claim that the nimber is none of `values`.
    pub(crate) fn exclude(
        &mut self,
        values: u64,
        provenance: ProvenanceRecord,
    ) -> Result<(), Refused> {
        match self.fact {
            Some(record) if values & bit(record.nimber) != 0 => Err(Refused::Is(record)),
            // A known nimber excludes all other values.
            Some(_) => Ok(()),
            None => {
                self.changed |= self.excluded.add(values, provenance);
                Ok(())
            }
        }
    }

    /// Every value the nimber does not have, as far as is known.
    pub(crate) fn excluded_values(&self) -> u64 {
        self.fact.map_or(self.excluded.values(), |record| !bit(record.nimber))
    }
}

impl Excluded {
    pub(crate) fn values(&self) -> u64 {
        self.0.iter().fold(0, |all, (values, _)| all | values)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what is new of `values`; says whether anything was.
    fn add(&mut self, values: u64, provenance: ProvenanceRecord) -> bool {
        let fresh = values & !self.values();
        if fresh != 0 {
            self.0.push((fresh, provenance));
        }
        fresh != 0
    }

    fn origin(&self, nimber: Nimber) -> Option<ProvenanceRecord> {
        self.0
            .iter()
            .find(|(values, _)| values & bit(nimber) != 0)
            .map(|(_, provenance)| *provenance)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (values, provenance) in &self.0 {
            put_varint(&mut out, *values);
            provenance.encode(&mut out);
        }
        out
    }

    pub(crate) fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        let mut entries = Vec::new();
        while !reader.is_empty() {
            entries.push((reader.varint()?, ProvenanceRecord::decode(&mut reader)?));
        }
        Ok(Self(entries))
    }
}
