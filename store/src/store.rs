//! Opening a database and asking it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rocksdb::{DB, Direction, Env, IteratorMode, ReadOptions, WriteOptions};
use sprig_engine::Nimber;

use crate::bytes::Malformed;
use crate::fact::{FactRecord, land_key, land_of_key};
use crate::history::{event_key, parse_event_key};
use crate::job::{goal_key, job_key, parse_job_key};
use crate::known::{Excluded, Known};
use crate::log::{LogRecord, log_key};
use crate::source::{ProvenanceRecord, Sources};
use crate::tables::{self, EXCLUDED, FACTS, HISTORY, JOBS, LOG, SOURCES};
use crate::{Event, Fact, Goal, Job, JobId, Provenance, Sequence, Source, StoreError, StoredFact};

/// Key and value of a record.
type Entry = (Box<[u8]>, Box<[u8]>);

/// A database that this process has open. Shared by threads: commits take turns, reads never wait for them.
pub struct Store {
    db: DB,
    dir: PathBuf,
    pub(crate) write: WriteOptions,
    pub(crate) writer: Mutex<Writer>,
    /// What [`Writer::next`] was after the last commit, for readers that shall not wait for the next one.
    pub(crate) committed: AtomicU64,
    /// Released last: fields are dropped in this order.
    _lock: Option<File>,
}

/// What only one commit at a time may change.
pub(crate) struct Writer {
    /// The number of the next fact.
    pub(crate) next: Sequence,
    pub(crate) sources: Sources,
    /// A write has failed, so that what is on disk is not known.
    pub(crate) failed: bool,
}

