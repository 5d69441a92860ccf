//! The top of a goal: a small tree of couples, whose open leaves are given to different workers.
//!
//! The numbers of a leaf are those with which a worker has come back from it, or its start numbers;
//! the numbers of the other nodes follow from these as in the search. The board says where to
//! search and never what is true: a job ends with facts, and with a search of its whole goal.
//!
//! What a worker says of a leaf is its *word*. A fact weighs more than any word.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sprig_domain::{Goal, LandNimber, Play, Question, Verdict};
use sprig_engine::{CanonicalLand, Nimber};
use sprig_search::{Numbers, WeakSum};

#[cfg(test)]
mod tests;

/// Where a win is expected, an option counts this many eighths more for each of its owners.
const CROWDED: u64 = 2;
/// Most nodes of a board. From then on leaves are shared.
const NODES: usize = 1 << 16;

/// A position with a heap beside it.
type Couple = Goal;

#[derive(Debug)]
struct Node {
    couple: Couple,
    numbers: Numbers,
    /// What has decided it; `None`: its numbers are expectations, or follow from its options.
    basis: Option<Basis>,
    /// `None`: the node is a leaf.
    options: Option<Vec<usize>>,
    parents: Vec<usize>,
    /// Leases for the node or something below it.
    owners: u32,
    /// Expansions that were spent on it as a leaf.
    spent: u64,
    /// Whether it cannot be taken apart.
    whole: bool,
    /// Whether a worker has given it up.
    given_up: bool,
}

/// What a node was decided by.
#[derive(Debug)]
enum Basis {
    Facts,
    /// The worker of this name has said so.
    Word(Arc<str>),
}

/// The board of a job.
#[derive(Debug)]
pub(super) struct Board {
    nodes: Vec<Node>,
    places: HashMap<Couple, usize>,
    /// The lands of all couples: the nimber, if it is known, and where they lie.
    lands: HashMap<CanonicalLand, (Option<Nimber>, Vec<usize>)>,
    /// The way from the root to the leaf of each lease.
    ways: BTreeMap<u64, Vec<usize>>,
    /// Whether nothing is left but leaves that were given up.
    closed: bool,
    /// A leaf is taken apart when it has taken this many expansions, and another worker wants it.
    grain: u64,
}

/// What a board has for a worker.
#[derive(Debug)]
pub(super) enum Share {
    /// A leaf, and whether another worker has it, too.
    Leaf(Goal, bool),
    /// Something as soon as this leaf has been taken apart.
    Wait(Goal),
}

const WON: Numbers = Numbers { proof: 0, disproof: Numbers::INFINITE };
const LOST: Numbers = Numbers { proof: Numbers::INFINITE, disproof: 0 };

impl Node {
    fn is_decided(&self) -> bool {
        self.numbers.proof == 0 || self.numbers.disproof == 0
    }
}

impl Board {
    /// The board of an outcome of normal play, and nothing but its root, whose options are asked
    /// for. `None` for other goals.
    pub(super) fn new(goal: &Goal, grain: u64) -> Option<Self> {
        let is_outcome = matches!(goal.question(), Question::Outcome { .. });
        if goal.play() != Play::Normal || !is_outcome {
            return None;
        }
        let (nodes, places, lands) = (Vec::new(), HashMap::new(), HashMap::new());
        let (ways, closed) = (BTreeMap::new(), false);
        let mut board = Self { nodes, places, lands, ways, closed, grain };
        board.place(goal.clone(), UNKNOWN);
        Some(board)
    }

    /// Whether it has leaves to give: its root was taken apart and is not decided.
    pub(super) fn is_open(&self) -> bool {
        self.nodes[0].options.is_some() && !self.nodes[0].is_decided() && !self.closed
    }

