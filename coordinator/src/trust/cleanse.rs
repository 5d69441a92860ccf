//! Looking at every claim there is. Nothing else is written meanwhile: the cluster is suspended.
//!
//! Those of normal play come first. Claims are taken from the smallest land upwards, and a step may rest on verified facts alone, so one pass is enough:
//! whatever a claim could rest on has been decided before it. A claim is
//! - *verified* when its step is shown, or when computing it again gives the same;
//! - *tainted* when it would follow from claims that were withdrawn: its source has believed somebody;
//! - *baseless* when not even that: its source has made it up.

use std::sync::atomic::{AtomicBool, Ordering};

use sprig_engine::Nimber;
use sprig_search::step::{Finding, Inspector, Key};
use sprig_store::{Fact, Kind, Sequence, Status, Store, StoreError, Value};
use tracing::warn;

use super::court::{Claim, Cleansed, Court};
use super::recompute::Recomputer;
use super::{Suspicion, misere};

/// Expansions to compute a baseless claim again.
const EXPANSIONS: u64 = 20_000;
struct Pass<'a> {
    court: Court<'a>,
    /// Rests on verified facts alone.
    strict: Inspector,
    /// Rests on claims, also those to be withdrawn.
    lenient: Inspector,
    recomputer: Option<Recomputer>,
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
    let (strict, lenient) = (Inspector::default(), Inspector::default());
    let mut pass = Pass { court: Court::new(store), strict, lenient, recomputer: None };
    for (_, land, nimber) in claims {
        if stop.load(Ordering::Relaxed) {
            return Ok(Cleansed::STOPPED);
        }
        pass.decide(land, nimber)?;
    }
    let mut court = pass.court;
    if !misere::cleanse(&mut court, stop)? {
        return Ok(Cleansed::STOPPED);
    }
    court.end(suspicion)
}

impl Pass<'_> {
    fn decide(&mut self, land: Key, nimber: Nimber) -> Result<(), StoreError> {
        let Self { court, strict, .. } = self;
        let finding = strict.inspect(&land, nimber, &mut |land| court.ledger.verified(land))?;
        let holds = match finding {
            Finding::Shown(_) => true,
            Finding::Refuted(_) => self.weigh(&land, nimber, true)?,
            Finding::Missing => self.weigh(&land, nimber, false)?,
        };
        let claim = Claim { subject: land, value: Value::Nimber(nimber) };
        if !holds {
            self.court.withdraw(claim);
            return Ok(());
        }
        if let Some(recomputer) = &self.recomputer {
            recomputer.learn(&claim.subject, nimber);
        }
        self.court.uphold(claim)
    }

    /// A claim that does not follow from verified facts: whether it holds all the same, and who is to blame.
    fn weigh(&mut self, land: &Key, nimber: Nimber, refuted: bool) -> Result<bool, StoreError> {
        let claim = Claim { subject: land.clone(), value: Value::Nimber(nimber) };
        if self.court.is_of_a_liar(&claim)? || self.is_tainted(land, nimber)? {
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
        self.court.judge(&claim, reason)?;
        Ok(false)
    }

    /// Whether a claim follows from claims that came before it and were withdrawn since.
    fn is_tainted(&mut self, land: &[u8], nimber: Nimber) -> Result<bool, StoreError> {
        let Self { court, lenient, .. } = self;
        let store = court.ledger.store;
        let sequence = |land: &[u8]| Ok(store.fact(Kind::Nimber, land)?.map(|s| s.sequence));
        let now: Option<Sequence> = sequence(land)?;
        let known = &mut |other: &[u8]| match store.nimber(other)? {
            Some(nimber) if sequence(other)? < now => Ok(Some(nimber)),
            _ => Ok::<_, StoreError>(None),
        };
        // What was known differs from claim to claim.
        lenient.forget();
        let Finding::Shown(rests) = lenient.inspect(land, nimber, known)? else { return Ok(false) };
        Ok(rests.into_iter().any(|land| court.is_withdrawn(Kind::Nimber, land)))
    }

    /// Made when it is needed first, and taught what is verified.
    fn recomputer(&mut self) -> Result<&Recomputer, StoreError> {
        if self.recomputer.is_none() {
            let recomputer = Recomputer::new();
            self.court.ledger.write()?;
            for stored in self.court.ledger.store.facts(Kind::Nimber) {
                let Fact { subject: land, value, status } = stored?.fact;
                if let (Value::Nimber(nimber), Status::Verified) = (value, status) {
                    recomputer.learn(&land, nimber);
                }
            }
            self.recomputer = Some(recomputer);
        }
        Ok(self.recomputer.as_ref().expect("made above"))
    }
}
