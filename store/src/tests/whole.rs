//! A database that holds less than it did is not opened, and says how much is missing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::*;
use crate::least::{Least, RECORD};

const COMMITS: u64 = 50;

fn commit(store: &Store, from: u64) {
    for n in from..from + COMMITS {
        let land = format!("land {n}");
        store.commit(&facts("ada", vec![verified(land.as_bytes(), n % 64)])).unwrap();
    }
}

fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == extension)).collect()
}

fn error(dir: &Path) -> StoreError {
    let read = Reader::open(dir, &ours()).err().expect("a reader refuses it");
    let error = open(dir).err().expect("refused");
    assert_eq!(read.to_string(), error.to_string());
    error
}

#[test]
fn a_clean_end_leaves_everything_in_tables() {
    let dir = tempfile::tempdir().unwrap();
    commit(&open(dir.path()).unwrap(), 0);
    let least = Least::read(dir.path()).unwrap().expect("a record");
    assert!(least.ended && least.facts == COMMITS && least.epoch == 1, "{least:?}");
    // The log of writes is what an incomplete copy misses first. Nothing is in it.
    for damage in [remove_logs, empty_logs, cut_logs] {
        damage(dir.path());
        let store = open(dir.path()).unwrap();
        assert_eq!(store.facts(Kind::Nimber).count() as u64, COMMITS);
        assert!(store.least().unwrap().ended);
    }
}

fn remove_logs(dir: &Path) {
    files(dir, "log").iter().for_each(|log| fs::remove_file(log).unwrap());
}

fn empty_logs(dir: &Path) {
    files(dir, "log").iter().for_each(|log| fs::write(log, "").unwrap());
}

fn cut_logs(dir: &Path) {
    for log in files(dir, "log") {
        let bytes = fs::read(&log).unwrap();
        fs::write(&log, &bytes[..bytes.len() / 2]).unwrap();
    }
}

/// A database as a kill leaves it after its record was written halfway, and then damaged.
fn killed(damage: fn(&Path)) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("running")).unwrap();
    commit(&store, 0);
    store.record().unwrap();
    commit(&store, COMMITS);
    let copied = dir.path().join("killed");
    copy(store.dir(), &copied);
    damage(&copied);
    dir
}

#[test]
fn less_than_was_recorded_is_refused_with_both_numbers_until_it_is_accepted() {
    for damage in [remove_logs, empty_logs] {
        let dir = killed(damage);
        let db = dir.path().join("killed");
        let error = error(&db);
        assert!(
            matches!(error, StoreError::Short { found: 0, least: COMMITS, of: "facts", .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains("0 facts") && text.contains("50 on 2"), "{text}");
        assert!(text.contains("sprig db accept --db"), "{text}");
        assert!(files(&db, "sst").is_empty(), "refusing changes nothing");

        let (store, before) = Store::accept(&db, &ours()).unwrap();
        assert_eq!(before.expect("the record").facts, COMMITS);
        assert_eq!(store.next_sequence(), Sequence(0));
        drop(store);
        commit(&open(&db).unwrap(), 0);
    }
}

#[test]
fn what_came_after_the_record_may_go_with_the_end_of_the_log_and_that_is_said() {
    fn nothing(_: &Path) {}
    let whole = killed(nothing);
    let store = open(&whole.path().join("killed")).unwrap();
    assert_eq!(store.next_sequence(), Sequence(2 * COMMITS));
    assert!(!store.least().unwrap().ended);

    fn cut_a_little(dir: &Path) {
        let [log] = &files(dir, "log")[..] else { panic!("one log") };
        let bytes = fs::read(log).unwrap();
        fs::write(log, &bytes[..bytes.len() * 3 / 4]).unwrap();
    }
    let cut = killed(cut_a_little);
    let reader = Reader::open(&cut.path().join("killed"), &ours()).unwrap();
    let (least, found) = (reader.least().expect("a record"), reader.counts().unwrap().total());
    assert!(!least.ended, "the program says so, with both numbers");
    assert!(least.facts == COMMITS && (COMMITS..2 * COMMITS).contains(&found), "{found}");
}

#[test]
fn a_record_that_is_gone_or_changed_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    commit(&open(dir.path()).unwrap(), 0);
    let record = dir.path().join(RECORD);
    let kept = fs::read_to_string(&record).unwrap();
    fs::write(&record, kept.replace("facts 50", "facts 0")).unwrap();
    assert!(matches!(error(dir.path()), StoreError::Unrecorded { .. }));
    fs::remove_file(&record).unwrap();
    assert!(matches!(error(dir.path()), StoreError::Unrecorded { .. }));
    let (store, before) = Store::accept(dir.path(), &ours()).unwrap();
    assert_eq!((before, store.next_sequence()), (None, Sequence(COMMITS)));
}

#[test]
fn a_list_of_tables_that_was_cut_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    commit(&open(dir.path()).unwrap(), 0);
    let manifest = fs::read_to_string(dir.path().join("CURRENT")).unwrap();
    let manifest = dir.path().join(manifest.trim());
    let bytes = fs::read(&manifest).unwrap();
    for left in (1..bytes.len()).step_by(97) {
        fs::write(&manifest, &bytes[..left]).unwrap();
        open(dir.path()).err().expect("refused");
    }
    fs::write(&manifest, &bytes).unwrap();
    assert_eq!(open(dir.path()).unwrap().next_sequence(), Sequence(COMMITS));
}

