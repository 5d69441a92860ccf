//! Misère play: a base of trees, and a search on it.
//!
//! The base consists of the trees of a small start position's game tree, and of what others have
//! found. Trees that are missing are computed when the first goal comes, and told like everything
//! else, so that later workers begin with it.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sprig_domain::{Fact, Figures, Game, Node, Outcome, Verdict, View};
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_misere::{MisereError, Search, base_of};
use sprig_proto::{Obstacle, Proved};
use sprig_search::{Limits, Noise, Observer};
use sprig_trees::{Base, News, TreeError};

use crate::solver::Failure;

/// What is known, and the search that uses it.
pub(crate) struct Misere {
    limits: Limits,
    /// The lock is held while a base is built.
    stock: Mutex<Stock>,
    /// The search. The lock is held for a moment only.
    search: Mutex<Option<Arc<Search>>>,
    /// Facts of bases that were told.
    told: AtomicU64,
    /// Lands with trees, while there is no search.
    lands: AtomicU64,
    /// The noise of the search. It orders no other memory.
    noise: AtomicU32,
}

/// What a search is made of.
struct Stock {
    base: Base,
    /// Whether the base has facts that came from others, who know them.
    learned: bool,
    /// The search has the trees of the start position with this many spots.
    spots: usize,
    /// Lost nodes for a search that is still to be made.
    losses: Vec<Node>,
}

impl Stock {
    fn of(game: Game) -> Self {
        Self { base: Base::of(game), learned: false, spots: 0, losses: Vec::new() }
    }
}

impl From<MisereError> for Failure {
    fn from(error: MisereError) -> Self {
        match error {
            // Proofs of this search agree with each other, so the node came from another worker.
            MisereError::Refuted { node } => Self::Contradiction(Proved::Misere(Fact::Loss(*node))),
            MisereError::Tree(TreeError::TooManyMoves(_)) => Self::gave_up(Obstacle::Goal, error),
            MisereError::Memory { .. } => Self::gave_up(Obstacle::Memory, error),
            other => Self::gave_up(Obstacle::Other, other),
        }
    }
}

