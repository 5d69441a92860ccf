//! Making room: the tables are copied without what can be found again.

use crate::arena::Chunk;
use crate::lands::{Interned, Key, Lands, Possible};

/// Copies what is proved to new lands: first the known nimbers, then the won couples, each as far as `budget` bytes
/// go. Children, numbers and unsolved lands are dropped; they can be generated again.
pub(crate) fn collect(lands: &Lands, slots: usize, budget: usize) -> Lands {
    let mut kept = Lands::new(slots);
    let (mut chunk, mut key, mut bytes) = (Chunk::default(), Key::default(), Vec::new());
    for known in [true, false] {
        for land in lands.iter() {
            let possible = lands.possible(land);
            if possible.known().is_some() != known || possible == Possible(u64::MAX) {
                continue;
            }
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
            kept.restrict(copy, possible.0);
        }
    }
    kept
}
