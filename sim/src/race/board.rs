//! Ownership: a small tree of couples at the top of the goal, whose open leaves are given to
//! different workers.
//!
//! The numbers of a leaf are those that the worker has left it with, or its start numbers; the
//! numbers of the other nodes follow from these as in the search. The board says where to search
//! and never what is true: a goal is decided by facts, and by a search that has learned them.

use std::collections::HashMap;

use sprig_domain::{Goal, LandNimber, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Limits, Numbers, Observer, Solver, WeakSum};

/// Where a win is expected, an option counts this many eighths more for each of its owners.
const CROWDED: u64 = 2;

/// A position with a heap beside it.
type Couple = (CanonicalPosition, Nimber);

struct Node {
    couple: Couple,
    numbers: Numbers,
    /// `None`: the node is a leaf.
    options: Option<Vec<usize>>,
    parents: Vec<usize>,
    /// Workers at the node or below it.
    owners: u32,
    /// Expansions that were spent on it as a leaf.
    spent: u64,
}

/// The top of a goal.
pub(super) struct Board {
    nodes: Vec<Node>,
    places: HashMap<Couple, usize>,
    /// A solver that is only asked for start numbers.
    scout: Solver,
    /// The way from the root to the leaf of each worker.
    ways: Vec<Vec<usize>>,
    /// A leaf is taken apart when it has taken this many expansions, and another worker wants it.
    grain: u64,
    /// Children that were generated since the last worker asked.
    pub(super) children: u64,
}

struct Silent;

impl Observer<LandNimber> for Silent {
    fn stop(&self) -> bool {
        false
    }
    fn proved(&self, _: LandNimber) {}
}

const WON: Numbers = Numbers { proof: 0, disproof: Numbers::INFINITE };
const LOST: Numbers = Numbers { proof: Numbers::INFINITE, disproof: 0 };

impl Node {
    fn is_decided(&self) -> bool {
        self.numbers.proof == 0 || self.numbers.disproof == 0
    }
}

impl Board {
    /// The board of an outcome, for `workers` workers.
    pub(super) fn new(goal: &Goal, workers: usize, grain: u64) -> Result<Self, String> {
        let Question::Outcome { heap } = goal.question() else {
            return Err("only outcomes can be owned".into());
        };
        let scout = Solver::new(Limits { memory: 256 << 20, threads: 1 });
        let (nodes, places) = (Vec::new(), HashMap::new());
        let ways = vec![Vec::new(); workers];
        let mut board = Self { nodes, places, scout, ways, grain, children: 0 };
        board.place((goal.position().clone(), heap))?;
        Ok(board)
    }

    /// Whether the goal is decided, as far as the board knows.
    fn is_decided(&self) -> bool {
        self.nodes[0].is_decided()
    }

    /// The node of a couple, made if need be.
    fn place(&mut self, couple: Couple) -> Result<usize, String> {
        if let Some(&place) = self.places.get(&couple) {
            return Ok(place);
        }
        let place = self.nodes.len();
        // Without an expansion, the solver tells what it expects.
        let question = Question::Outcome { heap: couple.1 };
        let expected = self.scout.solve(&couple.0, question, 0, &Silent);
        let numbers = numbers(expected.map_err(|error| error.to_string())?);
        self.places.insert(couple.clone(), place);
        let (options, parents) = (None, Vec::new());
        self.nodes.push(Node { couple, numbers, options, parents, owners: 0, spent: 0 });
        Ok(place)
    }

    /// A worker comes back from its leaf.
    pub(super) fn settle(&mut self, worker: usize, verdict: Verdict, spent: u64) {
        let way = std::mem::take(&mut self.ways[worker]);
        for &place in &way {
            self.nodes[place].owners -= 1;
        }
        let Some(&leaf) = way.last() else { return };
        let node = &mut self.nodes[leaf];
        node.spent += spent;
        // If the leaf was taken apart meanwhile, its options tell more, unless this is an answer.
        let counts = node.options.is_none() || !matches!(verdict, Verdict::Open { .. });
        if counts && !node.is_decided() {
            node.numbers = numbers(verdict);
            self.update(leaf);
        }
    }

