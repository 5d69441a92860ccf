//! Looking at every claim there is. Nothing else is written meanwhile: the cluster is suspended.
//!
//! Claims are taken from the smallest land upwards, and a step may rest on verified facts alone, so one pass is enough:
//! whatever a claim could rest on has been decided before it. A claim is
//! - *verified* when its step is shown, or when computing it again gives the same;
//! - *tainted* when it would follow from claims that were withdrawn: its source has believed somebody;
//! - *baseless* when not even that: its source has made it up.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;
use sprig_engine::Nimber;
use sprig_search::step::{Finding, Inspector, Key};
use sprig_store::{Event, EventKind, Fact, Kind, Sequence, Status, Store, StoreError, Value};
use tracing::{info, warn};

use super::ledger::Ledger;
use super::recompute::Recomputer;
use super::{Suspicion, person};
use crate::record;

/// Expansions to compute a baseless claim again.
const EXPANSIONS: u64 = 20_000;
/// Baseless claims that could not be computed again, after which their source is banned all the same. A few may come from
/// a report that was on its way when the cluster was suspended.
const PATIENCE: u64 = 8;

/// What has become of the claims.
#[derive(Debug, Default)]
pub(super) struct Cleansed {
    pub(super) verified: u64,
    pub(super) withdrawn: usize,
    /// Who has made claims up, with one of them each.
    pub(super) liars: BTreeMap<String, String>,
    /// Set when the coordinator ends before it is done; nothing was withdrawn then.
    pub(super) stopped: bool,
}

struct Pass<'a> {
    ledger: Ledger<'a>,
    /// Rests on verified facts alone.
    strict: Inspector,
    /// Rests on claims, also those to be withdrawn.
    lenient: Inspector,
    recomputer: Option<Recomputer>,
    withdrawn: FxHashSet<Key>,
    unsupported: BTreeMap<String, u64>,
    result: Cleansed,
}

/// Looks at every claim of `store`; verifies or withdraws it.
pub(super) fn cleanse(
    store: &Store,
    suspicion: &Suspicion,
    stop: &AtomicBool,
) -> Result<Cleansed, StoreError> {
    warn!("the cluster is suspended until every claim has been looked at: {}", suspicion.reason);
    let mut claims = Vec::new();
    for stored in store.facts(Kind::Nimber) {
        let Fact { subject: land, value, status } = stored?.fact;
        if let (Value::Nimber(nimber), Status::Claimed) = (value, status) {
            claims.push((sprig_engine::shape(&land).lives, land, nimber));
        }
    }
    claims.sort_unstable();
    let mut pass = Pass {
        ledger: Ledger::new(store),
        strict: Inspector::default(),
        lenient: Inspector::default(),
        recomputer: None,
        withdrawn: FxHashSet::default(),
        unsupported: BTreeMap::new(),
        result: Cleansed::default(),
    };
    for (_, land, nimber) in claims {
        if stop.load(Ordering::Relaxed) {
            pass.result.stopped = true;
            return Ok(pass.result);
        }
        pass.decide(land, nimber)?;
    }
    pass.end(suspicion)
}

