//! Bits that flip on disk are noticed; a torn tail of the log is what a crash leaves, and is
//! forgiven.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

const COMMITS: u64 = 200;

/// A database whose facts are all in the write-ahead log, as a kill leaves it. Returns the log's
/// path and bytes.
fn database_with_log(dir: &Path) -> (PathBuf, Vec<u8>) {
    let original = tempfile::tempdir().unwrap();
    let store = open(original.path()).unwrap();
    for n in 0..COMMITS {
        let land = format!("land {n}");
        store.commit(&facts("ada", vec![claimed(land.as_bytes(), n % 64)])).unwrap();
    }
    copy(original.path(), dir);
    drop(store);
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let logs = files.filter(|path| path.extension().is_some_and(|e| e == "log"));
    let logs: Vec<_> = logs.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    let (path, bytes) = logs.into_iter().max_by_key(|(_, bytes)| bytes.len()).unwrap();
    assert!(bytes.len() as u64 > COMMITS * 20, "the log holds the facts");
    (path, bytes)
}

fn flip_in_the_middle(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes
}

#[test]
fn a_flipped_bit_in_the_log_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = database_with_log(dir.path());
    fs::write(&path, flip_in_the_middle(&bytes)).unwrap();
    let error = open(dir.path()).err().expect("refused");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");

    // Refusing has destroyed nothing: with the bit flipped back, everything is there.
    fs::write(&path, bytes).unwrap();
    assert_eq!(open(dir.path()).unwrap().next_sequence(), Sequence(COMMITS));
}

/// The control: RocksDB's default recovery drops everything after the bit, without a word.
#[test]
fn by_default_rocksdb_loses_half_of_the_log_silently() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = database_with_log(dir.path());
    fs::write(&path, flip_in_the_middle(&bytes)).unwrap();
    let options = rocksdb::Options::default();
    let families = rocksdb::DB::list_cf(&options, dir.path()).unwrap();
    let db = rocksdb::DB::open_cf(&options, dir.path(), families).unwrap();
    let facts = db.cf_handle(tables::FACTS).unwrap();
    let left = db.iterator_cf(facts, rocksdb::IteratorMode::Start).count() as u64;
    assert!(left < COMMITS, "{left} of {COMMITS} are left");
}

#[test]
fn a_torn_tail_costs_the_last_batch_only() {
    for torn in [1, 5, 20] {
        let dir = tempfile::tempdir().unwrap();
        let (path, bytes) = database_with_log(dir.path());
        fs::write(&path, &bytes[..bytes.len() - torn]).unwrap();
        let store = open(dir.path()).unwrap();
        assert_eq!(store.next_sequence(), Sequence(COMMITS - 1), "{torn} bytes torn off");
        assert_eq!(store.facts(Kind::Nimber).count() as u64, COMMITS - 1);
        store.commit(&facts("bob", vec![claimed(b"more", 1)])).unwrap();
    }
}

#[test]
fn a_record_of_impossible_layout_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    store.commit(&facts("ada", vec![claimed(b"a", 1)])).unwrap();
    let key = Kind::Nimber.key(sprig_domain::Game::Sprouts, b"a");
    for broken in [&[][..], &[1], &[0x81, 0], &[1, 0, 0]] {
        store.open.db.put_cf(store.family(tables::FACTS), &key, broken).unwrap();
        let error = store.nimber(b"a").expect_err("refused");
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
}
