//! Copies of a database are whole, whatever happens to it meanwhile.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::*;
use crate::least::{Least, RECORD};

const CHECKED: Copying<'static> = Copying { earlier: None, check: true, restores: false };

fn commit(store: &Store, from: u64, count: u64) {
    let land = |n: u64| verified(format!("land {n}").as_bytes(), n % 64);
    store.commit(&facts("ada", (from..from + count).map(land).collect())).unwrap();
}

fn take(from: &Path, to: &Path, how: Copying<'_>) -> Result<Copied, StoreError> {
    let stop = AtomicBool::new(false);
    Ok(take_copy(from, to, how, &ours(), &stop, |_| {})?.expect("nobody stops it"))
}

fn nimbers(dir: &Path) -> u64 {
    let reader = Reader::open(dir, &ours()).unwrap();
    assert!(reader.least().unwrap().ended);
    assert_eq!(reader.worth().unwrap().claimed.total(), 0);
    reader.facts(Kind::Nimber).count() as u64
}

fn tables(dir: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == "sst")).collect()
}

#[test]
fn every_copy_beside_a_writer_has_all_that_was_committed_before() {
    const BATCH: u64 = 400;
    let dir = tempfile::tempdir().unwrap();
    let (db, done) = (dir.path().join("db"), AtomicBool::new(false));
    // Little memory, so that tables come and go.
    let store = Store::open_within(&db, &ours(), 1 << 20).unwrap();
    /// Ends the writer, however the test ends.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Relaxed);
        }
    }
    std::thread::scope(|threads| {
        let _end = End(&done);
        threads.spawn(|| {
            let mut next = 0;
            while !done.load(Relaxed) {
                commit(&store, next, BATCH);
                next += BATCH;
                if next.is_multiple_of(40_000) {
                    store.compact().unwrap();
                }
            }
        });
        let mut earlier: Option<PathBuf> = None;
        for number in 0..15 {
            let before = store.next_sequence().0;
            let copy = dir.path().join(format!("copy {number}"));
            let how = Copying { earlier: earlier.as_deref(), ..CHECKED };
            let copied = take(&db, &copy, how).unwrap();
            // A batch may be in the log, and so in the copy, before its writer has counted it.
            let after = store.next_sequence().0 + BATCH;
            assert!((before..=after).contains(&copied.facts), "{before} {copied:?} {after}");
            assert_eq!(nimbers(&copy), copied.facts);
            earlier = Some(copy);
        }
    });
    drop(store);
    // A copy is a database of its own: what is written to one is in no other.
    let (one, other) = (dir.path().join("copy 13"), dir.path().join("copy 14"));
    let facts = nimbers(&other);
    let store = open(&one).unwrap();
    commit(&store, 10_000_000, 5);
    store.compact().unwrap();
    drop(store);
    assert_eq!(nimbers(&other), facts);
}

#[test]
fn a_later_copy_shares_the_tables_that_have_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let [db, first, second, third] = ["db", "1", "2", "3"].map(|name| dir.path().join(name));
    commit(&open(&db).unwrap(), 0, 20_000);
    let copied = take(&db, &first, CHECKED).unwrap();
    assert_eq!((copied.facts, copied.shared), (20_000, 0));
    commit(&open(&db).unwrap(), 20_000, 10);
    let how = Copying { earlier: Some(&first), ..CHECKED };
    let copied = take(&db, &second, how).unwrap();
    assert!(copied.facts == 20_010 && copied.shared > 5 * copied.written, "{copied:?}");
    let links = |dir: &Path| tables(dir).iter().map(|t| fs::metadata(t).unwrap().nlink()).max();
    assert_eq!(links(&second), Some(2));
    // The earlier copy may be removed.
    fs::remove_dir_all(&first).unwrap();
    assert_eq!((nimbers(&second), links(&second)), (20_010, Some(1)));
    // Another table with the same name is not shared.
    let table = &tables(&second)[0];
    let when = fs::metadata(table).unwrap().modified().unwrap();
    fs::File::open(table).unwrap().set_modified(when - std::time::Duration::from_secs(1)).unwrap();
    take(&db, &third, Copying { earlier: Some(&second), ..CHECKED }).unwrap();
    let name = table.file_name().unwrap();
    assert_eq!(fs::metadata(third.join(name)).unwrap().nlink(), 1);
}

