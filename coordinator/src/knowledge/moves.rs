//! What is known one move ahead.

use sprig_engine::CanonicalPosition;
use sprig_proto::{Move, Play};
use sprig_store::{Reader, StoreError};

use crate::Trust;

use super::{answer, lands, misere, outcome_of};

/// What `store` knows about every child of `position`, claims included, in the order of their texts; none if there are too many
/// to list.
///
/// # Errors
/// When the disk fails.
pub fn moves(
    store: &Reader,
    position: &CanonicalPosition,
    play: Play,
) -> Result<Option<Vec<Move>>, StoreError> {
    match play {
        Play::Normal => normal(store, position),
        Play::Misere => misere::moves(store, position),
    }
}

/// The same in normal play.
pub(super) fn normal(
    store: &Reader,
    position: &CanonicalPosition,
) -> Result<Option<Vec<Move>>, StoreError> {
    let Ok(children) = position.children() else { return Ok(None) };
    let found = children.into_iter().map(|child| {
        let lands = lands(store, &child, Trust::Believed)?;
        let known = answer(store, &outcome_of(&child), &lands)?;
        let mut verified = known.is_some();
        for land in &lands {
            verified &= store.verified_nimber(land.land.key())?.is_some();
        }
        let (outcome, nimber) = (known.map(|known| known.outcome), known.and_then(|k| k.nimber));
        Ok(Move { child, outcome, nimber, verified })
    });
    found.collect::<Result<Vec<_>, _>>().map(Some)
}

/// The same, where what is merely claimed counts for nothing.
pub(super) fn verified(
    store: &Reader,
    position: &CanonicalPosition,
) -> Result<Option<Vec<Move>>, StoreError> {
    let Some(mut moves) = normal(store, position)? else { return Ok(None) };
    for found in moves.iter_mut().filter(|found| !found.verified) {
        (found.outcome, found.nimber) = (None, None);
    }
    Ok(Some(moves))
}