    /// Gives a worker the leaf that the board expects most of, if possible one without an owner;
    /// `None` if the goal is decided. Also tells whether another worker owns the leaf.
    pub(super) fn assign(
        &mut self,
        worker: usize,
        known: &dyn Fn(&CanonicalLand) -> Option<Nimber>,
    ) -> Result<Option<(Goal, bool)>, String> {
        'again: loop {
            if self.is_decided() {
                return Ok(None);
            }
            let (mut place, mut way) = (0, vec![0]);
            loop {
                if let Some(numbers) = decided(&self.nodes[place].couple, known) {
                    self.nodes[place].numbers = numbers;
                    self.update(place);
                    continue 'again;
                }
                let node = &self.nodes[place];
                if node.options.is_none() {
                    let whole = node.spent >= self.grain && node.owners > 0;
                    if !whole || !self.take_apart(place)? {
                        break;
                    }
                    if self.nodes[place].is_decided() {
                        continue 'again;
                    }
                }
                place = self.choice(place).ok_or("an open couple has no open option")?;
                way.push(place);
            }
            let shared = self.nodes[place].owners > 0;
            for &place in &way {
                self.nodes[place].owners += 1;
            }
            self.ways[worker] = way;
            let (position, heap) = self.nodes[place].couple.clone();
            return Ok(Some((Goal::normal(position, Question::Outcome { heap }), shared)));
        }
    }

    /// The option to go to. Where a loss is expected, all options have to be refuted, so it is the
    /// one with the fewest owners. Elsewhere it is the best one, unless that is crowded.
    fn choice(&self, place: usize) -> Option<usize> {
        let node = &self.nodes[place];
        let options = node.options.as_ref()?;
        let open = options.iter().copied().filter(|&option| !self.nodes[option].is_decided());
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

    /// Makes nodes of the options of a leaf, unless they cannot be listed. Returns whether it has.
    fn take_apart(&mut self, place: usize) -> Result<bool, String> {
        let (position, heap) = self.nodes[place].couple.clone();
        // The lands of a sum are searched together: the search itself finds out which nimbers it
        // needs.
        if position.lands().len() != 1 {
            return Ok(false);
        }
        let Ok(children) = position.children() else { return Ok(false) };
        self.children += children.len() as u64;
        let mut couples: Vec<Couple> = children.into_iter().map(|child| (child, heap)).collect();
        for lower in 0..heap.get() {
            let lower = Nimber::new(u64::from(lower)).map_err(|error| error.to_string())?;
            couples.push((position.clone(), lower));
        }
        couples.sort();
        couples.dedup();
        let mut options = Vec::new();
        for couple in couples {
            let option = self.place(couple)?;
            self.nodes[option].parents.push(place);
            options.push(option);
        }
        self.nodes[place].options = Some(options);
        self.update(place);
        Ok(true)
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
        let Some(options) = node.options.as_ref().filter(|_| !node.is_decided()) else {
            return false;
        };
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
        std::mem::replace(&mut self.nodes[place].numbers, numbers) != numbers
    }
}

/// Whether facts decide a couple.
fn decided(
    (position, heap): &Couple,
    known: &dyn Fn(&CanonicalLand) -> Option<Nimber>,
) -> Option<Numbers> {
    let nimbers = position.lands().iter().map(known);
    let sum = nimbers.collect::<Option<Vec<_>>>()?.into_iter().fold(*heap, Nimber::nim_sum);
    Some(if sum.get() == 0 { LOST } else { WON })
}

fn numbers(verdict: Verdict) -> Numbers {
    match verdict {
        Verdict::Win => WON,
        Verdict::Loss => LOST,
        Verdict::Open { proof, disproof } => {
            Numbers { proof: proof.max(1), disproof: disproof.max(1) }
        }
        Verdict::Nimber(_) => unreachable!("the board asks for outcomes"),
    }
}
