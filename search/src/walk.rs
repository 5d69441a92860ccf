//! A thread's depth-first walk through the tables: df-pn (Nagai 2002) over couples.
//!
//! The walk goes down to the most-proving child as long as the numbers stay below thresholds, so that it rarely climbs
//! back to the root. The numbers of a couple (L, n) come from its options: (P, n) for every child P of L, and (L, i)
//! for i < n. In a sum of several lands all but one need their nimbers, and the nimber of a land is found by proving
//! the couple lost that looks cheapest to prove lost.

use crate::expand::Expander;
use crate::filter::Sketch;
use crate::game::Game;
use crate::lands::{LandId, Listed, Nameless};
use crate::look::{Look, Step, look};
use crate::namer::Namer;
use crate::node::Node;
use crate::noise::Noise;
use crate::numbers::Numbers;
use crate::tables::{Leave, Tables};

/// What a walk shares with the outside.
pub(crate) trait Outside {
    /// Called before each expansion; says why to leave the walk, if it must be left.
    fn check(&self, tables: &Tables) -> Result<(), Leave>;
    /// An expansion is done that generated so many children.
    fn expanded(&self, children: u64);
    /// A child that had no name was made again.
    fn made_again(&self);
    /// The nimber of a land has been proved.
    fn proved(&self, tables: &Tables, land: LandId, nimber: u8);
    /// What makes this walk another one than those of other searches.
    fn noise(&self) -> Noise;
}

/// A thread's own tools.
pub(crate) struct Walker<G: Game> {
    namer: Namer<G>,
    expander: Expander<G>,
    /// The couples from the root to here.
    path: Vec<Couple>,
}

/// A couple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Couple {
    pub land: LandId,
    pub heap: u8,
}

/// Thresholds without a limit.
pub(crate) const UNBOUNDED: Numbers =
    Numbers { proof: Numbers::INFINITE, disproof: Numbers::INFINITE };

impl<G: Game> Walker<G> {
    pub fn new(game: &G) -> Self {
        Self { namer: Namer::new(game), expander: Expander::new(game), path: Vec::new() }
    }

    /// Finds or adds a land.
    pub fn intern(&mut self, tables: &Tables, raw: &[u8]) -> Result<LandId, Leave> {
        self.namer.intern(tables, raw, Sketch::of(G::sketch(raw)))
    }

    /// The node of a couple, made if need be.
    pub fn node<'t>(&mut self, tables: &'t Tables, couple: Couple) -> Result<Node<'t>, Leave> {
        let node = tables.lands.node_mut(couple.land, couple.heap, &mut self.namer.chunk);
        node.ok_or_else(|| tables.no_room())
    }

    /// Forgets every place in the arena: the tables may be replaced.
    pub fn forget(&mut self) {
        self.namer.forget();
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
        self.path.push(couple);
        let mut result = self.pursue(tables, outside, couple, bounds);
        self.path.pop();
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
        self.path.iter().any(|couple| {
            let possible = tables.lands.possible(couple.land);
            possible.known().is_some() || !possible.contains(couple.heap)
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
            match look(tables, outside, couple, bounds, self.path.len() - 1)? {
                Look::Decided => return Ok(()),
                Look::NotExpanded => match self.expand(tables, outside, couple) {
                    Err(Leave::TooManyMoves) => return self.give_up(tables, outside, couple),
                    expanded => expanded?,
                },
                Look::Rumour => self.name_rumoured(tables, outside, couple.land)?,
                Look::Open(numbers, Step { land, heap, bounds: below }) => {
                    let node = self.node(tables, couple)?;
                    node.set(numbers);
                    if numbers.proof >= bounds.proof || numbers.disproof >= bounds.disproof {
                        return Ok(());
                    }
                    if tables.is_hopeless(numbers) {
                        // Nothing is expanded here, and above another thread may be in the way of everything else.
                        return outside.check(tables);
                    }
                    let land = match land {
                        Listed::Named(land) => land,
                        Listed::Nameless(child) => {
                            let named = self.name(tables, outside, couple.land, child)?;
                            if tables.lands.is_known_of(named) {
                                continue;
                            }
                            named
                        }
                    };
                    self.work(tables, outside, Couple { land, heap }, below)?;
                }
            }
        }
    }

    /// Makes a couple dear whose options cannot be listed: the walk goes on where it need not be decided.
    fn give_up(
        &mut self,
        tables: &Tables,
        outside: &impl Outside,
        couple: Couple,
    ) -> Result<(), Leave> {
        tables.note_dear(couple.land);
        self.node(tables, couple)?.set(Numbers::DEAR);
        // It counts, so that a search that comes to nothing else ends.
        outside.expanded(0);
        Ok(())
    }

    /// Gives a name to a child of a land.
    fn name(
        &mut self,
        tables: &Tables,
        outside: &impl Outside,
        land: LandId,
        child: Nameless,
    ) -> Result<LandId, Leave> {
        let named = self.expander.name(tables, &mut self.namer, land, child)?;
        outside.made_again();
        tables.lands.children(land).expect("the land was expanded").name(child, named);
        Ok(named)
    }

    /// Gives a name to children of a land that have none and of which something may have become known.
    fn name_rumoured(
        &mut self,
        tables: &Tables,
        outside: &impl Outside,
        land: LandId,
    ) -> Result<(), Leave> {
        let children = tables.lands.children(land).expect("the land was expanded");
        for child in children.nameless() {
            if tables.lands.filter().may_know(child.sketch) {
                self.name(tables, outside, land, child)?;
            }
        }
        Ok(())
    }

    /// Generates the children of a land; stops at the first that decides `couple`.
    fn expand(
        &mut self,
        tables: &Tables,
        outside: &impl Outside,
        couple: Couple,
    ) -> Result<(), Leave> {
        outside.check(tables)?;
        if self.is_obsolete(tables) {
            return Err(Leave::Obsolete);
        }
        let expansion = self.expander.expand(tables, &mut self.namer, couple)?;
        if expansion.values != 0 {
            restrict(tables, outside, couple.land, !expansion.values)?;
        }
        turn();
        if !expansion.is_decided {
            self.expander.publish(tables, &mut self.namer, couple.land)?;
        }
        outside.expanded(expansion.children);
        Ok(())
    }
}

/// Where it matters what others see first: in tests they get a turn here now and then.
#[inline]
pub(crate) fn turn() {
    #[cfg(test)]
    {
        static TURNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        if TURNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed).is_multiple_of(4) {
            (0..4_096).for_each(|_| std::hint::spin_loop());
        }
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
