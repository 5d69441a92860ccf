//! The search of either play, with one face.

use sprig_domain::{Fact, Figures, Goal, Play, Verdict};
use sprig_proto::{Alarm, GaveUp, Obstacle};
use sprig_search::{Limits, Noise, SolveError};

use crate::misere::Misere;

/// How a search is told to end, and where its proofs go.
pub(crate) trait Observer: Sync {
    /// Whether to stop. Asked often.
    fn stop(&self) -> bool;
    /// This has just been proved. Called by the thread that proved it; it must not block for long.
    fn proved(&self, fact: Fact);
}

/// A search with its tables.
pub(crate) enum Solver {
    /// Of normal play.
    Normal(Box<sprig_search::Solver>),
    /// Of misère play.
    Misere(Box<Misere>),
}

/// Why a search has taken something in, or worked on a goal, in vain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// It has a proof of something else.
    Contradiction(Alarm),
    /// It cannot be done.
    GaveUp(GaveUp),
}

impl Failure {
    /// It cannot be done, for this reason.
    pub(crate) fn gave_up(obstacle: Obstacle, reason: impl ToString) -> Self {
        Self::GaveUp(GaveUp { obstacle, reason: reason.to_string() })
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Contradiction(contradiction) => Self::Contradiction(contradiction.into()),
            SolveError::TooManyMoves(_) => Self::gave_up(Obstacle::Goal, error),
            SolveError::Memory { .. } => Self::gave_up(Obstacle::Memory, error),
        }
    }
}

/// An observer, as the search of normal play sees it.
struct Normal<'a>(&'a dyn Observer);

impl sprig_search::Observer for Normal<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }

    fn proved(&self, fact: sprig_domain::LandNimber) {
        self.0.proved(fact.into());
    }
}

impl Solver {
    /// A search with empty tables.
    pub(crate) fn new(play: Play, limits: Limits) -> Self {
        match play {
            Play::Normal => Self::Normal(Box::new(sprig_search::Solver::new(limits))),
            Play::Misere => Self::Misere(Box::new(Misere::new(limits))),
        }
    }

    /// Takes in a fact from elsewhere; one of the other play says nothing to it. May be called while it searches.
    pub(crate) fn learn(&self, fact: &Fact) -> Result<(), Failure> {
        match (self, fact) {
            (Self::Normal(solver), Fact::Nimber(fact)) => Ok(solver.learn(fact)?),
            (Self::Misere(misere), fact) => misere.learn(fact),
            (Self::Normal(_), _) => Ok(()),
        }
    }

    /// Works on `goal` for at most `expansions` expansions.
    pub(crate) fn solve(
        &self,
        goal: &Goal,
        expansions: u64,
        observer: &dyn Observer,
    ) -> Result<Verdict, Failure> {
        let position = goal.position();
        match (self, goal.play()) {
            (Self::Normal(solver), Play::Normal) => {
                Ok(solver.solve(position, goal.question(), expansions, &Normal(observer))?)
            }
            (Self::Misere(misere), Play::Misere) => misere.solve(position, expansions, observer),
            _ => Err(Failure::gave_up(
                Obstacle::Other,
                format!("this search is not one of {} play", goal.play().name()),
            )),
        }
    }

    /// Counters since it was made.
    pub(crate) fn figures(&self) -> Figures {
        match self {
            Self::Normal(solver) => solver.figures(),
            Self::Misere(misere) => misere.figures(),
        }
    }

    /// Gives the search noise of its own: see [`sprig_search::Solver::differ`].
    pub(crate) fn differ(&self, noise: Noise) {
        match self {
            Self::Normal(solver) => solver.differ(noise),
            Self::Misere(misere) => misere.differ(noise),
        }
    }
}