impl From<TreeError> for Failure {
    fn from(error: TreeError) -> Self {
        MisereError::from(error).into()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Misere {
    pub(crate) fn new(game: Game, limits: Limits) -> Self {
        let (stock, search) = (Mutex::new(Stock::of(game)), Mutex::default());
        let (told, lands) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { limits, stock, search, told, lands, noise: AtomicU32::new(Noise::NONE.0) }
    }

    fn current(&self) -> Option<Arc<Search>> {
        lock(&self.search).clone()
    }

    /// Gives the search noise of its own, even if it is still to be made.
    pub(crate) fn differ(&self, noise: Noise) {
        self.noise.store(noise.0, Ordering::Relaxed);
        if let Some(search) = self.current() {
            search.differ(noise);
        }
    }

    /// What the search sees of a position, once there is one.
    pub(crate) fn view(&self, position: &CanonicalPosition, limit: usize) -> Option<View> {
        self.current()?.view(&Node::new(position.clone(), false, []), limit)
    }

    pub(crate) fn figures(&self) -> Figures {
        let (told, lands) = (self.told.load(Ordering::Relaxed), self.lands.load(Ordering::Relaxed));
        let Some(search) = self.current() else {
            return Figures { facts: told, lands, ..Figures::default() };
        };
        let figures = search.figures();
        Figures { facts: told + figures.facts, ..figures }
    }

    pub(crate) fn learn(&self, fact: &Fact) -> Result<(), Failure> {
        let refuted = || Failure::Contradiction(Proved::Misere(fact.clone()));
        match fact {
            Fact::Nimber(_) => Ok(()),
            Fact::Loss(node) => match self.current() {
                Some(search) => Ok(search.learn([node.clone()]).map(drop)?),
                None => {
                    lock(&self.stock).losses.push(node.clone());
                    Ok(())
                }
            },
            Fact::Tree { tree, options } => {
                let mut stock = lock(&self.stock);
                stock.learned = true;
                match stock.base.forest_mut().learn(*tree, options) {
                    Err(TreeError::Reducible { .. }) => Err(refuted()),
                    learned => Ok(learned.map(drop)?),
                }
            }
            Fact::Rct { land, tree } => {
                let mut stock = lock(&self.stock);
                let Some(tree) = stock.base.forest().find(*tree) else {
                    let reason = format!("{fact}, which nobody has told");
                    return Err(Failure::gave_up(Obstacle::Other, reason));
                };
                stock.learned = true;
                stock.base.learn(land.key(), tree).map_err(|_| refuted())
            }
        }
    }

    pub(crate) fn solve(
        &self,
        position: &CanonicalPosition,
        expansions: u64,
        observer: &dyn Observer<Fact>,
    ) -> Result<Verdict, Failure> {
        let Some(search) = self.prepare(position, observer)? else {
            return Ok(Verdict::Open { proof: 1, disproof: 1 });
        };
        let end = search.figures().expansions.saturating_add(expansions);
        let (found, proof, disproof) = {
            let found = search.solve(position, &Watch { observer, search: &search, end })?;
            let Figures { proof, disproof, .. } = search.figures();
            (found, proof, disproof)
        };
        Ok(match found {
            Some(Outcome::Win) => Verdict::Win,
            Some(Outcome::Loss) => Verdict::Loss,
            None => Verdict::Open { proof, disproof },
        })
    }

    /// A search on a base that is large enough for the position; `None` when it was stopped before
    /// that.
    fn prepare(
        &self,
        position: &CanonicalPosition,
        observer: &dyn Observer<Fact>,
    ) -> Result<Option<Arc<Search>>, Failure> {
        let mut guard = lock(&self.stock);
        let stock = &mut *guard;
        let spots = base_of(position);
        if let Some(search) = self.current().filter(|_| stock.spots >= spots) {
            return Ok(Some(search));
        }
        if std::mem::take(&mut stock.learned) {
            stock.base.mark_told();
        }
        let threads = NonZero::new(self.limits.threads).unwrap_or(NonZero::<usize>::MIN);
        let start = CanonicalPosition::of(&sprig_engine::Position::start(spots));
        let built = stock.base.build(&start, threads, |news| {
            self.tell(news, observer);
            if observer.stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match built {
            Err(TreeError::Stopped { .. }) => return Ok(None),
            built => drop(built?),
        }
        let search = Arc::new(Search::new(&stock.base, self.limits));
        search.learn(stock.losses.drain(..))?;
        if let Some(smaller) = lock(&self.search).replace(Arc::clone(&search)) {
            search.learn(smaller.losses())?;
        }
        stock.spots = spots;
        search.differ(Noise(self.noise.load(Ordering::Relaxed)));
        Ok(Some(search))
    }

    /// Tells what a build has found: trees, then the lands that have them.
    fn tell(&self, news: &News<'_>, observer: &dyn Observer<Fact>) {
        let forest = news.forest();
        let trees = news
            .trees()
            .map(|tree| Fact::Tree { tree: forest.key(tree), options: forest.option_keys(tree) });
        let lands = news.lands().map(|(land, tree)| Fact::Rct {
            land: CanonicalLand::from_reduced(&land),
            tree: forest.key(tree),
        });
        for fact in trees.chain(lands) {
            observer.proved(fact);
            self.told.fetch_add(1, Ordering::Relaxed);
        }
        self.lands.store(news.progress().known as u64, Ordering::Relaxed);
    }
}

/// An observer, as the search sees it, with a budget.
struct Watch<'a> {
    observer: &'a dyn Observer<Fact>,
    search: &'a Search,
    /// The search stops after this many expansions.
    end: u64,
}

impl Observer<Node> for Watch<'_> {
    fn stop(&self) -> bool {
        self.observer.stop() || self.end != u64::MAX && self.search.figures().expansions >= self.end
    }

    fn proved(&self, node: Node) {
        self.observer.proved(Fact::Loss(node));
    }
}
