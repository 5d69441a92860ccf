//! The search of a game: outcomes of sums, on any number of threads.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use sprig_domain::{Figures, Outcome};
use sprig_search::kernel::arena::Chunk;
use sprig_search::kernel::drive::Bounds;
use sprig_search::kernel::room::{Kept, Shared, Tables as _, Tools};
use sprig_search::kernel::walk::{self, UNBOUNDED, Walk};
use sprig_search::{Game, Limits, Noise, Numbers, Observer, Sprouts};
use sprig_trees::Base;

use crate::error::OutcomeError;
use crate::memory::{Shares, least_memory};
use crate::namer::Namer;
use crate::node::{self, hash, push, split};
use crate::nodes::{News, Nodes, Workshop};
use crate::options::Expander;
use crate::sum::Sum;
use crate::tables::{Leave, Tables};
use crate::trees::{self, Trees};

/// A search with its tables. Threads share it, and it is kept from position to position, so that
/// later ones profit from earlier ones.
pub struct Search<G: Game = Sprouts> {
    pub(crate) game: G,
    pub(crate) trees: Arc<Trees>,
    limits: Limits,
    /// The memory is too small for the search, or for the trees of the base.
    is_too_small: bool,
    pub(crate) shared: Shared<Tables>,
    /// Made with the first node from elsewhere.
    learner: Mutex<Option<Kept<Learner<G>>>>,
}

/// What takes in nodes from elsewhere.
struct Learner<G: Game> {
    namer: Namer<G>,
    chunk: Chunk,
}

impl<G: Game> Tools for Learner<G> {
    fn forget(&mut self) {
        self.namer.forget();
        self.chunk = Chunk::default();
    }
}

impl<G: Game + Clone> Search<G> {
    /// A search on the trees of `base`, taught what earlier searches of the game have learned of
    /// lands by their features ([`sprig_search::Search::knowledge`]); `knowledge` may be empty.
    #[must_use]
    pub fn taught(base: &Base<G>, limits: Limits, knowledge: &[u8]) -> Self {
        let (game, trees) = (base.rules().clone(), Arc::new(Trees::new(base.forest().clone())));
        let mut tables = Tables::new(Shares::of(limits), Arc::clone(&trees), knowledge);
        let mut namer = Namer::new(&game);
        let fits = base.keyed_facts().all(|(land, tree)| {
            if tables.is_crowded() && tables.may_grow() {
                tables.grow();
            }
            let place = namer.place(&tables, &land);
            place.is_ok_and(|place| {
                tables.set_tree(place, tree);
                true
            })
        });
        let is_too_small = !fits || limits.memory < least_memory(limits.threads);
        let (shared, learner) = (Shared::new(tables), Mutex::default());
        Self { game, trees, limits, is_too_small, shared, learner }
    }
}

impl<G: Game> Search<G> {
    /// Proves the outcome of a sum of lands, on all threads of the [`Limits`], and tells the
    /// observer of every sum that is proved lost on the way. `None` when the observer said stop;
    /// the next call goes on from there.
    ///
    /// # Errors
    /// [`OutcomeError`] when it cannot go on. What was proved before stays proved.
    pub fn outcome(
        &self,
        lands: &[&[u8]],
        observer: &impl Observer<Sum>,
    ) -> Result<Option<Outcome>, OutcomeError> {
        let lands = lands.iter().map(|&land| land.into()).collect();
        self.decide(&Sum { lands, one: false, trees: Vec::new() }, observer)
    }

    /// As for [`Self::outcome`], for a sum of lands and trees. `None` also when it has trees that
    /// the base lacks.
    pub(crate) fn decide(
        &self,
        sum: &Sum,
        observer: &(impl Observer<Sum> + ?Sized),
    ) -> Result<Option<Outcome>, OutcomeError> {
        if self.is_too_small {
            return Err(self.no_memory());
        }
        let stop = &|| observer.stop();
        let bounds = Bounds { threads: self.limits.threads, expansions: u64::MAX, stop };
        let news: &News<'_> =
            &|tables: &Tables, words: &[u32]| observer.proved(self.sum(tables, words));
        let lost = self.shared.solve(
            bounds,
            || Workshop::new(&self.game),
            |tables, tools, run| {
                let mut nodes = Nodes { trees: &self.trees, tables, tools, run, news };
                let lost = self.pursue(&mut nodes, sum);
                let Expander { lands, children, .. } = &mut nodes.tools.expander;
                run.shared().counters.generations.fetch_add(std::mem::take(lands), Relaxed);
                run.generated(std::mem::take(children));
                lost.map_err(|leave| self.explained(tables, leave))
            },
        );
        let lost = lost.map_err(|leave| self.error(leave))?;
        Ok(lost.map(|lost| if lost { Outcome::Loss } else { Outcome::Win }))
    }

    /// Walks from a node until it is decided. Returns whether it is lost. A sum whose trees are not
    /// in the base cannot be searched.
    fn pursue(&self, nodes: &mut Nodes<'_, G>, sum: &Sum) -> Result<bool, Leave> {
        let Nodes { tables, run, .. } = *nodes;
        let node = self.words(tables, &mut nodes.tools.expander.namer, sum)?;
        let Some(node) = node else { return Err(Leave::Stopped) };
        if let Some(lost) = self.decided(&node) {
            return Ok(lost);
        }
        let start = tables.start(&node, &self.trees);
        let (place, new) = tables.node(&node, hash(&node), start, &mut nodes.tools.chunk)?;
        if new {
            run.expanded();
        }
        let mut walk = Walk::new(nodes);
        loop {
            match tables.numbers(place) {
                Numbers { disproof: 0, .. } => return Ok(true),
                Numbers { proof: 0, .. } => return Ok(false),
                numbers if tables.is_hopeless(numbers) => return Err(Leave::TooManyMoves),
                _ => walk.work(place, UNBOUNDED)?,
            }
        }
    }

