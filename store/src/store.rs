//! A database that this process alone may write to.

use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rocksdb::{Direction, Env, FlushOptions, WriteOptions};
use sprig_domain::Game;

use crate::directory::{self, Claim};
use crate::least::Least;
use crate::log::Counts;
use crate::reader::{Place, Reader};
use crate::recorder::Recorder;
use crate::seal::Secret;
use crate::source::Sources;
use crate::tables::{self, FAMILIES, REIGN, SOURCES, Setup};
use crate::tail::Tail;
use crate::tally::Tally;
use crate::{Sequence, StoreError};

/// A database that this process has open to write. Shared by threads: commits take turns, reads
/// never wait for them.
///
/// Like a [`Reader`] it looks at the facts of one game; [`Self::of`] gives a store of another game.
/// Facts that it writes name their own game.
pub struct Store {
    reader: Reader,
    pub(crate) core: Arc<Core>,
}

/// What the stores of all games of a database share. The database is closed when the last of them
/// goes.
pub(crate) struct Core {
    pub(crate) write: WriteOptions,
    pub(crate) writer: Mutex<Writer>,
    /// The number of the next fact after the last commit, for readers that must not wait for the
    /// next commit.
    pub(crate) committed: AtomicU64,
    /// How many facts have gone, for readers that keep what they have read.
    pub(crate) gone: AtomicU64,
    /// Writes down how much there is; `None` where nothing is to be kept.
    recorder: Option<Recorder>,
    /// The last writes.
    pub(crate) tail: Tail,
    /// The database, with the lock. Fields are dropped in this order, and the recorder finds its file
    /// by way of the lock.
    reader: Reader,
}

/// Megabytes of logs of writes that a coordinator keeps for followers: some ten million facts.
const LOGS: u64 = 1 << 10;

/// Why a database is opened to write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To write what is found here.
    Own,
    /// To write what another coordinator writes.
    Follow,
}

/// What only one commit at a time may change.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) counts: Counts,
    pub(crate) tally: Tally,
    pub(crate) sources: Sources,
    /// Whether a write has failed, so that it is not known what is on disk.
    pub(crate) failed: bool,
}

impl Store {
    /// Opens the database in directory `dir`. Creates both if there is nothing yet. Verified facts
    /// are sealed with `secret`, and facts that were sealed with another secret are claims.
    ///
    /// # Errors
    /// When `dir` is no Sprig database of this version, another process has it open, it holds less
    /// than it did, or the disk fails.
    pub fn open(dir: &Path, secret: &Secret) -> Result<Self, StoreError> {
        Self::open_within(dir, secret, tables::MEMORY)
    }

    /// As [`Self::open`], with about `memory` bytes, instead of 64 MB, for what is to be written
    /// and what was read last.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn open_within(dir: &Path, secret: &Secret, memory: usize) -> Result<Self, StoreError> {
        Self::open_by(dir, secret, Setup { memory, ..Setup::default() }, Purpose::Own)
    }

    /// As [`Self::open`], for a coordinator: the logs of writes are kept for a while, so that a
    /// follower that was away goes on where it stopped.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn open_to_lead(dir: &Path, secret: &Secret) -> Result<Self, StoreError> {
        Self::open_by(dir, secret, Setup { logs: LOGS, ..Setup::default() }, Purpose::Own)
    }

    pub(crate) fn open_by(
        dir: &Path,
        secret: &Secret,
        setup: Setup<'_>,
        purpose: Purpose,
    ) -> Result<Self, StoreError> {
        let claim = directory::claim(dir)?;
        // This is checked before anything is written: RocksDB would remove what it takes for
        // remains.
        let least = if directory::has_tables(dir) {
            let reader = Reader::snapshot(dir, secret)?;
            if let (Purpose::Own, Some(following)) = (purpose, reader.following()?) {
                return Err(StoreError::Follows { dir: dir.into(), url: following.url });
            }
            reader.least().cloned()
        } else {
            directory::recorded(dir, true)?
        };
        Self::kept(dir, secret, claim, setup, least)
    }

    /// Opens a database whatever its record says, and writes down that it need not hold more than
    /// it does. Returns the record that is put aside, if it can be read.
    ///
    /// # Errors
    /// As for [`Self::open`], except that records may be missing.
    pub fn accept(dir: &Path, secret: &Secret) -> Result<(Self, Option<Least>), StoreError> {
        let claim = directory::claim_as_it_is(dir)?;
        let before = Least::read(dir).unwrap_or_default();
        // Its epochs go on, so that the next start is never taken for a first one.
        let epoch = before.as_ref().map_or(0, |least| least.epoch);
        let least = Least { epoch, branch: Least::new_branch(), ..Least::default() };
        Ok((Self::kept(dir, secret, claim, Setup::default(), Some(least))?, before))
    }

    /// A database that is removed when its process ends: no record is kept of what is in it.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn temporary(dir: &Path, secret: &Secret, memory: usize) -> Result<Self, StoreError> {
        let claim = directory::claim(dir)?;
        Ok(Core::with(dir, secret, Some(claim), Setup { memory, ..Setup::default() }, None)?.into())
    }

    fn kept(
        dir: &Path,
        secret: &Secret,
        claim: Claim,
        setup: Setup<'_>,
        least: Option<Least>,
    ) -> Result<Self, StoreError> {
        let (epoch, branch) =
            least.as_ref().map_or((1, 0), |least| (least.epoch + 1, least.branch));
        if least.is_none() {
            // The database is from an older program. What it holds is written down before it gets a
            // family for seals.
            Least::default().write(dir)?;
        }
        let held = claim.path(dir);
        let mut core = Core::with(dir, secret, Some(claim), setup, least)?;
        let (facts, writes) = (core.next_sequence().0, core.reader.writes());
        let now = Least { facts, writes, epoch, branch, ..Least::default() };
        core.recorder = Some(Recorder::start(held, now)?);
        Ok(core.into())
    }

    /// An empty database in memory, for tests of code that uses a store: the same code and the same
    /// RocksDB, on files that exist in memory only. Its secret ends with it.
    ///
    /// # Errors
    /// When memory is short.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::in_memory_of(&Secret::random())
    }

    pub(crate) fn in_memory_of(secret: &Secret) -> Result<Self, StoreError> {
        // The path is that of a file in memory, too; the crate insists that it also be a directory
        // on disk.
        let dir = Path::new(".");
        let env = Env::mem_env().map_err(|e| StoreError::from_rocksdb(dir, &e))?;
        Ok(Core::with(dir, secret, None, Setup { env: Some(&env), ..Setup::default() }, None)?
            .into())
    }

    /// The same database, open to write, looking at the facts of a game.
    #[must_use]
    pub fn of(&self, game: Game) -> Self {
        Self { reader: self.reader.of(game), core: Arc::clone(&self.core) }
    }

    /// The sequence number that the next fact will get. That is also how many facts have ever been
    /// stored.
    pub fn next_sequence(&self) -> Sequence {
        self.core.next_sequence()
    }

    /// How many facts have gone: claims that were withdrawn, or whose place a verified fact took.
    /// While this stays as it is, what was read of the log stands.
    pub fn gone(&self) -> u64 {
        self.core.gone.load(Ordering::Acquire)
    }

    /// Notes the result of a write.
    pub(crate) fn note(&self, counts: Counts) {
        if let Some(recorder) = &self.core.recorder {
            recorder.note(counts.total(), self.writes());
        }
    }

    /// Writes down now how much there is at least. That happens by itself every ten seconds while
    /// something comes.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn record(&self) -> Result<(), StoreError> {
        self.core.recorder.as_ref().map_or(Ok(()), Recorder::write)
    }
}

