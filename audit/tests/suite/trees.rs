//! Trees of a database in memory, and back.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use sprig_audit::{base_of, facts_of, tree_of};
use sprig_domain::TreeKey;
use sprig_store::{Fact, Kind, Store, StoreError};
use sprig_trees::Forest;

use crate::common::{add, position};

/// A database of the trees of all lands of a small game tree.
fn with_base(text: &str) -> Store {
    let store = Store::in_memory().expect("memory");
    build(&store, text);
    store
}

/// Builds on what the store knows and commits what is new. Returns how many lands that were.
fn build(store: &Store, text: &str) -> usize {
    let mut base = base_of(store).expect("whole");
    let mut lands = 0;
    base.build(&position(text), NonZeroUsize::MIN, |news| {
        lands += news.lands().count();
        add(store, facts_of(sprig_domain::Game::Sprouts, news));
        ControlFlow::Continue(())
    })
    .expect("read");
    lands
}

#[test]
fn a_base_comes_back_from_the_store_and_is_no_news() {
    let store = with_base("0*3");
    let counts = store.counts().expect("read");
    assert_eq!(counts.of(Kind::Rct), 126);
    assert_eq!(base_of(&store).expect("whole").forest().len() as u64, counts.of(Kind::Tree));
    assert_eq!(build(&store, "0*3"), 0);
    assert_eq!(store.counts().expect("read"), counts);
    // What is new is told, and what was known is not walked again.
    assert!(build(&store, "0*4") <= 1192 - 126);
    assert_eq!(store.counts().expect("read").of(Kind::Rct), 1188);
}

#[test]
fn the_tree_of_a_land_is_read_with_no_more_than_is_below_it() {
    let store = with_base("0*4");
    let land = |text: &str| position(text).lands()[0].clone();
    let mut forest = Forest::default();
    let tree = tree_of(&store, &mut forest, land("0*2").key()).expect("read").expect("known");
    assert_eq!(forest.nested(tree, 100).as_deref(), Some("{2}"));
    assert_eq!(forest.len(), 3);
    assert_eq!(tree_of(&store, &mut forest, land("0*5").key()).expect("read"), None);
}

#[test]
fn a_land_whose_tree_is_missing_is_damage() {
    let store = Store::in_memory().expect("memory");
    let unknown = TreeKey::from_bytes([2; 16]);
    add(&store, [Fact::rct(b"\x00\x03", unknown).verified()]);
    let error = base_of(&store).err().expect("refused");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    let error = tree_of(&store, &mut Forest::default(), b"\x00\x03").expect_err("refused");
    assert!(error.to_string().contains("not stored"), "{error}");
}
