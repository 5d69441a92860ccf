//! Backups, also of what is in use, and what comes back from them.
#![cfg(feature = "coordinator")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::processes::{Coordinator, Process};
use crate::common::{answer, command, fails, folder, json, refuses, sprig, text};
use serde_json::Value;

fn backup(db: &Path, to: &Path, more: &[&str]) -> Value {
    let (db, to) = (text(db), text(to));
    json(&[&["backup", "--db", &db, "--to", &to, "--json"], more].concat())
}

fn restore(from: &Path, db: &Path) -> Value {
    json(&["restore", &text(from), "--db", &text(db), "--json"])
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn solve(db: &Path, position: &str) {
    answer(&["solve", position, "--db", &text(db), "--threads", "1"]);
}

#[test]
fn a_backup_costs_what_is_new_and_what_is_restored_answers() {
    let place = folder();
    let [db, backups, restored] = ["db", "backups", "restored"].map(|name| place.path().join(name));
    solve(&db, "0*12");
    let first = backup(&db, &backups, &[]);
    assert!(first["facts"].as_u64() > Some(500) && first["checked"] == true, "{first}");
    assert_eq!(first["shared"], 0);
    let second = backup(&db, &backups, &[]);
    assert_eq!(second["facts"], first["facts"]);
    assert!(second["shared"].as_u64() > Some(10_000), "{second}");
    assert!(second["written"].as_u64() < first["written"].as_u64(), "{second}");
    // A backup is a database; nothing is written to it.
    let path = second["backup"].as_str().expect("a path");
    let known = json(&["query", "12", "--db", path, "--json"]);
    assert_eq!(known["outcome"], "loss", "{known}");
    assert_eq!(json(&["db", "check", "--db", path, "--json"])["claimed"]["nimbers"], 0);
    solve(&db, "0*14");
    let third = backup(&db, &backups, &["--keep", "2"]);
    assert_eq!(third["removed"].as_array().map(Vec::len), Some(1), "{third}");
    assert_eq!(names(&backups).len(), 2);
    // All is lost, and the latest comes back.
    fs::remove_dir_all(&db).expect("removed");
    let back = restore(&backups, &db);
    assert_eq!((&back["backup"], &back["facts"]), (&third["backup"], &third["facts"]));
    assert_eq!(back["verified"], back["facts"]);
    assert_eq!(json(&["query", "14", "--db", &text(&db), "--json"])["nimber"], 0);
    // One of them, by its name.
    restore(Path::new(path), &restored);
    assert_eq!(json(&["query", "12", "--db", &text(&restored), "--json"])["outcome"], "loss");
}

#[test]
fn databases_that_share_a_place_do_not_take_each_others_backups() {
    let place = folder();
    let names_of = ["one", "two", "backups", "restored", "again"];
    let [one, two, backups, restored, again] = names_of.map(|name| place.path().join(name));
    solve(&one, "0*6");
    solve(&two, "0*7");
    let first = backup(&one, &backups, &[]);
    let removed = |made: &Value| made["removed"].as_array().map(Vec::len);
    let second = backup(&two, &backups, &["--keep", "1"]);
    assert_eq!(removed(&second), Some(0), "the only backup of the other one stays");
    let third = backup(&two, &backups, &["--keep", "1"]);
    assert_eq!(third["removed"], Value::Array(vec![second["backup"].clone()]));
    // Which one is meant must be said, and the message says how.
    let [first, third] = [&first, &third].map(|made| made["backup"].as_str().expect("a path"));
    let said = ["backups of 2 databases", &format!("`sprig restore {third}`"), first];
    fails(&["restore", &text(&backups), "--db", &text(&restored)], &said);
    assert!(!restored.exists());
    restore(Path::new(first), &restored);
    assert_eq!(json(&["query", "6", "--db", &text(&restored), "--json"])["outcome"], "loss");
    // What was restored is another database for `--keep`, as the old one may live on, and goes on
    // with the old one for who wants the latest.
    fs::remove_dir_all(third).expect("removed");
    let fourth = backup(&restored, &backups, &["--keep", "1"]);
    assert_eq!(removed(&fourth), Some(0));
    assert_eq!(restore(&backups, &again)["backup"], fourth["backup"]);
    // Without its name a backup is nobody's to remove.
    let fourth = Path::new(fourth["backup"].as_str().expect("a path"));
    fs::remove_file(fourth.join("IDENTITY")).expect("removed");
    assert_eq!(removed(&backup(&restored, &backups, &["--keep", "1"])), Some(0));
}

#[test]
fn every_backup_of_a_running_coordinator_has_what_was_acknowledged() {
    let place = folder();
    let [db, backups, restored] = ["db", "backups", "restored"].map(|name| place.path().join(name));
    let coordinator = Coordinator::start("127.0.0.1:0", &db);
    let _workers = ["one", "two"].map(|name| Process::worker(&coordinator.url, name));
    let submit = ["submit", "0*20", "--coordinator", &coordinator.url, "--wait", "--json"];
    let mut client = command(&submit).stdout(Stdio::piped()).spawn().expect("sprig starts");
    let facts = |status: &Value| status["facts"].as_u64().expect("a number");
    for _ in 0..4 {
        let before = facts(&coordinator.status());
        let made = backup(&db, &backups, &[]);
        let after = facts(&coordinator.status());
        let copied = made["facts"].as_u64().expect("a number");
        assert!((before..=after).contains(&copied), "{before} {made} {after}");
    }
    // The machine of the coordinator is gone, in the middle of its work.
    coordinator.process.signal("-KILL");
    coordinator.process.end();
    client.kill().expect("killed");
    client.wait().expect("it ends");
    fs::remove_dir_all(&db).expect("removed");
    restore(&backups, &restored);
    // The workers come back to another database than they knew, and nobody is taken for a liar.
    let listen = coordinator.url.strip_prefix("http://").expect("an address");
    let coordinator = Coordinator::start(listen, &restored);
    let client = command(&submit).stdout(Stdio::piped()).spawn().expect("sprig starts");
    let said: crate::common::Said = client.wait_with_output().expect("it ends").into();
    let answer: Value = serde_json::from_str(&said.out).expect("one JSON object");
    assert_eq!((answer["outcome"].as_str(), said.code), (Some("loss"), Some(0)), "{answer}");
    let status = coordinator.status();
    assert_eq!(status["workers"].as_array().map(Vec::len), Some(2), "{status}");
    assert_eq!(status["bans"], Value::Array(Vec::new()), "{status}");
}

/// Cuts a file of the only backup in half.
fn cut(backups: &Path, is_it: impl Fn(&str) -> bool) -> PathBuf {
    let backup = backups.join(&names(backups)[0]);
    let name = names(&backup).into_iter().find(|name| is_it(name)).expect("it is there");
    let bytes = fs::read(backup.join(&name)).expect("read");
    fs::write(backup.join(&name), &bytes[..bytes.len() / 2]).expect("written");
    backup
}

#[test]
fn what_cannot_be_backed_up_or_restored_says_so_and_nothing_is_lost() {
    let place = folder();
    let [db, backups, other] = ["db", "backups", "other"].map(|name| place.path().join(name));
    let (db_text, to, other_text) = (text(&db), text(&backups), text(&other));
    fails(&["backup", "--db", &db_text, "--to", &to], &["no database", "check the path"]);
    solve(&db, "0*8");
    let inside = text(db.join("backups"));
    refuses(&["backup", "--db", &db_text, "--to", &inside], &["would lie in the database"]);
    refuses(&["backup", "--db", &db_text, "--to", &to, "--keep", "0"], &["--keep"]);
    fails(&["restore", &to, "--db", &other_text], &["no backup", "name one"]);
    assert!(!backups.exists(), "a mistyped name left a folder behind");
    let never = text(backups.join("2020-01-01-000000"));
    fails(&["restore", &never, "--db", &other_text], &["no backup", "`sprig backup --to`"]);
    backup(&db, &backups, &[]);
    let there = &names(&backups)[0];
    fails(&["restore", &never, "--db", &other_text], &["no backup", there]);
    // Over a database that is there.
    fails(&["restore", &to, "--db", &db_text], &["not empty", "new directory"]);
    assert_eq!(json(&["query", "8", "--db", &db_text, "--json"])["outcome"], "loss");
    // A folder that others may not read.
    let kept = fs::metadata(backups.join(&names(&backups)[0])).expect("there").permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&kept) & 0o77, 0);
    // Cut in half by a bad disk.
    let cut = cut(&backups, |name| name.ends_with(".sst"));
    fails(&["restore", &text(&cut), "--db", &other_text], &[&text(&cut), "damaged"]);
    assert!(!other.exists());
    // What is no name of a backup is left alone, and does not count as one.
    fs::create_dir(backups.join("mine")).expect("made");
    backup(&db, &backups, &["--keep", "1"]);
    assert_eq!(names(&backups).len(), 2);
    assert!(sprig(&["restore", &to, "--db", &other_text]).code == Some(0));
}
