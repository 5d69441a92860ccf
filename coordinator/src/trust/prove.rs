//! Showing an answer: every fact that it rests on, step by step, down to the end of the game.

use std::sync::Arc;

use sprig_audit::{Proof, Statement, misere, show};
use sprig_domain::Play;
use sprig_search::step::Sketches;
use sprig_store::{Store, StoreError};

use super::{Answered, Means, couple};
use crate::knowledge;

/// Shows `answered` from the facts of `store`, whose lands look like `sketches`. Marks those it
/// rests on as verified.
pub(super) fn prove(
    store: &Store,
    answered: &Answered,
    sketches: &Arc<Sketches>,
    means: &Means,
) -> Result<Proof, StoreError> {
    let Answered { goal, conclusion, .. } = answered;
    let (plan, position, store) = (&means.plan(), goal.position(), &store.of(goal.game()));
    match goal.play() {
        Play::Normal => {
            let (heap, wins) = couple(goal.question(), conclusion);
            show(plan, store, Statement { position, heap, wins }, sketches)
        }
        Play::Misere => {
            let follows = || knowledge::is_shown(store, goal, conclusion, &means.watched);
            misere::show(plan, store, position, &follows)
        }
    }
}