    /// Gives the search noise of its own, so that several searches of one position, which learn
    /// each other's lost nodes, do different work. May be called while a search runs.
    pub fn differ(&self, noise: Noise) {
        self.shared.differ(noise);
    }

    /// Takes in lost sums from elsewhere. Returns how many. It cannot use those with trees that the
    /// base does not have.
    ///
    /// # Errors
    /// [`OutcomeError::Refuted`] when a sum is known to be won, [`OutcomeError::Memory`].
    pub fn learn_sums(&self, sums: impl IntoIterator<Item = Sum>) -> Result<u64, OutcomeError> {
        let new = || {
            let namer = Namer::new(&self.game);
            Kept::new(Learner { namer, chunk: Chunk::default() })
        };
        let mut guard = self.learner.lock().expect("no thread panics while it learns");
        let learner = guard.get_or_insert_with(new);
        let mut taken = 0;
        for sum in sums {
            let lost = self.shared.attempt(learner, |tables, Learner { namer, chunk }| {
                self.learn_one(tables, namer, chunk, &sum)
            });
            match lost {
                Ok(Some(true)) => taken += 1,
                Ok(Some(false)) => return Err(OutcomeError::Refuted { sum }),
                Ok(None) => {}
                Err(_) => return Err(self.no_memory()),
            }
        }
        if taken > 0 {
            self.shared.has_learned();
        }
        Ok(taken)
    }

    /// Takes in a lost node. `false` when it is won, `None` when the base does not have its trees.
    fn learn_one(
        &self,
        tables: &Tables,
        namer: &mut Namer<G>,
        chunk: &mut Chunk,
        sum: &Sum,
    ) -> Result<Option<bool>, Leave> {
        if tables.is_full() {
            return Err(Leave::Full);
        }
        let Some(words) = self.words(tables, namer, sum)? else { return Ok(None) };
        if let Some(lost) = self.decided(&words) {
            return Ok(Some(lost));
        }
        let loss = Numbers { proof: Numbers::INFINITE, disproof: 0 };
        let (place, new) = tables.node(&words, hash(&words), loss, chunk)?;
        if tables.numbers(place).proof == 0 {
            return Ok(Some(false));
        }
        match tables.set_numbers(place, loss) {
            Err(_) => return Ok(Some(false)),
            Ok(decided) if new || decided => tables.learn(&words, &self.trees, true),
            Ok(_) => {}
        }
        Ok(Some(true))
    }

    /// Counters. May be asked while a search runs.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let size = |tables: &Tables| [tables.lands.len(), tables.nodes.len(), tables.held()];
        self.shared.counters.figures(self.shared.glance(size))
    }

    /// The outcome of a node without lands, if that needs no search.
    pub(crate) fn decided(&self, node: &[u32]) -> Option<bool> {
        split(node).0.is_empty().then(|| self.trees.is_loss(node)).flatten()
    }

    /// A sum as words of these tables; `None` when it has a tree that is not in the base.
    pub(crate) fn words(
        &self,
        tables: &Tables,
        namer: &mut Namer<G>,
        sum: &Sum,
    ) -> Result<Option<Vec<u32>>, Leave> {
        let mut lands = Vec::new();
        namer.node(tables, &mut sum.lands.iter().map(|land| &land[..]), &mut lands)?;
        let trees = sum.trees.iter().map(|&key| self.trees.forest.find(key));
        let Some(trees) = trees.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let trees: Vec<u32> = trees.into_iter().map(|tree| node::part_of(tree).0).collect();
        let mut words = Vec::new();
        let one = if sum.one { node::ONE } else { 0 };
        push(&mut words, lands[0] & node::ONE ^ one, &lands[1..], &trees);
        Ok(Some(words))
    }

    /// A node of these tables as it is told to others.
    pub(crate) fn sum(&self, tables: &Tables, words: &[u32]) -> Sum {
        let (lands, parts) = split(words);
        let mut key = Vec::new();
        let lands = lands.iter().map(|&land| {
            tables.land_key(land, &mut key);
            key[..].into()
        });
        let trees = parts.iter().map(|&part| self.trees.forest.key(trees::tree(part)));
        Sum { lands: lands.collect(), one: node::has_one(words), trees: trees.collect() }
    }

    /// Grows the tables, or collects them.
    pub(crate) fn make_room(&self) -> Result<(), OutcomeError> {
        if self.shared.make_room() { Ok(()) } else { Err(self.no_memory()) }
    }

    fn no_memory(&self) -> OutcomeError {
        OutcomeError::Memory { bytes: self.limits.memory }
    }

    /// Says which land has too many moves.
    pub(crate) fn too_many_moves(&self, tables: &Tables) -> OutcomeError {
        OutcomeError::TooManyMoves { land: tables.dear.get().expect("a land was given up").clone() }
    }

    /// The reason why a walk was left, in a form that can be understood without the tables.
    fn explained(&self, tables: &Tables, leave: Leave) -> walk::Leave<OutcomeError> {
        leave.map(|place| {
            let mut words = Vec::new();
            tables.node_words(place, &mut words);
            OutcomeError::Refuted { sum: self.sum(tables, &words) }
        })
    }

    /// Why a walk cannot go on.
    fn error(&self, leave: walk::Leave<OutcomeError>) -> OutcomeError {
        match leave {
            walk::Leave::Contradiction(error) => error,
            walk::Leave::TooManyMoves => {
                let tables = self.shared.read();
                // More may be known at the next call.
                tables.forget_dear();
                self.too_many_moves(&tables)
            }
            _ => self.no_memory(),
        }
    }
}
