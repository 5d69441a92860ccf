//! Proof-number search of misère outcomes, on the trees of a base.
//!
//! A node is a sum of lands whose trees the base does not have, of the factor 1 or not, and of trees. What is proved lost
//! is kept and told; what is won follows from that. The theory, the shape of the search and what was measured are in
//! `docs/misere.md`.

mod collect;
mod error;
mod genus;
mod guess;
mod known;
mod namer;
mod node;
mod nodes;
mod options;
mod packed;
mod proof;
mod tables;
mod trees;
mod words;

use std::sync::RwLockReadGuard;
use std::sync::atomic::Ordering::Relaxed;

use sprig_domain::{Figures, Game, Node, Outcome};
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_search::kernel::arena::Chunk;
use sprig_search::kernel::drive::Bounds;
use sprig_search::kernel::room::{Kept, Shared, Tables as _, Tools};
use sprig_search::kernel::walk::{self, UNBOUNDED, Walk};
use sprig_search::{Noise, Numbers};
use sprig_trees::Base;

pub use error::MisereError;
pub use known::{Plain, base_of};
use namer::Namer;
use node::{hash, push, split};
use nodes::{Nodes, Workshop};
use options::Expander;
use tables::{Leave, Tables};
pub use trees::Trees;

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes the tables may take.
    pub memory: usize,
    /// Threads that work on one position.
    pub threads: usize,
}

/// How a search is told to end, and where its proofs go.
pub trait Observer: Sync {
    /// Whether to stop. Asked often.
    fn stop(&self) -> bool;
    /// A node has just been proved lost. Called by the thread that proved it; it must not block for long.
    fn lost(&self, node: Node);
}

/// A search with its tables. Shared by threads; kept from position to position, so that later ones profit from earlier ones.
pub struct Search {
    game: Game,
    trees: Trees,
    limits: Limits,
    shared: Shared<Tables>,
}

/// What takes in nodes from elsewhere.
struct Learner {
    namer: Namer,
    chunk: Chunk,
}

impl Tools for Learner {
    fn forget(&mut self) {
        self.namer.forget();
        self.chunk = Chunk::default();
    }
}

