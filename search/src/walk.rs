//! A thread's depth-first walk through the tables: df-pn (Nagai 2002) over couples.
//!
//! The walk goes down to the most-proving child as long as the numbers stay below thresholds, so that it rarely climbs
//! back to the root. The numbers of a couple (L, n) come from its options: (P, n) for every child P of L, and (L, i)
//! for i < n. In a sum of several lands all but one need their nimbers, and the nimber of a land is found by proving
//! the couple lost that looks cheapest to prove lost.

use std::ops::ControlFlow;

use crate::arena::Chunk;
use crate::game::{Game, Moves};
use crate::lands::{LandId, sum_header};
use crate::look::{Look, look};
use crate::namer::Namer;
use crate::node::Node;
use crate::numbers::Numbers;
use crate::tables::{Leave, Tables};

/// What a walk shares with the outside.
pub(crate) trait Outside {
    /// Called before each expansion; says why to leave the walk, if it must be left.
    fn check(&self, tables: &Tables) -> Result<(), Leave>;
    /// An expansion is done that generated so many children.
    fn expanded(&self, children: u64);
    /// The nimber of a land has been proved.
    fn proved(&self, tables: &Tables, land: LandId, nimber: u8);
    /// From so many expansions on, work on a couple is worth telling others about. At least 1.
    fn heavy(&self) -> u64;
    /// A walk has left a couple on which it had spent that many expansions.
    fn left(&self, tables: &Tables, couple: Couple);
    /// A walk has been below these couples for that many expansions, the highest first.
    fn below(&self, tables: &Tables, couples: &[Stop]);
}

/// A thread's own tools.
pub(crate) struct Walker<G: Game> {
    moves: G::Moves,
    namer: Namer<G>,
    land_key: Vec<u8>,
    /// The couples from the root to here.
    path: Vec<Stop>,
    /// Expansions of this walker.
    expansions: u64,
    /// Lands of the child that is being taken in.
    ids: Vec<u32>,
    singles: Vec<u32>,
    /// Sums of the land that is being expanded: header and lands, one after the other.
    sums: Vec<u32>,
}

/// A couple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Couple {
    pub land: LandId,
    pub heap: u8,
}

/// A couple on the path of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub couple: Couple,
    /// Expansions of the walker when it came here.
    since: u64,
}

/// Thresholds without a limit.
pub(crate) const UNBOUNDED: Numbers =
    Numbers { proof: Numbers::INFINITE, disproof: Numbers::INFINITE };

impl<G: Game> Walker<G> {
    pub fn new(game: &G) -> Self {
        Self {
            moves: game.moves(),
            namer: Namer::new(game),
            land_key: Vec::new(),
            path: Vec::new(),
            expansions: 0,
            ids: Vec::new(),
            singles: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Finds or adds a land.
    pub fn intern(&mut self, tables: &Tables, raw: &[u8]) -> Result<LandId, Leave> {
        self.namer.intern(tables, raw)
    }

    /// The node of a couple, made if need be.
    pub fn node<'t>(&mut self, tables: &'t Tables, couple: Couple) -> Result<Node<'t>, Leave> {
        let node = tables.lands.node_mut(couple.land, couple.heap, &mut self.namer.chunk);
        node.ok_or_else(|| tables.no_room())
    }

    /// Forgets every place in the arena: the tables may be replaced.
    pub fn forget(&mut self) {
        self.namer.chunk = Chunk::default();
        self.namer.recent.clear();
    }

    /// Works on a couple until it is decided or one of its numbers reaches its bound.
    pub fn work(
        &mut self,
        tables: &Tables,
        outside: &impl Outside,
        couple: Couple,
        bounds: Numbers,
    ) -> Result<(), Leave> {
        self.node(tables, couple)?.enter();
        let since = self.expansions;
        self.path.push(Stop { couple, since });
        let mut result = self.pursue(tables, outside, couple, bounds);
        self.path.pop();
        if self.expansions - since >= outside.heavy() {
            outside.left(tables, couple);
        }
        // Somebody else has decided a couple of the path; the walk goes on above the highest of these.
        if result == Err(Leave::Obsolete) && !self.is_obsolete(tables) {
            result = Ok(());
        }
        if let Some(node) = tables.lands.node(couple.land, couple.heap) {
            node.leave();
        }
        result
    }

