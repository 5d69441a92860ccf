//! The master proof tree: couples of a land and a Nim heap, shared by all jobs.
//!
//! A node is a land; for each heap that matters it carries the proof and disproof number of the couple (land, heap).
//! The options of a land are kept once for all heaps. Sums are not nodes: known lands leave them and are xor-ed into
//! the heap, a sum with one unknown land *is* the couple of that land, and a sum with more needs the nimbers of its
//! lands, each found by the couples (land, 0), (land, 1), .. until one is lost.
//!
//! Pure: options and what the database knows of them are handed in by [`Tree::expand`].

mod numbers;
mod pick;
mod settle;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_proto::{LandKnowledge, WorkerId};
use sprig_search::{Fact, Goal, Question};

pub use numbers::Numbers;
pub use pick::Pick;

/// A land of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LandId(u32);

/// A couple of the tree: a land and the size of a Nim heap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Couple {
    /// The land.
    pub land: LandId,
    /// The heap.
    pub heap: Nimber,
}

/// What a job asks of the tree.
#[derive(Clone, Debug)]
pub struct Root {
    /// The lands of the position.
    pub lands: Vec<LandId>,
    /// The question.
    pub question: Question,
}

/// Two proofs that cannot both be right; one line for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute(pub String);

/// The tree.
#[derive(Debug, Default)]
pub struct Tree {
    ids: FxHashMap<CanonicalLand, LandId>,
    lands: Vec<Node>,
    /// Nimbers that follow from the tree itself, not told yet.
    found: Vec<Fact>,
    /// Something has been solved since the last [`Tree::take_solved`].
    solved: bool,
}

#[derive(Debug)]
struct Node {
    land: CanonicalLand,
    /// Every move takes a life, so options have fewer: the order in which updates travel.
    lives: u32,
    nimber: Option<Nimber>,
    /// Bit `h`: the couple with heap `h` is won.
    won: u64,
    /// Open couples that somebody has asked for.
    open: BTreeMap<Nimber, Open>,
    options: Options,
    parents: Vec<LandId>,
}

/// An open couple.
#[derive(Clone, Copy, Debug)]
struct Open {
    numbers: Numbers,
    /// A worker is on it.
    leased: bool,
    /// A worker has spent a whole budget on it: expanding is next.
    tried: bool,
    /// Who was on it or below it last.
    last: Option<WorkerId>,
}

#[derive(Debug)]
enum Options {
    Unknown,
    Asked,
    Known(Vec<Box<[LandId]>>),
    /// More than can be listed; the land stays a leaf.
    TooMany,
}

impl Tree {
    /// Enters a goal, with what the database knows of its lands.
    pub fn enter(&mut self, goal: &Goal, known: &[LandKnowledge]) -> Root {
        let lands = goal.position.lands().iter().map(|land| self.intern(land)).collect();
        known.iter().for_each(|known| self.recall(known));
        Root { lands, question: goal.question }
    }

    /// What a lease of the couple asks.
    pub fn goal(&self, couple: Couple) -> Goal {
        let land = self.node(couple.land).land.clone();
        let position = CanonicalPosition::from_lands([land]);
        Goal { position, question: Question::Outcome { heap: couple.heap } }
    }

    /// The land behind a number.
    pub fn land(&self, id: LandId) -> &CanonicalLand {
        &self.node(id).land
    }

    /// Nimbers that the tree itself has proved since the last call.
    pub fn take_found(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.found)
    }

    /// Whether something has been solved since the last [`Tree::take_solved`].
    pub fn has_solved(&self) -> bool {
        self.solved
    }

    /// Whether something has been solved since the last call, so that other couples may have become idle.
    pub fn take_solved(&mut self) -> bool {
        std::mem::take(&mut self.solved)
    }

    /// Whether an open couple can still help to solve one of the lands `roots`.
    pub fn matters(&self, couple: Couple, roots: &[LandId]) -> bool {
        if self.couple(couple).outcome().is_some() {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut waiting = vec![couple.land];
        while let Some(land) = waiting.pop() {
            let node = self.node(land);
            // A land without open couples is solved, or nobody asks for it.
            if !seen.insert(land) || node.nimber.is_some() || node.open.is_empty() {
                continue;
            }
            if roots.contains(&land) {
                return true;
            }
            waiting.extend(&node.parents);
        }
        false
    }

    /// Forgets everything. For when no job is left.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn node(&self, id: LandId) -> &Node {
        &self.lands[id.0 as usize]
    }

    fn node_mut(&mut self, id: LandId) -> &mut Node {
        &mut self.lands[id.0 as usize]
    }

    fn intern(&mut self, land: &CanonicalLand) -> LandId {
        if let Some(&id) = self.ids.get(land) {
            return id;
        }
        let id =
            LandId(u32::try_from(self.lands.len()).expect("fewer lands than memory could hold"));
        self.ids.insert(land.clone(), id);
        self.lands.push(Node {
            land: land.clone(),
            lives: land.lives(),
            nimber: None,
            won: 0,
            open: BTreeMap::new(),
            options: Options::Unknown,
            parents: Vec::new(),
        });
        id
    }

    /// Takes in what the database knows of a land that has just been entered.
    fn recall(&mut self, known: &LandKnowledge) {
        let Some(&id) = self.ids.get(&known.land) else { return };
        let node = self.node_mut(id);
        node.nimber = node.nimber.or(known.nimber);
        node.won |= known.excluded.iter().fold(0, |bits, heap| bits | bit(*heap));
    }
}

/// The bit of a heap in a set of heaps.
fn bit(heap: Nimber) -> u64 {
    1 << heap.get()
}

/// All heaps, ascending.
fn heaps() -> impl Iterator<Item = Nimber> {
    (0..Nimber::LIMIT).map(|heap| Nimber::new(heap.into()).expect("in range"))
}