impl From<Core> for Store {
    fn from(core: Core) -> Self {
        Self { reader: core.reader.of(Game::Sprouts), core: Arc::new(core) }
    }
}

impl Core {
    fn with(
        dir: &Path,
        secret: &Secret,
        claim: Option<Claim>,
        setup: Setup<'_>,
        least: Option<Least>,
    ) -> Result<Self, StoreError> {
        let setup = Setup { memory: setup.memory.min(tables::MEMORY), ..setup };
        let held = claim.as_ref().map_or_else(|| dir.into(), |claim| claim.path(dir));
        let db = tables::open(&held, setup).map_err(|e| StoreError::from_rocksdb(dir, &e))?;
        let place = if claim.is_some() { Place::Disk } else { Place::Memory };
        let mut write = WriteOptions::default();
        write.set_sync(true);
        let mut core = Self {
            reader: Reader::opened(db, dir, secret, place, least, claim),
            recorder: None,
            tail: Tail::default(),
            write,
            writer: Mutex::default(),
            committed: AtomicU64::default(),
            gone: AtomicU64::default(),
        };
        let writer = core.load()?;
        core.committed = AtomicU64::new(writer.counts.total());
        core.gone = AtomicU64::new(writer.tally.gone.total());
        core.writer = Mutex::new(writer);
        Ok(core)
    }

    /// Reads from disk what the writer holds in memory.
    fn load(&self) -> Result<Writer, StoreError> {
        let reader = &self.reader;
        let mut sources = Sources::default();
        for entry in reader.scan(SOURCES, &[], Direction::Forward) {
            let (key, record) = entry?;
            reader.sound(SOURCES, &key, sources.load(&key, &record))?;
        }
        Ok(Writer { counts: reader.counts()?, tally: reader.tally()?, sources, failed: false })
    }

    fn next_sequence(&self) -> Sequence {
        Sequence(self.committed.load(Ordering::Acquire))
    }

    /// Moves everything into tables, which the list of tables names with their sizes.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let db = &self.reader.open.db;
        let there = FAMILIES.into_iter().chain([REIGN]).filter_map(|name| db.cf_handle(name));
        let flushed = db.flush_cfs_opt(&there.collect::<Vec<_>>(), &FlushOptions::default());
        flushed.map_err(|e| self.reader.failed(&e))
    }

    fn end(&mut self) -> Result<(), StoreError> {
        let Some(recorder) = self.recorder.take() else { return Ok(()) };
        let failed = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).failed;
        let flushed = if failed { Ok(()) } else { self.flush() };
        recorder.end(!failed && flushed.is_ok())?;
        flushed
    }
}

impl Drop for Core {
    /// Leaves everything in tables, and writes down how much that is.
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            // What was acknowledged is in the log of writes.
            tracing::warn!("{error}");
        }
    }
}

/// Whatever can be asked of a reader can be asked of a store.
impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}
