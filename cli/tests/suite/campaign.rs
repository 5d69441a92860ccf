//! `campaign`: chains of start positions, from any end back to where they were.
#![cfg(feature = "coordinator")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::processes::{Coordinator, Process};
use crate::common::{answer, command, folder, sprig, text};
use serde_json::Value;

/// The published outcome of normal play.
fn published(spots: u64) -> &'static str {
    if spots % 6 >= 3 { "win" } else { "loss" }
}

fn entries(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

fn lines(certificates: &Path) -> String {
    fs::read_to_string(certificates.join("campaign.jsonl")).unwrap_or_default()
}

/// Entries with a certificate. Each has one before it, of when its position was solved.
fn journal(certificates: &Path) -> usize {
    lines(certificates).matches("\"certificate\":{").count()
}

#[test]
fn a_chain_is_solved_certified_and_verified_and_not_done_twice() {
    let folder = folder();
    let (db, certificates) = (text(folder.path().join("facts")), folder.path().join("proofs"));
    let places = ["--db", &db, "--certificates", &text(&certificates), "--threads", "1"];
    let args = [
        &["campaign", "2..12", "--priority", "normal", "--skip", "0mod3:10..", "--json"][..],
        &places,
    ]
    .concat();
    let solved = entries(&answer(&args));
    let spots: Vec<u64> = solved.iter().map(|e| e["spots"].as_u64().expect("a number")).collect();
    assert_eq!(spots, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for entry in &solved {
        let spots = entry["spots"].as_u64().expect("a number");
        assert_eq!(entry["outcome"], published(spots), "{entry}");
        assert_eq!(entry["trouble"], Value::Null);
        let file = certificates.join(entry["certificate"]["file"].as_str().expect("a name"));
        let line = answer(&["verify", &text(file), "--json"]);
        assert!(line.contains("\"verified\":true"), "{line}");
    }
    assert_eq!(journal(&certificates), 10);
    assert_eq!(entries(&answer(&args)), solved, "what is done is shown and not done again");
    assert_eq!(journal(&certificates), 10);
    // A certificate that is lost is made again, from what the database knows.
    fs::remove_file(certificates.join("9.cert")).expect("it was there");
    let again = entries(&answer(&args));
    assert_eq!(again.len(), 10);
    assert_eq!(again.last().expect("the last line")["expansions"], 0);
    assert!(certificates.join("9.cert").is_file());
}

#[test]
fn misere_chains_are_certified_too() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    let solved = entries(&answer(&[
        "campaign",
        "6,7",
        "--priority",
        "normal",
        "--misere",
        "--db",
        &db,
        "--json",
    ]));
    let outcomes: Vec<_> = solved.iter().map(|entry| entry["outcome"].clone()).collect();
    assert_eq!(outcomes, ["win", "loss"]);
    // What the database knows is no gap.
    let said = sprig(&["campaign", "9", "--misere", "--db", &db, "--list"]);
    assert!(said.err.contains("the chain lacks 8; "), "{}", said.err);
    assert!(solved.iter().all(|entry| entry["certificate"]["facts"].is_u64()), "{solved:?}");
}

#[test]
fn a_killed_campaign_goes_on_where_it_was() {
    let folder = folder();
    let (db, certificates) = (text(folder.path().join("facts")), folder.path().join("proofs"));
    let places = ["--db", &db, "--certificates", &text(&certificates)];
    let args = [&["campaign", "2..15", "--priority", "normal", "--json"][..], &places].concat();
    let campaign = Process::start(&args);
    while journal(&certificates) < 6 {
        std::thread::yield_now();
    }
    campaign.signal("-KILL");
    campaign.end();
    let before = journal(&certificates);
    let solved = entries(&answer(&args));
    assert_eq!(solved.len(), 14);
    assert!(solved.iter().all(|e| e["outcome"] == published(e["spots"].as_u64().expect("one"))));
    assert_eq!(journal(&certificates), 14, "{before} were done before the kill");
}

/// A terminal and `timeout` tell the whole group, and so the process that makes a certificate.
/// A supervisor may tell the campaign alone, which then tells that process.
#[test]
fn a_campaign_that_is_ended_ends_the_making_of_a_certificate_and_writes_no_failure_down() {
    let folder = folder();
    let (db, certificates) = (text(folder.path().join("facts")), folder.path().join("proofs"));
    let places = ["--db", &db, "--certificates", &text(&certificates), "--json"];
    let long =
        [&["campaign", "8,9", "--priority", "normal", "--minimize", "600s"][..], &places].concat();
    for who in [&[][..], &["--foreground"]] {
        let program = command(&long);
        let mut timeout = Command::new("timeout");
        timeout.args(who).args(["--preserve-status", "3"]);
        timeout.arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => timeout.env(name, value),
                None => timeout.env_remove(name),
            };
        }
        timeout.stderr(Stdio::null());
        let begun = Instant::now();
        assert_eq!(Process::of(timeout).end(), Some(130), "{who:?}");
        assert!(begun.elapsed() < Duration::from_secs(300), "the certificate was not waited for");
        let written = fs::read_to_string(certificates.join("campaign.jsonl")).unwrap_or_default();
        assert!(entries(&written).iter().all(|entry| entry["trouble"].is_null()), "{written}");
    }
    let group = || fs::read_to_string("/proc/self/autogroup").ok();
    let before = group();
    let solved = entries(&answer(&[&["campaign", "8,9"][..], &places].concat()));
    assert_eq!(group(), before, "who shares the session is not slowed down");
    assert!(solved.iter().all(|entry| entry["certificate"].is_object()), "{solved:?}");
    assert_eq!(solved.len(), 2);
}

