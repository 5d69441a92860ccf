//! Commits: a batch is checked against what is known, then written in one piece.

use std::collections::hash_map::Entry;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use rocksdb::WriteBatch;
use rustc_hash::FxHashMap;
use sprig_engine::Nimber;

use crate::fact::land_key;
use crate::history::event_key;
use crate::job::{goal_key, job_key};
use crate::known::{Known, Refused};
use crate::log::{LogRecord, RECORD_FACTS, log_key};
use crate::source::{ProvenanceRecord, SourceId, Sources};
use crate::store::{Store, Writer};
use crate::tables::{EXCLUDED, FACTS, HISTORY, JOBS, LOG, SOURCES};
use crate::{
    Batch, Claim, Committed, Contradiction, Contribution, Event, Job, JobId, Provenance, Sequence,
    Source, StoreError, Value,
};

impl Store {
    /// Writes `batch`, all of it or nothing, and returns when it is on disk. Blocks for as long as the disk takes.
    ///
    /// A fact that is known already changes nothing, except that it may become verified.
    ///
    /// # Errors
    /// [`StoreError::Contradiction`] when the batch contradicts the database or itself: nothing was written, and the
    /// store goes on. After a failed write the store takes no more batches.
    pub fn commit(&self, batch: &Batch) -> Result<Committed, StoreError> {
        // A thread that panicked here had not changed the writer yet: that happens only after the write.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed {
            return Err(StoreError::Closed { dir: self.dir().into() });
        }
        let draft = Draft::of(self, &writer, batch)?;
        let mut write = WriteBatch::default();
        draft.put_facts(&mut write);
        self.put_jobs(&mut write, &batch.jobs)?;
        self.put_events(&mut write, &batch.events)?;
        if !write.is_empty() {
            self.db.write_opt(write, &self.write).map_err(|e| {
                writer.failed = true;
                self.failed(&e)
            })?;
        }
        let committed = Committed { facts: writer.next..draft.next };
        let new_sources = draft.new_sources;
        writer.next = committed.facts.end;
        new_sources.into_iter().for_each(|(source, id)| writer.sources.insert(source.clone(), id));
        self.committed.store(writer.next.0, Ordering::Release);
        Ok(committed)
    }

    fn put_jobs(&self, write: &mut WriteBatch, jobs: &[Job]) -> Result<(), StoreError> {
        for job in jobs {
            let key = job_key(job.id);
            // Once only: an old job that changes shall not hide a newer one with its goal.
            if self.get(JOBS, &key)?.is_none() {
                write.put_cf(self.family(JOBS), goal_key(&job.goal), job.id.0.to_be_bytes());
            }
            write.put_cf(self.family(JOBS), key, job.encode());
        }
        Ok(())
    }

    fn put_events(
        &self,
        write: &mut WriteBatch,
        events: &[(JobId, Event)],
    ) -> Result<(), StoreError> {
        let mut numbers = FxHashMap::default();
        for (job, event) in events {
            let number = match numbers.entry(*job) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(self.next_event(*job)?),
            };
            write.put_cf(self.family(HISTORY), event_key(*job, *number), event.encode());
            *number += 1;
        }
        Ok(())
    }
}

/// The facts of a batch, checked, and what the lands of the batch will be known by.
struct Draft<'a> {
    store: &'a Store,
    contributions: Vec<Checked<'a>>,
    lands: FxHashMap<&'a [u8], Known>,
    new_sources: FxHashMap<&'a Source, SourceId>,
    /// The number of the next new fact.
    next: Sequence,
}

/// A contribution and what of it is new.
struct Checked<'a> {
    provenance: &'a Provenance,
    record: ProvenanceRecord,
    first: Sequence,
    facts: Vec<(Nimber, &'a [u8])>,
}

impl<'a> Draft<'a> {
    fn of(store: &'a Store, writer: &Writer, batch: &'a Batch) -> Result<Self, StoreError> {
        let mut draft = Self {
            store,
            contributions: Vec::new(),
            lands: FxHashMap::default(),
            new_sources: FxHashMap::default(),
            next: writer.next,
        };
        for contribution in &batch.contributions {
            draft.take_in(&writer.sources, contribution)?;
        }
        Ok(draft)
    }

