//! What is found out about a position.

use std::fmt;

use sprig_engine::Nimber;

use crate::{Goal, Play, Question};

/// Who wins with best play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The player to move.
    Win,
    /// The other player.
    Loss,
}

/// What a search has found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The player to move wins the couple.
    Win,
    /// The player to move loses the couple.
    Loss,
    /// The nimber of the position.
    Nimber(Nimber),
    /// Not decided when the budget ran out or the search was stopped. Searching again continues
    /// from here.
    Open {
        /// Proof number: estimated work that is left to prove a win.
        proof: u32,
        /// Disproof number: estimated work that is left to prove a loss.
        disproof: u32,
    },
}

/// The answer to a goal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Conclusion {
    /// The outcome for the player to move: of the couple that was asked for, or of the position
    /// alone if its nimber was asked for.
    pub outcome: Outcome,
    /// The nimber of the position, if it has been found.
    pub nimber: Option<Nimber>,
}

impl Goal {
    /// What a verdict about this goal answers; `None` if it is open, or no answer to the question.
    #[must_use]
    pub fn conclusion(&self, verdict: Verdict) -> Option<Conclusion> {
        match (self.play(), self.question(), verdict) {
            (_, Question::Outcome { .. }, Verdict::Win) => Some(Outcome::Win.into()),
            (Play::Misere, Question::Outcome { .. }, Verdict::Loss) => Some(Outcome::Loss.into()),
            (Play::Normal, Question::Outcome { heap }, Verdict::Loss) => {
                Some(Conclusion { outcome: Outcome::Loss, nimber: Some(heap) })
            }
            (Play::Normal, Question::Nimber, Verdict::Nimber(nimber)) => {
                let outcome = Outcome::from(nimber != Nimber::ZERO);
                Some(Conclusion { outcome, nimber: Some(nimber) })
            }
            _ => None,
        }
    }
}

impl From<Outcome> for Conclusion {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, nimber: None }
    }
}

/// Whether the player to move wins.
impl From<bool> for Outcome {
    fn from(win: bool) -> Self {
        if win { Self::Win } else { Self::Loss }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win => "win",
            Self::Loss => "loss",
        })
    }
}
