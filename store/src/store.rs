//! An open database, and how records are read from it.

use std::fs::File;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rocksdb::{ColumnFamily, DB, Direction, Env, IteratorMode, ReadOptions, WriteOptions};

use crate::bytes::Malformed;
use crate::log::Counts;
use crate::source::Sources;
use crate::tables::{self, SOURCES};
use crate::{Sequence, StoreError};

/// Key and value of a record.
type Entry = (Box<[u8]>, Box<[u8]>);

/// A database that this process has open. Shared by threads: commits take turns, reads never wait for them.
pub struct Store {
    pub(crate) db: DB,
    dir: PathBuf,
    pub(crate) write: WriteOptions,
    pub(crate) writer: Mutex<Writer>,
    /// What the number of the next fact was after the last commit, for readers that shall not wait for the next one.
    pub(crate) committed: AtomicU64,
    /// Released last: fields are dropped in this order.
    _lock: Option<File>,
}

/// What only one commit at a time may change.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) counts: Counts,
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
        Self::open_within(dir, tables::MEMORY)
    }

    /// As [`Self::open`], with about `memory` bytes for what is written next and was read last, instead of 64 MB.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_within(dir: &Path, memory: usize) -> Result<Self, StoreError> {
        let lock = crate::directory::claim(dir)?;
        Self::with(dir, None, Some(lock), memory.min(tables::MEMORY))
    }

    /// An empty database in memory, for tests of what stands on a store: the same code and the same RocksDB, on files
    /// that exist in memory only.
    ///
    /// # Errors
    /// When memory is short.
    pub fn in_memory() -> Result<Self, StoreError> {
        // The path is that of a file in memory, too; the crate insists that it also be a directory on disk.
        let dir = Path::new(".");
        let env = Env::mem_env().map_err(|e| StoreError::from_rocksdb(dir, &e))?;
        Self::with(dir, Some(&env), None, tables::MEMORY)
    }

    fn with(
        dir: &Path,
        env: Option<&Env>,
        lock: Option<File>,
        memory: usize,
    ) -> Result<Self, StoreError> {
        let db = tables::open(dir, env, memory).map_err(|e| StoreError::from_rocksdb(dir, &e))?;
        let mut write = WriteOptions::default();
        write.set_sync(true);
        let mut store = Self {
            db,
            dir: dir.into(),
            write,
            writer: Mutex::default(),
            committed: AtomicU64::default(),
            _lock: lock,
        };
        let writer = store.load()?;
        store.committed = AtomicU64::new(writer.counts.total());
        store.writer = Mutex::new(writer);
        Ok(store)
    }

    /// Reads from disk what the writer holds in memory.
    fn load(&self) -> Result<Writer, StoreError> {
        let mut sources = Sources::default();
        for entry in self.scan(SOURCES, &[], Direction::Forward) {
            let (key, record) = entry?;
            self.sound(SOURCES, &key, sources.load(&key, &record))?;
        }
        Ok(Writer { counts: self.counts()?, sources, failed: false })
    }

    /// A number that tells this database from others, for as long as it exists; 0 in memory.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn identity(&self) -> Result<u64, StoreError> {
        if self._lock.is_none() {
            return Ok(0);
        }
        let identity = self.db.get_db_identity().map_err(|e| self.failed(&e))?;
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(&identity);
        Ok(hasher.finish())
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The sequence number that the next fact will get. That is also how many facts are stored, exactly.
    pub fn next_sequence(&self) -> Sequence {
        Sequence(self.committed.load(Ordering::Acquire))
    }

    pub(crate) fn get(&self, family: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.db.get_cf(self.family(family), key).map_err(|e| self.failed(&e))
    }

    /// The records of a family from key `from` on, or from there back. `from` need not exist.
    pub(crate) fn scan(
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

    pub(crate) fn family(&self, name: &str) -> &ColumnFamily {
        self.db.cf_handle(name).expect("all families were opened")
    }

    pub(crate) fn failed(&self, error: &rocksdb::Error) -> StoreError {
        StoreError::from_rocksdb(&self.dir, error)
    }

    /// What a record of `family` was decoded to, or that the database is damaged.
    pub(crate) fn sound<T>(
        &self,
        family: &str,
        key: &[u8],
        decoded: Result<T, Malformed>,
    ) -> Result<T, StoreError> {
        decoded.map_err(|Malformed| {
            let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            let detail = format!("record {key} of family {family} has an impossible layout");
            StoreError::Damaged { dir: self.dir.clone(), detail }
        })
    }
}
