//! Showing an answer: every fact that it rests on, step by step, down to the end of the game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sprig_audit::{Proof, Statement, misere, show};
use sprig_proto::Question;
use sprig_search::step::Sketches;
use sprig_store::{Store, StoreError};

use super::{Answered, couple};
use crate::{knowledge, record};

/// Shows `answered` from the facts of `store`, which look like `sketches`; marks those it rests on as verified.
pub(super) fn prove(
    store: &Store,
    answered: &Answered,
    threads: usize,
    sketches: &Arc<Sketches>,
    stop: &AtomicBool,
) -> Result<Proof, StoreError> {
    let Answered { goal, conclusion, .. } = answered;
    let (source, position) = (&record::checker(), &goal.position);
    match goal.question {
        Question::Normal(question) => {
            let (heap, wins) = couple(question, conclusion);
            show(store, source, Statement { position, heap, wins }, threads, sketches, stop)
        }
        Question::Misere => {
            let follows = || knowledge::is_shown(store, goal, conclusion);
            misere::show(store, source, position, &follows, stop)
        }
    }
}
