//! The bytes of goals and of what answers them.

use sprig_domain::{Conclusion, Goal, Outcome, Play, Question};
use sprig_engine::{CanonicalLand, CanonicalPosition};

use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::record::{decode_nimber, rules, ruleset};

const OUTCOME: u8 = 0;
const NIMBER: u8 = 1;
const WIN: u8 = 0;
const LOSS: u8 = 1;
const ANSWER_NIMBER: u8 = 2;

/// The bytes of a goal. Equal goals have equal bytes.
pub(crate) fn encode_goal(goal: &Goal) -> Vec<u8> {
    let mut out = rules(goal.ruleset()).to_vec();
    match (goal.play(), goal.question()) {
        (Play::Normal, Question::Outcome { heap }) => out.extend([OUTCOME, heap.get()]),
        (Play::Normal, Question::Nimber) => out.push(NIMBER),
        (Play::Misere, _) => out.push(OUTCOME),
    }
    let lands = goal.position().lands();
    put_varint(&mut out, lands.len() as u64);
    lands.iter().for_each(|land| put_bytes(&mut out, land.key()));
    out
}

pub(crate) fn decode_goal(record: &[u8]) -> Result<Goal, Malformed> {
    let mut reader = Reader::new(record);
    let ruleset = ruleset(reader.array()?)?;
    let question = match (ruleset.play, reader.byte()?) {
        (Play::Normal, OUTCOME) => Question::Outcome { heap: decode_nimber(reader.byte()?)? },
        (Play::Normal, NIMBER) => Question::Nimber,
        (Play::Misere, OUTCOME) => Question::OUTCOME,
        _ => return Err(Malformed),
    };
    let lands = (0..reader.varint()?)
        .map(|_| CanonicalLand::from_key(reader.bytes()?).map_err(|_| Malformed))
        .collect::<Result<Vec<_>, _>>()?;
    reader.end()?;
    Goal::new(ruleset, CanonicalPosition::from_lands(lands), question).map_err(|_| Malformed)
}

/// The bytes of an answer. The nimber implies the outcome.
pub(crate) fn encode_conclusion(conclusion: &Conclusion, out: &mut Vec<u8>) {
    match (conclusion.nimber, conclusion.outcome) {
        (Some(nimber), _) => out.extend([ANSWER_NIMBER, nimber.get()]),
        (None, Outcome::Win) => out.push(WIN),
        (None, Outcome::Loss) => out.push(LOSS),
    }
}

/// The answer to a goal.
pub(crate) fn decode_conclusion(
    reader: &mut Reader<'_>,
    goal: &Goal,
) -> Result<Conclusion, Malformed> {
    let heap = goal.question().heap();
    match (reader.byte()?, goal.play()) {
        (WIN, _) => Ok(Outcome::Win.into()),
        (LOSS, Play::Misere) => Ok(Outcome::Loss.into()),
        (LOSS, Play::Normal) => Ok(Conclusion { outcome: Outcome::Loss, nimber: Some(heap) }),
        (ANSWER_NIMBER, Play::Normal) => {
            let nimber = decode_nimber(reader.byte()?)?;
            Ok(Conclusion { outcome: Outcome::from(nimber != heap), nimber: Some(nimber) })
        }
        _ => Err(Malformed),
    }
}
