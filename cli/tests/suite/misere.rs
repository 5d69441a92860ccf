//! `solve --misere`: the base, the search and its database, run as people run them.
#![cfg(feature = "coordinator")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{answer, command, fails, file_in, folder, json, root, rows, sprig, text};

#[test]
fn outcomes_are_the_published_ones() {
    let rows = rows(&root().join("testdata/misere.tsv"));
    assert!(rows.len() > 300);
    let folder = folder();
    let positions: Vec<_> = rows.iter().map(|row| row[0].as_str()).collect();
    let file = file_in(&folder, "positions.txt", positions.join("\n"));
    let word = |outcome: &str| if outcome == "W" { "win" } else { "loss" };
    let expected: String =
        rows.iter().map(|row| format!("{}\t{}\n", row[0], word(&row[1]))).collect();
    assert_eq!(answer(&["solve", "--misere", "--file", &file]), expected);
}

#[test]
fn the_second_time_the_database_answers() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    let solve = |position| json(&["solve", position, "--misere", "--db", &db, "--json"]);
    let first = solve("0*9");
    assert_eq!((&first["outcome"], &first["play"]), (&"loss".into(), &"misere".into()));
    assert!(first["nimber"].is_null() && first["facts"].as_u64() > Some(10), "{first}");
    let second = solve("0*9");
    assert_eq!((&second["outcome"], &second["expansions"]), (&"loss".into(), &0.into()));
    assert_eq!(second["facts"], 0);
    // A win is one move away from a lost node that is known.
    assert_eq!(solve("0*10")["outcome"], "win");
    let again = solve("0*10");
    assert!(again["expansions"].as_u64() <= Some(1), "{again}");
}

#[test]
fn a_base_serves_another_database() {
    let folder = folder();
    let [base, db] = ["base", "facts"].map(|name| text(folder.path().join(name)));
    answer(&["rct-base", "0*5", "--db", &base]);
    let with = |db: &[&str]| {
        let common = ["solve", "0*8", "--misere", "--base", &base, "--json"];
        json(&[&common[..], db].concat())
    };
    assert_eq!(with(&[])["outcome"], "loss");
    assert_eq!(with(&["--db", &db])["outcome"], "loss");
    // The trees are in both now.
    let found = json(&["rct", "0*5", "--db", &db, "--json"]);
    assert_eq!(found["key"], json(&["rct", "0*5", "--db", &base, "--json"])["key"]);
    fails(
        &["solve", "0*8", "--misere", "--base", &text(folder.path().join("none"))],
        &["no database", "none"],
    );
}

#[test]
fn whoever_stops_or_kills_it_loses_nothing() {
    let folder = folder();
    let path = folder.path().join("facts");
    let db = text(&path);
    let solve = ["solve", "0*14", "--misere", "--threads", "1", "--db", &db, "--json"];
    answer(&["rct-base", "0*6", "--db", &db]);
    let mut kept = Vec::new();
    for signal in ["-INT", "-KILL"] {
        let before = logs(&path);
        let mut command = command(&solve);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        // Some lost nodes are on disk once a log of this run has grown: each opening begins a new one.
        while logs(&path).iter().all(|(log, &bytes)| before.contains_key(log) || bytes < 5_000) {
            assert!(child.try_wait().expect("it is ours").is_none(), "it ended by itself");
            std::thread::yield_now();
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
        let said: crate::common::Said = child.wait_with_output().expect("ends").into();
        if signal == "-INT" {
            assert_eq!(said.code, Some(130), "{}", said.err);
            assert!(said.out.contains("\"code\":\"interrupted\""), "{}", said.out);
            assert!(
                said.err.contains("facts in") && said.err.contains("is kept in"),
                "{}",
                said.err
            );
        }
        kept.push(lost_nodes(&db));
    }
    assert_eq!(json(&solve)["outcome"], "loss");
    kept.push(lost_nodes(&db));
    assert!(kept[0].len() > 1 && kept.is_sorted_by(|less, more| less.is_subset(more)));
    assert_eq!(json(&solve)["expansions"], 0);
}

#[test]
fn too_little_memory_is_said() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    fails(
        &["solve", "0*9", "--misere", "--memory", "1M", "--db", &db],
        &["memory are too little", "--memory"],
    );
    let said = sprig(&["solve", "0*9", "--base", &db]);
    assert_eq!(said.code, Some(2), "{}", said.err);
}

/// The lost nodes of a database, as it exports them.
fn lost_nodes(db: &str) -> BTreeSet<String> {
    let lines = answer(&["export", "--db", db, "--kind", "losses"]);
    lines.lines().map(str::to_owned).collect()
}

/// The logs of a database, and their bytes.
fn logs(db: &Path) -> BTreeMap<PathBuf, u64> {
    let entries = fs::read_dir(db).into_iter().flatten().flatten();
    let logs = entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "log"));
    logs.filter_map(|log| Some((log.path(), log.metadata().ok()?.len()))).collect()
}
