//! Proof-number search of misère outcomes, on the trees of a base.
//!
//! A node is a sum of lands whose trees the base does not have, of the factor 1 or not, and of trees. What is proved lost
//! is kept and told; what is won follows from that. The theory, the shape of the search and what was measured are in
//! `docs/misere.md`.

mod collect;
mod drive;
mod error;
mod genus;
mod guess;
mod known;
mod namer;
mod node;
mod options;
mod packed;
mod proof;
mod records;
mod tables;
mod trees;
mod walk;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Mutex, RwLock, RwLockReadGuard};

use sprig_domain::{Figures, Game, Node, Outcome};
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_search::{Chunk, Noise, Numbers};
use sprig_trees::Base;

pub use error::MisereError;
pub use known::{Plain, base_of};
use namer::Namer;
use node::{hash, push, split};
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
    /// Read by walks for as long as they go, written to grow or collect.
    tables: RwLock<Tables>,
    /// Held by the thread that makes room. Nobody waits to write while there is room: whoever reads would keep him
    /// waiting until the next time there is none.
    room: Mutex<()>,
    counters: Counters,
    /// The [`Noise`] of its walks. Orders nothing else.
    noise: AtomicU32,
}

#[derive(Default)]
struct Counters {
    expansions: AtomicU64,
    generations: AtomicU64,
    children: AtomicU64,
    losses: AtomicU64,
    collections: AtomicU64,
    /// Expansions when the tables were collected last, and one more.
    collected: AtomicU64,
    /// Numbers of the position in work.
    goal: AtomicU64,
}

impl Search {
    /// A search on the trees of `base`.
    #[must_use]
    pub fn new(base: &Base, limits: Limits) -> Self {
        let mut tables = Tables::new(limits.memory);
        let mut namer = Namer::new();
        for (land, tree) in base.greedy_facts() {
            if tables.is_crowded() {
                tables.grow();
            }
            let place = namer.place(&tables, &land).expect("a base is far smaller than the tables");
            tables.set_tree(place, tree);
        }
        let trees = Trees::new(base.forest().clone());
        let (counters, noise) = (Counters::default(), AtomicU32::new(Noise::NONE.0));
        let (game, tables, room) = (base.game(), RwLock::new(tables), Mutex::new(()));
        Self { game, trees, limits, tables, room, counters, noise }
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
        drive::solve(self, node, observer)
    }

    /// Gives the search noise of its own, so that several searches of one position, which learn each other's lost nodes, do
    /// different work. May be called while a search runs.
    pub fn differ(&self, noise: Noise) {
        self.noise.store(noise.0, Relaxed);
    }

    /// Takes in lost nodes from elsewhere, and says how many; it cannot use those with trees that the base does not have.
    ///
    /// # Errors
    /// [`MisereError::Refuted`] when a node is known to be won, [`MisereError::Memory`].
    pub fn learn(&self, nodes: impl IntoIterator<Item = Node>) -> Result<u64, MisereError> {
        let (mut namer, mut chunk, mut taken) = (Namer::new(), Chunk::default(), 0);
        let mut collections = self.counters.collections.load(Relaxed);
        for node in nodes {
            let lost = loop {
                let tables = self.read();
                // A search that runs meanwhile may have collected the tables; no place in the old ones means anything now.
                let now = self.counters.collections.load(Relaxed);
                if std::mem::replace(&mut collections, now) != now {
                    namer.forget();
                    chunk = Chunk::default();
                }
                match self.learn_one(&tables, &mut namer, &mut chunk, &node) {
                    Ok(lost) => break lost,
                    Err(_) => {
                        drop(tables);
                        self.make_room()?;
                    }
                }
            };
            match lost {
                Some(true) => taken += 1,
                Some(false) => return Err(MisereError::Refuted { node: Box::new(node) }),
                None => {}
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
        if tables.full.load(Relaxed) || tables.bytes() > self.limits.memory / 4 * 3 {
            return Err(tables.no_room());
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
        let Counters { expansions, generations, children, losses, collections, goal, .. } =
            &self.counters;
        let goal = goal.load(Relaxed);
        let (lands, nodes, bytes) = match self.tables.try_read() {
            Ok(tables) => (tables.lands.len(), tables.nodes.len(), tables.bytes()),
            Err(_) => (0, 0, 0),
        };
        Figures {
            expansions: expansions.load(Relaxed),
            generations: generations.load(Relaxed),
            children: children.load(Relaxed),
            lands: lands as u64,
            nodes: nodes as u64,
            facts: losses.load(Relaxed),
            bytes: bytes as u64,
            collections: collections.load(Relaxed),
            proof: goal as u32,
            disproof: (goal >> 32) as u32,
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().expect("no thread panics while it changes the tables")
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

    /// Grows a table, or collects when the memory is used up.
    fn make_room(&self) -> Result<(), MisereError> {
        let _turn = self.room.lock().expect("no thread panics while it makes room");
        if !self.read().full.load(Relaxed) {
            // Another thread has made room meanwhile.
            return Ok(());
        }
        let mut tables = self.tables.write().expect("no thread panics while it changes the tables");
        let memory = self.limits.memory;
        if tables.is_crowded() && tables.bytes() + tables.growth() < memory / 4 * 3 {
            tables.grow();
            return Ok(());
        }
        // Without an expansion since the last collection, another one would not help.
        let now = self.counters.expansions.load(Relaxed) + 1;
        if self.counters.collected.swap(now, Relaxed) == now {
            return Err(MisereError::Memory { bytes: memory });
        }
        let old = std::mem::replace(&mut *tables, Tables::new(0));
        *tables = old.collect(memory / 4);
        self.counters.collections.fetch_add(1, Relaxed);
        if tables.bytes() > memory / 3 * 2 {
            return Err(MisereError::Memory { bytes: memory });
        }
        Ok(())
    }
}
