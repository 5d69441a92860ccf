//! What threads publish to each other, under every order of events that the memory model allows
//! (loom).
//!
//! Only `scripts/test-loom` builds it. Each rule that a proof rests on has a control: the same test
//! with two steps in the opposite order, which must fail.

use loom::sync::Arc;
use loom::thread;

use crate::filter::Sketch;
use crate::kernel::arena::{Arena, Chunk, Place};
use crate::kernel::intern::{self, Interned, Interner, Slot};
use crate::kernel::numbers::Numbers;
use crate::kernel::sync::Ordering::Relaxed;
use crate::kernel::sync::{AtomicU32, AtomicU64};
use crate::lands::{Key, LandId, Lands};

/// Tries every order of events with at most a few changes of thread where a thread could go on.
/// More changes find nothing new here and take hours.
fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// An arena whose first segment was allocated: loom does not see the `OnceLock` that furnishes
/// segments.
fn arena() -> Arena {
    let arena = Arena::new(1 << 12, 1);
    arena.take(&mut Chunk::default(), 1).expect("there is room");
    arena
}

/// A key of two words.
struct Pair([u32; 2]);

impl intern::Key for Pair {
    /// All keys share one hash, so that threads meet in one slot.
    fn hash(&self) -> u32 {
        0
    }

    fn words(&self) -> usize {
        3
    }

    fn is_at(&self, arena: &Arena, place: Place) -> bool {
        let words = arena.words(place, 0..2);
        words.iter().zip(self.0).all(|(word, value)| word.load(Relaxed) == value)
    }
}

/// Threads that intern equal and different keys at once agree on every record, and see it whole.
fn interning<S: Slot + 'static>() {
    check(|| {
        let table = Arc::new(Interner::<S>::new(arena(), 4));
        let intern = |table: &Interner<S>, keys: [u32; 2]| {
            let mut chunk = Chunk::default();
            keys.map(|key| {
                let interned = table.intern(&Pair([key, !key]), &mut chunk, |record| {
                    for (word, value) in record.iter().zip([key, !key, key + 7]) {
                        word.store(value, Relaxed);
                    }
                });
                let (Interned::Old(place) | Interned::New(place)) = interned else {
                    panic!("there is room")
                };
                assert_eq!(table.arena.word(place, 2).load(Relaxed), key + 7, "it is whole");
                place
            })
        };
        let other = Arc::clone(&table);
        let there = thread::spawn(move || intern(&other, [1, 2]));
        let here = intern(&table, [2, 1]);
        let there = there.join().expect("no panic");
        assert_eq!(here, [there[1], there[0]], "one record for one key");
        assert_eq!(table.len(), 2);
    });
}

#[test]
fn threads_agree_on_records_by_their_places() {
    interning::<AtomicU32>();
}

#[test]
fn threads_agree_on_records_by_places_and_hashes() {
    interning::<AtomicU64>();
}

#[test]
fn no_word_is_handed_out_twice() {
    check(|| {
        let arena = Arc::new(arena());
        let take = |arena: &Arena| {
            let mut chunk = Chunk::default();
            [20, 20].map(|words| {
                let place = arena.take(&mut chunk, words).expect("there is room");
                assert_eq!(arena.word(place, 0).fetch_add(1, Relaxed), 0);
                place
            })
        };
        let other = Arc::clone(&arena);
        let there = thread::spawn(move || take(&other));
        let mut all = [take(&arena), there.join().expect("no panic")].concat();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[1] - pair[0] >= 20), "{all:?}");
    });
}

/// A table with one land.
fn one_land() -> (Arc<Lands>, LandId) {
    let lands = Lands::new(1 << 16);
    let mut key = Key::default();
    key.set(b"land", Sketch(5));
    let Interned::New(land) = lands.intern(&key, &mut Chunk::default(), || 0) else {
        panic!("there is room")
    };
    (Arc::new(lands), LandId(land))
}

/// What another thread sees of an expansion: whether there is a list, and whether the nimber of a
/// child that is not on it is excluded. `list_first` is the order in which it looks.
fn expansion(list_first: bool) {
    check(move || {
        let (lands, land) = one_land();
        let other = Arc::clone(&lands);
        let expands = thread::spawn(move || {
            // A child with the nimber 3 is not listed.
            other.restrict(land, !(1 << 3));
            let listed =
                other.set_children(land, &[LandId(64)], [].into_iter(), &[], &mut Chunk::default());
            assert!(listed, "there is room");
        });
        let is_listed = || lands.children(land).map(|children| children.singles.named().count());
        let (list, possible) = if list_first {
            let list = is_listed();
            (list, lands.possible(land))
        } else {
            let possible = lands.possible(land);
            (is_listed(), possible)
        };
        if let Some(children) = list {
            assert_eq!(children, 1, "the list is whole");
            assert!(!possible.contains(3), "a child is neither listed nor excluded");
        }
        expands.join().expect("no panic");
    });
}

#[test]
fn what_is_not_on_a_list_was_excluded_before_it_is_seen() {
    expansion(true);
}

/// The control: in this order a couple was once proved lost that is won (findings 8 and 13).
#[test]
#[should_panic(expected = "a child is neither listed nor excluded")]
fn looking_for_the_list_last_is_wrong() {
    expansion(false);
}

#[test]
fn nodes_are_whole_and_there_is_one_for_a_couple() {
    check(|| {
        let (lands, land) = one_land();
        let numbers = |heap: u8| Numbers { proof: 10 + u32::from(heap), disproof: 20 };
        let visit = move |lands: &Lands, heaps: [u8; 2]| {
            let mut chunk = Chunk::default();
            for heap in heaps {
                lands.node_mut(land, heap, &mut chunk).expect("room").set(numbers(heap));
            }
        };
        let other = Arc::clone(&lands);
        let visits = thread::spawn(move || visit(&other, [0, 2]));
        // Of two numbers that are just being written, one may be old. It is still a guess, and
        // never 0.
        if let Some(seen) = lands.node(land, 0).and_then(|node| node.numbers()) {
            assert_eq!(seen.proof, numbers(0).proof);
        }
        visit(&lands, [2, 1]);
        visits.join().expect("no panic");
        let mut made: Vec<_> = lands.nodes(land).collect();
        made.sort_by_key(|&(heap, _)| heap);
        assert_eq!(made, [0, 1, 2].map(|heap| (heap, numbers(heap))));
    });
}
