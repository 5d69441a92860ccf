//! The facts, as a check sees them.

use std::time::{SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use sprig_engine::Nimber;
use sprig_search::step::Key;
use sprig_store::{
    Batch, Contribution, Fact, Provenance, Source, Status, Store, StoreError, UnixMillis, Value,
};

/// Facts written at once.
const FACTS: usize = 1024;

/// The database, and what has been verified and is not written yet.
pub struct Ledger<'a> {
    store: &'a Store,
    /// The program that has checked.
    source: Source,
    /// In the order in which they were verified: options come before the trees that have them.
    facts: Vec<Fact>,
    /// The facts that are nimbers.
    nimbers: FxHashMap<Key, Nimber>,
}

impl<'a> Ledger<'a> {
    /// The facts of `store`; `source` is the program that checks them.
    #[must_use]
    pub fn new(store: &'a Store, source: &Source) -> Self {
        let (facts, nimbers) = (Vec::new(), FxHashMap::default());
        Self { store, source: source.clone(), facts, nimbers }
    }

    /// The nimber of a land, as it was verified.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn verified(&self, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
        let marked = self.nimbers.get(land).copied();
        marked.map_or_else(|| self.store.verified_nimber(land), |nimber| Ok(Some(nimber)))
    }

    /// The nimber of a land, verified or claimed.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn told(&self, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
        let marked = self.nimbers.get(land).copied();
        marked.map_or_else(|| self.store.nimber(land), |nimber| Ok(Some(nimber)))
    }

    /// Marks a fact as verified.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn mark(&mut self, subject: Key, value: Value) -> Result<(), StoreError> {
        if let Value::Nimber(nimber) = value {
            self.nimbers.insert(subject.clone(), nimber);
        }
        let game = self.store.game();
        self.facts.push(Fact { game, subject, value, status: Status::Verified });
        if self.facts.len() >= FACTS { self.write() } else { Ok(()) }
    }

    /// Writes what was marked; it is on disk when this returns.
    ///
    /// # Errors
    /// When the disk fails, or a fact contradicts what the database has.
    pub fn write(&mut self) -> Result<(), StoreError> {
        if self.facts.is_empty() {
            return Ok(());
        }
        let facts = std::mem::take(&mut self.facts);
        let count = facts.len();
        let provenance = Provenance { source: self.source.clone(), job: None, time: time() };
        let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
        self.store.commit(&Batch { contributions: vec![contribution], ..Batch::default() })?;
        tracing::debug!("{count} facts are on disk");
        self.nimbers.clear();
        Ok(())
    }
}

/// The time by the clock on the wall.
fn time() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
