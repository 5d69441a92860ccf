//! A copy follows a database record by record, however either of them ends.

use std::path::Path;
use std::time::Duration;

use rocksdb::Direction;
use sprig_domain::{Game, Goal, JobState, Question, Terms};

use super::*;
use crate::change::Change;
use crate::tables::FAMILIES;

const NOW: Duration = Duration::ZERO;
const MUCH: usize = 1 << 20;

fn commit(store: &Store, from: u64, count: u64) {
    let land = |n: u64| claimed(format!("land {n}").as_bytes(), n % 64);
    store.commit(&facts("ada", (from..from + count).map(land).collect())).unwrap();
}

fn following(store: &Store) -> Following {
    let (database, url) = (store.identity().unwrap(), "http://127.0.0.1:1".to_owned());
    Following { database, position: 0, url }
}

/// A copy of everything that is there.
fn copied(store: &Store, dir: &Path) -> Replica {
    let reign = store.succession().unwrap().reign;
    let mut copy = Replica::begin(dir, &ours(), reign, following(store)).unwrap();
    // Only a little at a time.
    let position = store.whole(100, |changes| copy.apply(&changes, 0).is_ok()).unwrap();
    copy.apply(&[], position.expect("it had not enough")).unwrap();
    copy.whole(&ours()).unwrap()
}

/// Takes in what is new. Returns whether that was still known.
fn catch_up(store: &Store, replica: &mut Replica) -> bool {
    loop {
        match store.news(replica.following().position, 64, NOW).unwrap() {
            News::Nothing => return true,
            News::Gone => return false,
            News::Changes { changes, position } => replica.apply(&changes, position).unwrap(),
        }
    }
}

/// All records, except those of the family that belongs to one database alone.
fn records(reader: &Reader) -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let of = |family: &str| {
        let scan = reader.scan(family, &[], Direction::Forward).map(|entry| entry.unwrap());
        scan.map(|(key, value)| (family.to_owned(), key.into(), value.into())).collect::<Vec<_>>()
    };
    FAMILIES.into_iter().flat_map(of).collect()
}

#[test]
fn a_copy_holds_what_the_database_holds_down_to_the_seals() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_to_lead(&dir.path().join("db"), &ours()).unwrap();
    commit(&store, 0, 300);
    store.commit(&facts("bob", vec![verified(b"land 7", 7), verified(b"new", 3)])).unwrap();
    let place = dir.path().join("copy");
    let mut replica = copied(&store, &place);
    assert_eq!(records(replica.reader()), records(&store));
    assert_eq!(replica.facts(), 301);
    // Jobs, withdrawals, bans, and facts that are verified later.
    let goal = Goal::normal(sprig_engine::CanonicalPosition::default(), Question::OUTCOME);
    let job = Job {
        id: JobId(1),
        goal,
        priority: 0,
        submitted: UnixMillis(5),
        state: JobState::Running,
        ended: None,
        expansions: 0,
        seconds: 0.0,
        terms: Terms::default(),
        core_seconds: 0.0,
        wishes: Vec::new(),
    };
    store.commit(&Batch { jobs: vec![job], ..Batch::default() }).unwrap();
    let subjects = [(Game::Sprouts, Kind::Nimber, b"land 9".as_slice().into())];
    assert_eq!(store.withdraw(&subjects, &[], &[]).unwrap(), 1);
    store.commit(&facts("bob", vec![verified(b"land 8", 8)])).unwrap();
    assert_ne!(records(replica.reader()), records(&store));
    assert!(catch_up(&store, &mut replica));
    assert_eq!(records(replica.reader()), records(&store));
    assert_eq!(replica.following().position, store.position());
    drop(replica);
    // Others can read the copy. Without the owner's secret, they see claims.
    let worth = |secret| Reader::open(&place, &secret).unwrap().worth().unwrap();
    assert_eq!(worth(ours()).verified.total(), 3);
    assert_eq!(worth(Secret::new([9; Secret::BYTES])).verified.total(), 0);
    let reader = Reader::open(&place, &ours()).unwrap();
    assert_eq!(reader.jobs().unwrap().len(), 1);
    assert_eq!(reader.least().unwrap().facts, 301);
}

#[test]
fn it_goes_on_where_it_stopped_after_any_end_of_either() {
    let dir = tempfile::tempdir().unwrap();
    let (db, place) = (dir.path().join("db"), dir.path().join("copy"));
    let mut store = Store::open_to_lead(&db, &ours()).unwrap();
    commit(&store, 0, 10);
    drop(copied(&store, &place));
    for round in 1..5 {
        commit(&store, 10 * round, 10);
        if round % 2 == 0 {
            // Then everything is in tables, and the log begins anew.
            drop(store);
            store = Store::open_to_lead(&db, &ours()).unwrap();
            commit(&store, 1_000 * round, 3);
        }
        let mut replica = Replica::open(&place, &ours()).unwrap().expect("it is there");
        assert!(catch_up(&store, &mut replica), "round {round}");
        assert_eq!(records(replica.reader()), records(&store));
    }
    // A database that does not keep its logs does not know them any more.
    drop(store);
    let store = open(&db).unwrap();
    commit(&store, 500, 10);
    drop(store);
    let store = open(&db).unwrap();
    commit(&store, 600, 10);
    let mut replica = Replica::open(&place, &ours()).unwrap().expect("it is there");
    let known = catch_up(&store, &mut replica);
    if !known {
        // Then a whole copy takes its place.
        drop(replica);
        replica = copied(&store, &place);
    }
    assert_eq!(records(replica.reader()), records(&store));
    assert!(!dir.path().join("copy.old").exists() && !dir.path().join("copy.part").exists());
}

