//! The search of Sprouts, as workers use it.

use sprig_domain::{
    Contradiction, Figures, Game, Goal, LandNimber, Place, Play, Question, Ruleset, Verdict, View,
};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, TooManyMoves};

use crate::lands::nimber;
use crate::search::{Found, Search, SearchError};
use crate::sprouts::{self, Sprouts};
use crate::view::Beside;
use crate::{Limits, Noise, Observer};

/// A search with its tables. Threads share it, and it is kept from goal to goal, so that later
/// goals profit from earlier ones.
pub struct Solver {
    game: Game,
    search: Search<Sprouts>,
}

/// Why a goal cannot be worked on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolveError {
    /// Two proofs exclude each other.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// A land has more children than memory could hold.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// The search takes more memory than its [`Limits`] allow.
    #[error("the search needs more memory than it may take; allow it at least {} MB", wanted.div_ceil(1 << 20))]
    Memory {
        /// Bytes that might be enough.
        wanted: usize,
    },
}

/// Turns keys of the search into facts for the observer.
struct Translator<'a>(&'a dyn Observer<LandNimber>);

impl Observer<Found<'_>> for Translator<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }

    fn proved(&self, Found { land, nimber }: Found<'_>) {
        self.0.proved(LandNimber { land: CanonicalLand::from_reduced(land), nimber });
    }
}

impl Solver {
    /// A solver of Sprouts with empty tables.
    pub fn new(limits: Limits) -> Self {
        Self::of(Game::Sprouts, limits)
    }

    /// A solver of a game with empty tables. What searches of Sprouts taught is a good guess in
    /// others, too.
    pub fn of(game: Game, limits: Limits) -> Self {
        Self { game, search: Search::taught(Sprouts(game), limits, sprouts::KNOWLEDGE) }
    }

    /// A solver that has not been told what earlier searches taught. It serves to make that table
    /// anew.
    pub fn untaught(limits: Limits) -> Self {
        Self { game: Game::Sprouts, search: Search::new(Sprouts::default(), limits) }
    }

    /// Forgets all lands, but not what was learned about lands by their features.
    pub fn forget(&self) {
        self.search.forget();
    }

    /// Takes in a fact from elsewhere. May be called while a search runs.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] when the solver has proved something else.
    pub fn learn(&self, fact: &LandNimber) -> Result<(), SolveError> {
        let learned = self.search.learn(fact.land.key(), fact.nimber);
        learned.map_err(|error| self.error(error))
    }

    /// Gives the search noise of its own, so that several searches of one goal do different work.
    /// May be called while a search runs.
    pub fn differ(&self, noise: Noise) {
        self.search.differ(noise);
    }

    /// Has the search leave these couples alone, a land and a heap each, as long as something else
    /// looks nearly as good, and no others. Waits until a search that is on has ended.
    pub fn avoid<'a>(&self, couples: impl IntoIterator<Item = (&'a CanonicalLand, Nimber)>) {
        self.search.avoid(couples.into_iter().map(|(land, heap)| (land.key(), heap)));
    }

    /// What the search sees of a question about `position`, with at most `limit` options. `None` if
    /// it has not come there, knows the answer, or makes room. May be called while a search runs,
    /// and changes no answer.
    pub fn view(
        &self,
        position: &CanonicalPosition,
        question: Question,
        limit: usize,
    ) -> Option<View> {
        let lands: Vec<&[u8]> = position.lands().iter().map(CanonicalLand::key).collect();
        let seen = self.search.view(&lands, question, limit)?;
        Some(seen.map(|Beside { lands, heap }| {
            let lands = lands.iter().map(|land| CanonicalLand::from_reduced(land));
            let position = CanonicalPosition::from_lands(lands.collect::<Vec<_>>());
            let question = Question::Outcome { heap: nimber(heap) };
            let ruleset = Ruleset { game: self.game, play: Play::Normal };
            let goal = Goal::new(ruleset, position, question);
            Place::Goal(goal.expect("a search of a game meets positions of that game"))
        }))
    }

    /// What is known or expected of a question about `position`, without any work on it.
    ///
    /// # Errors
    /// [`SolveError::Memory`].
    pub fn expect(
        &self,
        position: &CanonicalPosition,
        question: Question,
    ) -> Result<Verdict, SolveError> {
        let lands: Vec<&[u8]> = position.lands().iter().map(CanonicalLand::key).collect();
        self.search.expect(&lands, question).map_err(|error| self.error(error))
    }

    /// Makes this the goal, and keeps the numbers of the one before: for a short visit to a part of
    /// what was searched. Without it [`Self::solve`] forgets all numbers when it comes to a new goal.
    pub fn visit(&self, position: &CanonicalPosition, question: Question) {
        let lands: Vec<&[u8]> = position.lands().iter().map(CanonicalLand::key).collect();
        self.search.visit(&lands, question);
    }

    /// Works on a question about `position` for at most `expansions` expansions, on all threads of
    /// the [`Limits`].
    ///
    /// # Errors
    /// [`SolveError`] when the goal cannot be worked on; what was proved before stays proved.
    pub fn solve(
        &self,
        position: &CanonicalPosition,
        question: Question,
        expansions: u64,
        observer: &dyn Observer<LandNimber>,
    ) -> Result<Verdict, SolveError> {
        let lands: Vec<&[u8]> = position.lands().iter().map(CanonicalLand::key).collect();
        let solved = self.search.solve(&lands, question, expansions, &Translator(observer));
        solved.map_err(|error| self.error(error))
    }

    /// What this solver has learned about lands by their features, with the knowledge it started
    /// from: the table that ships with the program (`search/src/prior/sprouts.bin`, made by
    /// `sprig-bench train`).
    pub fn knowledge(&self) -> Vec<u8> {
        self.search.knowledge()
    }

    /// Counters. May be asked while a search runs.
    pub fn figures(&self) -> Figures {
        self.search.figures()
    }

    fn error(&self, error: SearchError) -> SolveError {
        match error {
            SearchError::Contradiction { land, possible, claimed } => {
                Contradiction { land: CanonicalLand::from_reduced(&land), possible, claimed }.into()
            }
            SearchError::TooManyMoves { land } => Sprouts(self.game).too_many(&land).into(),
            SearchError::Memory { wanted } => SolveError::Memory { wanted },
        }
    }
}
