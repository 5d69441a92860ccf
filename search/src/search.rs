//! The search of a game: questions about sums of lands, on any number of threads.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use sprig_domain::{Figures, Question, Verdict, View};
use sprig_engine::Nimber;

use crate::avoided::Avoided;
use crate::couples::{Couples, News, Workshop};
use crate::filter::Sketch;
use crate::game::Game;
use crate::kernel::counters::Counters;
use crate::kernel::drive::{Bounds, Limits, Observer};
use crate::kernel::noise::Noise;
use crate::kernel::numbers::Numbers;
use crate::kernel::room::{Kept, Shared};
use crate::kernel::walk;
use crate::lands::{self, LandId, Lands};
use crate::look::{LandTask, hash};
use crate::tables::{Conflict, Leave, Tables};
use crate::view::{Beside, Viewer};
use goal::Head;

/// Why a search cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SearchError {
    /// Two proofs exclude each other: a fact from elsewhere is wrong, or the rules of the game are
    /// not what it says.
    #[error("two proofs exclude each other for a land")]
    Contradiction {
        /// Key of the land.
        land: Vec<u8>,
        /// The nimbers that were possible, one bit each.
        possible: u64,
        /// The nimbers that another proof leaves.
        claimed: u64,
    },
    /// All that is left rests on lands with too many moves to be listed.
    #[error("a land has too many moves to be listed")]
    TooManyMoves {
        /// Key of the first such land.
        land: Vec<u8>,
    },
    /// The search takes more memory than its [`Limits`] allow.
    #[error("the search needs more memory than it may take; allow it at least {} MB", wanted.div_ceil(1 << 20))]
    Memory {
        /// Bytes that might be enough.
        wanted: usize,
    },
}

/// What a search proves: the nimber of a land.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found<'a> {
    /// The key of the land.
    pub land: &'a [u8],
    /// Its nimber.
    pub nimber: Nimber,
}

/// A search of one game, with its tables. Threads share it, and it is kept from question to
/// question, so that later ones profit from earlier ones.
pub struct Search<G: Game> {
    game: G,
    limits: Limits,
    shared: Shared<Tables>,
    /// Takes in what was proved elsewhere, once there is any.
    learner: Mutex<Option<Kept<Workshop<G>>>>,
    goal: Mutex<Option<Goal>>,
}

/// The goal that was worked on last: keys of its lands, and the question.
type Goal = (Vec<Vec<u8>>, Question);

/// Tells an observer of nimbers.
struct Told<'a, O> {
    observer: &'a O,
    counters: &'a Counters,
}

impl<O: for<'a> Observer<Found<'a>>> News for Told<'_, O> {
    fn proved(&self, tables: &Tables, land: LandId, nimber: u8) {
        self.counters.facts.fetch_add(1, Relaxed);
        let key = tables.lands.bytes_of(land);
        self.observer.proved(Found { land: &key, nimber: lands::nimber(nimber) });
    }
}

impl<G: Game> Search<G> {
    /// A search with empty tables.
    pub fn new(game: G, limits: Limits) -> Self {
        Self::taught(game, limits, &[])
    }

    /// A search with empty tables, and with what [earlier searches](Self::knowledge) of the game
    /// have taught.
    pub fn taught(game: G, limits: Limits, knowledge: &[u8]) -> Self {
        let shared = Shared::new(Tables::new(limits.shares(), knowledge));
        Self { game, limits, shared, learner: Mutex::new(None), goal: Mutex::new(None) }
    }

    /// Forgets all lands, but not what was learned about lands by their features.
    pub fn forget(&self) {
        self.shared.replace(|tables| tables.lands = Lands::new(self.limits.shares().lands));
    }

    /// Counters. May be asked while a search runs.
    pub fn figures(&self) -> Figures {
        let size = self.shared.glance(|tables| [tables.lands.held(), 0, tables.lands.bytes()]);
        let figures = self.shared.counters.figures(size);
        Figures { generations: figures.expansions, ..figures }
    }

    /// The tables, when no thread searches any more.
    pub(crate) fn into_tables(self) -> Tables {
        self.shared.into_tables()
    }

    /// A table of what the search has learned about lands by their features, with the knowledge it
    /// started from. It makes another search of the same game quicker ([`Self::taught`]), and
    /// nothing else.
    pub fn knowledge(&self) -> Vec<u8> {
        self.shared.read().prior.knowledge()
    }

    /// Gives the search noise of its own, so that several searches of one question do different
    /// work. May be called while a search runs.
    pub fn differ(&self, noise: Noise) {
        self.shared.differ(noise);
    }

