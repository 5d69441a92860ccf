//! What is known one move ahead.

use std::sync::Arc;

use sprig_domain::Play;
use sprig_engine::CanonicalPosition;
use sprig_engine::Watched;
use sprig_proto::Move;
use sprig_store::Reader;

use super::{Unanswered, answer, children, go_on, lands, misere, outcome_of};
use crate::Trust;

/// What `store` knows about every child of `position`, claims included, in the order of their
/// texts.
///
/// # Errors
/// When the disk fails, the moves are too many to list, or `watched` was told to stop.
pub fn moves(
    store: &Reader,
    position: &CanonicalPosition,
    play: Play,
    watched: &Arc<Watched>,
) -> Result<Vec<Move>, Unanswered> {
    match play {
        Play::Normal => normal(store, position, watched),
        Play::Misere => misere::moves(store, position, watched),
    }
}

/// What is known about every child of `position` in normal play, claims included.
pub(super) fn normal(
    store: &Reader,
    position: &CanonicalPosition,
    watched: &Arc<Watched>,
) -> Result<Vec<Move>, Unanswered> {
    let found = children(store.game(), position, watched)?.into_iter().map(|child| {
        go_on(watched)?;
        let lands = lands(store, &child, Trust::Believed)?;
        let known = answer(store, &outcome_of(store, &child), &lands, watched)?;
        let mut verified = known.is_some();
        for land in &lands {
            verified &= store.verified_nimber(land.land.key())?.is_some();
        }
        let (outcome, nimber) = (known.map(|known| known.outcome), known.and_then(|k| k.nimber));
        Ok(Move { child, outcome, nimber, tree: None, verified })
    });
    found.collect()
}

/// What verified facts say about every child of `position` in normal play.
pub(super) fn verified(
    store: &Reader,
    position: &CanonicalPosition,
    watched: &Arc<Watched>,
) -> Result<Vec<Move>, Unanswered> {
    let mut moves = normal(store, position, watched)?;
    for found in moves.iter_mut().filter(|found| !found.verified) {
        (found.outcome, found.nimber) = (None, None);
    }
    Ok(moves)
}
