//! Looking at every claim there is. Nothing else is written meanwhile: the cluster is suspended.
//!
//! A claim is
//! - *verified* when it follows from verified facts, or when computing it again gives the same;
//! - *tainted* when it would follow from claims that are withdrawn: its source has believed another;
//! - *baseless* when not even that: its source has made it up.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use sprig_audit::{AuditError, Claim, Judge, Lenient, Verdict, check_database};
use sprig_search::Watched;
use sprig_search::step::Key;
use sprig_store::{Kind, Store, StoreError};
use tracing::{error, warn};

use super::court::{Cleansed, Court};
use super::{Suspicion, plan};

/// Expansions to compute a baseless nimber again.
const NIMBER: u64 = 20_000;
/// Expansions to find a lost node again. Where a claim follows from verified facts, one for each of its options is enough.
const LOSS: u64 = 2_000;

/// Decides what becomes of claims, and who is to blame.
struct Bench<'a> {
    court: Court<'a>,
    lenient: Lenient<'a>,
    verified: u64,
    withdrawn: FxHashSet<(Kind, Key)>,
}

impl Bench<'_> {
    /// Whether a claim that does not hold says nothing about its source: that has been found out, or has believed another.
    fn is_excused(&mut self, claim: &Claim) -> Result<bool, StoreError> {
        let Self { court, lenient, withdrawn, .. } = self;
        Ok(court.is_of_a_liar(claim)? || lenient.is_tainted(claim, withdrawn)?)
    }
}

impl Judge for Bench<'_> {
    fn patience(&mut self, claim: &Claim) -> Result<u64, StoreError> {
        Ok(match claim.value.kind() {
            // A worker with fewer trees names the same game differently, so a node may follow all the same.
            Kind::Loss => LOSS,
            Kind::Nimber if !self.is_excused(claim)? => NIMBER,
            _ => 0,
        })
    }

    fn decided(&mut self, claim: &Claim, verdict: Verdict) -> Result<(), StoreError> {
        let reason = match verdict {
            Verdict::Followed | Verdict::Searched => {
                self.verified += 1;
                return Ok(());
            }
            Verdict::Refuted(reason) => Some(reason),
            Verdict::Open => None,
            Verdict::TooDear => {
                // It cannot be checked. That is no lie, and nothing may rest on it.
                self.withdrawn.insert((claim.value.kind(), claim.subject.clone()));
                return Ok(());
            }
        };
        if !self.is_excused(claim)? {
            self.court.judge(claim, reason)?;
        }
        self.withdrawn.insert((claim.value.kind(), claim.subject.clone()));
        Ok(())
    }
}

/// Looks at every claim of `store`; verifies or withdraws it.
pub(super) fn cleanse(
    store: &Store,
    suspicion: &Suspicion,
    watched: &Arc<Watched>,
) -> Result<Cleansed, StoreError> {
    warn!("the cluster is suspended until every claim has been looked at: {}", suspicion.reason);
    let plan = plan(watched);
    let mut bench = Bench {
        court: Court::new(store),
        lenient: Lenient::new(store, plan.nodes),
        verified: 0,
        withdrawn: FxHashSet::default(),
    };
    match check_database(&plan, store, &mut bench) {
        Ok(()) => {}
        Err(AuditError::Stopped) => return Ok(Cleansed::STOPPED),
        Err(AuditError::Store(error)) => return Err(error),
        // What was not looked at stays claimed, and no answer rests on it.
        Err(AuditError::Misere(reason)) => error!("not every claim was looked at: {reason}"),
        Err(error @ (AuditError::Sort(_) | AuditError::Search(_))) => {
            return Err(StoreError::Io { dir: store.dir().into(), detail: error.to_string() });
        }
    }
    let Bench { court, verified, withdrawn, .. } = bench;
    let withdrawn: Vec<_> = withdrawn.into_iter().collect();
    court.end(suspicion, verified, &withdrawn)
}