    /// Whether a couple on the way from the root to here is decided.
    fn is_obsolete(&self, tables: &Tables) -> bool {
        self.path.iter().any(|stop| {
            let possible = tables.lands.possible(stop.couple.land);
            possible.known().is_some() || !possible.contains(stop.couple.heap)
        })
    }

    fn pursue(
        &mut self,
        tables: &Tables,
        outside: &impl Outside,
        couple: Couple,
        bounds: Numbers,
    ) -> Result<(), Leave> {
        loop {
            match look(tables, outside, couple, bounds)? {
                Look::Decided => return Ok(()),
                Look::NotExpanded => self.expand(tables, outside, couple)?,
                Look::Open(numbers, step) => {
                    let node = self.node(tables, couple)?;
                    node.set(numbers);
                    if numbers.proof >= bounds.proof || numbers.disproof >= bounds.disproof {
                        return Ok(());
                    }
                    self.work(tables, outside, step.couple, step.bounds)?;
                }
            }
        }
    }

    /// Generates the children of a land; stops at the first that decides `couple`.
    fn expand(
        &mut self,
        tables: &Tables,
        outside: &impl Outside,
        Couple { land, heap }: Couple,
    ) -> Result<(), Leave> {
        outside.check(tables)?;
        if self.is_obsolete(tables) {
            return Err(Leave::Obsolete);
        }
        let Self { moves, namer, land_key, ids, singles, sums, .. } = self;
        tables.lands.key(land, land_key);
        singles.clear();
        sums.clear();
        let (mut generated, mut values) = (0u64, 0u64);
        let flow = moves.children(land_key, |lands| {
            generated += 1;
            ids.clear();
            let mut known = 0;
            for land in lands {
                let id = match namer.intern(tables, land) {
                    Ok(id) => id,
                    Err(leave) => return ControlFlow::Break(Err(leave)),
                };
                match tables.lands.possible(id).known() {
                    Some(nimber) => known ^= nimber,
                    None => ids.push(id.0),
                }
            }
            cancel_pairs(ids);
            match ids[..] {
                [] => {
                    values |= 1 << known;
                    if known == heap {
                        return ControlFlow::Break(Ok(()));
                    }
                }
                [single] if known == 0 => singles.push(single),
                _ => {
                    sums.push(sum_header(ids.len(), known));
                    sums.extend_from_slice(ids);
                }
            }
            ControlFlow::Continue(())
        });
        let flow = flow.map_err(Leave::TooManyMoves)?;
        if let ControlFlow::Break(Err(leave)) = flow {
            return Err(leave);
        }
        if values != 0 {
            restrict(tables, outside, land, !values)?;
        }
        if flow.is_continue() {
            self.singles.sort_unstable();
            self.singles.dedup();
            self.sums = without_repeats(&self.sums);
            if !tables.lands.set_children(land, &self.singles, &self.sums, &mut self.namer.chunk) {
                return Err(tables.no_room());
            }
        }
        outside.expanded(generated);
        self.expansions += 1;
        let many = outside.heavy();
        if self.expansions.is_multiple_of(many) {
            let heavy = |stop: &Stop| self.expansions - stop.since >= many;
            outside.below(tables, &self.path[..self.path.partition_point(heavy)]);
        }
        Ok(())
    }
}

/// Records a proof and reports the nimber if it has become known.
pub(crate) fn restrict(
    tables: &Tables,
    outside: &impl Outside,
    land: LandId,
    kept: u64,
) -> Result<(), Leave> {
    if let Some(nimber) = tables.restrict(land, kept).map_err(Leave::Conflict)? {
        outside.proved(tables, land, nimber);
    }
    Ok(())
}

/// Removes equal lands in pairs: in normal play A + A has nimber 0. Leaves the lands sorted.
fn cancel_pairs(ids: &mut Vec<u32>) {
    if ids.len() < 2 {
        return;
    }
    ids.sort_unstable();
    let mut kept = 0;
    for i in 0..ids.len() {
        if kept > 0 && ids[kept - 1] == ids[i] {
            kept -= 1;
        } else {
            ids[kept] = ids[i];
            kept += 1;
        }
    }
    ids.truncate(kept);
}

/// The same sums, each once.
fn without_repeats(sums: &[u32]) -> Vec<u32> {
    let mut list = Vec::new();
    let mut rest = sums;
    while let Some(&header) = rest.first() {
        let (sum, tail) = rest.split_at(1 + (header & 0xffff) as usize);
        list.push(sum);
        rest = tail;
    }
    list.sort_unstable();
    list.dedup();
    list.concat()
}
