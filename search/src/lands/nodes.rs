//! The nodes of the couples of a land.

use crate::kernel::sync::Ordering::{Acquire, Relaxed, Release};

use super::{LandId, Lands, NODES};
use crate::kernel::arena::{Chunk, Place};
use crate::kernel::numbers::Numbers;
use crate::node::Node;

impl Lands {
    /// The node of the couple (land, heap), if one was made.
    #[inline]
    pub fn node(&self, land: LandId, heap: u8) -> Option<Node<'_>> {
        let place = self.records.arena.word(land.0 + NODES).load(Acquire);
        if place == 0 || self.records.arena.word(place).load(Relaxed) <= u32::from(heap) {
            return None;
        }
        self.node_at(place, heap)
    }

    #[inline]
    fn node_at(&self, place: Place, heap: u8) -> Option<Node<'_>> {
        let words = self.records.arena.words(place + 1 + 3 * u32::from(heap), 3);
        Some(Node { words: words.try_into().ok()?, round: &self.round })
    }

    /// Whether a couple of the land was visited.
    pub fn has_nodes(&self, land: LandId) -> bool {
        self.records.arena.word(land.0 + NODES).load(Relaxed) != 0
    }

    /// The nodes of the land's couples that were visited in this round, with their heaps.
    pub fn nodes(&self, land: LandId) -> impl Iterator<Item = (u8, Numbers)> {
        let place = self.records.arena.word(land.0 + NODES).load(Acquire);
        let there = place != 0 && self.records.arena.holds(place);
        let size = if there { self.records.arena.word(place).load(Relaxed) } else { 0 };
        (0..size as u8).filter_map(move |heap| Some((heap, self.node(land, heap)?.numbers()?)))
    }

    /// The node of the couple (land, heap), made if need be; `None` when there is no room.
    pub fn node_mut(&self, land: LandId, heap: u8, chunk: &mut Chunk) -> Option<Node<'_>> {
        let mut place = self.records.arena.word(land.0 + NODES).load(Acquire);
        let old = if place == 0 { 0 } else { self.records.arena.word(place).load(Relaxed) };
        if old <= u32::from(heap) {
            let size = (u32::from(heap) + 1).next_power_of_two();
            let words = 1 + 3 * size as usize;
            let grown = self.take(chunk, words)?;
            let record = self.records.arena.words(grown, words);
            record[0].store(size, Relaxed);
            if old > 0 {
                let kept = self.records.arena.words(place + 1, 3 * old as usize);
                for (word, kept) in record[1..].iter().zip(kept) {
                    word.store(kept.load(Relaxed), Relaxed);
                }
            }
            // Numbers that another thread writes to the old nodes meanwhile are lost. They are only
            // guesses.
            self.records.arena.word(land.0 + NODES).store(grown, Release);
            place = grown;
        }
        self.node_at(place, heap)
    }
}
