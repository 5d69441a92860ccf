//! The facts, as those see them who check them.

use rustc_hash::FxHashMap;
use sprig_engine::Nimber;
use sprig_proto::Build;
use sprig_search::step::Key;
use sprig_store::{
    Batch, Contribution, Fact, Kind, Provenance, Source, Status, Store, StoreError, Value,
};

use crate::record;

/// Marks written at once.
const MARKS: usize = 1024;

/// The database, and what has been verified and is not written yet.
pub(super) struct Ledger<'a> {
    pub(super) store: &'a Store,
    marks: FxHashMap<(Kind, Key), Value>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, marks: FxHashMap::default() }
    }

    /// The nimber of a land, as it was verified.
    pub(super) fn verified(&self, land: &[u8]) -> Result<Option<Nimber>, StoreError> {
        match self.marks.get(&(Kind::Nimber, land.into())) {
            Some(&Value::Nimber(nimber)) => Ok(Some(nimber)),
            _ => self.store.verified_nimber(land),
        }
    }

    /// Marks a fact as verified.
    pub(super) fn mark(&mut self, subject: Key, value: Value) -> Result<(), StoreError> {
        self.marks.insert((value.kind(), subject), value);
        if self.marks.len() >= MARKS { self.write() } else { Ok(()) }
    }

    /// Writes the marks.
    pub(super) fn write(&mut self) -> Result<(), StoreError> {
        if self.marks.is_empty() {
            return Ok(());
        }
        let verified = |((_, subject), value)| Fact { subject, value, status: Status::Verified };
        let facts = self.marks.drain().map(verified).collect();
        let source = Source { worker: "coordinator".into(), build: Build::here().id };
        let provenance = Provenance { source, job: None, time: record::time() };
        let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
        self.store.commit(&Batch { contributions: vec![contribution], ..Batch::default() })?;
        Ok(())
    }
}
