//! Asking for facts.

use rocksdb::Direction;
use sprig_domain::{Game, TreeKey};
use sprig_engine::Nimber;

use crate::bytes::Malformed;
use crate::fact::{Kind, Status, Value};
use crate::known::{Excluded, Known};
use crate::log::{LogRecord, log_key};
use crate::record::FactRecord;
use crate::source::ProvenanceRecord;
use crate::tables::{EXCLUDED, LOG, SOURCES};
use crate::{Counts, Exclusion, Provenance, Reader, Sequence, Source, StoreError, StoredFact};

impl Reader {
    /// The nimber of a land, if known.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn nimber(&self, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
        let record = self.fact_record(Kind::Nimber, land)?;
        Ok(record
            .and_then(|r| if let Value::Nimber(nimber) = r.value { Some(nimber) } else { None }))
    }

    /// The nimber of a land, if it is verified.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn verified_nimber(&self, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
        let value = self.verified(Kind::Nimber, land)?;
        Ok(value.and_then(|v| if let Value::Nimber(nimber) = v { Some(nimber) } else { None }))
    }

    /// What the verified fact of this kind says about a subject, if there is one.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn verified(&self, kind: Kind, subject: &[u8]) -> Result<Option<Value>, StoreError> {
        let record = self.fact_record(kind, subject)?;
        let verified = record.filter(|record| record.status() == Status::Verified);
        Ok(verified.map(|record| record.value))
    }

    /// The options of the RCT without factor 1 that has this key, sorted, if known.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn options(&self, tree: TreeKey) -> Result<Option<Box<[TreeKey]>>, StoreError> {
        let record = self.fact_record(Kind::Tree, tree.as_bytes())?;
        Ok(record.and_then(|r| if let Value::Options(keys) = r.value { Some(keys) } else { None }))
    }

    /// The RCT of a land, if known.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn rct(&self, land: &[u8]) -> Result<Option<TreeKey>, StoreError> {
        let record = self.fact_record(Kind::Rct, land)?;
        Ok(record.and_then(|r| if let Value::Rct(tree) = r.value { Some(tree) } else { None }))
    }

    /// Whether the node with these bytes is known to be lost in misère play.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn is_lost(&self, node: &[u8]) -> Result<bool, StoreError> {
        Ok(self.fact_record(Kind::Loss, node)?.is_some())
    }

    /// The fact of this kind about a subject, if there is one. [`crate::Fact::subject`] says what
    /// the bytes are.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn fact(&self, kind: Kind, subject: &[u8]) -> Result<Option<StoredFact>, StoreError> {
        Ok(self
            .fact_record(kind, subject)?
            .map(|record| record.about(kind.game(self.game), subject)))
    }

    /// Who found the fact of this kind about a subject, if there is such a fact.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn provenance(&self, kind: Kind, subject: &[u8]) -> Result<Option<Provenance>, StoreError> {
        self.fact_record(kind, subject)?.map(|record| self.origin(record.sequence)).transpose()
    }

    /// Values that the nimber of a land does not have, as far as is known: bit `j` set means that
    /// it is not `j`. When the nimber is known, these are all other values.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn excluded(&self, land: &[u8]) -> Result<u64, StoreError> {
        Ok(self.known(Kind::Nimber, self.game, land)?.excluded_values())
    }

    /// How many facts of each kind have ever been stored. The log still counts those that were
    /// withdrawn.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn counts(&self) -> Result<Counts, StoreError> {
        let last = self.scan(LOG, &[0xff; 8], Direction::Reverse).next().transpose()?;
        last.map_or(Ok(Counts::default()), |(key, record)| {
            Ok(self.sound(LOG, &key, LogRecord::decode(&key, &record))?.after())
        })
    }

    /// All facts of a kind in the game, in the order of their subjects' bytes, as they were when
    /// the iteration began.
    pub fn facts(&self, kind: Kind) -> impl Iterator<Item = Result<StoredFact, StoreError>> + '_ {
        self.facts_at(kind, &kind.rules(self.game))
    }

    /// The facts of a kind from this key on.
    pub(crate) fn facts_at<'a>(
        &'a self,
        kind: Kind,
        key: &[u8],
    ) -> impl Iterator<Item = Result<StoredFact, StoreError>> + use<'a> {
        let (family, rules) = (kind.family(), kind.rules(self.game));
        let entries = self.scan(family, key, Direction::Forward);
        let ours = move |entry: &Result<(Box<[u8]>, _), _>| {
            entry.as_ref().map_or(true, |(key, _)| key.starts_with(&rules))
        };
        entries.take_while(ours).map(move |entry| {
            let (key, record) = entry?;
            let (game, subject) = self.sound(family, &key, kind.subject(&key))?;
            let record = FactRecord::decode(kind, game, subject, &record, &self.open.seal);
            Ok(self.sound(family, &key, record)?.about(game, subject))
        })
    }

    /// All won couples of lands of the game whose nimber is not known, in the order of the lands'
    /// bytes.
    pub fn exclusions(&self) -> impl Iterator<Item = Result<Exclusion, StoreError>> + '_ {
        let rules = Kind::Nimber.rules(self.game);
        let entries = self.scan(EXCLUDED, &rules, Direction::Forward);
        let ours = move |entry: &Result<(Box<[u8]>, _), _>| {
            entry.as_ref().map_or(true, |(key, _)| key.starts_with(&rules))
        };
        entries.take_while(ours).map(|entry| {
            let (key, record) = entry?;
            let (game, land) = self.sound(EXCLUDED, &key, Kind::Nimber.subject(&key))?;
            let values = self.sound(EXCLUDED, &key, Excluded::decode(&record))?.values();
            Ok(Exclusion { game, land: land.into(), values, status: Status::Claimed })
        })
    }

    /// The first `limit` facts from sequence number `from` on, in the order of their numbers. To go
    /// on, ask again from one more than the last number.
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
            for (sequence, subject) in record.numbered() {
                if sequence >= from && facts.len() < limit {
                    facts.extend(self.logged(record.kind, record.game, sequence, subject)?);
                }
            }
        }
        Ok(facts)
    }

    /// All facts in the order of their numbers, in groups of one kind that came from one source
    /// together.
    pub fn groups(
        &self,
    ) -> impl Iterator<Item = Result<(Provenance, Vec<StoredFact>), StoreError>> + '_ {
        self.scan(LOG, &[], Direction::Forward).map(|entry| {
            let (key, record) = entry?;
            let record = self.sound(LOG, &key, LogRecord::decode(&key, &record))?;
            let mut facts = Vec::with_capacity(record.subjects.len());
            for (sequence, subject) in record.numbered() {
                facts.extend(self.logged(record.kind, record.game, sequence, subject)?);
            }
            Ok((self.resolve(record.provenance)?, facts))
        })
    }

    /// The fact about a subject that came as number `sequence`, if it still stands. The log says
    /// when it came. Its present status stands in the family of its kind.
    fn logged(
        &self,
        kind: Kind,
        game: Game,
        sequence: Sequence,
        subject: &[u8],
    ) -> Result<Option<StoredFact>, StoreError> {
        let now = self.record_of(kind, game, subject)?.filter(|now| now.sequence == sequence);
        Ok(now.map(|now| now.about(game, subject)))
    }

    /// What is known about a subject in a game.
    pub(crate) fn known(
        &self,
        kind: Kind,
        game: Game,
        subject: &[u8],
    ) -> Result<Known, StoreError> {
        let fact = self.record_of(kind, game, subject)?;
        let was = fact.as_ref().map(|fact| fact.mark);
        let mut known = Known { fact, was, ..Known::default() };
        if known.fact.is_none() && kind == Kind::Nimber {
            let key = kind.key(game, subject);
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

    /// A provenance, with its source looked up by its number.
    pub(crate) fn resolve(&self, record: ProvenanceRecord) -> Result<Provenance, StoreError> {
        let ProvenanceRecord { source, job, time } = record;
        let key = source.key();
        let found = self.get(SOURCES, &key)?.ok_or(Malformed);
        let source = found.and_then(|bytes| Source::decode(&bytes));
        Ok(Provenance { source: self.sound(SOURCES, &key, source)?, job, time })
    }

    pub(crate) fn fact_record(
        &self,
        kind: Kind,
        subject: &[u8],
    ) -> Result<Option<FactRecord>, StoreError> {
        self.record_of(kind, self.game, subject)
    }

    /// The record of the fact about a subject in a game.
    pub(crate) fn record_of(
        &self,
        kind: Kind,
        game: Game,
        subject: &[u8],
    ) -> Result<Option<FactRecord>, StoreError> {
        let (family, key) = (kind.family(), kind.key(game, subject));
        let record = self.get(family, &key)?;
        let seal = &self.open.seal;
        let record = record.map(|record| FactRecord::decode(kind, game, subject, &record, seal));
        self.sound(family, &key, record.transpose())
    }
}
