//! What a database knows about a position. It needs the store alone, no running coordinator.

mod lists;
mod misere;
mod moves;

use std::sync::Arc;

use sprig_domain::{Conclusion, Game, Goal, Outcome, Play, Question, Ruleset};
use sprig_engine::Watched;
use sprig_engine::{Budget, CanonicalPosition, Nimber, Unlisted};
use sprig_proto::{Knowledge, LandKnowledge, Move};
use sprig_search::step::{Finding, Inspector};
use sprig_store::{Reader, StoreError};

use crate::Trust;

pub use lists::{LandPage, Wanted, lands_by_key, options_of};
pub use moves::moves;

/// Children that are generated for one answer at most.
const CHILDREN: u64 = 1 << 18;
/// Bytes that they may take.
const BYTES: usize = 64 << 20;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The disk failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The moves of the position cannot be listed, or the search for an answer was told to stop.
    #[error(transparent)]
    Unlisted(#[from] Unlisted),
}

/// What `store` knows about `position` in its game: the nimbers or trees of its lands, the outcome
/// if it follows, and the winning moves that are known. It rests on verified facts alone, unless
/// claims are believed. Generates the children of a position that is not known to be lost, and
/// stops when `watched` is told to.
///
/// # Errors
/// [`Unanswered`]. That there are too many moves is an error only where nothing else says who wins.
pub fn knowledge(
    store: &Reader,
    position: &CanonicalPosition,
    play: Play,
    trust: Trust,
    watched: &Arc<Watched>,
) -> Result<Knowledge, Unanswered> {
    match (play, trust) {
        (Play::Normal, Trust::Checked | Trust::Own) => verified(store, position, watched),
        (Play::Normal, Trust::Believed) => claimed(store, position, watched),
        (Play::Misere, trust) => misere::knowledge(store, position, trust, watched),
    }
}

/// What verified facts say of `position` without a look at its moves: the same as [`knowledge`],
/// without winning moves. `None` where they do not say who wins and, in normal play, its nimber;
/// the moves may say more then.
///
/// # Errors
/// When the disk fails, or `watched` was told to stop.
pub fn at_sight(
    store: &Reader,
    position: &CanonicalPosition,
    play: Play,
    watched: &Watched,
) -> Result<Option<Knowledge>, Unanswered> {
    if play == Play::Misere {
        return misere::at_sight(store, position, Trust::Checked, watched);
    }
    let lands = lands(store, position, Trust::Own)?;
    let conclusion = conclude(&lands, Question::Nimber);
    Ok(conclusion.map(|Conclusion { outcome, nimber }| Knowledge {
        lands,
        outcome: Some(outcome),
        nimber,
        winning: Vec::new(),
    }))
}

/// An error if it is time to stop.
fn go_on(watched: &Watched) -> Result<(), Unanswered> {
    if watched.step() { Ok(()) } else { Err(Unlisted::Stopped.into()) }
}

/// The children of a position, as many as may be listed for one answer.
fn children(
    game: Game,
    position: &CanonicalPosition,
    watched: &Watched,
) -> Result<Vec<CanonicalPosition>, Unlisted> {
    let budget = &mut Budget::new(CHILDREN, BYTES).until(watched.flag());
    position.children_by(&mut game.generator(), budget)
}

/// What is known in normal play, if all claims are believed.
fn claimed(
    store: &Reader,
    position: &CanonicalPosition,
    watched: &Arc<Watched>,
) -> Result<Knowledge, Unanswered> {
    let lands = lands(store, position, Trust::Believed)?;
    let conclusion = answer(store, &outcome_of(store, position), &lands, watched)?;
    let nimber = nim_sum(&lands).or(conclusion.and_then(|conclusion| conclusion.nimber));
    let outcome = conclusion.map(|conclusion| conclusion.outcome);
    let without_moves = Knowledge { lands, outcome, nimber, winning: Vec::new() };
    if outcome == Some(Outcome::Loss) {
        return Ok(without_moves);
    }
    let ahead = match moves::normal(store, position, watched) {
        // Who wins is known all the same.
        Err(Unanswered::Unlisted(why)) if outcome.is_some() && why != Unlisted::Stopped => {
            return Ok(without_moves);
        }
        found => found?,
    };
    let nimber = nimber.or_else(|| Move::nimber_before(&ahead));
    let outcome = outcome.or_else(|| Move::outcome_before(&ahead, Play::Normal));
    let lost = ahead.into_iter().filter(|found| found.outcome == Some(Outcome::Loss));
    let winning = lost.map(|found| found.child).collect();
    Ok(Knowledge { outcome, nimber, winning, ..without_moves })
}

/// Who wins a position in normal play of the game that `store` looks at.
fn outcome_of(store: &Reader, position: &CanonicalPosition) -> Goal {
    let ruleset = Ruleset { game: store.game(), play: Play::Normal };
    Goal::new(ruleset, position.clone(), Question::OUTCOME)
        .expect("what the game does not have is refused before")
}

/// What is known of each land of `position` in normal play of the game of `store`. Where this
/// process alone is believed, claims count for nothing. Where claims are checked, they count, as an
/// answer that rests on them is shown before it is given.
pub(crate) fn lands(
    store: &Reader,
    position: &CanonicalPosition,
    trust: Trust,
) -> Result<Vec<LandKnowledge>, StoreError> {
    let lands = position.lands().iter();
    lands
        .map(|land| {
            let nimber = match trust {
                Trust::Own => store.verified_nimber(land.key())?,
                Trust::Checked | Trust::Believed => store.nimber(land.key())?,
            };
            let is_open = nimber.is_none() && trust != Trust::Own;
            let bits = if is_open { store.excluded(land.key())? } else { 0 };
            let excluded = (0..u64::from(Nimber::LIMIT)).filter(|heap| bits >> heap & 1 == 1);
            let excluded = excluded.map(|heap| Nimber::new(heap).expect("in range")).collect();
            Ok(LandKnowledge { nimber, excluded, ..LandKnowledge::nothing(land.clone()) })
        })
        .collect()
}