/// Walks from a node until it is decided; whether it is lost. Without its trees in the base there is no way.
fn pursue(nodes: &mut Nodes<'_>, node: &Node) -> Result<bool, Leave> {
    let Nodes { search, tables, run, .. } = *nodes;
    let node = search.words(tables, &mut nodes.tools.expander.namer, node)?;
    let Some(node) = node else { return Err(Leave::Stopped) };
    if let Some(lost) = search.decided(&node) {
        return Ok(lost);
    }
    let start = tables.start(&node, &search.trees);
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

impl Search {
    /// A search on the trees of `base`.
    #[must_use]
    pub fn new(base: &Base, limits: Limits) -> Self {
        let mut tables = Tables::new(limits.memory);
        let mut namer = Namer::new();
        for (land, tree) in base.greedy_facts() {
            if tables.is_crowded() {
                tables.grow_crowded();
            }
            let place = namer.place(&tables, &land).expect("a base is far smaller than the tables");
            tables.set_tree(place, tree);
        }
        let trees = Trees::new(base.forest().clone());
        Self { game: base.game(), trees, limits, shared: Shared::new(tables) }
    }

    /// Proves the outcome of a position, on all threads of the [`Limits`]. `None` when the observer said stop; the next call
    /// goes on from there.
    ///
    /// # Errors
    /// [`MisereError::Tree(TreeError::TooManyMoves)`], [`MisereError::Memory`]. What was proved before stays proved.
    pub fn solve(
        &self,
        position: &CanonicalPosition,
        observer: &dyn Observer,
    ) -> Result<Option<Outcome>, MisereError> {
        self.settle(&Node::new(position.clone(), false, []), observer)
    }

    /// The same of a node; `None` also when it has trees that the base lacks.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn settle(
        &self,
        node: &Node,
        observer: &dyn Observer,
    ) -> Result<Option<Outcome>, MisereError> {
        let stop = &|| observer.stop();
        let bounds = Bounds { threads: self.limits.threads, expansions: u64::MAX, stop };
        let lost = self.shared.solve(
            bounds,
            || Workshop::new(self.game),
            |tables, tools, run| {
                let mut nodes = Nodes { search: self, tables, tools, run, observer };
                let lost = pursue(&mut nodes, node);
                let Expander { lands, children, .. } = &mut nodes.tools.expander;
                run.shared().counters.generations.fetch_add(std::mem::take(lands), Relaxed);
                run.generated(std::mem::take(children));
                lost.map_err(|leave| self.explained(tables, leave))
            },
        );
        let lost = lost.map_err(|leave| self.error(leave))?;
        Ok(lost.map(|lost| if lost { Outcome::Loss } else { Outcome::Win }))
    }

    /// Gives the search noise of its own, so that several searches of one position, which learn each other's lost nodes, do
    /// different work. May be called while a search runs.
    pub fn differ(&self, noise: Noise) {
        self.shared.differ(noise);
    }

    /// Takes in lost nodes from elsewhere, and says how many; it cannot use those with trees that the base does not have.
    ///
    /// # Errors
    /// [`MisereError::Refuted`] when a node is known to be won, [`MisereError::Memory`].
    pub fn learn(&self, nodes: impl IntoIterator<Item = Node>) -> Result<u64, MisereError> {
        let mut learner = Kept::new(Learner { namer: Namer::new(), chunk: Chunk::default() });
        let mut taken = 0;
        for node in nodes {
            let lost = self.shared.attempt(&mut learner, |tables, Learner { namer, chunk }| {
                self.learn_one(tables, namer, chunk, &node)
            });
            match lost {
                Ok(Some(true)) => taken += 1,
                Ok(Some(false)) => return Err(MisereError::Refuted { node: Box::new(node) }),
                Ok(None) => {}
                Err(_) => return Err(self.no_memory()),
            }
        }
        Ok(taken)
    }

    /// Takes in a lost node. `false` when it is won, `None` when the base does not have its trees.
    fn learn_one(
        &self,
        tables: &Tables,
        namer: &mut Namer,
        chunk: &mut Chunk,
        node: &Node,
    ) -> Result<Option<bool>, Leave> {
        if tables.is_full() {
            return Err(Leave::Full);
        }
        let Some(words) = self.words(tables, namer, node)? else { return Ok(None) };
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
        let size = |tables: &Tables| [tables.lands.len(), tables.nodes.len(), tables.bytes()];
        self.shared.counters.figures(self.shared.glance(size))
    }

    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.shared.read()
    }

    /// The outcome of a node without lands, if that needs no search.
    fn decided(&self, node: &[u32]) -> Option<bool> {
        split(node).0.is_empty().then(|| self.trees.is_loss(node)).flatten()
    }

    /// A node as words of these tables; `None` when it has a tree that is not in the base.
    fn words(
        &self,
        tables: &Tables,
        namer: &mut Namer,
        node: &Node,
    ) -> Result<Option<Vec<u32>>, Leave> {
        let mut lands = Vec::new();
        namer.node(tables, node.lands().lands().iter().map(CanonicalLand::key), &mut lands)?;
        let trees = node.trees().iter().map(|&key| self.trees.forest.find(key));
        let Some(trees) = trees.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let trees: Vec<u32> = trees.into_iter().map(|tree| node::part_of(tree).0).collect();
        let mut words = Vec::new();
        let one = if node.one() { node::ONE } else { 0 };
        push(&mut words, lands[0] & node::ONE ^ one, &lands[1..], &trees);
        Ok(Some(words))
    }

    /// A node of these tables as it is told to others.
    fn node(&self, tables: &Tables, words: &[u32]) -> Node {
        let (lands, parts) = split(words);
        let mut key = Vec::new();
        let lands = lands.iter().map(|&land| {
            tables.land_key(land, &mut key);
            CanonicalLand::from_reduced(&key)
        });
        let lands = CanonicalPosition::from_lands(lands.collect::<Vec<_>>());
        let trees = parts.iter().map(|&part| self.trees.forest.key(trees::tree(part)));
        Node::new(lands, node::has_one(words), trees)
    }

    /// Grows the tables, or collects them.
    fn make_room(&self) -> Result<(), MisereError> {
        if self.shared.make_room() { Ok(()) } else { Err(self.no_memory()) }
    }

    fn no_memory(&self) -> MisereError {
        MisereError::Memory { bytes: self.limits.memory }
    }

    fn too_many_moves(&self, tables: &Tables) -> MisereError {
        (*tables.dear.get().expect("a land was given up")).into()
    }

    /// Says why a walk was left so that it can be understood without the tables.
    fn explained(&self, tables: &Tables, leave: Leave) -> walk::Leave<MisereError> {
        leave.map(|place| {
            let mut words = Vec::new();
            tables.node_words(place, &mut words);
            MisereError::Refuted { node: Box::new(self.node(tables, &words)) }
        })
    }

    /// Why a walk cannot go on.
    fn error(&self, leave: walk::Leave<MisereError>) -> MisereError {
        match leave {
            walk::Leave::Contradiction(error) => error,
            walk::Leave::TooManyMoves => {
                let tables = self.read();
                // More may be known when somebody asks again.
                tables.forget_dear(&self.trees);
                self.too_many_moves(&tables)
            }
            _ => self.no_memory(),
        }
    }
}
