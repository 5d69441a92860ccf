//! Making room: the tables are copied without what can be found again.

use std::sync::atomic::Ordering::Relaxed;

use crate::arena::Chunk;
use crate::lands::{Interned, Key, LandId, Lands, Possible};

/// What is kept first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// The nimber is known.
    Known,
    /// Some couple is won.
    Narrowed,
    /// Some couple was visited: its numbers tell the search where it was.
    Visited,
    /// A leaf.
    Nothing,
}

fn worth(lands: &Lands, land: LandId) -> Worth {
    match lands.possible(land) {
        possible if possible.known().is_some() => Worth::Known,
        Possible(u64::MAX) if lands.has_nodes(land) => Worth::Visited,
        Possible(u64::MAX) => Worth::Nothing,
        _ => Worth::Narrowed,
    }
}

/// Copies what is worth most to new lands, as far as `budget` bytes go: known nimbers, won couples, and the numbers of
/// couples that were visited. Children and leaves are dropped; they are generated again when the search comes back.
pub(crate) fn collect(lands: &Lands, slots: usize, budget: usize) -> Lands {
    let mut kept = Lands::new(slots);
    let (mut chunk, mut key, mut bytes) = (Chunk::default(), Key::default(), Vec::new());
    for wanted in [Worth::Known, Worth::Narrowed, Worth::Visited] {
        for land in lands.iter().filter(|&land| worth(lands, land) == wanted) {
            if kept.is_crowded() {
                kept.grow();
            }
            if kept.bytes() > budget {
                return kept;
            }
            lands.key(land, &mut bytes);
            key.set(&bytes);
            let place = kept.intern(&key, &mut chunk, || lands.cell(land));
            let Interned::New(copy) = place else {
                unreachable!("each land is copied once, into free slots")
            };
            kept.restrict(copy, lands.possible(land).0);
            if wanted != Worth::Known {
                copy_nodes(lands, land, &kept, copy, &mut chunk);
            }
        }
    }
    kept
}

fn copy_nodes(lands: &Lands, land: LandId, kept: &Lands, copy: LandId, chunk: &mut Chunk) {
    for (heap, node) in lands.nodes(land) {
        if lands.possible(land).contains(heap)
            && let Some(place) = kept.node_mut(copy, heap, chunk)
        {
            place[0].store(node[0].load(Relaxed), Relaxed);
            place[1].store(node[1].load(Relaxed), Relaxed);
        }
    }
}
