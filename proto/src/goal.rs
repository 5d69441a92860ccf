//! What is asked of a cluster.

use sprig_engine::CanonicalPosition;

use crate::Play;

/// A question about a position.
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
    /// About normal play.
    Normal(sprig_search::Question),
    /// The outcome in misère play.
    Misere,
}

impl Goal {
    /// The play that it is about.
    #[must_use]
    pub fn play(&self) -> Play {
        match self.question {
            Question::Normal(_) => Play::Normal,
            Question::Misere => Play::Misere,
        }
    }
}

impl From<sprig_search::Goal> for Goal {
    fn from(goal: sprig_search::Goal) -> Self {
        Self { position: goal.position, question: Question::Normal(goal.question) }
    }
}
