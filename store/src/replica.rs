//! A copy of a coordinator's database that follows it, record by record.
//!
//! Records come as they are, with their seals: facts that the owner has verified are verified here,
//! if the owner is the same, and claims otherwise. Nothing is sealed here. Each batch is written
//! together with the number of its last record, so whatever ends the process, the copy is the
//! coordinator's database as it was at one moment.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use rocksdb::WriteBatch;
use sprig_domain::Reign;

use crate::backup::{clear, draft_of};
use crate::change::Change;
use crate::reign::{Following, Succession, made};
use crate::seal::Secret;
use crate::store::{Purpose, Store};
use crate::tables::Setup;
use crate::{Reader, Sequence, StoreError, directory};

/// A database that follows a coordinator.
pub struct Replica {
    store: Store,
    succession: Succession,
    /// Where it is to be when it is whole; `None` if it is there.
    place: Option<PathBuf>,
    /// Each [`Held`] has a clone.
    readers: Arc<()>,
    /// How many were opened in this process before.
    number: u64,
}

/// A copy as it is held, for those that read it in the same process.
#[derive(Clone)]
pub struct Held {
    reader: Arc<Reader>,
    /// The identity of the coordinator's database.
    pub database: u64,
    /// The number of the last record of it that is here.
    pub position: u64,
    /// The number of the next fact.
    pub next: Sequence,
    /// While this stays as it is, what was read of the log stands: which of the copies that this
    /// process has opened it is, and [how many facts have gone](Store::gone).
    pub version: (u64, u64),
    _reads: Arc<()>,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("position", &self.position).finish_non_exhaustive()
    }
}

impl Held {
    /// What it holds.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.reader
    }
}

impl Replica {
    /// Opens the database in `dir`, which follows a coordinator; `None` if there is nothing yet.
    ///
    /// # Errors
    /// [`StoreError::Leads`], and those of [`Store::open`].
    pub fn open(dir: &Path, secret: &Secret) -> Result<Option<Self>, StoreError> {
        restore_name(dir)?;
        match fs::read_dir(dir).map(|mut entries| entries.next().is_none()) {
            Ok(true) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            // If it is no folder, opening it says what it is.
            Ok(false) | Err(_) => {}
        }
        // This is checked before anything is locked or written.
        let leads = |hint| Err(StoreError::Leads { dir: dir.into(), hint });
        match Reader::open(dir, secret)?.succession()? {
            Succession { following: Some(_), .. } => {}
            Succession { reign: Reign { number: 0, .. }, .. } => return leads(""),
            _ => return leads(": it was promoted, and leads"),
        }
        let store = Store::open_by(dir, secret, Setup::default(), Purpose::Follow)?;
        let succession = store.succession()?;
        Ok(Some(Self::with(store, succession, None)))
    }

    /// Begins a copy that will be in `dir` when it is whole.
    ///
    /// # Errors
    /// As for [`Store::open`].
    pub fn begin(
        dir: &Path,
        secret: &Secret,
        reign: Reign,
        following: Following,
    ) -> Result<Self, StoreError> {
        let draft = draft_of(dir);
        if let Some(pid) = directory::writer(&draft) {
            return Err(StoreError::InUse { dir: dir.into(), pid: Some(pid) });
        }
        clear(&draft).map_err(|e| StoreError::from_io(&draft, &e))?;
        let setup = Setup { reigns: true, ..Setup::default() };
        let store = Store::open_by(&draft, secret, setup, Purpose::Follow)?;
        let succession = Succession { reign, inherited: 0, following: Some(following) };
        Ok(Self::with(store, succession, Some(dir.into())))
    }

    fn with(store: Store, succession: Succession, place: Option<PathBuf>) -> Self {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        // It orders no other memory.
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        Self { store, succession, place, readers: Arc::default(), number }
    }

    /// What it follows, and how far it has come.
    ///
    /// # Panics
    /// Never: a replica follows.
    #[must_use]
    pub fn following(&self) -> &Following {
        self.succession.following.as_ref().expect("a replica follows")
    }

    /// The reign of the coordinator that it follows.
    #[must_use]
    pub fn reign(&self) -> &Reign {
        &self.succession.reign
    }

