//! The lost nodes that a proof needs, picked from all that are known.
//!
//! A set of nodes proves itself if every option of every node in it is won, and an option is won if
//! it has an option that is in the set, or is lost by its trees alone. A won position needs one
//! lost option.
//!
//! Inside, lands have greedy keys, and rarely two of them mean one land. Nodes from elsewhere come
//! with exact keys. So a reply that seems to be unknown is looked up under those, too.

use rustc_hash::FxHashSet;
use sprig_engine::Watched;
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_search::Sprouts;
use sprig_search::kernel::arena::Place;

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
    /// `is_given` says of a lost node that it needs no proof. Such nodes, and what only they rest
    /// on, are left out.
    ///
    /// # Errors
    /// [`MisereError::NoProof`] when the outcome is not known, [`MisereError::Unsupported`] when
    /// nodes were learned that do not follow; `MisereError::Tree(TreeError::TooManyMoves)`,
    /// [`MisereError::Memory`], [`MisereError::Interrupted`].
    pub fn proof(
        &self,
        position: &CanonicalPosition,
        is_given: &dyn Fn(&Node) -> bool,
        watched: &Watched,
    ) -> Result<Vec<Node>, MisereError> {
        loop {
            let tables = self.shared.read();
            let mut words = Vec::new();
            let mut node = |place: &Place| {
                tables.node_words(*place, &mut words);
                Node::from(&self.sum(&tables, &words))
            };
            let mut prover = Prover::new(&self.game, &tables, &self.trees, watched);
            match prover.prove(position, &mut |place| is_given(&node(&place))) {
                Ok(Found::Proof(places)) => return Ok(places.iter().map(node).collect()),
                Ok(Found::Nothing) => return Err(MisereError::NoProof),
                Ok(Found::Unsupported(places)) => {
                    let nodes = places.iter().map(node).collect();
                    return Err(MisereError::Unsupported { nodes });
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

struct Prover<'a> {
    tables: &'a Tables,
    trees: &'a Trees,
    expander: Expander<Sprouts>,
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
    /// The outcome follows from these, and from those that are given.
    Proof(Vec<Place>),
    /// The outcome is not known.
    Nothing,
    /// The outcome rests on these, which do not follow.
    Unsupported(Vec<Place>),
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

impl<'a> Prover<'a> {
    fn new(game: &Sprouts, tables: &'a Tables, trees: &'a Trees, watched: &'a Watched) -> Self {
        let (expander, chosen, open) = (Expander::new(game), FxHashSet::default(), Vec::new());
        Self { tables, trees, expander, chosen, open, watched, listed: 0 }
    }

    /// Chooses nodes.
    fn prove(
        &mut self,
        position: &CanonicalPosition,
        is_given: &mut dyn FnMut(Place) -> bool,
    ) -> Result<Found, Leave> {
        let mut node = Vec::new();
        let mut lands = position.lands().iter().map(CanonicalLand::key);
        self.expander.namer.node(self.tables, &mut lands, &mut node)?;
        if !self.choose(self.lost(&node)) && !self.answer(&node)? {
            return Ok(Found::Nothing);
        }
        let (mut options, mut proof, mut unsupported) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(place) = self.open.pop() {
            if is_given(place) {
                continue;
            }
            self.tables.node_words(place, &mut node);
            self.options(&node, &mut options)?;
            let mut follows = true;
            for option in nodes(&options) {
                if !self.answer(option)? {
                    follows = false;
                    break;
                }
            }
            if follows { &mut proof } else { &mut unsupported }.push(place);
        }
        Ok(match unsupported[..] {
            [] => Found::Proof(proof),
            _ => Found::Unsupported(unsupported),
        })
    }

    fn follows(&mut self, search: &Search, sum: &Sum) -> Result<Option<bool>, Leave> {
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
        let best = if best.is_none() { self.lost_by_exact_keys(&options)? } else { best };
        Ok(self.choose(best))
    }

    /// A lost node among these, found by the exact keys of its lands.
    fn lost_by_exact_keys(&mut self, options: &[u32]) -> Result<Option<Lost>, Leave> {
        let (mut key, mut sum, mut node, mut best) = (Vec::new(), Vec::new(), Vec::new(), None);
        for option in nodes(options) {
            let (lands, parts) = split(option);
            let exact = lands.iter().map(|&land| {
                self.tables.land_key(land, &mut key);
                CanonicalLand::from_reduced(&key)
            });
            let exact: Vec<_> = exact.collect();
            sum.clear();
            let mut keys = exact.iter().map(CanonicalLand::key);
            self.expander.namer.node(self.tables, &mut keys, &mut sum)?;
            node.clear();
            push(&mut node, (option[0] ^ sum[0]) & ONE, &sum[1..], parts);
            best = best.into_iter().chain(self.lost(&node)).min();
        }
        Ok(best)
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