/// Once the database knows the answer, only the journal knows what it has cost.
#[test]
fn what_a_position_has_cost_outlives_an_end_before_its_certificate_is_there() {
    let folder = folder();
    let (db, certificates) = (text(folder.path().join("facts")), folder.path().join("proofs"));
    let places = ["--db", &db, "--certificates", &text(&certificates), "--json"];
    let args = [&["campaign", "9", "--priority", "normal"][..], &places].concat();
    let campaign = Process::start(&[&args[..], &["--minimize", "600s"]].concat());
    while !lines(&certificates).ends_with('\n') {
        std::thread::yield_now();
    }
    campaign.signal("-INT");
    assert_eq!(campaign.end(), Some(130));
    let noted = entries(&lines(&certificates)).remove(0);
    assert_eq!((&noted["outcome"], &noted["certificate"]), (&"win".into(), &Value::Null));
    assert!(noted["expansions"].as_u64() > Some(0) && noted["trouble"].is_null(), "{noted}");
    let done = entries(&answer(&args)).remove(0);
    assert!(done["certificate"].is_object(), "{done}");
    for figure in ["expansions", "facts"] {
        assert!(done[figure].as_u64() >= noted[figure].as_u64(), "{done}");
    }
    assert!(done["seconds"].as_f64() > noted["seconds"].as_f64(), "{done}");
    assert_eq!(entries(&answer(&args)), [done], "what is done is not counted twice");
}

#[test]
fn what_is_not_begun_when_the_time_is_over_is_left_open() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    let args = ["campaign", "3,4", "--priority", "normal", "--db", &db, "--json"];
    let none = [&args[..], &["--for", "0s"]].concat();
    let said = sprig(&none);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{}", said.err);
    assert!(said.err.contains("its time is over"), "{}", said.err);
    let solved = answer(&args);
    assert_eq!(answer(&none), solved, "nothing is open any more");
}

#[test]
fn what_exceeds_its_budget_is_left_open_and_the_next_is_tried() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    let args =
        ["campaign", "29,3", "--priority", "normal", "--db", &db, "--budget", "0s", "--json"];
    let said = sprig(&args);
    assert_eq!(said.code, Some(1), "{}", said.err);
    let entries = entries(&said.out);
    assert_eq!(entries.len(), 2, "{}", said.out);
    assert_eq!(entries[1]["spots"], 29);
    assert_eq!(entries[1]["outcome"], Value::Null);
    assert!(entries[1]["trouble"].as_str().expect("a reason").contains("budget"), "{}", said.out);
    // What it has cost is told of a position that is left open, too.
    let said =
        sprig(&["campaign", "46", "--priority", "normal", "--db", &db, "--budget", "2s", "--json"]);
    let entry: Value = serde_json::from_str(&said.out).expect("one line");
    assert_eq!(entry["outcome"], Value::Null);
    assert!(entry["expansions"].as_u64() > Some(0) && entry["facts"].as_u64() > Some(0), "{entry}");
}

#[test]
fn gaps_are_named_and_mistakes_refused() {
    let said = sprig(&["campaign", "8..10", "--skip", "0mod3", "--db", "nowhere", "--list"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "0*8\n0*10\n"));
    assert!(said.err.contains("lacks 2,4,5,7"), "{}", said.err);
    for (spots, reason) in [("2..107", "1 to 106"), ("9..2", "empty"), ("two", "no number")] {
        let said = sprig(&["campaign", spots, "--db", "nowhere"]);
        assert_eq!(said.code, Some(2), "{spots}");
        assert!(said.err.contains(reason), "{spots}: {}", said.err);
    }
    assert!(!Path::new("nowhere").exists() && !Path::new("nowhere.certificates").exists());
}

#[test]
fn a_database_in_use_is_left_alone() {
    let folder = folder();
    let db = folder.path().join("facts");
    let coordinator = Coordinator::start("127.0.0.1:0", &db);
    let certificates = text(folder.path().join("proofs"));
    let args = [
        "campaign",
        "3",
        "--priority",
        "normal",
        "--db",
        &text(&db),
        "--certificates",
        &certificates,
    ];
    let said = sprig(&args);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("in use"), "{}", said.err);
    coordinator.process.signal("-TERM");
    coordinator.process.end();
    assert_eq!(sprig(&args).code, Some(0));
    let said = sprig(&["campaign", "3", "--db", "/proc/nowhere"]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    assert!(said.err.contains("/proc/nowhere"), "{}", said.err);
}