#[test]
fn nothing_else_writes_to_a_follower_until_it_is_promoted() {
    let dir = tempfile::tempdir().unwrap();
    let (db, place) = (dir.path().join("db"), dir.path().join("copy"));
    let store = Store::open_to_lead(&db, &ours()).unwrap();
    commit(&store, 0, 10);
    // A database that leads is not made a follower.
    let leads = Replica::open(&db, &ours()).map(|_| ()).unwrap_err();
    assert!(matches!(leads, StoreError::Leads { .. }), "{leads}");
    let replica = copied(&store, &place);
    drop(replica);
    let follows = open(&place).map(|_| ()).unwrap_err();
    assert!(matches!(follows, StoreError::Follows { .. }), "{follows}");
    assert!(follows.to_string().contains("sprig promote"), "{follows}");
    // A program that knows no followers refuses the database because of the name of the family.
    let options = rocksdb::Options::default();
    let old = rocksdb::DB::open_cf(&options, &place, FAMILIES).map(|_| ()).unwrap_err();
    assert!(old.to_string().contains("Column families not opened: reign"), "{old}");
    let line = store.identity().unwrap();
    let promoted = Replica::open(&place, &ours()).unwrap().unwrap().promote(&ours()).unwrap();
    assert_eq!((promoted.reign.line, promoted.reign.number), (line, 1));
    assert_eq!(promoted.inherited, 10);
    let new = open(&place).unwrap();
    assert_eq!(new.succession().unwrap(), promoted);
    new.may_lead().unwrap();
    commit(&new, 10, 1);
    // The old one believes it, and no longer leads, even when it is opened again.
    assert!(store.vouches(&promoted.reign));
    store.may_lead().unwrap();
    store.succeeded(&promoted.reign).unwrap();
    drop(store);
    let error = open(&db).unwrap().may_lead().unwrap_err().to_string();
    assert!(error.contains("reign 1 of line") && error.contains("sprig hand-in"), "{error}");
    // The new one can be followed, too, and its follower promoted.
    let third = dir.path().join("third");
    drop(copied(&new, &third));
    let next = Replica::open(&third, &ours()).unwrap().unwrap().promote(&ours()).unwrap();
    assert!(next.reign.succeeds(&promoted.reign));
}

#[test]
fn records_of_a_kind_that_is_not_known_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_to_lead(&dir.path().join("db"), &ours()).unwrap();
    commit(&store, 0, 5);
    let mut replica = copied(&store, &dir.path().join("copy"));
    let before = records(replica.reader());
    let put = |family: &str| Change {
        family: family.into(),
        key: b"k".to_vec(),
        value: Some(b"v".to_vec()),
    };
    for family in ["colours", "reign"] {
        let error = replica.apply(&[put("jobs"), put(family)], 900).unwrap_err().to_string();
        assert!(error.contains(family) && error.contains("newer sprig"), "{error}");
    }
    assert_eq!(records(replica.reader()), before);
}

#[test]
fn a_copy_that_was_cut_short_has_no_name_and_is_begun_anew() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_to_lead(&dir.path().join("db"), &ours()).unwrap();
    commit(&store, 0, 50);
    let place = dir.path().join("copy");
    let reign = store.succession().unwrap().reign;
    let mut copy = Replica::begin(&place, &ours(), reign, following(&store)).unwrap();
    store.whole(100, |changes| copy.apply(&changes, 0).is_ok() && copy.facts() < 20).unwrap();
    drop(copy);
    assert!(!place.exists());
    assert!(Replica::open(&place, &ours()).unwrap().is_none());
    assert_eq!(records(copied(&store, &place).reader()), records(&store));
}

#[test]
fn who_waits_hears_of_the_next_write_at_once() {
    let store = Store::in_memory().unwrap();
    let from = store.position();
    assert_eq!(store.news(from, MUCH, NOW).unwrap(), News::Nothing);
    std::thread::scope(|threads| {
        let waiting = threads.spawn(|| store.news(from, MUCH, Duration::from_secs(600)).unwrap());
        commit(&store, 0, 3);
        let News::Changes { changes, position } = waiting.join().unwrap() else {
            panic!("nothing")
        };
        assert_eq!(position, store.position());
        assert!(changes.iter().any(|change| change.family == "facts"), "{changes:?}");
    });
}