#[test]
fn a_copy_that_was_damaged_or_cut_is_no_copy() {
    let dir = tempfile::tempdir().unwrap();
    let [db, copy] = ["db", "copy"].map(|name| dir.path().join(name));
    commit(&open(&db).unwrap(), 0, 1_000);
    let store = open(&db).unwrap();
    commit(&store, 1_000, 50);
    take(&db, &copy, CHECKED).unwrap();
    drop(store);
    let cut = |name: &str, path: &Path| {
        let bytes = fs::read(path).unwrap();
        let cut = dir.path().join(format!("{name} cut"));
        super::copy(&copy, &cut);
        fs::write(cut.join(path.file_name().unwrap()), &bytes[..bytes.len() / 2]).unwrap();
        cut
    };
    let log = fs::read_dir(&copy).unwrap().map(|entry| entry.unwrap().path());
    let log = log.filter(|path| path.extension().is_some_and(|e| e == "log")).max().unwrap();
    for (name, path) in
        [("log", &log), ("table", &tables(&copy)[0]), ("record", &copy.join(RECORD))]
    {
        let to = dir.path().join(format!("{name} restored"));
        let error = take(&cut(name, path), &to, CHECKED).unwrap_err();
        assert!(!to.exists() && !to.with_extension("part").exists(), "{name}: {error}");
        let parts = fs::read_dir(dir.path()).unwrap();
        let parts =
            parts.filter(|e| e.as_ref().unwrap().path().to_string_lossy().ends_with(".part"));
        assert_eq!(parts.count(), 0, "{name}");
    }
}

#[test]
fn a_copy_takes_the_place_of_nothing_and_can_be_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let [db, full, free] = ["db", "full", "free"].map(|name| dir.path().join(name));
    commit(&open(&db).unwrap(), 0, 10);
    fs::create_dir_all(full.join("x")).unwrap();
    assert!(matches!(take(&db, &full, CHECKED), Err(StoreError::Foreign { .. })));
    assert!(matches!(take(&db, &db.join("SPRIG"), CHECKED), Err(StoreError::NotADirectory { .. })));
    assert!(matches!(take(&full, &free, CHECKED), Err(StoreError::Foreign { .. })));
    fs::create_dir(&free).unwrap();
    let stopped = take_copy(&db, &free, CHECKED, &ours(), &AtomicBool::new(true), |_| {});
    assert!(matches!(stopped, Ok(None)));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3, "nothing is left of it");
    // Files that a killed copy has left are removed.
    fs::create_dir(dir.path().join("free.part")).unwrap();
    fs::write(dir.path().join("free.part/CURRENT"), "MANIFEST-1").unwrap();
    take(&db, &free, CHECKED).unwrap();
    let least = Least::read(&free).unwrap().unwrap();
    assert!(least.facts == 10 && least.ended && least.epoch == 1, "{least:?}");
}

#[test]
fn a_restored_database_is_another_one_for_whoever_knew_it() {
    let dir = tempfile::tempdir().unwrap();
    let [db, backup, restored] = ["db", "backup", "restored"].map(|name| dir.path().join(name));
    let store = open(&db).unwrap();
    commit(&store, 0, 100);
    take(&db, &backup, CHECKED).unwrap();
    let identity = |dir: &Path| Reader::open(dir, &ours()).unwrap().identity().unwrap();
    assert_eq!(identity(&backup), store.identity().unwrap());
    take(&backup, &restored, Copying { restores: true, ..CHECKED }).unwrap();
    let other = identity(&restored);
    assert_ne!(other, identity(&db));
    // A restored database keeps its number, in its own backups, too.
    for from in 100..102 {
        let store = open(&restored).unwrap();
        commit(&store, from, 1);
        assert_eq!(store.identity().unwrap(), other);
    }
    fs::remove_dir_all(&backup).unwrap();
    take(&restored, &backup, CHECKED).unwrap();
    assert_eq!((identity(&backup), nimbers(&backup)), (other, 102));
    // The files tell the same without opening anything, and what was restored keeps its name.
    let [before, now, live] = [&db, &backup, &restored].map(|dir| Origin::of(dir).unwrap());
    assert!(now.is_of_same(&live) && !now.is_of_same(&before), "{now:?} {before:?}");
    assert_eq!((&now.identity, now.facts), (&before.identity, 102));
    let stranger = dir.path().join("stranger");
    commit(&open(&stranger).unwrap(), 0, 100);
    assert_ne!(Origin::of(&stranger).unwrap().identity, before.identity);
    fs::remove_file(backup.join("IDENTITY")).unwrap();
    assert_eq!(Origin::of(&backup), None);
    // After a loss that was accepted, the number is another one again.
    drop(store);
    let (accepted, _) = Store::accept(&db, &ours()).unwrap();
    assert!(![other, identity(&restored)].contains(&accepted.identity().unwrap()));
}
