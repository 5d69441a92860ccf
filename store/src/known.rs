//! What is known about one subject, and what may be added to it.

use sprig_engine::Nimber;

use crate::bytes::{Malformed, Reader, put_varint};
use crate::fact::{Sequence, Status, Value};
use crate::record::{FactRecord, Mark};
use crate::source::ProvenanceRecord;

/// Values that the nimber of a land does not have, each with the first source that said so.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Excluded(Vec<(u64, ProvenanceRecord)>);

/// What the family of a kind holds about one subject; what the family `excluded` holds if that is
/// the nimber of a land; and whether any of that has to be written again.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) fact: Option<FactRecord>,
    pub(crate) excluded: Excluded,
    pub(crate) changed: bool,
    /// What the record on disk says of whether its fact was checked; `None` if there is no record.
    pub(crate) was: Option<Mark>,
    /// Claims whose place a verified fact has taken.
    pub(crate) replaced: usize,
}

/// A claim against what is known.
pub(crate) enum Refused {
    /// The subject is known to have this value.
    Is(FactRecord),
    /// This nimber is excluded.
    IsNot(Nimber, ProvenanceRecord),
}

/// The bit of a nimber in a set of values.
pub(crate) fn bit(nimber: Nimber) -> u64 {
    1 << nimber.get()
}

/// The nimbers that a land with this value does not have.
fn excluded_by(value: &Value) -> u64 {
    if let &Value::Nimber(nimber) = value { !bit(nimber) } else { 0 }
}

impl Known {
    /// Takes in a claim of `value`. A new fact gets number `next`; for a fact that was there
    /// already, returns the number that it has. A verified fact takes the place of a mere claim
    /// that says otherwise.
    pub(crate) fn insert(
        &mut self,
        value: &Value,
        status: Status,
        next: Sequence,
    ) -> Result<Option<Sequence>, Refused> {
        let outranks = |record: &FactRecord| status > record.status();
        match &mut self.fact {
            Some(record) if record.value == *value => {
                if outranks(record) {
                    record.mark = status.into();
                    self.changed = true;
                }
                return Ok(Some(record.sequence));
            }
            Some(record) if outranks(record) => self.replaced += 1,
            Some(record) => return Err(Refused::Is(record.clone())),
            None => {
                // Excluded values are always claims.
                if let &Value::Nimber(nimber) = value
                    && status == Status::Claimed
                    && let Some(provenance) = self.excluded.origin(nimber)
                {
                    return Err(Refused::IsNot(nimber, provenance));
                }
            }
        }
        self.fact = Some(FactRecord { value: value.clone(), mark: status.into(), sequence: next });
        self.changed = true;
        Ok(None)
    }

    /// Takes in a claim that the nimber is none of `values`.
    pub(crate) fn exclude(
        &mut self,
        values: u64,
        status: Status,
        provenance: ProvenanceRecord,
    ) -> Result<(), Refused> {
        match &self.fact {
            Some(record) if values & !excluded_by(&record.value) != 0 => {
                if status <= record.status() {
                    return Err(Refused::Is(record.clone()));
                }
                self.fact = None;
                self.replaced += 1;
                self.changed = true;
                self.excluded.add(values, provenance);
                Ok(())
            }
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
        self.fact.as_ref().map_or(self.excluded.values(), |record| excluded_by(&record.value))
    }
}

impl Excluded {
    pub(crate) fn values(&self) -> u64 {
        self.0.iter().fold(0, |all, (values, _)| all | values)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what is new of `values`. Returns whether anything was new.
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
