//! What becomes of claims when all are looked at, and of those who made them.

use std::collections::BTreeMap;

use sprig_audit::Claim;
use sprig_search::step::Key;
use sprig_store::{
    BanRecord, BanState, Event, EventKind, Kind, Person, Store, StoreError, Subject, UnixMillis,
};
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
    /// Who has made claims up, and why that is known.
    liars: BTreeMap<Person, BanState>,
    /// Set when the coordinator ends before it is done; nothing was withdrawn then.
    pub(super) stopped: bool,
}

impl Cleansed {
    pub(super) const STOPPED: Self =
        Self { verified: 0, withdrawn: 0, liars: BTreeMap::new(), stopped: true };

    /// Whether there was a lie: claims were withdrawn, or somebody was found out.
    pub(super) fn found(&self) -> bool {
        self.withdrawn > 0 || !self.liars.is_empty()
    }
}

pub(super) struct Court<'a> {
    store: &'a Store,
    unsupported: BTreeMap<String, u64>,
    result: Cleansed,
}

impl<'a> Court<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, unsupported: BTreeMap::new(), result: Cleansed::default() }
    }

    /// Whether the source of a claim has been found out already.
    pub(super) fn is_of_a_liar(&self, claim: &Claim) -> Result<bool, StoreError> {
        Ok(self.result.liars.contains_key(&person(&self.source(claim)?)))
    }

    /// Finds out who is to blame for a claim that does not hold: its source, if there is a `reason`, or if it has made many.
    pub(super) fn judge(
        &mut self,
        claim: &Claim,
        reason: Option<String>,
    ) -> Result<(), StoreError> {
        let source = self.source(claim)?;
        // Once there is a liar, others may have believed it, and what they rest on may not have arrived.
        if let (Some(reason), true) = (&reason, self.result.liars.is_empty()) {
            self.blame(&source, claim, reason);
            return Ok(());
        }
        // What a worker of misère play proves depends on the trees that it has been told, and on the names that nodes get from
        // them: once one was a lie, no claim shows whether its source has lied or believed. A liar is found out the next time.
        if matches!(claim.value.kind(), Kind::Rct | Kind::Loss) && !self.result.liars.is_empty() {
            return Ok(());
        }
        let count = self.unsupported.entry(source.clone()).or_default();
        *count += 1;
        if *count >= PATIENCE {
            self.blame(&source, claim, "like others of this source, it follows from nothing");
        }
        Ok(())
    }

    fn source(&self, claim: &Claim) -> Result<String, StoreError> {
        let provenance = self.store.provenance(claim.value.kind(), &claim.subject)?;
        Ok(provenance.map_or_else(String::new, |provenance| provenance.source.worker))
    }

    fn blame(&mut self, source: &str, Claim { subject, value, .. }: &Claim, reason: &str) {
        let claim = Some(format!("{}: {value}", Subject(value.kind(), subject)));
        let state = BanState::Banned { reason: format!("{source}: {reason}"), claim };
        self.result.liars.entry(person(source)).or_insert(state);
    }

    /// Withdraws and bans.
    pub(super) fn end(
        mut self,
        suspicion: &Suspicion,
        verified: u64,
        withdrawn: &[(Kind, Key)],
    ) -> Result<Cleansed, StoreError> {
        if let (Some(accused), true) = (&suspicion.accused, withdrawn.is_empty()) {
            let reason = format!("{accused}: {}", suspicion.reason);
            let state = BanState::Banned { reason, claim: None };
            self.result.liars.entry(person(accused)).or_insert(state);
        }
        let time = record::time();
        let mut events = Vec::new();
        let bans: Vec<BanRecord> =
            self.result.liars.iter().map(|(person, state)| banned(person, state, time)).collect();
        if !withdrawn.is_empty() {
            let detail = format!("{} claims: {}", withdrawn.len(), suspicion.reason);
            events.push(Event { time, kind: EventKind::Withdrawn, detail });
        }
        self.result.verified = verified;
        self.result.withdrawn = self.store.withdraw(withdrawn, &events, &bans)?;
        info!(
            verified = self.result.verified,
            withdrawn = self.result.withdrawn,
            banned = self.result.liars.len(),
            "every claim has been looked at; the cluster goes on"
        );
        Ok(self.result)
    }
}

fn banned(person: &Person, state: &BanState, time: UnixMillis) -> BanRecord {
    if let BanState::Banned { reason, claim } = state {
        let (name, proved, claim) = (&*person.name, person.proved, claim.as_deref());
        warn!(name, proved, reason, claim, "banned");
    }
    BanRecord { person: person.clone(), time, state: state.clone() }
}
