//! What a job is asked to find out, and what it found.

use std::fmt;

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};

use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::record::{MISERE_PLAY, NORMAL_PLAY, decode_nimber};

const OUTCOME: u8 = 0;
const NIMBER: u8 = 1;
const WIN: u8 = 0;
const LOSS: u8 = 1;
const ANSWER_NIMBER: u8 = 2;

/// What is asked of a position. Equal goals have equal bytes, so a goal that is submitted twice is found again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Goal {
    /// The position.
    pub position: CanonicalPosition,
    /// What to find out about it.
    pub question: Question,
}

/// The kinds of questions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// The outcome of the position plus a Nim heap.
    Outcome {
        /// Size of the heap; 0 for the position alone.
        heap: Nimber,
    },
    /// The nimber of the position.
    Nimber,
    /// The outcome of the position in misère play.
    Misere,
}

/// The answer to a question, for the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// The player to move wins.
    Win,
    /// The player to move loses.
    Loss,
    /// The nimber of the position.
    Nimber(Nimber),
}

impl Goal {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = match self.question {
            Question::Misere => MISERE_PLAY,
            Question::Outcome { .. } | Question::Nimber => NORMAL_PLAY,
        }
        .to_vec();
        match self.question {
            Question::Outcome { heap } => out.extend([OUTCOME, heap.get()]),
            Question::Nimber => out.push(NIMBER),
            Question::Misere => out.push(OUTCOME),
        }
        let lands = self.position.lands();
        put_varint(&mut out, lands.len() as u64);
        lands.iter().for_each(|land| put_bytes(&mut out, land.key()));
        out
    }

    pub(crate) fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(record);
        let question = match (reader.array()?, reader.byte()?) {
            (NORMAL_PLAY, OUTCOME) => Question::Outcome { heap: decode_nimber(reader.byte()?)? },
            (NORMAL_PLAY, NIMBER) => Question::Nimber,
            (MISERE_PLAY, OUTCOME) => Question::Misere,
            _ => return Err(Malformed),
        };
        let lands = (0..reader.varint()?)
            .map(|_| CanonicalLand::from_key(reader.bytes()?).map_err(|_| Malformed))
            .collect::<Result<Vec<_>, _>>()?;
        reader.end()?;
        Ok(Self { position: CanonicalPosition::from_lands(lands), question })
    }
}

impl Answer {
    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        match self {
            Self::Win => out.push(WIN),
            Self::Loss => out.push(LOSS),
            Self::Nimber(nimber) => out.extend([ANSWER_NIMBER, nimber.get()]),
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        match reader.byte()? {
            WIN => Ok(Self::Win),
            LOSS => Ok(Self::Loss),
            ANSWER_NIMBER => Ok(Self::Nimber(decode_nimber(reader.byte()?)?)),
            _ => Err(Malformed),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win => f.write_str("win"),
            Self::Loss => f.write_str("loss"),
            Self::Nimber(nimber) => nimber.fmt(f),
        }
    }
}
