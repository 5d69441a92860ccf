//! What a database knows about a position. Needs the store alone, no running coordinator.

mod misere;

use sprig_engine::{CanonicalPosition, Nimber};
use sprig_proto::{Conclusion, Goal, Knowledge, LandKnowledge, Outcome, Play, Question as Any};
use sprig_search::Question;
use sprig_search::step::{Finding, Inspector};
use sprig_store::{Reader, StoreError};

use crate::{Trust, record};

/// What `store` knows about `position`: the nimbers or trees of its lands, the outcome if it follows, and the winning moves
/// that are known; from verified facts alone, unless claims are believed. Generates the children of a position that is not
/// known to be lost.
///
/// # Errors
/// When the disk fails.
pub fn knowledge(
    store: &Reader,
    position: &CanonicalPosition,
    play: Play,
    trust: Trust,
) -> Result<Knowledge, StoreError> {
    match (play, trust) {
        (Play::Normal, Trust::Checked | Trust::Own) => verified(store, position),
        (Play::Normal, Trust::Believed) => claimed(store, position),
        (Play::Misere, trust) => misere::knowledge(store, position, trust),
    }
}

/// What is known in normal play, if all claims are believed.
fn claimed(store: &Reader, position: &CanonicalPosition) -> Result<Knowledge, StoreError> {
    let lands = lands(store, position, Trust::Believed)?;
    let conclusion = answer(store, &outcome_of(position), &lands)?;
    let nimber = nim_sum(&lands).or(conclusion.and_then(|conclusion| conclusion.nimber));
    let outcome = conclusion.map(|conclusion| conclusion.outcome);
    let winning =
        if outcome == Some(Outcome::Loss) { Vec::new() } else { lost_children(store, position)? };
    let outcome = outcome.or((!winning.is_empty()).then_some(Outcome::Win));
    Ok(Knowledge { lands, outcome, nimber, winning })
}

fn outcome_of(position: &CanonicalPosition) -> Goal {
    let question = Question::Outcome { heap: Nimber::ZERO };
    sprig_search::Goal { position: position.clone(), question }.into()
}

/// What is known of each land of `position` in normal play. Where this process alone is believed, claims are nothing known; where
/// claims are checked, an answer that rests on them is shown before it is given.
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

/// The answer to `goal` if it is known: it follows from what is known of its lands, or a job has found it.
pub(crate) fn answer(
    store: &Reader,
    goal: &Goal,
    lands: &[LandKnowledge],
) -> Result<Option<Conclusion>, StoreError> {
    let known = match goal.question {
        Any::Normal(question) => conclude(lands, question),
        Any::Misere => {
            let known = misere::knowledge(store, &goal.position, Trust::Believed)?;
            known.outcome.map(Conclusion::from)
        }
    };
    if known.is_some() {
        return Ok(known);
    }
    let job = store.job_by_goal(&record::goal(goal))?;
    Ok(job.and_then(|job| record::conclusion(&job)))
}

/// What of [`claimed`] follows from verified facts.
fn verified(store: &Reader, position: &CanonicalPosition) -> Result<Knowledge, StoreError> {
    let mut known = claimed(store, position)?;
    let mut shown = Shown::new(store);
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
    }
    let mut winning = Vec::new();
    for child in known.winning.drain(..) {
        if shown.outcome(&child, Nimber::ZERO, Outcome::Loss)? {
            winning.push(child);
        }
    }
    known.winning = winning;
    Ok(known)
}

/// Whether an answer to `goal` follows from verified facts.
pub(crate) fn is_shown(
    store: &Reader,
    goal: &Goal,
    answer: &Conclusion,
) -> Result<bool, StoreError> {
    let heap = match goal.question {
        Any::Normal(Question::Outcome { heap }) => heap,
        Any::Normal(Question::Nimber) => Nimber::ZERO,
        Any::Misere => {
            let known = misere::knowledge(store, &goal.position, Trust::Checked)?;
            return Ok(known.outcome == Some(answer.outcome));
        }
    };
    match answer.nimber {
        Some(nimber) => Shown::new(store).outcome(&goal.position, nimber, Outcome::Loss),
        None => Shown::new(store).outcome(&goal.position, heap, answer.outcome),
    }
}

/// Looks at outcomes by verified facts alone.
struct Shown<'a> {
    store: &'a Reader,
    inspector: Inspector,
}

impl<'a> Shown<'a> {
    fn new(store: &'a Reader) -> Self {
        Self { store, inspector: Inspector::default() }
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
    let heap = match question {
        Question::Nimber => nimber.map(|_| Nimber::ZERO)?,
        Question::Outcome { heap } => heap,
    };
    if let Some(nimber) = nimber {
        return Some(Conclusion { outcome: Outcome::from(nimber != heap), nimber: Some(nimber) });
    }
    // With one unknown land, the couple is won if that land is known not to have the nimber that would lose it.
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

/// The children of `position` that are known to be lost.
fn lost_children(
    store: &Reader,
    position: &CanonicalPosition,
) -> Result<Vec<CanonicalPosition>, StoreError> {
    // Of what is too large to list, nothing is known.
    let Ok(mut children) = position.children() else { return Ok(Vec::new()) };
    let mut lost = Vec::new();
    for child in children.drain(..) {
        if is_lost(store, &child)? {
            lost.push(child);
        }
    }
    Ok(lost)
}

fn is_lost(store: &Reader, position: &CanonicalPosition) -> Result<bool, StoreError> {
    let mut sum = Nimber::ZERO;
    for land in position.lands() {
        let Some(nimber) = store.nimber(land.key())? else {
            let job = store.job_by_goal(&record::goal(&outcome_of(position)))?;
            let conclusion = job.and_then(|job| record::conclusion(&job));
            return Ok(conclusion.is_some_and(|conclusion| conclusion.outcome == Outcome::Loss));
        };
        sum = sum.nim_sum(nimber);
    }
    Ok(sum == Nimber::ZERO)
}
