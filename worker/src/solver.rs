//! The searches of both plays, with one interface.

use sprig_domain::{Fact, Figures, Goal, LandNimber, Play, Ruleset, Verdict, View};
use sprig_proto::{GaveUp, Obstacle, Proved};
use sprig_search::{Limits, Noise, Observer, SolveError};

use crate::misere::Misere;

/// A search with its tables.
pub(crate) struct Solver {
    ruleset: Ruleset,
    search: Search,
}

enum Search {
    /// A search of normal play.
    Normal(Box<sprig_search::Solver>),
    /// A search of misère play.
    Misere(Box<Misere>),
}

/// Why a search could not take something in, or could not work on a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// The search has a proof of something else.
    Contradiction(Proved),
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
struct Normal<'a>(&'a dyn Observer<Fact>);

impl Observer<LandNimber> for Normal<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }

    fn proved(&self, fact: LandNimber) {
        self.0.proved(fact.into());
    }
}

impl Solver {
    /// A search with empty tables.
    pub(crate) fn new(ruleset: Ruleset, limits: Limits) -> Self {
        let Ruleset { game, play } = ruleset;
        let search = match play {
            Play::Normal => Search::Normal(Box::new(sprig_search::Solver::of(game, limits))),
            Play::Misere => Search::Misere(Box::new(Misere::new(game, limits))),
        };
        Self { ruleset, search }
    }

    /// What it searches.
    pub(crate) fn ruleset(&self) -> Ruleset {
        self.ruleset
    }

    /// Takes in a fact of its game from elsewhere. A fact of the other play is ignored. May be
    /// called while it searches.
    pub(crate) fn learn(&self, fact: &Fact) -> Result<(), Failure> {
        match (&self.search, fact) {
            (Search::Normal(solver), Fact::Nimber(fact)) => Ok(solver.learn(fact)?),
            (Search::Misere(misere), fact) => misere.learn(fact),
            (Search::Normal(_), _) => Ok(()),
        }
    }

    /// Works on `goal` for at most `expansions` expansions.
    pub(crate) fn solve(
        &self,
        goal: &Goal,
        expansions: u64,
        observer: &dyn Observer<Fact>,
    ) -> Result<Verdict, Failure> {
        let position = goal.position();
        if goal.ruleset() != self.ruleset {
            let reason = format!("this search is one of {}", self.ruleset);
            return Err(Failure::gave_up(Obstacle::Other, reason));
        }
        match &self.search {
            Search::Normal(solver) => {
                Ok(solver.solve(position, goal.question(), expansions, &Normal(observer))?)
            }
            Search::Misere(misere) => misere.solve(position, expansions, observer),
        }
    }

    /// Counters since it was made.
    pub(crate) fn figures(&self) -> Figures {
        match &self.search {
            Search::Normal(solver) => solver.figures(),
            Search::Misere(misere) => misere.figures(),
        }
    }

    /// Has a search of normal play go to a part of its goal for a while: see
    /// [`sprig_search::Solver::visit`].
    pub(crate) fn visit(&self, goal: &Goal) {
        if let Search::Normal(solver) = &self.search {
            solver.visit(goal.position(), goal.question());
        }
    }

    /// Has a search of normal play leave these places alone, as far as each is one land beside a
    /// heap: see [`sprig_search::Solver::avoid`].
    pub(crate) fn avoid(&self, places: &[Goal]) {
        if let Search::Normal(solver) = &self.search {
            let couples = places.iter().filter_map(|place| match place.position().lands() {
                [land] => Some((land, place.question().heap())),
                _ => None,
            });
            solver.avoid(couples);
        }
    }

    /// What the search sees of a place: see [`sprig_search::Solver::view`].
    pub(crate) fn view(&self, at: &Goal, limit: usize) -> Option<View> {
        if at.ruleset() != self.ruleset {
            return None;
        }
        match &self.search {
            Search::Normal(solver) => solver.view(at.position(), at.question(), limit),
            Search::Misere(misere) => misere.view(at.position(), limit),
        }
    }

    /// Gives the search noise of its own: see [`sprig_search::Solver::differ`].
    pub(crate) fn differ(&self, noise: Noise) {
        match &self.search {
            Search::Normal(solver) => solver.differ(noise),
            Search::Misere(misere) => misere.differ(noise),
        }
    }
}
