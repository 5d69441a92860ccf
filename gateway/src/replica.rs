//! A database that is read while others may write to it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use sprig_domain::Game;
use sprig_store::{Reader, Secret, StoreError, Worth};
use tracing::warn;

/// How old the snapshot may become while another process writes to the database.
const FRESH: Duration = Duration::from_secs(5);
/// How old the snapshot may become while the database seems to stand still.
const QUIET: Duration = Duration::from_secs(30);
/// A snapshot stays at least this many times as long as it took to open the database.
const SHARE: u32 = 20;

/// A database in a folder, as it was a few seconds ago.
pub struct Replica {
    dir: PathBuf,
    secret: Secret,
    game: Game,
    now: RwLock<Arc<Snapshot>>,
    is_opening: AtomicBool,
}

/// A database as it was when it was opened.
pub(crate) struct Snapshot {
    /// Reads the facts of one game.
    pub(crate) reader: Reader,
    /// Grows when there are new facts.
    pub(crate) generation: u64,
    /// How many facts are verified, and how many merely claimed.
    pub(crate) worth: Worth,
    opened: Instant,
    took: Duration,
}

impl Snapshot {
    fn open(dir: &std::path::Path, secret: &Secret, game: Game) -> Result<Self, StoreError> {
        let begin = Instant::now();
        let reader = Reader::open(dir, secret)?.of(game);
        let worth = reader.worth()?;
        Ok(Self { reader, generation: 1, worth, opened: Instant::now(), took: begin.elapsed() })
    }

    fn is_stale(&self) -> bool {
        let age = if self.reader.writer_process().is_some() { FRESH } else { QUIET };
        self.opened.elapsed() > age.max(self.took * SHARE)
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
        Ok(Self { dir, secret, game, now, is_opening: AtomicBool::new(false) })
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
        if now.is_stale() && !self.is_opening.swap(true, Ordering::AcqRel) {
            let (replica, before) = (Arc::clone(self), Arc::clone(&now));
            tokio::task::spawn_blocking(move || {
                replica.renew(&before);
                replica.is_opening.store(false, Ordering::Release);
            });
        }
        now
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
