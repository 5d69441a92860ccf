//! All claims of a database.

use std::sync::Arc;

use sprig_domain::Game;
use sprig_engine::Watched;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::step::{Finding, Inspector};
use sprig_store::{Exclusion, Kind, Status, Store, StoreError};
use sprig_trees::Base;

use crate::{
    AuditError, Claim, Judge, Nimbers, Plan, Verdict, check_lands, check_losses, check_nimbers,
    lands, learn_base, losses,
};

/// Checks all claims of the game that `store` looks at, and writes as verified those that are true;
/// the others stay what they are. The `judge` hears of all claims. Trees belong to every game; they
/// are judged with the first of [`Game::ALL`].
///
/// # Errors
/// When the database fails, memory is too short, or it is told to stop. What was verified by then
/// is kept.
pub fn check_database(
    plan: &Plan<'_>,
    store: &Store,
    judge: &mut dyn Judge,
) -> Result<(), AuditError> {
    let nimbers = Nimbers::of(store, plan.memory)?;
    judge.begin(Kind::Nimber, nimbers.len());
    let (claims, sketches) = nimbers.sorted()?;
    check_nimbers(plan, store, claims, sketches, judge)?;
    let mut base = Base::of(store.game());
    if store.game() == Game::ALL[0] {
        learn_base(plan, store, &mut base, judge)?;
    } else {
        learn_base(plan, store, &mut base, &mut JudgedBefore)?;
    }
    check_lands(plan, store, &mut base, lands::claims(plan, store)?, judge)?;
    check_losses(plan, store, &base, losses::claims(plan, store)?, judge)
}

/// Hears of claims about trees that another judge has heard of.
struct JudgedBefore;

impl Judge for JudgedBefore {
    fn patience(&mut self, _claim: &Claim) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn decided(&mut self, _claim: &Claim, _verdict: Verdict) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Which of these won couples of the game that `store` looks at follow from verified facts. The
/// result has, for each land, the values that do.
///
/// # Errors
/// When the database fails, or it is told to stop.
pub fn check_exclusions(
    store: &Store,
    exclusions: impl IntoIterator<Item = Exclusion>,
    watched: &Arc<Watched>,
) -> Result<Vec<Exclusion>, AuditError> {
    let mut inspector = Inspector::of(store.game()).watched(Arc::clone(watched));
    let mut shown = Vec::new();
    for Exclusion { game, land, values, .. } in exclusions {
        if !watched.step() {
            return Err(AuditError::Stopped);
        }
        let Ok(canonical) = CanonicalLand::from_key(&land) else { continue };
        let position = CanonicalPosition::from_lands([canonical]);
        let mut won = 0;
        for heap in (0..u64::from(Nimber::LIMIT)).filter(|heap| values >> heap & 1 == 1) {
            let heap = Nimber::new(heap).expect("in range");
            let known = &mut |land: &[u8]| store.verified_nimber(land);
            let found = inspector.inspect_outcome(&position, heap, true, known)?;
            won |= u64::from(matches!(found, Finding::Shown(_))) << heap.get();
        }
        if won != 0 {
            shown.push(Exclusion { game, land, values: won, status: Status::Verified });
        }
    }
    Ok(shown)
}
