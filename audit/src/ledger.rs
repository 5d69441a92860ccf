//! The facts, as those see them who check them.

use std::time::{SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use sprig_engine::Nimber;
use sprig_search::step::Key;
use sprig_store::{
    Batch, Contribution, Fact, Kind, Provenance, Source, Status, Store, StoreError, UnixMillis,
    Value,
};

/// Marks written at once.
const MARKS: usize = 1024;

/// The database, and what has been verified and is not written yet.
pub struct Ledger<'a> {
    store: &'a Store,
    /// Who has checked.
    source: Source,
    marks: FxHashMap<(Kind, Key), Value>,
}

impl<'a> Ledger<'a> {
    /// The facts of `store`; `source` is the program that checks them.
    #[must_use]
    pub fn new(store: &'a Store, source: &Source) -> Self {
        Self { store, source: source.clone(), marks: FxHashMap::default() }
    }

    /// The database.
    #[must_use]
    pub fn store(&self) -> &'a Store {
        self.store
    }

    /// The nimber of a land, as it was verified.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn verified(&self, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
        match self.marks.get(&(Kind::Nimber, land.into())) {
            Some(&Value::Nimber(nimber)) => Ok(Some(nimber)),
            _ => self.store.verified_nimber(land),
        }
    }

    /// Marks a fact as verified.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn mark(&mut self, subject: Key, value: Value) -> Result<(), StoreError> {
        self.marks.insert((value.kind(), subject), value);
        if self.marks.len() >= MARKS { self.write() } else { Ok(()) }
    }

    /// Writes the marks.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn write(&mut self) -> Result<(), StoreError> {
        if self.marks.is_empty() {
            return Ok(());
        }
        let verified = |((_, subject), value)| Fact { subject, value, status: Status::Verified };
        let facts = self.marks.drain().map(verified).collect();
        let provenance = Provenance { source: self.source.clone(), job: None, time: time() };
        let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
        self.store.commit(&Batch { contributions: vec![contribution], ..Batch::default() })?;
        Ok(())
    }
}

/// The time by the clock on the wall.
fn time() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
