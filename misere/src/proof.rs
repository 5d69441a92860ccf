//! The lost nodes that a proof needs, picked from all that are known.
//!
//! A set of nodes proves itself if every option of every node in it is won, and an option is won if
//! it has an option that is in the set, or is lost by its trees alone. A won position needs one
//! lost option.

use rustc_hash::FxHashSet;
use sprig_engine::Watched;
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_search::kernel::arena::Place;
use sprig_search::{Game, Sprouts};

use super::Search;
use super::node::{ONE, hash, push, split};
use super::options::{Expander, Seen, distinct, land_options, nodes, tree_options, without};
use super::sum::Sum;
use super::tables::{Leave, Tables};
use super::trees::Trees;
use crate::error::MisereError;
use sprig_domain::Node;

/// Children that may be looked at to see whether one node follows: as many as one inspection of
/// normal play may take.
const CHILDREN: u64 = 1 << 24;

impl Search<Sprouts> {
    /// Lost nodes that prove the outcome of a position, which must have been proved before: one for
    /// every position that the loser can reach, with one answer to each of the loser's moves. They
    /// are few, but not the fewest. There are none if the outcome follows from the trees of the
    /// base.
    ///
    /// # Errors
    /// [`MisereError::NoProof`] when the outcome is not known, [`MisereError::Unsupported`] when a
    /// node was learned that does not follow; `MisereError::Tree(TreeError::TooManyMoves)`,
    /// [`MisereError::Memory`], [`MisereError::Interrupted`].
    pub fn proof(
        &self,
        position: &CanonicalPosition,
        watched: &Watched,
    ) -> Result<Vec<Node>, MisereError> {
        loop {
            let tables = self.shared.read();
            let mut prover = Prover::new(&self.game, &tables, &self.trees, watched);
            match prover.prove(position) {
                Ok(Found::Proof) => {
                    let mut words = Vec::new();
                    let node = |place: &Place| {
                        tables.node_words(*place, &mut words);
                        Node::from(&self.sum(&tables, &words))
                    };
                    return Ok(prover.chosen.iter().map(node).collect());
                }
                Ok(Found::Nothing) => return Err(MisereError::NoProof),
                Ok(Found::Unsupported(place)) => {
                    let mut words = Vec::new();
                    tables.node_words(place, &mut words);
                    let node = Box::new(Node::from(&self.sum(&tables, &words)));
                    return Err(MisereError::Unsupported { node });
                }
                Err(Leave::TooManyMoves) => return Err(self.said(self.too_many_moves(&tables))),
                Err(Leave::Stopped) => return Err(MisereError::Interrupted),
                Err(_) => {
                    drop(tables);
                    self.make_room().map_err(|error| self.said(error))?;
                }
            }
        }
    }
}

impl Search<Sprouts> {
    /// Whether nodes are lost, as far as it follows from other nodes that are known to be lost.
    ///
    /// Each option and one reply to it is looked at. The result is `None` if it does not follow
    /// that the node is lost, if finding out takes more than such a check may, or if the base lacks
    /// trees of the node.
    ///
    /// # Errors
    /// [`MisereError::Memory`], [`MisereError::Interrupted`].
    pub fn follow(
        &self,
        nodes: &[Node],
        watched: &Watched,
    ) -> Result<Vec<Option<bool>>, MisereError> {
        let mut found = Vec::with_capacity(nodes.len());
        loop {
            let tables = self.shared.read();
            let mut prover = Prover::new(&self.game, &tables, &self.trees, watched);
            for node in &nodes[found.len()..] {
                match prover.follows(self, &Sum::from(node)) {
                    Ok(follows) => found.push(follows),
                    Err(Leave::TooManyMoves) => found.push(None),
                    Err(Leave::Stopped) => return Err(MisereError::Interrupted),
                    Err(_) => break,
                }
                prover.chosen.clear();
                prover.open.clear();
            }
            if found.len() == nodes.len() {
                return Ok(found);
            }
            drop(prover);
            drop(tables);
            self.make_room().map_err(|error| self.said(error))?;
        }
    }
}

struct Prover<'a, G: Game> {
    tables: &'a Tables,
    trees: &'a Trees,
    expander: Expander<G>,
    chosen: FxHashSet<Place>,
    /// Chosen nodes whose options have not been looked at.
    open: Vec<Place>,
    /// Asked whether to stop before the children of a land are listed.
    watched: &'a Watched,
    /// Children listed since the last node.
    listed: u64,
}