impl Pass<'_> {
    fn decide(&mut self, land: Key, nimber: Nimber) -> Result<(), StoreError> {
        let Self { ledger, strict, .. } = self;
        let finding = strict.inspect(&land, nimber, &mut |land| ledger.verified(land))?;
        let holds = match finding {
            Finding::Shown(_) => true,
            Finding::Refuted(_) => self.weigh(&land, nimber, true)?,
            Finding::Missing => self.weigh(&land, nimber, false)?,
        };
        if holds {
            self.result.verified += 1;
            if let Some(recomputer) = &self.recomputer {
                recomputer.learn(&land, nimber);
            }
            self.ledger.mark(land, nimber)
        } else {
            self.withdrawn.insert(land);
            Ok(())
        }
    }

    /// A claim that does not follow from verified facts: whether it holds all the same, and who is to blame.
    fn weigh(&mut self, land: &Key, nimber: Nimber, refuted: bool) -> Result<bool, StoreError> {
        let source = self.source(land)?;
        if self.result.liars.contains_key(person(&source)) || self.is_tainted(land, nimber)? {
            return Ok(false);
        }
        let found = if refuted { None } else { self.recomputer()?.nimber(land, EXPANSIONS) };
        if found == Some(nimber) {
            return Ok(true);
        }
        let reason = match (refuted, found) {
            (true, _) => Some("verified facts refute it".to_owned()),
            (false, Some(found)) => Some(format!("computed again it is {found}")),
            (false, None) => None,
        };
        // Once there is a liar, others may have believed it, and what they rest on may not have arrived.
        if let (Some(reason), true) = (&reason, self.result.liars.is_empty()) {
            self.blame(&source, land, nimber, reason);
            return Ok(false);
        }
        let count = self.unsupported.entry(source.clone()).or_default();
        *count += 1;
        if *count >= PATIENCE {
            self.blame(
                &source,
                land,
                nimber,
                "like others of this source, it follows from nothing",
            );
        }
        Ok(false)
    }

    /// Whether a claim follows from claims that came before it and were withdrawn since.
    fn is_tainted(&mut self, land: &[u8], nimber: Nimber) -> Result<bool, StoreError> {
        let Self { ledger, lenient, withdrawn, .. } = self;
        let store = ledger.store;
        let sequence = |land: &[u8]| Ok(store.fact(Kind::Nimber, land)?.map(|s| s.sequence));
        let now: Option<Sequence> = sequence(land)?;
        let known = &mut |other: &[u8]| match store.nimber(other)? {
            Some(nimber) if sequence(other)? < now => Ok(Some(nimber)),
            _ => Ok::<_, StoreError>(None),
        };
        // What was known differs from claim to claim.
        lenient.forget();
        let Finding::Shown(rests) = lenient.inspect(land, nimber, known)? else { return Ok(false) };
        Ok(rests.iter().any(|land| withdrawn.contains(land)))
    }

    fn source(&self, land: &[u8]) -> Result<String, StoreError> {
        let provenance = self.ledger.store.provenance(Kind::Nimber, land)?;
        Ok(provenance.map_or_else(String::new, |provenance| provenance.source.worker))
    }

    fn blame(&mut self, source: &str, land: &[u8], nimber: Nimber, reason: &str) {
        let land = record::text(land);
        let line = format!("{source} claimed nimber {nimber} for land {land}; {reason}");
        self.result.liars.entry(person(source).to_owned()).or_insert(line);
    }

    /// Made when it is needed first, and taught what is verified.
    fn recomputer(&mut self) -> Result<&Recomputer, StoreError> {
        if self.recomputer.is_none() {
            let recomputer = Recomputer::new();
            self.ledger.write()?;
            for stored in self.ledger.store.facts(Kind::Nimber) {
                let Fact { subject: land, value, status } = stored?.fact;
                if let (Value::Nimber(nimber), Status::Verified) = (value, status) {
                    recomputer.learn(&land, nimber);
                }
            }
            self.recomputer = Some(recomputer);
        }
        Ok(self.recomputer.as_ref().expect("made above"))
    }

    fn end(mut self, suspicion: &Suspicion) -> Result<Cleansed, StoreError> {
        self.ledger.write()?;
        if let (Some(accused), true) = (&suspicion.accused, self.withdrawn.is_empty()) {
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
        let lands: Vec<Key> = self.withdrawn.into_iter().collect();
        if !lands.is_empty() {
            let detail = format!("{} claims: {}", lands.len(), suspicion.reason);
            events.push(Event { time, kind: EventKind::Withdrawn, detail });
        }
        self.result.withdrawn = self.ledger.store.withdraw(Kind::Nimber, &lands, &events)?;
        info!(
            verified = self.result.verified,
            withdrawn = self.result.withdrawn,
            banned = self.result.liars.len(),
            "every claim has been looked at; the cluster goes on"
        );
        Ok(self.result)
    }
}
