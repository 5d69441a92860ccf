//! The options of lands as parts of nodes, found once and remembered for a while.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::super::land::{Land, TooManyMoves};
use super::super::name::Name;
use super::losses::{Losses, Node, OPEN, node, put};

/// Open lands that are remembered at most.
const MAX_LANDS: usize = 1 << 16;

/// Options that are remembered at most.
const MAX_OPTIONS: usize = 1 << 20;

/// What the options of lands leave in a node in place of the land.
pub(super) struct Options<'a> {
    losses: &'a Losses,
    /// Lands that are in no lost node and not in the base.
    open: Vec<Land>,
    numbers: HashMap<Name, u32>,
    /// All options of lands of lost nodes.
    all: HashMap<u32, Rc<[Node]>>,
    /// The options that may be parts of lost nodes.
    familiar: HashMap<u32, Rc<[Node]>>,
    /// Options that are remembered.
    held: usize,
    /// Options looked at.
    pub count: u64,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Options<'a> {
    pub fn new(losses: &'a Losses) -> Self {
        Self {
            losses,
            open: Vec::new(),
            numbers: HashMap::new(),
            all: HashMap::new(),
            familiar: HashMap::new(),
            held: 0,
            count: 0,
            stop: None,
        }
    }

    /// Stops when it is told to; what was found by then is no answer.
    pub fn until(&mut self, stop: &'a AtomicBool) {
        self.stop = Some(stop);
    }

    /// Whether it was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Relaxed))
    }

    /// Forgets all if it has become too much, and the numbers of open lands with it; returns whether it did.
    pub fn forget_if_much(&mut self) -> bool {
        let is_much = self.open.len() > MAX_LANDS || self.held > MAX_OPTIONS;
        if is_much {
            let Self { count, stop, .. } = *self;
            *self = Self { count, stop, ..Self::new(self.losses) };
        }
        is_much
    }

    /// The land that a part stands for.
    pub fn land(&self, part: u32) -> &Land {
        match part.checked_sub(OPEN) {
            Some(open) => &self.open[open as usize],
            None => &self.losses.lands[part as usize],
        }
    }

    /// Each option of a land once.
    pub fn all(&mut self, land: u32) -> Result<Rc<[Node]>, TooManyMoves> {
        if let Some(options) = self.all.get(&land) {
            return Ok(options.clone());
        }
        let whole = self.land(land).clone();
        whole.manageable()?;
        let (mut nodes, mut seen) = (HashSet::new(), HashSet::new());
        whole.all_options(|option| {
            self.count += 1;
            let mut lands = option.reduced();
            lands.iter_mut().for_each(Land::rename);
            if !seen.contains(&lands) {
                nodes.insert(self.whole(&lands));
                seen.insert(lands);
            }
            !self.is_stopped()
        });
        // In the same order in every run, so that the same flaw is found first.
        let mut nodes: Vec<Node> = nodes.into_iter().collect();
        nodes.sort_unstable();
        let nodes: Rc<[Node]> = nodes.into();
        self.held += nodes.len();
        self.all.insert(land, nodes.clone());
        Ok(nodes)
    }

    /// A sum of lands as a node.
    pub fn whole(&mut self, lands: &[Land]) -> Node {
        let (mut one, mut parts) = (0, Vec::new());
        for land in lands {
            match self.losses.base.tree(land) {
                Some(tree) => put(&mut one, &mut parts, tree),
                None => parts.push(self.losses.land(land).unwrap_or_else(|| self.number(land))),
            }
        }
        node(one, parts)
    }

    fn number(&mut self, land: &Land) -> u32 {
        let next = OPEN + self.open.len() as u32;
        let number = *self.numbers.entry(land.name()).or_insert(next);
        if number == next {
            self.open.push(land.clone());
        }
        number
    }

    /// The options of a land of which every land is in the base or in a lost node, each once. Others are no parts of lost nodes.
    pub fn familiar(&mut self, land: u32) -> Rc<[Node]> {
        if let Some(options) = self.familiar.get(&land) {
            return options.clone();
        }
        let whole = self.land(land).clone();
        let mut nodes = HashSet::new();
        if whole.manageable().is_ok() {
            whole.all_options(|option| {
                self.count += 1;
                nodes.extend(self.if_familiar(&option.reduced()));
                !self.is_stopped()
            });
        }
        let nodes: Rc<[Node]> = nodes.into_iter().collect();
        self.held += nodes.len();
        self.familiar.insert(land, nodes.clone());
        nodes
    }

    fn if_familiar(&self, lands: &[Land]) -> Option<Node> {
        let (mut one, mut parts) = (0, Vec::new());
        // Lands that are not in the base are the larger ones, and few of them are in lost nodes.
        for land in lands {
            match self.losses.land(land) {
                Some(number) => parts.push(number),
                None => put(&mut one, &mut parts, self.losses.base.tree(land)?),
            }
        }
        Some(node(one, parts))
    }
}
