//! A database that is read while others may write to it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use sprig_domain::Game;
use sprig_store::{Reader, Secret, StoreError, Worth};
use tracing::warn;

/// How old the snapshot may become when another process writes to the database, or has done so.
const FRESH: Duration = Duration::from_secs(5);
/// How old the snapshot may become while the database seems to stand still.
const QUIET: Duration = Duration::from_secs(30);
/// Pause between two looks at the files of a database that stands still.
const LOOK: Duration = Duration::from_secs(1);
/// A snapshot stays at least this many times as long as it took to open the database.
const SHARE: u32 = 20;

/// A database in a folder, as it was a few seconds ago.
pub struct Replica {
    dir: PathBuf,
    secret: Secret,
    game: Game,
    now: RwLock<Arc<Snapshot>>,
    is_opening: AtomicBool,
    /// When the files were looked at last.
    looked: Mutex<Instant>,
}

/// A database as it was when it was opened.
pub(crate) struct Snapshot {
    /// Reads the facts of one game.
    pub(crate) reader: Reader,
    /// Grows when there are new facts.
    pub(crate) generation: u64,
    /// How many facts are verified, and how many merely claimed.
    pub(crate) worth: Worth,
    /// What the files of the database were.
    files: Option<Files>,
    opened: Instant,
    took: Duration,
}

/// The names of the files of a database, with the sizes of those that are written to.
type Files = BTreeSet<(std::ffi::OsString, u64)>;

fn files(dir: &Path) -> io::Result<Files> {
    let file = |entry: io::Result<std::fs::DirEntry>| {
        let entry = entry?;
        // A table never changes.
        let is_table = Path::new(&entry.file_name()).extension().is_some_and(|it| it == "sst");
        let size = if is_table { 0 } else { entry.metadata()?.len() };
        Ok((entry.file_name(), size))
    };
    std::fs::read_dir(dir)?.map(file).collect()
}

impl Snapshot {
    fn open(dir: &Path, secret: &Secret, game: Game) -> Result<Self, StoreError> {
        let (begin, files) = (Instant::now(), files(dir).ok());
        let reader = Reader::open(dir, secret)?.of(game);
        let worth = reader.worth()?;
        let (opened, took) = (Instant::now(), begin.elapsed());
        Ok(Self { reader, generation: 1, worth, files, opened, took })
    }

    /// Whether there may be something new.
    fn is_old(&self) -> bool {
        self.opened.elapsed() > FRESH.max(self.took * SHARE)
    }

    /// Whether it should be opened again, when it is old.
    fn is_stale(&self, dir: &Path) -> bool {
        let has_news = || self.reader.writer_process().is_some() || self.files != files(dir).ok();
        self.opened.elapsed() > QUIET || has_news()
    }
}

impl Replica {
    /// Opens the database in a folder. It may be in use, and nothing is written to it. Facts that
    /// were sealed with `secret` are verified, all others are claims. Those of `game` are shown.
    ///
    /// # Errors
    /// When the folder is no database, or another version's.
    pub fn open(dir: PathBuf, secret: Secret, game: Game) -> Result<Self, StoreError> {
        let now = RwLock::new(Arc::new(Snapshot::open(&dir, &secret, game)?));
        Ok(Self {
            dir,
            secret,
            game,
            now,
            is_opening: AtomicBool::new(false),
            looked: Mutex::new(Instant::now()),
        })
    }

    /// The game whose facts are shown.
    pub(crate) fn game(&self) -> Game {
        self.game
    }

    /// How many facts are verified, and how many merely claimed.
    pub fn worth(self: &Arc<Self>) -> Worth {
        self.now().worth
    }

    /// The latest snapshot. If it is old, the database is opened again in the background, for the
    /// next request.
    pub(crate) fn now(self: &Arc<Self>) -> Arc<Snapshot> {
        let now = Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner));
        if now.is_old() && self.is_time() && !self.is_opening.swap(true, Ordering::AcqRel) {
            let (replica, before) = (Arc::clone(self), Arc::clone(&now));
            tokio::task::spawn_blocking(move || {
                if before.is_stale(&replica.dir) {
                    replica.renew(&before);
                }
                replica.is_opening.store(false, Ordering::Release);
            });
        }
        now
    }

    /// Whether the files may be looked at again.
    fn is_time(&self) -> bool {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_time = looked.elapsed() > LOOK;
        if is_time {
            *looked = Instant::now();
        }
        is_time
    }

    fn renew(&self, before: &Snapshot) {
        let mut next = match Snapshot::open(&self.dir, &self.secret, self.game) {
            Ok(next) => next,
            // Facts that were read stay true.
            Err(error) => {
                warn!("answers go on from what was read before: {error}");
                return;
            }
        };
        next.generation = before.generation + u64::from(next.worth != before.worth);
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
    }
}
