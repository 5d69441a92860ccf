//! The nodes of the couples of a land: a list, to whose head new ones are added.
//!
//! ```text
//! word 0      place of the next node of the land, or 0
//!      1 ..   the node (see [`Node`])
//! ```

use crate::kernel::sync::Ordering::{Acquire, Relaxed};

use super::{LandId, Lands, NODES};
use crate::kernel::arena::{Chunk, Place};
use crate::kernel::numbers::Numbers;
use crate::node::Node;

/// Words of a node with its link.
pub(super) const NODE: usize = 4;

impl Lands {
    /// The node of the couple (land, heap), if one was made.
    #[inline]
    pub fn node(&self, land: LandId, heap: u8) -> Option<Node<'_>> {
        self.between(self.first_node(land), 0, heap)
    }

    /// The place of the node of the land that was made last, or 0.
    #[inline]
    fn first_node(&self, land: LandId) -> Place {
        self.records.arena.word(land.0, NODES).load(Acquire)
    }

    /// The node for this heap among those from `place` on, up to the one at `end`.
    #[inline]
    fn between(&self, mut place: Place, end: Place, heap: u8) -> Option<Node<'_>> {
        while place != end {
            let (next, node) = self.node_at(place)?;
            if node.heap() == heap {
                return Some(node);
            }
            place = next;
        }
        None
    }

    /// The node at a place, and the place of the next one.
    #[inline]
    fn node_at(&self, place: Place) -> Option<(Place, Node<'_>)> {
        let (next, words) = self.records.arena.words(place, 0..NODE).split_first()?;
        Some((next.load(Relaxed), Node { words: words.try_into().ok()?, round: &self.round }))
    }

    /// All nodes of a land, as far as the arena still holds them.
    pub(super) fn all_nodes(&self, land: LandId) -> impl Iterator<Item = Node<'_>> {
        let mut place = self.first_node(land);
        std::iter::from_fn(move || {
            if place == 0 || !self.records.arena.holds(place) {
                return None;
            }
            let (next, node) = self.node_at(place)?;
            place = next;
            Some(node)
        })
    }

    /// Whether a couple of the land was visited.
    pub fn has_nodes(&self, land: LandId) -> bool {
        self.records.arena.word(land.0, NODES).load(Relaxed) != 0
    }

    /// The nodes of the land's couples that were visited in this round, with their heaps.
    pub fn nodes(&self, land: LandId) -> impl Iterator<Item = (u8, Numbers)> {
        self.all_nodes(land).filter_map(|node| Some((node.heap(), node.numbers()?)))
    }

    /// The node of the couple (land, heap), made if need be; `None` when there is no room.
    pub fn node_mut(&self, land: LandId, heap: u8, chunk: &mut Chunk) -> Option<Node<'_>> {
        let mut first = self.first_node(land);
        if let Some(node) = self.between(first, 0, heap) {
            return Some(node);
        }
        let place = self.records.arena.take(chunk, NODE)?;
        let (_, node) = self.node_at(place)?;
        node.begin(heap);
        let head = self.records.arena.word(land.0, NODES);
        loop {
            self.records.arena.word(place, 0).store(first, Relaxed);
            match self.records.arena.replace(head, first, place) {
                Ok(()) => return Some(node),
                Err(now) => {
                    // Another thread was quicker, perhaps with the same couple.
                    if let Some(other) = self.between(now, first, heap) {
                        self.records.arena.give_back(chunk, NODE);
                        return Some(other);
                    }
                    first = now;
                }
            }
        }
    }
}
