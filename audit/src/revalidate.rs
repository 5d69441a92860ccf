//! Looking at every claim there is. Nothing else is written meanwhile.
//!
//! Those of normal play come first. Claims are taken from the smallest land upwards, and a step may rest on verified facts alone, so one pass is enough:
//! whatever a claim could rest on has been decided before it. A claim is
//! - *verified* when its step is shown, or when computing it again gives the same;
//! - *tainted* when it would follow from claims that are to be withdrawn: its source has believed another;
//! - *baseless* when not even that: its source has made it up.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;
use sprig_engine::Nimber;
use sprig_search::step::{Finding, Inspector, Key};
use sprig_store::{Fact, Kind, Sequence, Source, Status, Store, StoreError, Value};

use crate::ledger::Ledger;
use crate::misere;
use crate::recompute::Recomputer;

/// Expansions to compute a baseless claim again.
const EXPANSIONS: u64 = 20_000;

/// A claim: what it is about, and what it says.
#[derive(Debug)]
pub struct Claim {
    /// The bytes of what it is about.
    pub subject: Key,
    /// What it says.
    pub value: Value,
}

/// Decides what the claims that do not hold say about their sources.
pub trait Judge {
    /// Whether the source of a claim has been found out, so that it need not be looked at any further.
    ///
    /// # Errors
    /// When the disk fails.
    fn is_of_a_liar(&self, claim: &Claim) -> Result<bool, StoreError>;

    /// A claim is baseless; the reason, if it is known to be wrong.
    ///
    /// # Errors
    /// When the disk fails.
    fn judge(&mut self, claim: &Claim, reason: Option<String>) -> Result<(), StoreError>;
}

/// What has become of the claims.
#[derive(Debug)]
pub struct Revalidated {
    /// Claims that are verified now.
    pub verified: u64,
    /// Claims that do not hold.
    pub withdrawn: Vec<(Kind, Key)>,
}

/// The claims that have been decided so far.
pub(crate) struct Decided<'a> {
    pub(crate) ledger: Ledger<'a>,
    pub(crate) judge: &'a mut dyn Judge,
    verified: u64,
    withdrawn: FxHashSet<(Kind, Key)>,
}

impl Decided<'_> {
    /// The claim is verified.
    pub(crate) fn uphold(&mut self, claim: Claim) -> Result<(), StoreError> {
        self.verified += 1;
        self.ledger.mark(claim.subject, claim.value)
    }

    /// The claim is to be withdrawn.
    pub(crate) fn withdraw(&mut self, claim: Claim) {
        self.withdrawn.insert((claim.value.kind(), claim.subject));
    }
}

struct Pass<'a> {
    decided: Decided<'a>,
    /// Rests on verified facts alone.
    strict: Inspector,
    /// Rests on claims, also those to be withdrawn.
    lenient: Inspector,
    recomputer: Option<Recomputer>,
}

/// Looks at every claim of `store`: writes those that hold as verified by `source`, and tells the `judge` of the others,
/// which are left where they are. None when it was stopped.
///
/// # Errors
/// When the disk fails.
pub fn revalidate(
    store: &Store,
    source: &Source,
    judge: &mut dyn Judge,
    stop: &AtomicBool,
) -> Result<Option<Revalidated>, StoreError> {
    let mut claims = Vec::new();
    for stored in store.facts(Kind::Nimber) {
        let Fact { subject: land, value, status } = stored?.fact;
        if let (Value::Nimber(nimber), Status::Claimed) = (value, status) {
            claims.push((sprig_engine::shape(&land).lives, land, nimber));
        }
    }
    claims.sort_unstable();
    let ledger = Ledger::new(store, source);
    let decided = Decided { ledger, judge, verified: 0, withdrawn: FxHashSet::default() };
    let (strict, lenient) = (Inspector::default(), Inspector::default());
    let mut pass = Pass { decided, strict, lenient, recomputer: None };
    for (_, land, nimber) in claims {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        pass.decide(land, nimber)?;
    }
    let mut decided = pass.decided;
    if !misere::revalidate(&mut decided, stop)? {
        return Ok(None);
    }
    decided.ledger.write()?;
    let Decided { verified, withdrawn, .. } = decided;
    Ok(Some(Revalidated { verified, withdrawn: withdrawn.into_iter().collect() }))
}

impl Pass<'_> {
    fn decide(&mut self, land: Key, nimber: Nimber) -> Result<(), StoreError> {
        let Self { decided, strict, .. } = self;
        let finding = strict.inspect(&land, nimber, &mut |land| decided.ledger.verified(land))?;
        let holds = match finding {
            Finding::Shown(_) => true,
            Finding::Refuted(_) => self.weigh(&land, nimber, true)?,
            Finding::Missing => self.weigh(&land, nimber, false)?,
        };
        let claim = Claim { subject: land, value: Value::Nimber(nimber) };
        if !holds {
            self.decided.withdraw(claim);
            return Ok(());
        }
        if let Some(recomputer) = &self.recomputer {
            recomputer.learn(&claim.subject, nimber);
        }
        self.decided.uphold(claim)
    }

    /// A claim that does not follow from verified facts: whether it holds all the same, and who is to blame.
    fn weigh(&mut self, land: &Key, nimber: Nimber, refuted: bool) -> Result<bool, StoreError> {
        let claim = Claim { subject: land.clone(), value: Value::Nimber(nimber) };
        if self.decided.judge.is_of_a_liar(&claim)? || self.is_tainted(land, nimber)? {
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
        self.decided.judge.judge(&claim, reason)?;
        Ok(false)
    }

    /// Whether a claim follows from claims that came before it and were withdrawn since.
    fn is_tainted(&mut self, land: &[u8], nimber: Nimber) -> Result<bool, StoreError> {
        let Self { decided, lenient, .. } = self;
        let store = decided.ledger.store();
        let sequence = |land: &[u8]| Ok(store.fact(Kind::Nimber, land)?.map(|s| s.sequence));
        let now: Option<Sequence> = sequence(land)?;
        let known = &mut |other: &[u8]| match store.nimber(other)? {
            Some(nimber) if sequence(other)? < now => Ok(Some(nimber)),
            _ => Ok::<_, StoreError>(None),
        };
        // What was known differs from claim to claim.
        lenient.forget();
        let Finding::Shown(rests) = lenient.inspect(land, nimber, known)? else { return Ok(false) };
        Ok(rests.into_iter().any(|land| decided.withdrawn.contains(&(Kind::Nimber, land))))
    }

    /// Made when it is needed first, and taught what is verified.
    fn recomputer(&mut self) -> Result<&Recomputer, StoreError> {
        if self.recomputer.is_none() {
            let recomputer = Recomputer::default();
            self.decided.ledger.write()?;
            for stored in self.decided.ledger.store().facts(Kind::Nimber) {
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