#[test]
fn a_restored_older_copy_opens() {
    let dir = tempfile::tempdir().unwrap();
    let (db, backup) = (dir.path().join("db"), dir.path().join("backup"));
    commit(&open(&db).unwrap(), 0);
    copy(&db, &backup);
    commit(&open(&db).unwrap(), COMMITS);
    fs::remove_dir_all(&db).unwrap();
    copy(&backup, &db);
    assert_eq!(open(&db).unwrap().next_sequence(), Sequence(COMMITS));
}

#[test]
fn a_database_without_seals_gets_a_record() {
    let dir = tempfile::tempdir().unwrap();
    commit(&open(dir.path()).unwrap(), 0);
    // The database as an older program left it.
    let families: Vec<_> =
        tables::FAMILIES.into_iter().filter(|&name| name != tables::SEAL).collect();
    let mut db =
        rocksdb::DB::open_cf(&rocksdb::Options::default(), dir.path(), tables::FAMILIES).unwrap();
    db.drop_cf(tables::SEAL).unwrap();
    drop(db);
    fs::remove_file(dir.path().join(RECORD)).unwrap();
    assert_eq!(Reader::open(dir.path(), &ours()).unwrap().counts().unwrap().total(), COMMITS);
    assert!(!dir.path().join(RECORD).exists());
    commit(&open(dir.path()).unwrap(), COMMITS);
    assert_eq!(Least::read(dir.path()).unwrap().expect("a record").facts, 2 * COMMITS);

    // Now the older program refuses the database because of the name of a family that it does not
    // know.
    let options = rocksdb::Options::default();
    let error = rocksdb::DB::open_cf(&options, dir.path(), families).expect_err("refused");
    assert!(error.to_string().contains("not opened: seal"), "{error}");
}

#[test]
fn records_of_a_kind_from_a_later_program_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    commit(&open(dir.path()).unwrap(), 0);
    let mut db =
        rocksdb::DB::open_cf(&rocksdb::Options::default(), dir.path(), tables::FAMILIES).unwrap();
    db.create_cf("dreams", &rocksdb::Options::default()).unwrap();
    drop(db);
    let error = error(dir.path());
    assert!(error.to_string().contains("`dreams`"), "{error}");
}

#[test]
fn the_directory_itself_is_locked_and_closed_to_others() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("db");
    let store = open(&place).unwrap();
    assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o700);
    for lock in ["sprig.lock", "LOCK"] {
        fs::remove_file(place.join(lock)).unwrap();
    }
    assert!(matches!(open(&place).err(), Some(StoreError::InUse { .. })));
    drop(store);
}

#[test]
fn links_and_pipes_in_a_strangers_directory_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let precious = dir.path().join("precious");
    fs::write(&precious, "years of work").unwrap();
    for name in ["sprig.lock", "SPRIG.new", "RECORD.new", "SPRIG", RECORD] {
        let place = dir.path().join(format!("with {name}"));
        commit(&open(&place).unwrap(), 0);
        let _ = fs::remove_file(place.join(name));
        symlink(&precious, place.join(name)).unwrap();
        let refused = open(&place).err();
        let harmless = name.ends_with(".new");
        assert_eq!(refused.is_none(), harmless, "{name}: {refused:?}");
        assert_eq!(fs::read(&precious).unwrap(), b"years of work", "{name}");
    }
    // A stamp that is a pipe is not waited for, and one that is huge is not read.
    let place = dir.path().join("pipe");
    commit(&open(&place).unwrap(), 0);
    fs::remove_file(place.join("SPRIG")).unwrap();
    let pipe = Command::new("mkfifo").arg(place.join("SPRIG")).status().unwrap();
    assert!(pipe.success());
    assert!(matches!(open(&place).err(), Some(StoreError::Damaged { .. })));
    fs::remove_file(place.join("SPRIG")).unwrap();
    fs::File::create(place.join("SPRIG")).unwrap().set_len(3 << 30).unwrap();
    assert!(matches!(open(&place).err(), Some(StoreError::Damaged { .. })));
}

#[test]
fn all_that_is_there_is_read_and_what_is_missing_is_found() {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    commit(&store, 0);
    store.commit(&facts("eve", vec![claimed(b"a", 2)])).unwrap();
    store.commit(&facts("ada", vec![verified(b"a", 1)])).unwrap();
    let found = store.inventory(&stop, |_| ()).unwrap().expect("not stopped");
    assert_eq!((found.verified.total(), found.claimed.total(), found.gone), (COMMITS + 1, 0, 1));
    store.compact().unwrap();
    assert_eq!(store.inventory(&stop, |_| ()).unwrap(), Some(found));
    store
        .open
        .db
        .delete_cf(
            store.family(tables::FACTS),
            Kind::Nimber.key(sprig_domain::Game::Sprouts, b"land 7"),
        )
        .unwrap();
    let error = store.inventory(&stop, |_| ()).expect_err("one is missing");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}