/// What has come of an attempt to prove an outcome.
enum Found {
    Proof,
    /// The outcome is not known.
    Nothing,
    /// This node would be needed.
    Unsupported(Place),
}

/// Why a node is lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lost {
    /// It is lost by its trees.
    Plain,
    /// It is chosen already.
    Chosen,
    /// A record says that it is lost. The fewer moves are left, the better.
    Known { moves: u32, place: Place },
}

impl<'a, G: Game> Prover<'a, G> {
    fn new(game: &G, tables: &'a Tables, trees: &'a Trees, watched: &'a Watched) -> Self {
        let (expander, chosen, open) = (Expander::new(game), FxHashSet::default(), Vec::new());
        Self { tables, trees, expander, chosen, open, watched, listed: 0 }
    }

    /// Chooses nodes.
    fn prove(&mut self, position: &CanonicalPosition) -> Result<Found, Leave> {
        let mut node = Vec::new();
        let mut lands = position.lands().iter().map(CanonicalLand::key);
        self.expander.namer.node(self.tables, &mut lands, &mut node)?;
        if !self.choose(self.lost(&node)) && !self.answer(&node)? {
            return Ok(Found::Nothing);
        }
        let mut options = Vec::new();
        while let Some(place) = self.open.pop() {
            self.tables.node_words(place, &mut node);
            self.options(&node, &mut options)?;
            for option in nodes(&options) {
                if !self.answer(option)? {
                    return Ok(Found::Unsupported(place));
                }
            }
        }
        Ok(Found::Proof)
    }

    fn follows(&mut self, search: &Search<G>, sum: &Sum) -> Result<Option<bool>, Leave> {
        let Some(node) = search.words(self.tables, &mut self.expander.namer, sum)? else {
            return Ok(None);
        };
        if let Some(lost) = search.decided(&node) {
            return Ok(Some(lost));
        }
        let mut options = Vec::new();
        self.listed = 0;
        self.options(&node, &mut options)?;
        for option in nodes(&options) {
            if self.lost(option).is_some() {
                return Ok(Some(false));
            }
            if self.listed > CHILDREN || !self.answer(option)? {
                return Ok(None);
            }
        }
        Ok(Some(true))
    }

    /// Chooses a lost option of a node that must be won; `false` when none is known.
    fn answer(&mut self, node: &[u32]) -> Result<bool, Leave> {
        if split(node).0.is_empty() && self.trees.is_loss(node) == Some(false) {
            return Ok(true);
        }
        let mut options = Vec::new();
        self.options(node, &mut options)?;
        let best = nodes(&options).filter_map(|option| self.lost(option)).min();
        Ok(self.choose(best))
    }

    fn choose(&mut self, lost: Option<Lost>) -> bool {
        if let Some(Lost::Known { place, .. }) = lost
            && self.chosen.insert(place)
        {
            self.open.push(place);
        }
        lost.is_some()
    }

    /// Why a node is lost, if it is known to be.
    fn lost(&self, node: &[u32]) -> Option<Lost> {
        let (lands, parts) = split(node);
        if lands.is_empty()
            && let Some(lost) = self.trees.is_loss(node)
        {
            return lost.then_some(Lost::Plain);
        }
        let place = self.tables.find(node, hash(node))?;
        if self.tables.numbers(place).disproof != 0 {
            return None;
        }
        if self.chosen.contains(&place) {
            return Some(Lost::Chosen);
        }
        let lives = lands.iter().map(|&land| self.tables.shape(land).1).sum::<u32>();
        let moves = lives + parts.iter().map(|&part| self.trees.height(part)).sum::<u32>();
        Some(Lost::Known { moves, place })
    }

    /// Puts all options of a node into `out`.
    fn options(&mut self, node: &[u32], out: &mut Vec<u32>) -> Result<(), Leave> {
        let Self { tables, trees, expander, watched, listed, .. } = self;
        out.clear();
        let mut visit = |one: u32, rest: &[u32], more: &[u32]| {
            push(out, one, rest, more);
            Seen::All
        };
        tree_options(trees, node, &mut visit);
        let (mut rest, mut children) = (Vec::new(), Vec::new());
        for i in distinct(node, 1..1 + split(node).0.len()) {
            if !watched.step() {
                return Err(Leave::Stopped);
            }
            without(node, i, &mut rest);
            expander.children(tables, node[i], &mut children)?;
            *listed += nodes(&children).count() as u64;
            land_options(node[0] & ONE, &rest, &children, &mut visit);
        }
        Ok(())
    }
}
