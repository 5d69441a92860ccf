//! What is asked of a position.

use sprig_engine::{CanonicalPosition, Nimber};

use crate::{Game, Play, Ruleset};

/// A question about a position under rules that have an answer to it.
///
/// Equal goals ask the same, so a goal that is submitted twice is found again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Goal {
    ruleset: Ruleset,
    position: CanonicalPosition,
    question: Question,
}

/// The kinds of questions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// The outcome of the couple (position, heap): of the position plus a Nim heap of that size.
    Outcome {
        /// Size of the Nim heap; 0 for the position alone.
        heap: Nimber,
    },
    /// The nimber of the position.
    Nimber,
}

/// A question that the rules have no answer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAsked {
    /// Nimbers and Nim heaps in misère play, which has no nimbers of positions.
    #[error("in {0}, only the outcome of a position without a Nim heap can be asked for")]
    Question(Ruleset),
    /// A surface in a game that has no rules for it.
    #[error("{0} is played on the sphere alone; leave the `@` out")]
    Surface(Game),
}

impl Question {
    /// The outcome of the position alone.
    pub const OUTCOME: Self = Self::Outcome { heap: Nimber::ZERO };

    /// The heap of the couple whose outcome is asked for; 0 where the nimber is asked for.
    #[must_use]
    pub fn heap(self) -> Nimber {
        match self {
            Self::Outcome { heap } => heap,
            Self::Nimber => Nimber::ZERO,
        }
    }
}

impl Goal {
    /// A question about `position` under `ruleset`.
    ///
    /// # Errors
    /// [`NotAsked`] for what the rules have no answer to.
    pub fn new(
        ruleset: Ruleset,
        position: CanonicalPosition,
        question: Question,
    ) -> Result<Self, NotAsked> {
        if ruleset.play == Play::Misere && question != Question::OUTCOME {
            return Err(NotAsked::Question(ruleset));
        }
        if !ruleset.game.has(&position) {
            return Err(NotAsked::Surface(ruleset.game));
        }
        Ok(Self { ruleset, position, question })
    }

    /// A question about normal play.
    #[must_use]
    pub fn normal(position: CanonicalPosition, question: Question) -> Self {
        Self { ruleset: Ruleset::NORMAL, position, question }
    }

    /// The question for the outcome in misère play.
    #[must_use]
    pub fn misere(position: CanonicalPosition) -> Self {
        Self { ruleset: Ruleset::MISERE, position, question: Question::OUTCOME }
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> Game {
        self.ruleset.game
    }

    /// The rules.
    #[must_use]
    pub fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// Who wins.
    #[must_use]
    pub fn play(&self) -> Play {
        self.ruleset.play
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &CanonicalPosition {
        &self.position
    }

    /// What to find out about it.
    #[must_use]
    pub fn question(&self) -> Question {
        self.question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misere_play_has_outcomes_and_no_nimbers() {
        let position = || CanonicalPosition::of(&sprig_engine::Position::start(3));
        let heap = Nimber::new(1).expect("a nimber");
        let normal = |question| Goal::new(Ruleset::NORMAL, position(), question);
        let misere = |question| Goal::new(Ruleset::MISERE, position(), question);
        for question in [Question::OUTCOME, Question::Outcome { heap }, Question::Nimber] {
            assert_eq!(normal(question), Ok(Goal::normal(position(), question)));
        }
        assert_eq!(misere(Question::OUTCOME), Ok(Goal::misere(position())));
        for question in [Question::Outcome { heap }, Question::Nimber] {
            let error = misere(question).expect_err("no answer");
            assert!(error.to_string().contains("sprouts, misère play"), "{error}");
        }
    }
}