    /// The node of a couple, made if need be.
    fn place(&mut self, couple: Couple, start: Numbers) -> usize {
        if let Some(&place) = self.places.get(&couple) {
            return place;
        }
        let place = self.nodes.len();
        for land in couple.position().lands() {
            let (_, places) = self.lands.entry(land.clone()).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
        self.places.insert(couple.clone(), place);
        let (options, parents) = (None, Vec::new());
        let (basis, owners, spent) = (None, 0, 0);
        let (whole, given_up) = (false, false);
        let numbers = start;
        self.nodes.push(Node {
            couple,
            numbers,
            basis,
            options,
            parents,
            owners,
            spent,
            whole,
            given_up,
        });
        self.check(place);
        place
    }

    /// Takes in a fact. Returns the names of workers whose words it refutes.
    pub(super) fn learn(&mut self, fact: &LandNimber) -> Vec<Arc<str>> {
        let Some((known, places)) = self.lands.get_mut(&fact.land) else { return Vec::new() };
        if known.replace(fact.nimber) == Some(fact.nimber) {
            return Vec::new();
        }
        let places = places.clone();
        let refuted = places.into_iter().filter_map(|place| {
            let refuted = self.check(place);
            self.update(place);
            refuted
        });
        refuted.collect()
    }

    /// Decides a node if facts do. Returns the name of a worker whose word they refute.
    fn check(&mut self, place: usize) -> Option<Arc<str>> {
        let node = &self.nodes[place];
        let lands = node.couple.position().lands().iter();
        let nimbers = lands.map(|land| self.lands[land].0).collect::<Option<Vec<_>>>()?;
        let heap = node.couple.question().heap();
        let sum = nimbers.into_iter().fold(heap, Nimber::nim_sum);
        let truth = if sum.get() == 0 { LOST } else { WON };
        let node = &mut self.nodes[place];
        let before = std::mem::replace(&mut node.numbers, truth);
        match node.basis.replace(Basis::Facts) {
            Some(Basis::Word(name)) if before != truth => Some(name),
            _ => None,
        }
    }

    /// A lease is over, whatever has become of it.
    pub(super) fn leave(&mut self, lease: u64) {
        for place in self.ways.remove(&lease).unwrap_or_default() {
            self.nodes[place].owners -= 1;
        }
    }

    /// The word of a worker of this name about a leaf on which it has spent so many expansions.
    pub(super) fn settle(&mut self, leaf: &Goal, verdict: Verdict, spent: u64, name: &str) {
        let Some(&place) = self.places.get(leaf) else { return };
        let node = &mut self.nodes[place];
        node.spent = node.spent.saturating_add(spent);
        let Some(numbers) = numbers(verdict) else { return };
        // If the leaf was taken apart meanwhile, its options tell more, unless this is an answer.
        let is_answer = !matches!(verdict, Verdict::Open { .. });
        if node.basis.is_none() && (is_answer || node.options.is_none()) {
            node.numbers = numbers;
            node.basis = is_answer.then(|| Basis::Word(name.into()));
            self.update(place);
        }
    }

    #[cfg(test)]
    pub(super) fn owners_of(&self, couple: &Goal) -> u32 {
        self.nodes[self.places[couple]].owners
    }

    /// A worker cannot work at a leaf: what there is to find out there is dearer than all else.
    pub(super) fn give_up(&mut self, leaf: &Goal) {
        let Some(&place) = self.places.get(leaf) else { return };
        let node = &mut self.nodes[place];
        node.given_up = true;
        if node.basis.is_none() && node.options.is_none() {
            node.numbers = Numbers::DEAR;
            self.update(place);
        }
    }

    /// What there is for a lease: the leaf that the board expects most of, if possible one without
    /// an owner. One that has taken its budget and has an owner is to be taken apart, if `may` it.
    /// Goes to `avoided` couples only where there is nothing else. `None` if it has nothing to give.
    pub(super) fn assign(
        &mut self,
        lease: u64,
        avoided: &[Goal],
        may: impl Fn(&Goal) -> bool,
    ) -> Option<Share> {
        if !self.is_open() {
            return None;
        }
        let (mut place, mut way) = (0, vec![0]);
        while self.nodes[place].options.is_some() {
            place = self.choice(place, avoided).expect("an open couple has an open option");
            way.push(place);
        }
        let room = self.nodes.len() < NODES;
        let node = &self.nodes[place];
        if node.given_up {
            self.closed = true;
            return None;
        }
        let shared = node.owners > 0;
        if shared && node.spent >= self.grain && room && !node.whole && may(&node.couple) {
            return Some(Share::Wait(node.couple.clone()));
        }
        let leaf = node.couple.clone();
        for &place in &way {
            self.nodes[place].owners += 1;
        }
        self.ways.insert(lease, way);
        Some(Share::Leaf(leaf, shared))
    }

    /// The open option to go to. Where a loss is expected, all options have to be refuted, so it is
    /// the one with the fewest owners. Elsewhere it is the best one, unless that is crowded.
    fn choice(&self, place: usize, avoided: &[Goal]) -> Option<usize> {
        let options = self.nodes[place].options.as_ref()?;
        let is_open = |option: &usize| !self.nodes[*option].is_decided();
        let open: Vec<usize> = options.iter().copied().filter(is_open).collect();
        let wanted = |option: &usize| {
            let Node { couple, given_up, .. } = &self.nodes[*option];
            !given_up && !avoided.contains(couple)
        };
        let wanted: Vec<usize> = open.iter().copied().filter(wanted).collect();
        self.best(place, if wanted.is_empty() { open } else { wanted })
    }

    fn best(&self, place: usize, open: Vec<usize>) -> Option<usize> {
        let (node, open) = (&self.nodes[place], open.into_iter());
        if node.numbers.proof > node.numbers.disproof {
            open.min_by_key(|&option| {
                let Node { owners, numbers, .. } = &self.nodes[option];
                (*owners, numbers.disproof, option)
            })
        } else {
            open.min_by_key(|&option| {
                let Node { owners, numbers, .. } = &self.nodes[option];
                (u64::from(numbers.disproof) * (8 + CROWDED * u64::from(*owners)), option)
            })
        }
    }

    /// Makes nodes of the options of a leaf, each with what is expected of it. `None`: it cannot be
    /// taken apart.
    pub(super) fn take_apart(&mut self, leaf: &Goal, options: Option<Vec<(Goal, Verdict)>>) {
        let Some(&place) = self.places.get(leaf) else { return };
        let Some(options) = options else {
            self.nodes[place].whole = true;
            return;
        };
        if self.nodes[place].options.is_some() {
            return;
        }
        let mut places = Vec::with_capacity(options.len());
        for (couple, expected) in options {
            let option = self.place(couple, numbers(expected).unwrap_or(UNKNOWN));
            self.nodes[option].parents.push(place);
            places.push(option);
        }
        self.nodes[place].options = Some(places);
        self.update(place);
    }

    /// Forms the numbers of a node from those of its options, and then those above.
    fn update(&mut self, place: usize) {
        self.form(place);
        let mut due = self.nodes[place].parents.clone();
        while let Some(place) = due.pop() {
            if self.form(place) {
                due.extend(&self.nodes[place].parents);
            }
        }
    }

    /// Forms the numbers of one node. Returns whether they have changed.
    fn form(&mut self, place: usize) -> bool {
        let node = &self.nodes[place];
        let is_fact = matches!(node.basis, Some(Basis::Facts));
        let Some(options) = node.options.as_ref().filter(|_| !is_fact) else { return false };
        let (mut proof, mut sum, mut open) = (Numbers::INFINITE, WeakSum::default(), false);
        for option in options.iter().map(|&option| self.nodes[option].numbers) {
            proof = proof.min(option.disproof);
            open |= option.proof > 0;
            sum.add(option.proof);
        }
        let numbers = match (proof, open) {
            (0, _) => WON,
            (_, false) => LOST,
            (proof, true) => Numbers { proof, disproof: sum.value().max(1) },
        };
        let node = &mut self.nodes[place];
        if node.basis.is_some() {
            // A word about a node whose options say the opposite by now is dropped.
            let is_decided = matches!(numbers, WON | LOST);
            if !is_decided || numbers == node.numbers {
                return false;
            }
            node.basis = None;
        }
        std::mem::replace(&mut node.numbers, numbers) != numbers
    }
}

/// Nothing is expected.
const UNKNOWN: Numbers = Numbers { proof: 1, disproof: 1 };

/// The numbers of a verdict about an outcome.
fn numbers(verdict: Verdict) -> Option<Numbers> {
    match verdict {
        Verdict::Win => Some(WON),
        Verdict::Loss => Some(LOST),
        Verdict::Open { proof, disproof } => {
            Some(Numbers { proof: proof.max(1), disproof: disproof.max(1) })
        }
        Verdict::Nimber(_) => None,
    }
}
