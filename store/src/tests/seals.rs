//! The database of another owner: nothing in it is verified, whatever it says of itself.

use std::sync::atomic::AtomicBool;

use super::*;
use crate::tables::FACTS;

/// The secret of another owner.
fn theirs() -> Secret {
    Secret::new([8; Secret::BYTES])
}

/// What is verified of land `a`.
fn verified_a(store: &Reader) -> Option<u8> {
    store.verified_nimber(b"a").unwrap().map(Nimber::get)
}

/// Writes a fact as programs before seals did, with its bit set.
fn write_old_layout(store: &Store, land: &[u8], nimber: u8, sequence: u8) {
    let record = [0b0100_0000 | nimber, sequence];
    store
        .open
        .db
        .put_cf(store.family(FACTS), Kind::Nimber.key(sprig_domain::Game::Sprouts, land), record)
        .unwrap();
}

#[test]
fn what_was_sealed_here_is_verified_in_every_copy() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("here");
    open(&place).unwrap().commit(&facts("ada", vec![verified(b"a", 1)])).unwrap();
    let moved = dir.path().join("there");
    std::fs::rename(&place, &moved).unwrap();
    let store = open(&moved).unwrap();
    assert_eq!(verified_a(&store), Some(1));
    assert_eq!(store.worth().unwrap().claimed.total(), 0);
    assert_eq!(store.keys().unwrap().len(), 1);
    assert_eq!(store.sealed_by_others().unwrap(), 0);
}

#[test]
fn a_strangers_seal_and_a_mere_bit_are_claims() {
    let dir = tempfile::tempdir().unwrap();
    let forger = Store::open(dir.path(), &theirs()).unwrap();
    forger.commit(&facts("eve", vec![verified(b"a", 2), claimed(b"b", 3)])).unwrap();
    write_old_layout(&forger, b"b", 3, 1);
    assert_eq!(verified_a(&forger), Some(2), "the forger's own eyes");
    drop(forger);

    let store = open(dir.path()).unwrap();
    assert_eq!(verified_a(&store), None);
    assert_eq!(store.verified_nimber(b"b").unwrap(), None);
    for stored in store.facts(Kind::Nimber) {
        assert_eq!(stored.unwrap().fact.status, Status::Claimed);
    }
    let worth = store.worth().unwrap();
    assert_eq!((worth.verified.total(), worth.claimed.total()), (0, 2));
    assert!(store.sealed_by_others().unwrap() > 0);
}

#[test]
fn a_seal_is_good_for_its_own_fact_only() {
    let store = Store::in_memory_of(&ours()).unwrap();
    store.commit(&facts("ada", vec![verified(b"a", 1)])).unwrap();
    let key = Kind::Nimber.key(sprig_domain::Game::Sprouts, b"a");
    let sealed = store.get(FACTS, &key).unwrap().unwrap();
    let put = |land: &[u8], record: &[u8]| {
        store
            .open
            .db
            .put_cf(
                store.family(FACTS),
                Kind::Nimber.key(sprig_domain::Game::Sprouts, land),
                record,
            )
            .unwrap();
    };
    // The same seal with another value, under another land, with a bit of the seal turned.
    let mut other_value = sealed.clone();
    other_value[0] ^= 3;
    put(b"a", &other_value);
    assert_eq!(verified_a(&store), None);
    let mut other_seal = sealed.clone();
    *other_seal.last_mut().unwrap() ^= 1;
    put(b"a", &other_seal);
    assert_eq!(verified_a(&store), None);
    put(b"b", &sealed);
    assert_eq!(store.verified_nimber(b"b").unwrap(), None);
    put(b"a", &sealed);
    assert_eq!(verified_a(&store), Some(1));
}

#[test]
fn what_is_verified_takes_the_place_of_a_false_claim() {
    let store = Store::in_memory_of(&ours()).unwrap();
    store.commit(&facts("eve", vec![claimed(b"a", 2)])).unwrap();
    store.commit(&exclusion("eve", b"b", 0b10)).unwrap();
    store.commit(&facts("ada", vec![verified(b"a", 1), verified(b"b", 1)])).unwrap();
    assert_eq!(verified_a(&store), Some(1));
    assert_eq!(store.verified_nimber(b"b").unwrap(), Some(nimber(1)));
    // A claim never takes the place of another fact.
    refused(store.commit(&facts("eve", vec![claimed(b"a", 2)])));
    refused(store.commit(&facts("bob", vec![verified(b"a", 3)])));
    assert_eq!(store.worth().unwrap().claimed.total(), 0);
    let standing = store.facts_from(Sequence(0), usize::MAX).unwrap();
    assert_eq!(standing.len(), 2, "the claim stands in the log alone");
}

#[test]
fn the_owner_can_vouch_for_what_others_marked_or_for_all() {
    let dir = tempfile::tempdir().unwrap();
    let forger = Store::open(dir.path(), &theirs()).unwrap();
    let all = vec![verified(b"a", 2), claimed(b"b", 3), claimed(b"c", 1)];
    forger.commit(&facts("eve", all)).unwrap();
    write_old_layout(&forger, b"b", 3, 1);
    drop(forger);

    let store = open(dir.path()).unwrap();
    let adopt = |vouched| store.adopt(vouched, &AtomicBool::new(false), |_| {}).unwrap().total();
    assert_eq!(adopt(Vouched::Marked), 2);
    assert_eq!(adopt(Vouched::Marked), 0, "once is enough");
    assert_eq!(verified_a(&store), Some(2));
    assert_eq!(store.worth().unwrap().claimed.total(), 1);
    assert_eq!(adopt(Vouched::Claims), 1);
    assert_eq!(store.worth().unwrap().claimed.total(), 0);
    drop(store);
    assert_eq!(verified_a(&open(dir.path()).unwrap()), Some(2));
}

#[test]
fn a_reader_sees_what_the_store_sees_and_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    store.commit(&facts("ada", vec![verified(b"a", 1)])).unwrap();
    let files = || {
        let files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap());
        let mut files: Vec<_> =
            files.map(|file| (file.file_name(), file.metadata().unwrap().len())).collect();
        files.sort();
        files
    };
    // Several readers at once, beside the process that writes.
    let before = files();
    let readers = [(); 3].map(|()| Reader::open(dir.path(), &ours()).unwrap());
    for reader in &readers {
        assert_eq!(verified_a(reader), Some(1));
    }
    drop(readers);
    assert_eq!(files(), before);
    drop(store);
    let before = files();
    assert_eq!(verified_a(&Reader::open(dir.path(), &ours()).unwrap()), Some(1));
    assert_eq!(files(), before);
}

#[test]
fn there_is_nothing_to_read_where_there_is_no_database() {
    let dir = tempfile::tempdir().unwrap();
    for absent in [dir.path(), &dir.path().join("below")] {
        let error = Reader::open(absent, &ours()).err().expect("refused");
        assert!(matches!(error, StoreError::Absent { .. }), "{error}");
        assert!(!absent.join("SPRIG").exists());
    }
}
