//! Making room: what was costly to find is kept. Everything else can be found again.
//!
//! Children and leaves are dropped first. The search comes back to where it was, since the numbers
//! of the couples that it has visited are kept, and generates the children again. Next goes what a
//! first look at a couple has shown, most often that a known child wins it: one expansion finds it
//! again. When the rest takes too much room, what is known about small lands goes before what is
//! known about large ones: the larger a land, the more work it was. Nimbers go last, since all that
//! was dropped is found by them.

use crate::kernel::arena::Chunk;
use crate::kernel::intern::Interned;
use crate::lands::{Key, LandId, Lands, Marks, Possible};
use crate::tables::Tables;

/// Worths are less than this.
const WORTHS: usize = 1 << 10;
/// A known nimber is worth more than whatever else is known of a land.
const KNOWN: usize = WORTHS / 2;

/// What it would cost to find out again what is known of a land; 0 for nothing.
fn worth(tables: &Tables, land: LandId) -> usize {
    let lands = &tables.lands;
    let size = usize::from(tables.prior.size(lands.cell(land)));
    let worth = match lands.possible(land) {
        possible if possible.known().is_some() => KNOWN + size,
        // Numbers of earlier rounds say nothing any more.
        Possible(u64::MAX) if lands.nodes(land).next().is_none() => 0,
        // Couples that are decided at first sight have no nodes.
        _ if lands.has_nodes(land) => 1 + size,
        _ => 1,
    };
    worth.min(WORTHS - 1)
}

/// Keeps what is worth most, as far as `budget` bytes go.
pub(crate) fn collect(tables: &mut Tables, budget: usize) {
    // As many lands as a table holds before it is crowded.
    let lands = tables.lands.slots() / 8 * 5;
    let kept = choose(tables, Room { words: budget / 4, lands });
    let Tables { lands, .. } = tables;
    let mut old = lands.renew();
    let (mut chunk, mut key, mut bytes) = (Chunk::default(), Key::default(), Vec::new());
    for land in kept.iter() {
        old.hand_over(land);
        old.key(land, &mut bytes);
        key.set(&bytes, old.sketch(land));
        let Interned::New(copy) = lands.intern(&key, &mut chunk, || old.cell(land)) else {
            // There is no room for it.
            continue;
        };
        let copy = LandId(copy);
        lands.restrict(copy, old.possible(land).0);
        if old.possible(land).known().is_none() {
            copy_nodes(&old, land, lands, copy, &mut chunk);
        }
        lands.note(copy);
    }
    // Its memory is free now.
    drop(old);
    lands.settle();
}

/// The lands that are worth most, as many as there is `room` for.
fn choose(tables: &Tables, mut room: Room) -> Marks {
    let mut taken = [Room::default(); WORTHS];
    for land in tables.lands.iter() {
        let taken = &mut taken[worth(tables, land)];
        taken.words += tables.lands.words(land);
        taken.lands += 1;
    }
    let mut least = WORTHS;
    while least > 1 && room.take(taken[least - 1]) {
        least -= 1;
    }
    // Of the lands of the next worth, those that come first, as long as there is room.
    let next = least - 1;
    let mut kept = tables.lands.marks();
    for land in tables.lands.iter() {
        let worth = worth(tables, land);
        let one = || Room { words: tables.lands.words(land), lands: 1 };
        if worth >= least || worth > 0 && worth == next && room.take(one()) {
            kept.mark(land);
        }
    }
    kept
}

/// Room for lands.
#[derive(Clone, Copy, Default)]
struct Room {
    words: usize,
    lands: usize,
}

impl Room {
    /// Takes `part` from it, if it is enough.
    fn take(&mut self, part: Self) -> bool {
        let fits = self.words >= part.words && self.lands >= part.lands;
        if fits {
            self.words -= part.words;
            self.lands -= part.lands;
        }
        fits
    }
}

fn copy_nodes(old: &Lands, land: LandId, kept: &Lands, copy: LandId, chunk: &mut Chunk) {
    for (heap, numbers) in old.nodes(land) {
        if old.possible(land).contains(heap)
            && let Some(node) = kept.node_mut(copy, heap, chunk)
        {
            node.set(numbers);
        }
    }
}