    /// What it holds. Facts of a copy that is not whole are not all there.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.store
    }

    /// This copy, for readers beside the one that writes it.
    #[must_use]
    pub fn held(&self) -> Held {
        let reader = Arc::new(self.reader().of(self.reader().game()));
        let &Following { database, position, .. } = self.following();
        let (next, version) = (self.store.next_sequence(), (self.number, self.store.gone()));
        Held { reader, database, position, next, version, _reads: Arc::clone(&self.readers) }
    }

    /// Whether somebody holds it beside the one that writes it. Until then it is not closed.
    #[must_use]
    pub fn is_read(&self) -> bool {
        Arc::strong_count(&self.readers) > 1
    }

    /// Facts that it holds.
    #[must_use]
    pub fn facts(&self) -> u64 {
        self.store.next_sequence().0
    }

    /// Takes in changes, all or nothing. After that it is what the coordinator's database was after
    /// record `position`. When it returns they are on disk.
    ///
    /// # Errors
    /// [`StoreError::Unknown`]. When the disk fails or is full, it takes no more changes, and keeps
    /// what it had.
    pub fn apply(&mut self, changes: &[Change], position: u64) -> Result<(), StoreError> {
        let mut write = WriteBatch::default();
        for Change { family, key, value } in changes {
            if !self.store.knows(family) {
                return Err(StoreError::Unknown { family: family.clone() });
            }
            match value {
                Some(value) => write.put_cf(self.store.family(family), key, value),
                None => write.delete_cf(self.store.family(family), key),
            }
        }
        let mut next = self.succession.clone();
        if let Some(following) = &mut next.following {
            following.position = position;
        }
        next.put(&self.store, &mut write);
        self.put(write)?;
        self.succession = next;
        Ok(())
    }

    fn put(&self, write: WriteBatch) -> Result<(), StoreError> {
        let mut writer = self.store.core.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed {
            return Err(StoreError::Closed { dir: self.store.dir().into() });
        }
        self.store.put(&mut writer, write)?;
        writer.counts = self.store.counts()?;
        self.store.core.gone.store(self.store.tally()?.gone.total(), Ordering::Release);
        self.store.core.committed.store(writer.counts.total(), Ordering::Release);
        self.store.note(writer.counts);
        Ok(())
    }

    /// Writes down where its coordinator is by now, and in which reign it leads.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn found(&mut self, url: &str, reign: Reign) -> Result<(), StoreError> {
        let before = self.succession.clone();
        if let Some(following) = &mut self.succession.following {
            following.url = url.into();
        }
        self.succession.reign = reign;
        if self.succession == before {
            return Ok(());
        }
        let mut write = WriteBatch::default();
        self.succession.put(&self.store, &mut write);
        self.put(write)
    }

    /// Gives a copy that is whole its name, in the place of an earlier copy.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn whole(self, secret: &Secret) -> Result<Self, StoreError> {
        let Self { store, place, .. } = self;
        let draft = store.dir().to_owned();
        // Puts everything into tables, synced.
        drop(store);
        let Some(dir) = place else { return Self::opened(&draft, secret) };
        let at = |error: io::Error| StoreError::from_io(&dir, &error);
        let old = old_of(&dir);
        clear(&old).map_err(at)?;
        match fs::rename(&dir, &old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(error)),
            _ => {}
        }
        fs::rename(&draft, &dir).map_err(at)?;
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        File::open(parent.unwrap_or(Path::new("."))).and_then(|p| p.sync_all()).map_err(at)?;
        clear(&old).map_err(at)?;
        Self::opened(&dir, secret)
    }

    fn opened(dir: &Path, secret: &Secret) -> Result<Self, StoreError> {
        let absent = || StoreError::Absent { dir: dir.into() };
        Self::open(dir, secret)?.ok_or_else(absent)
    }

    /// Stops following, and leads from now on, in the next reign. Only the owner of the secret can
    /// make the proof of that.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn promote(mut self, secret: &Secret) -> Result<Succession, StoreError> {
        let Reign { line, number, .. } = self.succession.reign;
        self.succession = Succession {
            reign: made(secret, line, number + 1),
            inherited: self.facts(),
            following: None,
        };
        let mut write = WriteBatch::default();
        self.succession.put(&self.store, &mut write);
        self.put(write)?;
        Ok(self.succession)
    }
}

fn old_of(dir: &Path) -> PathBuf {
    let mut old = OsString::from(dir);
    old.push(".old");
    old.into()
}

/// Restores the name of an old copy. A process that ended while it put a new copy in its place has
/// left it with another name.
fn restore_name(dir: &Path) -> Result<(), StoreError> {
    let old = old_of(dir);
    if !dir.exists() && old.join(directory::STAMP).exists() {
        fs::rename(&old, dir).map_err(|e| StoreError::from_io(dir, &e))?;
    }
    Ok(())
}