impl Store {
    /// Opens the database in directory `dir`; creates both if there is nothing yet.
    ///
    /// # Errors
    /// When `dir` is no Sprig database of this version, another process has it open, or the disk fails.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let lock = crate::directory::claim(dir)?;
        Self::with(dir, None, Some(lock))
    }

    /// An empty database in memory, for tests of what stands on a store: the same RocksDB on files that are not.
    ///
    /// # Errors
    /// When memory is short.
    pub fn in_memory() -> Result<Self, StoreError> {
        // RocksDB's wrapper makes sure that this directory exists on disk; nothing is written there.
        let dir = Path::new("/");
        let env = Env::mem_env().map_err(|e| StoreError::from_rocksdb(dir, &e))?;
        Self::with(dir, Some(&env), None)
    }

    fn with(dir: &Path, env: Option<&Env>, lock: Option<File>) -> Result<Self, StoreError> {
        let db = tables::open(dir, env).map_err(|e| StoreError::from_rocksdb(dir, &e))?;
        let mut write = WriteOptions::default();
        write.set_sync(true);
        let mut store = Self {
            db,
            dir: dir.into(),
            write,
            writer: Mutex::new(Writer {
                next: Sequence(0),
                sources: Sources::default(),
                failed: false,
            }),
            committed: AtomicU64::new(0),
            _lock: lock,
        };
        store.load()?;
        Ok(store)
    }

    /// Reads what [`Writer`] holds from disk.
    fn load(&mut self) -> Result<(), StoreError> {
        let mut sources = Sources::default();
        for entry in self.scan(SOURCES, &[], Direction::Forward) {
            let (key, record) = entry?;
            sources.load(&key, &record).map_err(|e| self.malformed(SOURCES, &key, e))?;
        }
        let next = match self.scan(LOG, &[0xff; 8], Direction::Reverse).next().transpose()? {
            Some((key, record)) => {
                LogRecord::decode(&key, &record).map_err(|e| self.malformed(LOG, &key, e))?.end()
            }
            None => Sequence(0),
        };
        self.committed = AtomicU64::new(next.0);
        self.writer = Mutex::new(Writer { next, sources, failed: false });
        Ok(())
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// How many facts are stored, exactly. It is also the sequence number of the next one.
    pub fn facts_stored(&self) -> Sequence {
        Sequence(self.committed.load(Ordering::Acquire))
    }

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
        Ok(self.fact_record(land)?.map(|record| stored(land, record)))
    }

    /// Values that the nimber of a land does not have, as far as is known: bit `j` set means that it is not `j`.
    /// When the nimber is known, that is all others.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn excluded(&self, land: &[u8]) -> Result<u64, StoreError> {
        Ok(self.known(land)?.excluded_values())
    }

    /// Who found the nimber of a land, if it is known.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn provenance(&self, land: &[u8]) -> Result<Option<Provenance>, StoreError> {
        self.fact_record(land)?.map(|record| self.origin(record.sequence)).transpose()
    }

    /// All facts, in the order of their lands' bytes, as they were when the iteration began.
    pub fn facts(&self) -> impl Iterator<Item = Result<StoredFact, StoreError>> + '_ {
        self.scan(FACTS, &[], Direction::Forward).map(|entry| {
            let (key, record) = entry?;
            let decoded =
                land_of_key(&key).and_then(|land| Ok(stored(land, FactRecord::decode(&record)?)));
            decoded.map_err(|e| self.malformed(FACTS, &key, e))
        })
    }

    /// The first `limit` facts from sequence number `from` on, in the order of their numbers. To go on, ask from one
    /// more than the last.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn facts_from(&self, from: Sequence, limit: usize) -> Result<Vec<StoredFact>, StoreError> {
        let mut facts = Vec::new();
        let start = self.record_before(from)?.unwrap_or(Sequence(0));
        for entry in self.scan(LOG, &log_key(start), Direction::Forward) {
            if facts.len() >= limit {
                break;
            }
            let (key, record) = entry?;
            let record =
                LogRecord::decode(&key, &record).map_err(|e| self.malformed(LOG, &key, e))?;
            for (sequence, (_, land)) in (record.first.0..).map(Sequence).zip(record.facts) {
                if sequence >= from && facts.len() < limit {
                    // The log says when; what the fact is worth by now stands in `facts`.
                    let now = self.fact_record(land)?.filter(|now| now.sequence == sequence);
                    facts.extend(now.map(|now| stored(land, now)));
                }
            }
        }
        Ok(facts)
    }

    /// A job.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn job(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        let key = job_key(id);
        let record = self.get(JOBS, &key)?;
        record
            .map(|record| Job::decode(id, &record).map_err(|e| self.malformed(JOBS, &key, e)))
            .transpose()
    }

    /// The latest job that was submitted with this goal.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn job_by_goal(&self, goal: &Goal) -> Result<Option<Job>, StoreError> {
        let key = goal_key(goal);
        let Some(record) = self.get(JOBS, &key)? else { return Ok(None) };
        let id = record.try_into().map_err(|_| self.malformed(JOBS, &key, Malformed))?;
        self.job(JobId(u64::from_be_bytes(id)))
    }

    /// All jobs, in the order of their numbers.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn jobs(&self) -> Result<Vec<Job>, StoreError> {
        let mut jobs = Vec::new();
        for entry in self.scan(JOBS, &job_key(JobId(0)), Direction::Forward) {
            let (key, record) = entry?;
            let Some(id) = parse_job_key(&key).map_err(|e| self.malformed(JOBS, &key, e))? else {
                break;
            };
            jobs.push(Job::decode(id, &record).map_err(|e| self.malformed(JOBS, &key, e))?);
        }
        Ok(jobs)
    }

    /// The number for the next job.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn next_job(&self) -> Result<JobId, StoreError> {
        let last =
            self.scan(JOBS, &job_key(JobId(u64::MAX)), Direction::Reverse).next().transpose()?;
        let Some((key, _)) = last else { return Ok(JobId(1)) };
        let id = parse_job_key(&key).map_err(|e| self.malformed(JOBS, &key, e))?;
        Ok(JobId(id.map_or(1, |id| id.0 + 1)))
    }

    /// What happened to a job, in order.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn history(&self, job: JobId) -> Result<Vec<Event>, StoreError> {
        let mut events = Vec::new();
        for entry in self.scan(HISTORY, &event_key(job, 0), Direction::Forward) {
            let (key, record) = entry?;
            let (of, _) = parse_event_key(&key).map_err(|e| self.malformed(HISTORY, &key, e))?;
            if of != job {
                break;
            }
            events.push(Event::decode(&record).map_err(|e| self.malformed(HISTORY, &key, e))?);
        }
        Ok(events)
    }

    /// The number for the next event of a job.
    pub(crate) fn next_event(&self, job: JobId) -> Result<u64, StoreError> {
        let last = self.scan(HISTORY, &event_key(job, u64::MAX), Direction::Reverse).next();
        let Some((key, _)) = last.transpose()? else { return Ok(0) };
        let (of, number) = parse_event_key(&key).map_err(|e| self.malformed(HISTORY, &key, e))?;
        Ok(if of == job { number + 1 } else { 0 })
    }

    /// What is known about a land.
    pub(crate) fn known(&self, land: &[u8]) -> Result<Known, StoreError> {
        let fact = self.fact_record(land)?;
        if fact.is_some() {
            return Ok(Known { fact, ..Known::default() });
        }
        let key = land_key(land);
        let excluded = match self.get(EXCLUDED, &key)? {
            Some(record) => {
                Excluded::decode(&record).map_err(|e| self.malformed(EXCLUDED, &key, e))?
            }
            None => Excluded::default(),
        };
        Ok(Known { fact, excluded, changed: false })
    }

    /// Who committed fact number `sequence`.
    pub(crate) fn origin(&self, sequence: Sequence) -> Result<Provenance, StoreError> {
        let key = log_key(sequence);
        let Some(entry) = self.scan(LOG, &key, Direction::Reverse).next() else {
            return Err(self.malformed(LOG, &key, Malformed));
        };
        let (key, record) = entry?;
        let record = LogRecord::decode(&key, &record).map_err(|e| self.malformed(LOG, &key, e))?;
        self.resolve(record.provenance)
    }

    /// A provenance with its source's number looked up.
    pub(crate) fn resolve(&self, record: ProvenanceRecord) -> Result<Provenance, StoreError> {
        let ProvenanceRecord { source, job, time } = record;
        let key = source.key();
        let bytes = self.get(SOURCES, &key)?;
        let source = bytes.ok_or(Malformed).and_then(|bytes| Source::decode(&bytes));
        Ok(Provenance { source: source.map_err(|e| self.malformed(SOURCES, &key, e))?, job, time })
    }

    /// The first number of the log record that fact number `sequence` is in.
    fn record_before(&self, sequence: Sequence) -> Result<Option<Sequence>, StoreError> {
        let entry = self.scan(LOG, &log_key(sequence), Direction::Reverse).next().transpose()?;
        let Some((key, _)) = entry else { return Ok(None) };
        let key = key[..].try_into().map_err(|_| self.malformed(LOG, &key, Malformed))?;
        Ok(Some(Sequence(u64::from_be_bytes(key))))
    }

    fn fact_record(&self, land: &[u8]) -> Result<Option<FactRecord>, StoreError> {
        let key = land_key(land);
        let record = self.get(FACTS, &key)?;
        record
            .map(|record| FactRecord::decode(&record).map_err(|e| self.malformed(FACTS, &key, e)))
            .transpose()
    }

    fn get(&self, family: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.db.get_cf(self.family(family), key).map_err(|e| self.failed(&e))
    }

    fn scan(
        &self,
        family: &str,
        from: &[u8],
        direction: Direction,
    ) -> impl Iterator<Item = Result<Entry, StoreError>> + '_ {
        let mut options = ReadOptions::default();
        // Whoever reads all facts shall not push out of the cache what the commits look up.
        options.fill_cache(false);
        let mode = IteratorMode::From(from, direction);
        let entries = self.db.iterator_cf_opt(self.family(family), options, mode);
        entries.map(|entry| entry.map_err(|e| self.failed(&e)))
    }

    pub(crate) fn family(&self, name: &str) -> &rocksdb::ColumnFamily {
        self.db.cf_handle(name).expect("all families were opened")
    }

    pub(crate) fn db(&self) -> &DB {
        &self.db
    }

    pub(crate) fn failed(&self, error: &rocksdb::Error) -> StoreError {
        StoreError::from_rocksdb(&self.dir, error)
    }

    fn malformed(&self, family: &str, key: &[u8], _: Malformed) -> StoreError {
        let detail = format!("record {key:02x?} of family {family} has an impossible layout");
        StoreError::Damaged { dir: self.dir.clone(), detail }
    }
}

fn stored(land: &[u8], record: FactRecord) -> StoredFact {
    let FactRecord { nimber, status, sequence } = record;
    StoredFact { sequence, fact: Fact { land: land.into(), nimber, status } }
}
