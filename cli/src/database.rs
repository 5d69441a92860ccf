//! The database a command works on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use sprig_store::Store;
use tempfile::TempDir;

use crate::temporary;

/// An open database, and the folder it lives in.
pub struct Database {
    pub store: Arc<Store>,
    place: Place,
}

enum Place {
    Kept(PathBuf),
    /// Removed when the command ends.
    Temporary(TempDir),
}

impl Database {
    /// Opens the database in `folder` and creates it where there is none; without a folder, takes a temporary one and
    /// says so. It may take about `memory` bytes for itself, if that is less than it would.
    ///
    /// # Errors
    /// When the folder is no database, another version's, in use, or cannot be written.
    pub fn open_or_create(folder: Option<&Path>, memory: usize) -> anyhow::Result<Self> {
        if let Some(folder) = folder {
            return Self::at(Place::Kept(folder.to_owned()), memory);
        }
        let database = Self::temporary(memory)?;
        eprintln!("sprig: using a temporary database; --db DIR keeps the facts");
        Ok(database)
    }

    /// A database that is gone when the command ends.
    ///
    /// # Errors
    /// When there is no room for one.
    pub fn temporary(memory: usize) -> anyhow::Result<Self> {
        let folder = temporary::folder();
        let folder = folder.context("cannot make a temporary database; give one with --db DIR")?;
        Self::at(Place::Temporary(folder), memory)
    }

    fn at(place: Place, memory: usize) -> anyhow::Result<Self> {
        Ok(Self { store: Arc::new(Store::open_within(place.folder(), memory)?), place })
    }

    /// Opens a database that must be there.
    ///
    /// # Errors
    /// Those of [`Database::open_or_create`], and when there is none.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let something = std::fs::read_dir(folder).map(|mut entries| entries.next().is_some());
        ensure!(
            something.unwrap_or(folder.exists()),
            "there is no database in {}; check the path, or make one with `sprig solve POS --db {0}`",
            folder.display()
        );
        Self::open_or_create(Some(folder), usize::MAX)
    }

    /// What becomes of the facts when the command ends.
    pub fn fate(&self) -> String {
        match &self.place {
            Place::Kept(folder) => {
                format!(
                    "what was proved is kept in {}; the same command goes on from there",
                    folder.display()
                )
            }
            Place::Temporary(_) => "nothing is kept; --db DIR keeps what is proved".to_owned(),
        }
    }
}

impl Place {
    fn folder(&self) -> &Path {
        match self {
            Self::Kept(folder) => folder,
            Self::Temporary(folder) => folder.path(),
        }
    }
}