    fn take_in(&mut self, sources: &Sources, new: &'a Contribution) -> Result<(), StoreError> {
        let provenance = &new.provenance;
        let source = self.intern(sources, &provenance.source);
        let record = ProvenanceRecord { source, job: provenance.job, time: provenance.time };
        self.contributions.push(Checked { provenance, record, first: self.next, facts: vec![] });
        for fact in &new.facts {
            let next = self.next;
            let inserted = self.known(&fact.land)?.insert(fact.nimber, fact.status, next);
            let value = Value::Is(fact.nimber);
            if inserted.or_else(|known| self.refuse(&fact.land, known, value, provenance))? {
                self.next.0 += 1;
                let checked = self.contributions.last_mut().expect("pushed above");
                checked.facts.push((fact.nimber, &fact.land));
            }
        }
        for exclusion in &new.exclusions {
            let added = self.known(&exclusion.land)?.exclude(exclusion.values, record);
            added.or_else(|known| {
                let Refused::Is(fact) = known else { unreachable!("only a nimber refuses") };
                self.refuse(&exclusion.land, known, Value::IsNot(fact.nimber), provenance)
            })?;
        }
        Ok(())
    }

    fn intern(&mut self, sources: &Sources, source: &'a Source) -> SourceId {
        sources.get(source).unwrap_or_else(|| {
            let id = SourceId(sources.next().0 + self.new_sources.len() as u32);
            *self.new_sources.entry(source).or_insert(id)
        })
    }

    fn known(&mut self, land: &'a [u8]) -> Result<&mut Known, StoreError> {
        if land.is_empty() {
            return Err(StoreError::NoLand);
        }
        match self.lands.entry(land) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(self.store.known(land)?)),
        }
    }

    /// The error for a claim about `land` that what is known does not allow.
    fn refuse<T>(
        &self,
        land: &[u8],
        known: Refused,
        value: Value,
        provenance: &Provenance,
    ) -> Result<T, StoreError> {
        let known = match known {
            Refused::Is(fact) => {
                Claim { value: Value::Is(fact.nimber), origin: self.origin(fact.sequence)? }
            }
            Refused::IsNot(nimber, record) => {
                Claim { value: Value::IsNot(nimber), origin: self.resolve(record)? }
            }
        };
        let claimed = Claim { value, origin: provenance.clone() };
        let land = land.into();
        Err(StoreError::Contradiction(Box::new(Contradiction { land, known, claimed })))
    }

    /// Who found fact number `sequence`, which may be one of this batch.
    fn origin(&self, sequence: Sequence) -> Result<Provenance, StoreError> {
        let in_batch = self.contributions.iter().rfind(|c| c.first <= sequence);
        in_batch.map_or_else(|| self.store.origin(sequence), |c| Ok(c.provenance.clone()))
    }

    fn resolve(&self, record: ProvenanceRecord) -> Result<Provenance, StoreError> {
        let in_batch = self.contributions.iter().find(|c| c.record == record);
        in_batch.map_or_else(|| self.store.resolve(record), |c| Ok(c.provenance.clone()))
    }

    fn put_facts(&self, write: &mut WriteBatch) {
        let store = self.store;
        for (source, id) in &self.new_sources {
            write.put_cf(store.family(SOURCES), id.key(), source.encode());
        }
        for (land, known) in self.lands.iter().filter(|(_, known)| known.changed) {
            let key = land_key(land);
            match known.fact {
                Some(fact) => write.put_cf(store.family(FACTS), &key, fact.encode()),
                None => write.put_cf(store.family(EXCLUDED), &key, known.excluded.encode()),
            }
            if known.fact.is_some() && !known.excluded.is_empty() {
                write.delete_cf(store.family(EXCLUDED), &key);
            }
        }
        for Checked { record, first, facts, .. } in &self.contributions {
            for (i, facts) in facts.chunks(RECORD_FACTS).enumerate() {
                let first = Sequence(first.0 + (i * RECORD_FACTS) as u64);
                let record = LogRecord::encode(*record, facts);
                write.put_cf(store.family(LOG), log_key(first), record);
            }
        }
    }
}
