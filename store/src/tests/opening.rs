//! A directory that is no database of ours is refused in one line, and left as it was.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::*;
use crate::least::Least;

/// The error of opening `dir`, as a person sees it.
fn error(dir: &Path) -> (StoreError, String) {
    let error = open(dir).err().expect("refused");
    let line = error.to_string();
    assert!(line.contains(&dir.display().to_string()), "names the place: {line}");
    assert!(!line.contains('\n') && line.contains(';'), "one line with a remedy: {line}");
    (error, line)
}

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> =
        fs::read_dir(dir).expect("a directory").map(|e| e.expect("an entry").path()).collect();
    names.sort();
    names
}

#[test]
fn a_directory_is_made_with_its_parents_and_opens_again() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("a/b c/ü");
    drop(open(&deep).unwrap());
    fs::create_dir(deep.join("lost+found")).unwrap();
    drop(open(&deep).unwrap());
}

#[test]
fn a_file_is_no_directory() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "precious").unwrap();
    assert!(matches!(error(&file).0, StoreError::NotADirectory { .. }));
    assert!(matches!(error(&file.join("below")).0, StoreError::NotADirectory { .. }));
    assert_eq!(fs::read(&file).unwrap(), b"precious");
}

#[test]
fn a_directory_with_other_files_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("thesis.tex"), "precious").unwrap();
    let before = names(dir.path());
    let (error, line) = error(dir.path());
    assert!(matches!(error, StoreError::Foreign { .. }) && line.contains("thesis.tex"), "{line}");
    assert_eq!(names(dir.path()), before);
}

#[test]
fn somebody_elses_rocksdb_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    drop(rocksdb::DB::open_default(dir.path()).unwrap());
    let before = names(dir.path());
    let (error, line) = error(dir.path());
    assert!(matches!(error, StoreError::Foreign { .. }) && line.contains("RocksDB"), "{line}");
    assert_eq!(names(dir.path()), before);
}

#[test]
fn other_versions_are_refused_by_what_differs() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    let stamp = dir.path().join("SPRIG");
    let ours = fs::read_to_string(&stamp).unwrap();
    let with = |line: &str, version: u32| {
        let other = format!("{line} {version}");
        let lines: Vec<_> =
            ours.lines().map(|l| if l.starts_with(line) { &other } else { l }).collect();
        fs::write(&stamp, lines.join("\n")).unwrap();
        error(dir.path())
    };
    for (line, ours) in [("format", FORMAT_VERSION), ("canonical", sprig_engine::CANONICAL_VERSION)]
    {
        let (error, text) = with(line, ours + 1);
        assert!(matches!(error, StoreError::Newer { found, .. } if found == ours + 1), "{text}");
        assert!(text.contains(line) && text.contains("sprig 0."), "{text}");
        let (error, text) = with(line, ours - 1);
        assert!(matches!(error, StoreError::Older { found, .. } if found == ours - 1), "{text}");
    }
    for broken in ["", "Sprig database\n", "Sprig database\nformat one\n", "\u{fffd}"] {
        fs::write(&stamp, broken).unwrap();
        assert!(matches!(error(dir.path()).0, StoreError::Damaged { .. }), "{broken:?}");
    }
    fs::write(&stamp, &ours).unwrap();
    drop(open(dir.path()).unwrap());
}

#[test]
fn a_lost_head_is_not_taken_for_a_new_database() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).unwrap().commit(&facts("ada", vec![claimed(b"a", 1)])).unwrap();
    fs::remove_file(dir.path().join("CURRENT")).unwrap();
    assert!(matches!(error(dir.path()).0, StoreError::Damaged { .. }));
}

#[test]
fn a_first_start_that_was_cut_short_goes_on() {
    for left in [&["sprig.lock"][..], &["sprig.lock", "SPRIG.new"]] {
        let dir = tempfile::tempdir().unwrap();
        left.iter().for_each(|name| fs::write(dir.path().join(name), "").unwrap());
        drop(open(dir.path()).unwrap());
    }
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    for path in names(dir.path()) {
        let ours = ["SPRIG", "sprig.lock"].contains(&path.file_name().unwrap().to_str().unwrap());
        if !ours {
            fs::remove_file(path).unwrap();
        }
    }
    // The record is written before the stamp, and names no opening.
    Least::default().write(dir.path()).unwrap();
    drop(open(dir.path()).unwrap());
}

#[test]
fn a_place_that_may_not_be_written_is_denied() {
    // Not even root may make directories there.
    let (error, line) = error(Path::new("/sys/sprig-store-test"));
    assert!(matches!(error, StoreError::Denied { .. }), "{line}");
}

#[test]
fn the_second_in_one_process_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let _first = open(dir.path()).unwrap();
    assert!(matches!(error(dir.path()).0, StoreError::InUse { .. }));
}

#[test]
fn a_second_process_is_refused_by_the_number_of_the_first_until_that_ends() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = child("tests::opening::holder", dir.path()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.ends_with("holding")));

    let (error, line) = error(dir.path());
    assert!(matches!(error, StoreError::InUse { pid, .. } if pid == Some(child.id())), "{line}");
    assert!(line.contains("--coordinator"), "{line}");

    child.kill().unwrap();
    child.wait().unwrap();
    drop(open(dir.path()).unwrap());
}

#[test]
#[ignore = "the other process of a_second_process_is_refused_by_the_number_of_the_first_until_that_ends"]
fn holder() {
    let _store = open(&child_dir()).unwrap();
    println!("\nholding");
    std::io::stdout().flush().unwrap();
    // Waits until the parent kills this process, or ends itself.
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[test]
fn a_directory_that_is_moved_while_it_is_written_goes_on_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (name, moved) = (dir.path().join("facts"), dir.path().join("facts.old"));
    let old = open(&name).unwrap();
    old.commit(&facts("first", vec![verified(b"a", 1)])).unwrap();
    fs::rename(&name, &moved).unwrap();
    let new = open(&name).unwrap();
    new.commit(&facts("second", vec![verified(b"b", 2)])).unwrap();
    // Both make tables, and write down how much there is.
    for store in [&old, &new] {
        store.commit(&facts("both", vec![verified(b"c", 3)])).unwrap();
        store.core.flush().unwrap();
        store.record().unwrap();
    }
    drop((old, new));
    for (place, land, other) in [(&moved, b"a", b"b"), (&name, b"b", b"a")] {
        let store = open(place).expect("nothing is missing");
        assert_eq!(store.next_sequence(), Sequence(2));
        assert!(store.nimber(land).unwrap().is_some() && store.nimber(other).unwrap().is_none());
        assert!(store.nimber(b"c").unwrap().is_some());
    }
}

#[test]
fn a_way_by_an_open_file_is_not_what_people_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    store.commit(&facts("one", vec![verified(b"a", 1)])).unwrap();
    store.core.flush().unwrap();
    drop(store);
    let tables =
        names(dir.path()).into_iter().filter(|name| name.extension().is_some_and(|e| e == "sst"));
    for table in tables {
        let length = fs::metadata(&table).unwrap().len();
        fs::OpenOptions::new().write(true).open(&table).unwrap().set_len(length / 2).unwrap();
    }
    let (_, line) = error(dir.path());
    assert!(!line.contains("/proc/"), "{line}");
}
