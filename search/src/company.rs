//! What searches in different processes tell each other while they work on the same goal.
//!
//! Threads of one search meet in its tables: each sees the numbers that the others have left behind, and where they are
//! busy. Searches with tables of their own tell each other the same of their *heavy* couples, those on which a walk has spent many
//! expansions: the numbers when a walk leaves one, and where the walks are. This steers; nothing is ever proved by it.

use std::sync::atomic::Ordering::Relaxed;

use crate::game::Game;
use crate::lands::LandId;
use crate::numbers::Numbers;
use crate::search::{Failure, Search};
use crate::tables::Tables;
use crate::walk::{Couple, Stop};

/// A couple outside of a search: the key of a land, and the heap.
pub(crate) type Named = (Vec<u8>, u8);

/// Couples in which other searches are busy, as they stand in the tables.
#[derive(Default)]
pub(crate) struct Marks(Vec<Couple>);

impl Marks {
    /// The tables have been collected, and with them all marks.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    fn take_away(&mut self, tables: &Tables) {
        for couple in self.0.drain(..) {
            if let Some(node) = tables.lands.node(couple.land, couple.heap) {
                node.leave();
            }
        }
    }
}

impl<G: Game> Search<G> {
    /// Takes the seat `seat` of `seats`, each of which looks at other couples first.
    pub fn sit(&self, seat: u16, seats: u16) {
        self.read().sit(seat, seats);
    }

    /// From so many expansions on, a couple is heavy.
    pub fn mind(&self, expansions: u64) {
        self.heavy.store(expansions.max(1), Relaxed);
    }

    /// Takes in the numbers that another search has found for a couple. A proof number of 0 is that of a win.
    pub fn advise(&self, land: &[u8], heap: u8, numbers: Numbers) -> Result<(), Failure> {
        self.learning(|tables, walker, _| {
            let land = walker.intern(tables, land)?;
            let possible = tables.lands.possible(land);
            if possible.known().is_some() || !possible.contains(heap) {
                return Ok(());
            }
            let node = walker.node(tables, Couple { land, heap })?;
            let range = |number: u32| number.clamp(1, Numbers::INFINITE - 1);
            let (proof, disproof) = (range(numbers.proof), range(numbers.disproof));
            node.set(Numbers { proof, disproof });
            tables.lands.note(land);
            Ok(())
        })
    }

    /// Where the other searches are, all of them; replaces what was said before. The walks begin again at the goal, to see it.
    pub fn avoid(&self, couples: &[Named]) -> Result<(), Failure> {
        self.learning(|tables, _, marks| {
            marks.take_away(tables);
            Ok(())
        })?;
        couples.iter().try_for_each(|(land, heap)| {
            self.learning(|tables, walker, marks| {
                let couple = Couple { land: walker.intern(tables, land)?, heap: *heap };
                let node = walker.node(tables, couple)?;
                node.enter();
                tables.lands.note(couple.land);
                marks.0.push(couple);
                Ok(())
            })
        })?;
        self.told.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Where the walks of this search were of late: heavy couples, the highest first.
    pub fn whereabouts(&self) -> Vec<Named> {
        let mut all = Vec::new();
        for place in &self.places {
            for couple in place.lock().expect("no thread panics while it says where it is").iter() {
                if !all.contains(couple) {
                    all.push(couple.clone());
                }
            }
        }
        all
    }

    /// A walk is below these couples.
    pub(crate) fn note_place(&self, tables: &Tables, thread: usize, stops: &[Stop]) {
        let named = stops.iter().map(|stop| named(tables, stop.couple)).collect();
        *self.places[thread].lock().expect("no thread panics while it says where it is") = named;
    }
}

/// The name of a couple for the outside.
fn named(tables: &Tables, couple: Couple) -> Named {
    (key(tables, couple.land), couple.heap)
}

pub(crate) fn key(tables: &Tables, land: LandId) -> Vec<u8> {
    let mut key = Vec::new();
    tables.lands.key(land, &mut key);
    key
}
