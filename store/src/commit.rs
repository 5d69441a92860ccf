//! Commits: a batch is checked against what is known, then written in one piece.

use std::collections::hash_map::Entry;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use rocksdb::WriteBatch;
use rustc_hash::FxHashMap;
use sprig_domain::{Game, JobId};

use crate::history::event_key;
use crate::job::{goal_key, job_key};
use crate::known::{Known, Refused};
use crate::log::{Counts, LogRecord, RECORD_FACTS, log_key};
use crate::record::Mark;
use crate::seal::Seal;
use crate::source::{ProvenanceRecord, SourceId, Sources};
use crate::store::{Store, Writer};
use crate::tables::{EXCLUDED, HISTORY, JOBS, LOG, SOURCES};
use crate::tally::Tally;
use crate::terms::{self, terms_key};
use crate::wishes::{self, wishes_key};
use crate::{
    Assertion, Batch, Claim, Committed, Contradiction, Contribution, Event, Exclusion, Fact, Job,
    Kind, Provenance, Sequence, Source, StoreError, Subject, Taken, Value,
};

impl Store {
    /// Writes `batch`, all of it or nothing, and returns when it is on disk. Blocks for as long as
    /// the disk takes.
    ///
    /// A fact that is known already changes nothing, except that it may become verified. A verified
    /// fact takes the place of a mere claim that says otherwise. The log keeps both.
    ///
    /// # Errors
    /// [`StoreError::Contradiction`] when the batch contradicts the database or itself: nothing was
    /// written, and the store goes on. After a failed write the store takes no more batches.
    pub fn commit(&self, batch: &Batch) -> Result<Committed, StoreError> {
        // A thread that panicked here had not changed the writer yet: that happens only after the
        // write.
        let mut writer = self.core.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed {
            return Err(StoreError::Closed { dir: self.dir().into() });
        }
        let mut draft = Draft::of(self, &writer, batch)?;
        let mut write = WriteBatch::default();
        let tally = draft.put_facts(writer.tally, &self.open.seal, &mut write);
        tally.put(writer.tally, self, &mut write);
        self.put_jobs(&mut write, &batch.jobs)?;
        self.put_events(&mut write, &batch.events)?;
        self.put(&mut writer, write)?;
        let committed = draft.committed(writer.counts);
        writer.counts = draft.counts;
        writer.tally = tally;
        let new_sources = draft.new_sources;
        new_sources.into_iter().for_each(|(source, id)| writer.sources.insert(source.clone(), id));
        self.core.gone.store(tally.gone.total(), Ordering::Release);
        self.core.committed.store(committed.facts.end.0, Ordering::Release);
        self.note(writer.counts);
        Ok(committed)
    }

    fn put_jobs(&self, write: &mut WriteBatch, jobs: &[Job]) -> Result<(), StoreError> {
        for job in jobs {
            let key = job_key(job.id);
            // Written only once: an old job that changes must not hide a newer one with the same
            // goal.
            if self.get(JOBS, &key)?.is_none() {
                write.put_cf(self.family(JOBS), goal_key(&job.goal), job.id.0.to_be_bytes());
            }
            write.put_cf(self.family(JOBS), key, job.encode());
            let terms = terms_key(job.id);
            if terms::are_told(job) || self.get(JOBS, &terms)?.is_some() {
                write.put_cf(self.family(JOBS), terms, terms::encode(job));
            }
            if !job.wishes.is_empty() {
                write.put_cf(self.family(JOBS), wishes_key(job.id), wishes::encode(job));
            }
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

/// A subject in a game, and the kind of fact about it.
type Subjected<'a> = (Kind, Game, &'a [u8]);

/// The facts of a batch, checked, and what will be known of the subjects of the batch.
struct Draft<'a> {
    store: &'a Store,
    contributions: Vec<Checked<'a>>,
    subjects: FxHashMap<Subjected<'a>, Known>,
    new_sources: FxHashMap<&'a Source, SourceId>,
    /// How many facts there will be when the batch is stored.
    counts: Counts,
}

/// A contribution, and what is new of it.
struct Checked<'a> {
    provenance: &'a Provenance,
    record: ProvenanceRecord,
    before: Counts,
    facts: Vec<Subjected<'a>>,
    /// Facts of it that are not new.
    known: Vec<Sequence>,
}

