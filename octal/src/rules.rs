//! A code as the rules of a game, for every search that takes rules.

use std::ops::ControlFlow;

use sprig_search::{Child, Rules};

use crate::code::Code;

/// A heap as searches know it: a land of four bytes, its tokens.
#[must_use]
pub fn land(heap: u32) -> [u8; 4] {
    heap.to_be_bytes()
}

/// The tokens of a land. Searches give back what they were given.
fn tokens(land: &[u8]) -> u32 {
    land.iter().fold(0, |tokens, &byte| tokens << 8 | u32::from(byte))
}

impl Rules for Code {
    fn children(&self, heap: &[u8], child: &mut Child) -> ControlFlow<()> {
        self.moves(tokens(heap), |a, b| {
            // A heap without moves is worth nothing, and needs no search.
            match [a, b].map(|heap| self.has_moves(heap).then(|| land(heap))) {
                [Some(a), Some(b)] => child(&[&a, &b]),
                [Some(one), None] | [None, Some(one)] => child(&[&one]),
                [None, None] => child(&[]),
            }
        })
    }

    fn size(heap: &[u8]) -> u16 {
        tokens(heap).try_into().unwrap_or(u16::MAX)
    }

    fn canonize(heap: &mut Vec<u8>) {
        if tokens(heap) == 0 {
            heap.clear();
        }
    }
}