    /// Has the search leave these couples alone, a land and a heap each, as long as something else
    /// looks nearly as good, and no others. That guides it and proves nothing. Waits until a search
    /// that is on has ended.
    pub fn avoid<'a>(&self, couples: impl IntoIterator<Item = (&'a [u8], Nimber)>) {
        let hash = |(land, heap): (&[u8], Nimber)| hash(Sketch::of(G::sketch(land)), heap.get());
        let avoided = Avoided::new(couples.into_iter().map(hash).collect());
        let is_new = self.shared.read().avoided != avoided;
        if is_new {
            self.shared.alter(|tables| tables.avoided = avoided);
        }
    }

    /// What the search sees of a question about a sum of lands, with at most `limit` options.
    /// `None` if it has not met all of these lands, knows the answer, or makes room. May be called
    /// while a search runs, and changes no answer.
    pub fn view(&self, lands: &[&[u8]], question: Question, limit: usize) -> Option<View<Beside>> {
        let view = self.shared.peek(|tables| {
            let mut viewer = Viewer::new(&self.game, tables);
            let lands = lands.iter().map(|land| viewer.find(land)).collect::<Option<Vec<_>>>()?;
            match goal::head(tables, &lands, question) {
                Head::Decided(_) => None,
                Head::Couple(couple) => Some(viewer.view(couple, limit)),
                Head::Sum(task) => Some(viewer.view(task.couple()?, limit)),
            }
        });
        view.flatten()
    }

    /// Takes in a nimber of a land that was proved elsewhere. May be called while a search runs.
    ///
    /// # Errors
    /// [`SearchError::Contradiction`] when the search has proved something else;
    /// [`SearchError::Memory`].
    pub fn learn(&self, land: &[u8], nimber: Nimber) -> Result<(), SearchError> {
        let mut learner = self.learner.lock().expect("no thread panics while it learns");
        let tools = learner.get_or_insert_with(|| Kept::new(Workshop::new(&self.game)));
        let learned = self.shared.attempt(tools, |tables, tools| {
            let land = tools.intern(tables, land);
            let learned = land.and_then(|land| {
                tables.restrict(land, 1 << nimber.get()).map_err(Leave::Contradiction)
            });
            learned.map_err(|leave| leave.map(|conflict| contradiction(tables, conflict)))
        });
        learned.map_err(|leave| self.error(leave))?;
        self.shared.has_learned();
        Ok(())
    }

    /// What is known or expected of a question about a sum of lands, without any work on it.
    ///
    /// # Errors
    /// [`SearchError::Memory`].
    pub fn expect(&self, lands: &[&[u8]], question: Question) -> Result<Verdict, SearchError> {
        let mut learner = self.learner.lock().expect("no thread panics while it learns");
        let tools = learner.get_or_insert_with(|| Kept::new(Workshop::new(&self.game)));
        let expected = self.shared.attempt(tools, |tables, tools| {
            let lands: Result<Vec<LandId>, Leave> =
                lands.iter().map(|land| tools.intern(tables, land)).collect();
            let open = |Numbers { proof, disproof }| Verdict::Open { proof, disproof };
            let expected = lands.map(|lands| match goal::head(tables, &lands, question) {
                Head::Decided(verdict) => verdict,
                Head::Couple(couple) => open(tables.numbers(couple.land, couple.heap)),
                Head::Sum(LandTask { total, .. }) => {
                    open(Numbers { proof: total, disproof: total })
                }
            });
            expected.map_err(|leave| leave.map(|conflict| contradiction(tables, conflict)))
        });
        expected.map_err(|leave| self.error(leave))
    }

    /// Works on a question about a sum of lands for at most `expansions` expansions, on all threads
    /// of the [`Limits`]. After [`Verdict::Open`] the same call goes on where this one has ended.
    ///
    /// # Errors
    /// [`SearchError`] when it cannot go on; what was proved before stays proved.
    pub fn solve(
        &self,
        lands: &[&[u8]],
        question: Question,
        expansions: u64,
        observer: &impl for<'a> Observer<Found<'a>>,
    ) -> Result<Verdict, SearchError> {
        let least = Limits::least_memory(self.limits.threads);
        if self.limits.memory < least {
            return Err(SearchError::Memory { wanted: least });
        }
        self.take_up(lands, question);
        let counters = &self.shared.counters;
        let news = &Told { observer, counters };
        let stop = &|| observer.stop();
        let bounds = Bounds { threads: self.limits.threads, expansions, stop };
        let verdict = self.shared.solve(
            bounds,
            || Workshop::new(&self.game),
            |tables, tools, run| {
                let mut couples = Couples { tables, tools, run, news };
                goal::pursue(&mut couples, lands, question)
                    .map_err(|leave| leave.map(|conflict| contradiction(tables, conflict)))
            },
        );
        let Numbers { proof, disproof } = counters.goal();
        let verdict = verdict.map_err(|leave| self.error(leave))?;
        Ok(verdict.unwrap_or(Verdict::Open { proof, disproof }))
    }

    /// Makes this the goal, and keeps the numbers of the one before, unless there was none: for a
    /// short visit to a part of what was searched, and the next one to another part.
    pub fn visit(&self, lands: &[&[u8]], question: Question) {
        let mut last = self.goal.lock().expect("no thread panics with the goal in hand");
        if let Some((known, asked)) = &mut *last {
            *known = lands.iter().map(|land| land.to_vec()).collect();
            *asked = question;
        }
    }

    /// Begins a round for a new goal: what is near to a proof for one goal is not for another.
    fn take_up(&self, lands: &[&[u8]], question: Question) {
        let mut last = self.goal.lock().expect("no thread panics with the goal in hand");
        let is_last =
            last.as_ref().is_some_and(|(known, last)| *last == question && known == lands);
        if !is_last {
            *last = Some((lands.iter().map(|land| land.to_vec()).collect(), question));
            self.shared.counters.begin();
            self.shared.read().lands.begin_round();
        }
    }

    /// Why a walk cannot go on.
    fn error(&self, leave: walk::Leave<SearchError>) -> SearchError {
        match leave {
            walk::Leave::Contradiction(error) => error,
            walk::Leave::TooManyMoves => {
                let tables = self.shared.read();
                // More may be known at the next call.
                tables.lands.begin_round();
                let land = tables.dear().expect("a land was given up").to_vec();
                SearchError::TooManyMoves { land }
            }
            _ => SearchError::Memory { wanted: 2 * self.limits.memory },
        }
    }
}

/// The proofs that contradict each other, in a form that can be understood without the tables.
fn contradiction(tables: &Tables, Conflict { land, before, kept }: Conflict) -> SearchError {
    let land = tables.lands.bytes_of(land);
    SearchError::Contradiction { land, possible: before.0, claimed: kept }
}

mod goal;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod tests;
