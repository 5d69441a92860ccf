//! An open database to read from.

use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rocksdb::{ColumnFamily, DB, Direction, IteratorMode, ReadOptions};

use sprig_domain::Game;

use crate::StoreError;
use crate::bytes::Malformed;
use crate::directory::{self, Claim, Head};
use crate::least::Least;
use crate::record;
use crate::seal::{Seal, Secret};
use crate::tables::{self, EXCLUDED, FACTS, LOSSES, RCTS, SEAL};

/// Key and value of a record.
type Entry = (Box<[u8]>, Box<[u8]>);

/// An open database to read from. Code that only asks takes one; a [`Store`](crate::Store) is a
/// reader that can also write.
///
/// A database has facts of several games, and a reader looks at those of one: of Sprouts, unless
/// [`Self::of`] was asked for another. The order of commits and the jobs are those of all games.
pub struct Reader {
    pub(crate) open: Arc<Open>,
    pub(crate) game: Game,
}

/// A database that is open. Readers of its games share it.
pub(crate) struct Open {
    pub(crate) db: DB,
    pub(crate) seal: Seal,
    dir: PathBuf,
    place: Place,
    /// What the record said when the database was opened; `None` if there was no record.
    least: Option<Least>,
    /// The lock of the process that writes. RocksDB finds its files by way of it, so it goes after
    /// the database has been closed.
    _claim: Option<Claim>,
}

/// Where a database is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a directory.
    Disk,
    /// In memory.
    Memory,
}

/// How often a database is opened again whose tables change while it is opened.
const ATTEMPTS: usize = 50;

impl Reader {
    /// Opens the database in directory `dir` as it is now, to read. Others may read it, too, a
    /// process may write to it meanwhile, and the disk may be read-only. Leaves no trace. Facts
    /// that were sealed with `secret` are verified, all others are claims.
    ///
    /// # Errors
    /// When `dir` is no Sprig database of this version, or the disk fails.
    pub fn open(dir: &Path, secret: &Secret) -> Result<Self, StoreError> {
        directory::inspect(dir)?;
        let mut attempts = 0..ATTEMPTS;
        loop {
            let head = Head::read(dir)?;
            let opened = Self::snapshot(dir, secret);
            // A process that writes may put tables in place of logs while this reads, so that
            // neither would be seen.
            if Head::read(dir)? == head || attempts.next().is_none() {
                return opened;
            }
        }
    }

    /// Opens what is in the directory, which must not change meanwhile.
    pub(crate) fn snapshot(dir: &Path, secret: &Secret) -> Result<Self, StoreError> {
        let names = tables::names(dir)?;
        let least = directory::recorded(dir, names.iter().any(|name| name == SEAL))?;
        let db = tables::open_to_read(dir, &names, tables::MEMORY);
        let db = db.map_err(|e| StoreError::from_rocksdb(dir, &e))?;
        let reader = Self::opened(db, dir, secret, Place::Disk, least, None);
        reader.check_games()?;
        if let Some(least) = reader.least() {
            least.check(dir, reader.counts()?.total(), reader.writes())?;
        }
        Ok(reader)
    }

    pub(crate) fn opened(
        db: DB,
        dir: &Path,
        secret: &Secret,
        place: Place,
        least: Option<Least>,
        claim: Option<Claim>,
    ) -> Self {
        let (seal, dir) = (Seal::new(secret), dir.into());
        let open = Open { db, seal, dir, place, least, _claim: claim };
        Self { open: Arc::new(open), game: Game::Sprouts }
    }

    /// A reader of the same database that looks at the facts of a game.
    #[must_use]
    pub fn of(&self, game: Game) -> Self {
        Self { open: Arc::clone(&self.open), game }
    }

    /// The game whose facts it looks at.
    #[must_use]
    pub fn game(&self) -> Game {
        self.game
    }

    /// Refuses a database with facts of a game that this program does not know.
    fn check_games(&self) -> Result<(), StoreError> {
        let first = [record::UNKNOWN_GAME];
        for family in [FACTS, RCTS, LOSSES, EXCLUDED] {
            if let Some(entry) = self.scan(family, &first, Direction::Forward).next() {
                let game = entry?.0.first().copied().unwrap_or_default();
                return Err(StoreError::StrangeGame { dir: self.dir().into(), game });
            }
        }
        Ok(())
    }

    /// What the record said when the database was opened, if it had one. The database holds no
    /// less.
    pub fn least(&self) -> Option<&Least> {
        self.open.least.as_ref()
    }

    /// How many records were written or deleted, ever.
    pub(crate) fn writes(&self) -> u64 {
        self.open.db.latest_sequence_number()
    }

    /// The names of the tables that it consists of, beside its logs.
    pub(crate) fn tables(&self) -> Result<Vec<String>, StoreError> {
        let files = self.open.db.live_files().map_err(|e| self.failed(&e))?;
        Ok(files.into_iter().map(|file| file.name.trim_start_matches('/').to_owned()).collect())
    }

    /// The process that has the database open to write, if there is one.
    pub fn writer_process(&self) -> Option<u32> {
        directory::writer(&self.open.dir)
    }

    /// A number that tells this database from others, for as long as it exists. A restored database
    /// has another number than before. It is 0 in memory.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn identity(&self) -> Result<u64, StoreError> {
        if self.open.place == Place::Memory {
            return Ok(0);
        }
        let identity = self.open.db.get_db_identity().map_err(|e| self.failed(&e))?;
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(&identity);
        if let Some(branch) = self.open.least.as_ref().map(|least| least.branch).filter(|&b| b != 0)
        {
            hasher.write_u64(branch);
        }
        Ok(hasher.finish())
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.open.dir
    }

    pub(crate) fn unfit(&self, detail: &str) -> StoreError {
        StoreError::Damaged { dir: self.dir().into(), detail: detail.into() }
    }

    pub(crate) fn get(&self, family: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        // A database that an older program wrote lacks a family until it is opened to be written.
        let Some(family) = self.open.db.cf_handle(family) else { return Ok(None) };
        self.open.db.get_cf(family, key).map_err(|e| self.failed(&e))
    }

    /// The records of a family from key `from` on, forwards or backwards. `from` need not exist.
    pub(crate) fn scan<'a>(
        &'a self,
        family: &str,
        from: &[u8],
        direction: Direction,
    ) -> impl Iterator<Item = Result<Entry, StoreError>> + use<'a> {
        let entries = self.open.db.cf_handle(family).map(|family| {
            let mut options = ReadOptions::default();
            // Reading all facts must not push out of the cache what commits look up.
            options.fill_cache(false);
            let mode = IteratorMode::From(from, direction);
            self.open.db.iterator_cf_opt(family, options, mode)
        });
        entries.into_iter().flatten().map(|entry| entry.map_err(|e| self.failed(&e)))
    }

    pub(crate) fn family(&self, name: &str) -> &ColumnFamily {
        self.open.db.cf_handle(name).expect("all families were opened")
    }

    pub(crate) fn failed(&self, error: &rocksdb::Error) -> StoreError {
        StoreError::from_rocksdb(&self.open.dir, error)
    }

    /// The value of a decoded record of `family`, or the error that the database is damaged.
    pub(crate) fn sound<T>(
        &self,
        family: &str,
        key: &[u8],
        decoded: Result<T, Malformed>,
    ) -> Result<T, StoreError> {
        decoded.map_err(|Malformed| {
            let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            let detail = format!("record {key} of family {family} has an impossible layout");
            StoreError::Damaged { dir: self.open.dir.clone(), detail }
        })
    }
}
