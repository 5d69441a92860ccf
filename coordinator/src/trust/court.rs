//! What becomes of claims when all are looked at, and of those who made them.

use std::collections::BTreeMap;

use sprig_audit::{Claim, Judge, Revalidated};
use sprig_store::{Event, EventKind, Store, StoreError, Subject};
use tracing::{info, warn};

use super::{Suspicion, person};
use crate::record;

/// Baseless claims that could not be computed again, after which their source is banned all the same. A few may come from
/// a report that was on its way when the cluster was suspended.
const PATIENCE: u64 = 8;

/// What has become of the claims.
#[derive(Debug, Default)]
pub(super) struct Cleansed {
    pub(super) verified: u64,
    pub(super) withdrawn: usize,
    /// Who has made claims up, with one of them each.
    liars: BTreeMap<String, String>,
    /// Set when the coordinator ends before it is done; nothing was withdrawn then.
    pub(super) stopped: bool,
}

impl Cleansed {
    pub(super) const STOPPED: Self =
        Self { verified: 0, withdrawn: 0, liars: BTreeMap::new(), stopped: true };
}

pub(super) struct Court<'a> {
    store: &'a Store,
    unsupported: BTreeMap<String, u64>,
    result: Cleansed,
}

impl Judge for Court<'_> {
    fn is_of_a_liar(&self, claim: &Claim) -> Result<bool, StoreError> {
        Ok(self.result.liars.contains_key(person(&self.source(claim)?)))
    }

    /// Finds out who is to blame: the source of the claim, if there is a `reason`, or if it has made many.
    fn judge(&mut self, claim: &Claim, reason: Option<String>) -> Result<(), StoreError> {
        let source = self.source(claim)?;
        // Once there is a liar, others may have believed it, and what they rest on may not have arrived.
        if let (Some(reason), true) = (&reason, self.result.liars.is_empty()) {
            self.blame(&source, claim, reason);
            return Ok(());
        }
        let count = self.unsupported.entry(source.clone()).or_default();
        *count += 1;
        if *count >= PATIENCE {
            self.blame(&source, claim, "like others of this source, it follows from nothing");
        }
        Ok(())
    }
}

impl<'a> Court<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, unsupported: BTreeMap::new(), result: Cleansed::default() }
    }

    fn source(&self, claim: &Claim) -> Result<String, StoreError> {
        let provenance = self.store.provenance(claim.value.kind(), &claim.subject)?;
        Ok(provenance.map_or_else(String::new, |provenance| provenance.source.worker))
    }

    fn blame(&mut self, source: &str, Claim { subject, value }: &Claim, reason: &str) {
        let subject = Subject(value.kind(), subject);
        let line = format!("{source} claimed of {subject}: {value}; {reason}");
        self.result.liars.entry(person(source).to_owned()).or_insert(line);
    }

    /// Withdraws and bans.
    pub(super) fn end(
        mut self,
        suspicion: &Suspicion,
        claims: Revalidated,
    ) -> Result<Cleansed, StoreError> {
        let Revalidated { verified, withdrawn } = claims;
        if let (Some(accused), true) = (&suspicion.accused, withdrawn.is_empty()) {
            let line = format!("{accused}: {}", suspicion.reason);
            self.result.liars.entry(person(accused).to_owned()).or_insert(line);
        }
        let time = record::time();
        let mut events = Vec::new();
        for (who, line) in &self.result.liars {
            warn!("banned: {line}");
            let detail = format!("{}\t{line}", who.replace('\t', " "));
            events.push(Event { time, kind: EventKind::Banned, detail });
        }
        if !withdrawn.is_empty() {
            let detail = format!("{} claims: {}", withdrawn.len(), suspicion.reason);
            events.push(Event { time, kind: EventKind::Withdrawn, detail });
        }
        self.result.verified = verified;
        self.result.withdrawn = self.store.withdraw(&withdrawn, &events)?;
        info!(
            verified = self.result.verified,
            withdrawn = self.result.withdrawn,
            banned = self.result.liars.len(),
            "every claim has been looked at; the cluster goes on"
        );
        Ok(self.result)
    }
}
