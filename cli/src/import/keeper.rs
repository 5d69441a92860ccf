//! Facts on their way into the database.

use std::time::{SystemTime, UNIX_EPOCH};

use sprig_store::{Batch, Contribution, Fact, Provenance, Source, Status, Store, UnixMillis};

use super::Plan;
use super::gather::name;

/// Gathers facts and commits them together.
pub struct Keeper<'a> {
    store: &'a Store,
    source: Source,
    facts: Vec<Fact>,
}

impl<'a> Keeper<'a> {
    pub fn new(store: &'a Store, plan: &Plan) -> Self {
        let files: Vec<_> = plan.files.iter().map(|path| name(path)).collect();
        let worker = format!("import of {}", files.join(", "));
        let build = env!("CARGO_PKG_VERSION").to_owned();
        Self { store, source: Source { worker, build }, facts: Vec::new() }
    }

    /// Takes in a fact that was checked.
    pub fn add(&mut self, fact: Fact) {
        self.facts.push(Fact { status: Status::Verified, ..fact });
    }

    /// Facts that wait for the next commit.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Writes what was taken in, and returns when it is on disk.
    ///
    /// # Errors
    /// When the disk fails, or a fact contradicts the database, which was looked at before.
    pub fn commit(&mut self) -> anyhow::Result<()> {
        if self.facts.is_empty() {
            return Ok(());
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = UnixMillis(u64::try_from(since.as_millis())?);
        let provenance = Provenance { source: self.source.clone(), job: None, time };
        let facts = std::mem::take(&mut self.facts);
        let count = facts.len();
        let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
        self.store.commit(&Batch { contributions: vec![contribution], ..Batch::default() })?;
        tracing::debug!("{count} facts are on disk");
        Ok(())
    }
}
