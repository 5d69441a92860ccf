//! Small heaps in misère play.

use std::ops::ControlFlow;

use sprig_trees::{Base, Forest, Tree};

use crate::code::Code;
use crate::rules::land;

/// A sum is only made if no more trees than this can be met on the way to it.
const MOST_TREES: usize = 20_000;

/// No more heaps are taken in when there are more trees than this in all.
const MOST_IN_ALL: usize = 200_000;

/// The longest game on a sum that is made. It bounds the nimbers of trees; a search takes trees
/// with nimbers up to 63.
const LONGEST: u32 = 60;

/// The reduced canonical trees of heaps, from the smallest one on as far as they stay small.
pub struct SmallHeaps {
    base: Base<Code>,
    /// By the size of the heap.
    known: Vec<Known>,
}

/// A heap whose tree is known.
struct Known {
    /// How many trees there are from its tree down.
    below: usize,
    /// Moves of the longest game on its tree.
    height: u32,
}

impl SmallHeaps {
    /// The trees of heaps up to `most` tokens, or up to the first one whose tree may be large.
    /// `go_on` is asked before each heap, and may end it sooner.
    #[must_use]
    pub fn up_to(code: &Code, most: u32, go_on: impl Fn() -> bool) -> Self {
        let empty = Known { below: 1, height: 0 };
        let mut small = Self { base: Base::new(code.clone()), known: vec![empty] };
        for heap in 1..=most {
            let is_small = code.moves(heap, |a, b| match small.are_small(&[a, b]) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            });
            if is_small.is_break() || small.forest().len() > MOST_IN_ALL || !go_on() {
                break;
            }
            let Ok(tree) = small.base.tree(&[&land(heap)]) else { break };
            let (below, height) = (small.forest().below(tree), small.forest().height(tree).into());
            small.known.push(Known { below, height });
        }
        small
    }

    /// Whether the trees of these heaps are known, and few trees are met on the way to their sum:
    /// no more than the product of those below each.
    fn are_small(&self, heaps: &[u32]) -> bool {
        let known: Option<Vec<&Known>> =
            heaps.iter().map(|&heap| self.known.get(heap as usize)).collect();
        known.is_some_and(|known| {
            let trees = known.iter().fold(1, |trees: usize, heap| trees.saturating_mul(heap.below));
            let longest: u32 = known.iter().map(|heap| heap.height).sum();
            trees <= MOST_TREES && longest <= LONGEST
        })
    }

    /// The tree of a sum of heaps, if it is sure to be small.
    pub fn tree(&mut self, heaps: &[u32]) -> Option<Tree> {
        if !self.are_small(heaps) {
            return None;
        }
        let lands: Vec<[u8; 4]> = heaps.iter().map(|&heap| land(heap)).collect();
        let lands: Vec<&[u8]> = lands.iter().map(|land| &land[..]).collect();
        self.base.tree(&lands).ok()
    }

    /// The trees as the base of a search.
    #[must_use]
    pub fn base(&self) -> &Base<Code> {
        &self.base
    }

    /// All trees.
    #[must_use]
    pub fn forest(&self) -> &Forest {
        self.base.forest()
    }
}
