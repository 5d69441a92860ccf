//! Couples, a land and a Nim heap each, as a problem of the kernel.
//!
//! The numbers of a couple (L, n) come from its options: (P, n) for every child P of L, and (L, i)
//! for i < n. In a sum of several lands, the nimbers of all but one are needed. The nimber of a
//! land is found by proving one of its couples lost: the one that looks cheapest to prove lost.

use crate::expand::Expander;
use crate::filter::Sketch;
use crate::game::Game;
use crate::kernel::drive::Run;
use crate::kernel::numbers::Numbers;
use crate::kernel::room::Tools;
use crate::kernel::walk::{Look, Problem};
use crate::lands::{LandId, Listed, Nameless};
use crate::look::{Seen, look};
use crate::namer::Namer;
use crate::node::Node;
use crate::tables::{Conflict, Leave, Tables};

/// A couple.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Couple {
    pub land: LandId,
    pub heap: u8,
}

/// Hears of nimbers that are proved.
pub(crate) trait News {
    /// The nimber of a land has been proved.
    fn proved(&self, tables: &Tables, land: LandId, nimber: u8);
}

/// A thread's own tools.
pub(crate) struct Workshop<G: Game> {
    namer: Namer<G>,
    expander: Expander<G>,
}

impl<G: Game> Workshop<G> {
    pub fn new(game: &G) -> Self {
        Self { namer: Namer::new(game), expander: Expander::new(game) }
    }

    /// Finds or adds a land.
    pub fn intern(&mut self, tables: &Tables, raw: &[u8]) -> Result<LandId, Leave> {
        self.namer.intern(tables, raw, Sketch::of(G::sketch(raw)))
    }
}

impl<G: Game> Tools for Workshop<G> {
    fn forget(&mut self) {
        self.namer.forget();
    }
}

/// The couples of some tables, as one thread works on them.
pub(crate) struct Couples<'a, G: Game, N> {
    pub tables: &'a Tables,
    pub tools: &'a mut Workshop<G>,
    pub run: &'a Run<'a, Tables>,
    pub news: &'a N,
}

impl<G: Game, N: News> Problem for Couples<'_, G, N> {
    type Node = Couple;
    type Way = (Listed, u8);
    type Conflict = Conflict;

    fn enter(&mut self, couple: Couple) -> Result<(), Leave> {
        match self.tables.lands.node(couple.land, couple.heap) {
            Some(node) => node.enter(),
            None if self.run.is_shared() => self.node(couple)?.enter(),
            // Most couples are decided when they are looked at for the first time. A walk that is
            // alone need not say that it is there, so these get no node.
            None => {}
        }
        Ok(())
    }

    fn look(&mut self, path: &[Couple], bounds: Numbers) -> Result<Look<Self::Way>, Leave> {
        let couple = path[path.len() - 1];
        let noise = self.run.noise().near(path.len() - 1);
        match look(self.tables, self.news, noise, couple, bounds)? {
            Seen::Decided => Ok(Look::Done),
            Seen::Open(numbers, step) => {
                Ok(Look::Open(numbers, (step.land, step.heap), step.bounds))
            }
            Seen::PerhapsKnown => {
                self.name_perhaps_known(couple.land)?;
                Ok(Look::Again)
            }
            Seen::NotExpanded => {
                self.check_path(path)?;
                match self.expand(couple) {
                    Ok(()) => Ok(Look::Again),
                    Err(Leave::TooManyMoves) => {
                        self.give_up(couple)?;
                        Ok(Look::Done)
                    }
                    Err(leave) => Err(leave),
                }
            }
        }
    }

    fn set(&mut self, couple: Couple, numbers: Numbers) -> Result<(), Leave> {
        let known = self.tables.lands.node(couple.land, couple.heap);
        let node = match known {
            Some(node) => node,
            // The walk that is alone is there now.
            None => {
                let node = self.node(couple)?;
                node.enter();
                node
            }
        };
        node.set(numbers);
        Ok(())
    }

    fn descend(
        &mut self,
        path: &[Couple],
        (land, heap): Self::Way,
    ) -> Result<Option<Couple>, Leave> {
        match land {
            Listed::Named(land) => Ok(Some(Couple { land, heap })),
            Listed::Nameless(child) => {
                let land = self.name(path[path.len() - 1].land, child)?;
                let is_known_of = self.tables.lands.is_known_of(land);
                Ok((!is_known_of).then_some(Couple { land, heap }))
            }
        }
    }

    fn leave(&mut self, Couple { land, heap }: Couple) {
        if let Some(node) = self.tables.lands.node(land, heap) {
            node.leave();
        }
    }

    fn is_decided(&self, couple: Couple) -> bool {
        let possible = self.tables.lands.possible(couple.land);
        possible.known().is_some() || !possible.contains(couple.heap)
    }

    fn is_hopeless(&self, numbers: Numbers) -> bool {
        self.tables.is_hopeless(numbers)
    }

    fn check(&self) -> Result<(), Leave> {
        self.run.check(self.tables)
    }
}

impl<'a, G: Game, N: News> Couples<'a, G, N> {
    /// The node of a couple, made if need be.
    fn node(&mut self, Couple { land, heap }: Couple) -> Result<Node<'a>, Leave> {
        let node = self.tables.lands.node_mut(land, heap, &mut self.tools.namer.chunk);
        node.ok_or_else(|| self.tables.no_room())
    }

    /// Gives a couple whose options cannot be listed the numbers [`Numbers::DEAR`]: the walk goes
    /// on where it need not be decided.
    fn give_up(&mut self, couple: Couple) -> Result<(), Leave> {
        self.tables.note_dear(couple.land);
        self.set(couple, Numbers::DEAR)?;
        // It counts as an expansion, so that a search that finds nothing else to do ends.
        self.run.expanded();
        Ok(())
    }

    /// Gives a name to a child of a land.
    fn name(&mut self, land: LandId, child: Nameless) -> Result<LandId, Leave> {
        let Workshop { namer, expander } = &mut *self.tools;
        let named = expander.name(self.tables, namer, land, child)?;
        self.run.generated(1);
        self.tables.lands.children(land).expect("the land was expanded").name(child, named);
        Ok(named)
    }

    /// Gives a name to children of a land that have none and of which something may have become
    /// known.
    fn name_perhaps_known(&mut self, land: LandId) -> Result<(), Leave> {
        let lands = &self.tables.lands;
        for child in lands.children(land).expect("the land was expanded").nameless() {
            if lands.filter().may_know(child.sketch) {
                self.name(land, child)?;
            }
        }
        Ok(())
    }

    /// Generates the children of a land; stops at the first that decides `couple`.
    fn expand(&mut self, couple: Couple) -> Result<(), Leave> {
        let Workshop { namer, expander } = &mut *self.tools;
        let expansion = expander.expand(self.tables, namer, couple)?;
        // First the nimbers of children that are not listed, then the list: a thread that sees the
        // list relies on the nimbers.
        if expansion.values != 0 {
            restrict(self.tables, self.news, couple.land, !expansion.values)?;
        }
        turn();
        if !expansion.is_decided {
            expander.publish(self.tables, namer, couple.land)?;
        }
        self.run.expanded();
        self.run.generated(expansion.children);
        Ok(())
    }
}

/// Called where it matters what other threads see first. In tests they get a turn here now and
/// then.
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
    news: &impl News,
    land: LandId,
    kept: u64,
) -> Result<(), Leave> {
    if let Some(nimber) = tables.restrict(land, kept).map_err(Leave::Contradiction)? {
        news.proved(tables, land, nimber);
    }
    Ok(())
}
