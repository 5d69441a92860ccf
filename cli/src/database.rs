//! The database that a command works on.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use sprig_ask::{plural, with_verb};
use sprig_domain::Node;
use sprig_store::{Kind, Reader, Secret, Status, Store, Worth};
use tempfile::TempDir;

use crate::{seal, temporary};

/// A database that the command may write to, and the folder it lives in.
pub struct Database {
    pub store: Arc<Store>,
    /// The folder. None for a temporary database.
    kept: Option<PathBuf>,
    /// The folder of a temporary database. It is removed when the command ends, after the store is
    /// closed.
    _temporary: Option<TempDir>,
}

/// Opens the database in `folder` to read what is there now. The database may be in use, and
/// nothing is written to it.
///
/// # Errors
/// When the folder is no database, or another version's.
pub fn read(folder: &Path) -> anyhow::Result<Reader> {
    let reader = Reader::open(folder, &seal::secret(folder)?)?;
    if reader.writer_process().is_none() {
        say_unended(&reader);
    }
    Ok(reader)
}

/// Says on standard error how much is there, if the process that wrote was killed, or the files
/// were copied while it wrote.
fn say_unended(reader: &Reader) {
    let unended = reader.least().filter(|least| !least.ended && least.epoch > 0);
    if let (Some(least), Ok(counts)) = (unended, reader.counts()) {
        remark!(
            "sprig: {} was killed or copied while it was in use: {} there, {} recorded on {}; \
             of what came later, some is missing if files are",
            reader.dir().display(),
            with_verb(counts.total(), "fact", ["is", "are"]),
            with_verb(least.facts, "fact", ["was", "were"]),
            least.time.date()
        );
    }
}

/// Opens a database as [`read()`] does, for a command that answers from it. If the answers leave
/// facts out, says how many.
///
/// # Errors
/// Those of [`read()`].
pub fn read_to_answer(folder: &Path) -> anyhow::Result<Reader> {
    let reader = read(folder)?;
    say_worth(folder, reader.worth()?);
    Ok(reader)
}

/// Says on standard error how many facts count as claims, if there are any.
pub fn say_worth(folder: &Path, Worth { verified, claimed }: Worth) {
    let (claimed, all) = (claimed.total(), claimed.total() + verified.total());
    if claimed > 0 {
        let db = folder.display();
        remark!(
            "sprig: {claimed} of {all} facts in {db} do not carry your seal and count as claims; \
             `sprig audit --db {db}` checks them, `sprig adopt --db {db}` vouches for them"
        );
    }
}

/// Says on standard error how many facts carry the seal of another key, as all do where a
/// coordinator was started without its own.
fn say_others(store: &Store, key: &Secret) -> anyhow::Result<()> {
    let others = store.sealed_by_others()?;
    if others > 0 {
        remark!(
            "sprig: {} in {} carry the seal of another key than {} and count as claims; \
             if you have that key, name it (--seal-key FILE, SPRIG_SEAL_KEY)",
            plural(others, "fact"),
            store.dir().display(),
            key.id()
        );
    }
    Ok(())
}

/// The nodes that are known to be lost in misère play.
///
/// # Errors
/// When the disk fails, or what it holds does not fit together.
pub fn lost_nodes(reader: &Reader) -> anyhow::Result<Vec<Node>> {
    let mut nodes = Vec::new();
    for stored in reader.facts(Kind::Loss) {
        let fact = stored?.fact;
        if fact.status == Status::Verified {
            nodes.push(Node::decode(&fact.subject)?);
        }
    }
    Ok(nodes)
}

/// The bytes of a database's files.
///
/// # Errors
/// When the folder cannot be read.
pub fn bytes_of(db: &Path) -> anyhow::Result<u64> {
    let files = fs::read_dir(db).with_context(|| format!("cannot read {}", db.display()))?;
    // A file may vanish while the files are counted.
    Ok(files.filter_map(|file| file.ok()?.metadata().ok()).map(|file| file.len()).sum())
}

impl Database {
    /// Opens the database in `folder`, and creates it if it is not there. Without a folder the
    /// database is temporary, which is said. It may take about `memory` bytes for itself, if that
    /// is less than it would take otherwise.
    ///
    /// # Errors
    /// When the folder is no database, another version's, in use, or cannot be written.
    pub fn open_or_create(folder: Option<&Path>, memory: usize) -> anyhow::Result<Self> {
        if let Some(folder) = folder {
            let store = Store::open_within(folder, &seal::secret(folder)?, memory)?;
            say_unended(&store);
            let kept = Some(folder.to_owned());
            return Ok(Self { store: Arc::new(store), kept, _temporary: None });
        }
        let database = Self::temporary(memory)?;
        remark!("sprig: using a temporary database; --db DIR keeps the facts");
        Ok(database)
    }

    /// Opens a database as [`Database::open_or_create`] does, for a coordinator that others may
    /// follow.
    ///
    /// # Errors
    /// Those of [`Database::open_or_create`].
    pub fn open_to_lead(folder: &Path) -> anyhow::Result<Self> {
        let key = seal::secret(folder)?;
        let store = Store::open_to_lead(folder, &key)?;
        say_unended(&store);
        say_others(&store, &key)?;
        Ok(Self { store: Arc::new(store), kept: Some(folder.to_owned()), _temporary: None })
    }

    /// Opens a database as [`Database::open_or_create`] does, for a command that answers from it.
    /// If the answers leave facts out, says how many.
    ///
    /// # Errors
    /// Those of [`Database::open_or_create`].
    pub fn open_to_answer(folder: Option<&Path>, memory: usize) -> anyhow::Result<Self> {
        let database = Self::open_or_create(folder, memory)?;
        say_worth(database.store.dir(), database.store.worth()?);
        Ok(database)
    }

    /// A database that is removed when the command ends.
    ///
    /// # Errors
    /// When there is no room for one.
    pub fn temporary(memory: usize) -> anyhow::Result<Self> {
        let folder = temporary::folder();
        let folder = folder.context("cannot make a temporary database; give one with --db DIR")?;
        let store = Store::temporary(folder.path(), &Secret::random(), memory)?;
        Ok(Self { store: Arc::new(store), kept: None, _temporary: Some(folder) })
    }

    /// Opens a database that must exist.
    ///
    /// # Errors
    /// Those of [`Database::open_or_create`], and when there is none.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        exists(folder)?;
        Self::open_or_create(Some(folder), usize::MAX)
    }

    /// What happens to the facts when the command ends.
    pub fn fate(&self) -> String {
        match &self.kept {
            Some(folder) => format!(
                "what was proved is kept in {}; the same command goes on from there",
                folder.display()
            ),
            None => "nothing is kept; --db DIR keeps what is proved".to_owned(),
        }
    }
}
/// Looks whether there may be a database in a folder.
///
/// # Errors
/// When there is no such folder, or nothing in it.
pub fn exists(folder: &Path) -> anyhow::Result<()> {
    let something = fs::read_dir(folder).map(|mut entries| entries.next().is_some());
    ensure!(
        something.unwrap_or(folder.exists()),
        "there is no database in {}; check the path, or make one with `sprig solve POS --db {0}`",
        folder.display()
    );
    Ok(())
}
