//! Asking for facts.

use rocksdb::Direction;
use sprig_engine::Nimber;

use crate::bytes::Malformed;
use crate::fact::{FactRecord, land_key, land_of_key};
use crate::known::{Excluded, Known};
use crate::log::{LogRecord, log_key};
use crate::source::ProvenanceRecord;
use crate::tables::{EXCLUDED, FACTS, LOG, SOURCES};
use crate::{Provenance, Sequence, Source, Store, StoreError, StoredFact};

impl Store {
    /// The nimber of a land, if known.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn nimber(&self, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
        Ok(self.fact_record(land)?.map(|record| record.nimber))
    }

    /// The fact about a land, if there is one.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn fact(&self, land: &[u8]) -> Result<Option<StoredFact>, StoreError> {
        Ok(self.fact_record(land)?.map(|record| record.about(land)))
    }

    /// Who found the nimber of a land, if it is known.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn provenance(&self, land: &[u8]) -> Result<Option<Provenance>, StoreError> {
        self.fact_record(land)?.map(|record| self.origin(record.sequence)).transpose()
    }

    /// Values that the nimber of a land does not have, as far as is known: bit `j` set means that it is not `j`.
    /// When the nimber is known, that is all others.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn excluded(&self, land: &[u8]) -> Result<u64, StoreError> {
        Ok(self.known(land)?.excluded_values())
    }

    /// All facts, in the order of their lands' bytes, as they were when the iteration began.
    pub fn facts(&self) -> impl Iterator<Item = Result<StoredFact, StoreError>> + '_ {
        self.scan(FACTS, &[], Direction::Forward).map(|entry| {
            let (key, record) = entry?;
            let land = self.sound(FACTS, &key, land_of_key(&key))?;
            Ok(self.sound(FACTS, &key, FactRecord::decode(&record))?.about(land))
        })
    }

    /// The first `limit` facts from sequence number `from` on, in the order of their numbers. To go on, ask from one
    /// more than the last.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn facts_from(&self, from: Sequence, limit: usize) -> Result<Vec<StoredFact>, StoreError> {
        let mut facts = Vec::new();
        let before = self.scan(LOG, &log_key(from), Direction::Reverse).next().transpose()?;
        let start = before.map_or(log_key(from).into(), |(key, _)| key);
        for entry in self.scan(LOG, &start, Direction::Forward) {
            if facts.len() >= limit {
                break;
            }
            let (key, record) = entry?;
            let record = self.sound(LOG, &key, LogRecord::decode(&key, &record))?;
            for (sequence, (_, land)) in (record.first.0..).map(Sequence).zip(record.facts) {
                if sequence >= from && facts.len() < limit {
                    // The log says when it came; what it is worth by now stands in `facts`.
                    let now = self.fact_record(land)?.ok_or(Malformed);
                    facts.push(self.sound(LOG, &key, now)?.about(land));
                }
            }
        }
        Ok(facts)
    }

    /// What is known about a land.
    pub(crate) fn known(&self, land: &[u8]) -> Result<Known, StoreError> {
        let fact = self.fact_record(land)?;
        let mut known = Known { fact, ..Known::default() };
        if fact.is_none() {
            let key = land_key(land);
            if let Some(record) = self.get(EXCLUDED, &key)? {
                known.excluded = self.sound(EXCLUDED, &key, Excluded::decode(&record))?;
            }
        }
        Ok(known)
    }

    /// Who committed fact number `sequence`.
    pub(crate) fn origin(&self, sequence: Sequence) -> Result<Provenance, StoreError> {
        let key = log_key(sequence);
        let entry = self.scan(LOG, &key, Direction::Reverse).next().transpose()?;
        let (key, record) = self.sound(LOG, &key, entry.ok_or(Malformed))?;
        let record = self.sound(LOG, &key, LogRecord::decode(&key, &record))?;
        self.resolve(record.provenance)
    }

    /// A provenance with its source's number looked up.
    pub(crate) fn resolve(&self, record: ProvenanceRecord) -> Result<Provenance, StoreError> {
        let ProvenanceRecord { source, job, time } = record;
        let key = source.key();
        let found = self.get(SOURCES, &key)?.ok_or(Malformed);
        let source = found.and_then(|bytes| Source::decode(&bytes));
        Ok(Provenance { source: self.sound(SOURCES, &key, source)?, job, time })
    }

    fn fact_record(&self, land: &[u8]) -> Result<Option<FactRecord>, StoreError> {
        let key = land_key(land);
        let record = self.get(FACTS, &key)?.map(|record| FactRecord::decode(&record));
        self.sound(FACTS, &key, record.transpose())
    }
}