impl<'a> Draft<'a> {
    fn of(store: &'a Store, writer: &Writer, batch: &'a Batch) -> Result<Self, StoreError> {
        let mut draft = Self {
            store,
            contributions: Vec::new(),
            subjects: FxHashMap::default(),
            new_sources: FxHashMap::default(),
            counts: writer.counts,
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
        let (before, facts, known) = (self.counts, Vec::new(), Vec::new());
        self.contributions.push(Checked { provenance, record, before, facts, known });
        for fact in &new.facts {
            self.take_in_fact(fact, provenance)?;
        }
        for exclusion in &new.exclusions {
            let land = &exclusion.land;
            if land.is_empty() {
                return Err(flawed("nothing that it is about".into(), provenance));
            }
            let Exclusion { game, values, status, .. } = *exclusion;
            let added = self.known((Kind::Nimber, game, land))?.exclude(values, status, record);
            added.or_else(|known| {
                let Refused::Is(fact) = &known else { unreachable!("only a fact refuses") };
                let claimed = Assertion::IsNot(fact.value.clone());
                self.refuse((Kind::Nimber, game, land), known, claimed, provenance)
            })?;
        }
        Ok(())
    }

    fn take_in_fact(&mut self, fact: &'a Fact, from: &Provenance) -> Result<(), StoreError> {
        if let Some(flaw) = fact.flaw() {
            return Err(flawed(flaw, from));
        }
        let Fact { game, subject, value, status } = fact;
        let (kind, next) = (value.kind(), self.counts.next());
        let about = (kind, kind.game(*game), &**subject);
        let inserted = self.known(about)?.insert(value, *status, next);
        let inserted = inserted
            .or_else(|known| self.refuse(about, known, Assertion::Is(value.clone()), from))?;
        let checked = self.contributions.last_mut().expect("pushed by the caller");
        match inserted {
            None => {
                self.counts.add(kind, 1);
                checked.facts.push(about);
            }
            Some(sequence) => checked.known.push(sequence),
        }
        Ok(())
    }

    fn intern(&mut self, sources: &Sources, source: &'a Source) -> SourceId {
        sources.get(source).unwrap_or_else(|| {
            let id = SourceId(sources.next().0 + self.new_sources.len() as u32);
            *self.new_sources.entry(source).or_insert(id)
        })
    }

    fn known(&mut self, about: Subjected<'a>) -> Result<&mut Known, StoreError> {
        let (kind, game, subject) = about;
        match self.subjects.entry(about) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(self.store.known(kind, game, subject)?)),
        }
    }

    /// The error for a claim that contradicts what is known.
    fn refuse<T>(
        &self,
        (kind, game, subject): Subjected<'_>,
        known: Refused,
        claimed: Assertion,
        from: &Provenance,
    ) -> Result<T, StoreError> {
        let known = match known {
            Refused::Is(fact) => {
                let origin = self.origin(fact.sequence)?;
                Claim { assertion: Assertion::Is(fact.value), origin }
            }
            Refused::IsNot(nimber, record) => {
                let origin = self.resolve(record)?;
                Claim { assertion: Assertion::IsNot(Value::Nimber(nimber)), origin }
            }
        };
        let claimed = Claim { assertion: claimed, origin: from.clone() };
        let subject = subject.into();
        Err(StoreError::Contradiction(Box::new(Contradiction {
            kind,
            game,
            subject,
            known,
            claimed,
        })))
    }

    /// The provenance of fact number `sequence`, which may be one of this batch.
    fn origin(&self, sequence: Sequence) -> Result<Provenance, StoreError> {
        let in_batch = self.contributions.iter().rfind(|c| c.before.next() <= sequence);
        in_batch.map_or_else(|| self.store.origin(sequence), |c| Ok(c.provenance.clone()))
    }

    fn resolve(&self, record: ProvenanceRecord) -> Result<Provenance, StoreError> {
        let in_batch = self.contributions.iter().find(|c| c.record == record);
        in_batch.map_or_else(|| self.store.resolve(record), |c| Ok(c.provenance.clone()))
    }

    /// What is on disk once the batch is written.
    fn committed(&mut self, before: Counts) -> Committed {
        let mut ends: Vec<Sequence> =
            self.contributions.iter().skip(1).map(|next| next.before.next()).collect();
        ends.push(self.counts.next());
        let contributions = self.contributions.iter_mut().zip(ends);
        let contributions = contributions.map(|(checked, end)| Taken {
            new: checked.before.next()..end,
            known: std::mem::take(&mut checked.known),
        });
        let contributions = contributions.collect();
        Committed { facts: before.next()..self.counts.next(), contributions }
    }

    /// Writes these facts. Returns the tally that results.
    fn put_facts(&self, mut tally: Tally, seal: &Seal, write: &mut WriteBatch) -> Tally {
        let store = self.store;
        for (source, id) in &self.new_sources {
            write.put_cf(store.family(SOURCES), id.key(), source.encode());
        }
        for ((kind, game, subject), known) in
            self.subjects.iter().filter(|(_, known)| known.changed)
        {
            let key = kind.key(*game, subject);
            match &known.fact {
                Some(fact) => {
                    let record = fact.encode(*game, subject, seal);
                    write.put_cf(store.family(kind.family()), &key, record);
                }
                None => {
                    if known.was.is_some() {
                        write.delete_cf(store.family(kind.family()), &key);
                    }
                    write.put_cf(store.family(EXCLUDED), &key, known.excluded.encode());
                }
            }
            let seals = |mark: Option<Mark>| mark == Some(Mark::Own);
            let sealed = seals(known.fact.as_ref().map(|fact| fact.mark)) && !seals(known.was);
            tally.add(*kind, sealed, known.replaced);
            if known.replaced > 0 {
                let subject = Subject(*kind, subject);
                tracing::warn!(
                    "what was proved of {subject} takes the place of a claim that is false"
                );
            }
            if known.fact.is_some() && !known.excluded.is_empty() {
                write.delete_cf(store.family(EXCLUDED), &key);
            }
        }
        self.contributions.iter().for_each(|checked| self.put_log(write, checked));
        tally
    }

    fn put_log(&self, write: &mut WriteBatch, checked: &Checked<'_>) {
        let mut before = checked.before;
        for facts in checked.facts.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for facts in facts.chunks(RECORD_FACTS) {
                let (kind, game, _) = facts[0];
                let subjects = facts.iter().map(|(.., subject)| *subject).collect();
                let provenance = checked.record;
                let record = LogRecord { kind, game, provenance, before, subjects };
                write.put_cf(self.store.family(LOG), log_key(record.first()), record.encode());
                before = record.after();
            }
        }
    }
}

fn flawed(flaw: String, from: &Provenance) -> StoreError {
    StoreError::Flawed { flaw, origin: from.to_string() }
}