/// The answer to `goal` if it is known: it follows from what is known of its lands, or a job has
/// found it.
pub(crate) fn answer(
    store: &Reader,
    goal: &Goal,
    lands: &[LandKnowledge],
    watched: &Arc<Watched>,
) -> Result<Option<Conclusion>, StoreError> {
    let store = &store.of(goal.game());
    let known = match goal.play() {
        Play::Normal => conclude(lands, goal.question()),
        Play::Misere => match misere::knowledge(store, goal.position(), Trust::Believed, watched) {
            Ok(known) => known.outcome.map(Conclusion::from),
            Err(Unanswered::Unlisted(_)) => None,
            Err(Unanswered::Store(error)) => return Err(error),
        },
    };
    if known.is_some() {
        return Ok(known);
    }
    let job = store.job_by_goal(goal)?;
    Ok(job.and_then(|job| job.state.conclusion()))
}

/// What of [`claimed`] follows from verified facts.
fn verified(
    store: &Reader,
    position: &CanonicalPosition,
    watched: &Arc<Watched>,
) -> Result<Knowledge, Unanswered> {
    let mut known = claimed(store, position, watched)?;
    let mut shown = Shown::new(store, watched);
    for land in &mut known.lands {
        let alone = CanonicalPosition::from_lands([land.land.clone()]);
        land.nimber = store.verified_nimber(land.land.key())?;
        let mut won = Vec::new();
        for heap in land.excluded.drain(..) {
            if shown.outcome(&alone, heap, Outcome::Win)? {
                won.push(heap);
            }
        }
        land.excluded = won;
    }
    if let Some(nimber) = known.nimber {
        known.nimber = shown.outcome(position, nimber, Outcome::Loss)?.then_some(nimber);
    }
    if let Some(outcome) = known.outcome {
        known.outcome = shown.outcome(position, Nimber::ZERO, outcome)?.then_some(outcome);
        // The nimbers of all children say it, too, if all of them are verified.
        if known.nimber.is_none()
            && let Ok(ahead) = moves::verified(store, position, watched)
        {
            known.nimber = Move::nimber_before(&ahead);
            known.outcome = known.outcome.or_else(|| Move::outcome_before(&ahead, Play::Normal));
        }
    }
    let mut winning = Vec::new();
    for child in known.winning.drain(..) {
        go_on(watched)?;
        if shown.outcome(&child, Nimber::ZERO, Outcome::Loss)? {
            winning.push(child);
        }
    }
    known.winning = winning;
    // If it was told to stop, what was not shown may still be known.
    go_on(watched).map(|()| known)
}

/// Whether an answer to `goal` follows from verified facts.
pub(crate) fn is_shown(
    store: &Reader,
    goal: &Goal,
    answer: &Conclusion,
    watched: &Arc<Watched>,
) -> Result<bool, StoreError> {
    let store = &store.of(goal.game());
    if goal.play() == Play::Misere {
        return match misere::knowledge(store, goal.position(), Trust::Checked, watched) {
            Ok(known) => Ok(known.outcome == Some(answer.outcome)),
            Err(Unanswered::Unlisted(_)) => Ok(false),
            Err(Unanswered::Store(error)) => Err(error),
        };
    }
    let heap = goal.question().heap();
    match answer.nimber {
        Some(nimber) => Shown::new(store, watched).outcome(goal.position(), nimber, Outcome::Loss),
        None => Shown::new(store, watched).outcome(goal.position(), heap, answer.outcome),
    }
}

/// Decides outcomes by verified facts alone.
struct Shown<'a> {
    store: &'a Reader,
    inspector: Inspector,
}

impl<'a> Shown<'a> {
    fn new(store: &'a Reader, watched: &Arc<Watched>) -> Self {
        Self { store, inspector: Inspector::of(store.game()).watched(Arc::clone(watched)) }
    }

    fn outcome(
        &mut self,
        position: &CanonicalPosition,
        heap: Nimber,
        outcome: Outcome,
    ) -> Result<bool, StoreError> {
        let known = &mut |land: &[u8]| self.store.verified_nimber(land);
        let wins = outcome == Outcome::Win;
        let finding = self.inspector.inspect_outcome(position, heap, wins, known)?;
        Ok(matches!(finding, Finding::Shown(_)))
    }
}

/// What follows from the lands alone.
pub(crate) fn conclude(lands: &[LandKnowledge], question: Question) -> Option<Conclusion> {
    let nimber = nim_sum(lands);
    if nimber.is_none() && question == Question::Nimber {
        return None;
    }
    let heap = question.heap();
    if let Some(nimber) = nimber {
        return Some(Conclusion { outcome: Outcome::from(nimber != heap), nimber: Some(nimber) });
    }
    // With one unknown land, the couple is won if that land is known not to have the nimber that
    // would lose it.
    let (unknown, known): (Vec<_>, Vec<_>) = lands.iter().partition(|land| land.nimber.is_none());
    let [unknown] = unknown[..] else { return None };
    let losing = known.iter().filter_map(|land| land.nimber).fold(heap, Nimber::nim_sum);
    let won = unknown.excluded.contains(&losing);
    won.then_some(Conclusion { outcome: Outcome::Win, nimber: None })
}

/// The nimber of the sum, if all lands are known.
fn nim_sum(lands: &[LandKnowledge]) -> Option<Nimber> {
    lands.iter().try_fold(Nimber::ZERO, |sum, land| Some(sum.nim_sum(land.nimber?)))
}
