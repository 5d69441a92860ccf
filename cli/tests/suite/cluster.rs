//! Coordinator, workers and clients as processes of their own.
#![cfg(feature = "coordinator")]

use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::processes::{Coordinator, Process};
use crate::common::{Said, answer, command, fails, folder, json, refuses, sprig, text};
use serde_json::Value;

fn submit(url: &str, position: &str) -> Child {
    submit_with(url, position, &[])
}

fn submit_with(url: &str, position: &str, more: &[&str]) -> Child {
    let args = [&["submit", position, "--coordinator", url, "--wait", "--json"], more].concat();
    let mut command = command(&args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sprig starts")
}

fn solved(client: Child) -> Value {
    let said: Said = client.wait_with_output().expect("it ends").into();
    assert_eq!(said.code, Some(0), "{}", said.err);
    serde_json::from_str(&said.out).expect("one JSON object")
}

#[test]
fn a_killed_worker_costs_time_and_nothing_else() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let url = coordinator.url.clone();
    let victim = Process::worker(&url, "victim");
    let survivor = Process::worker(&url, "survivor");
    coordinator
        .wait_until("two workers", |status| status["workers"].as_array().map(Vec::len) == Some(2));

    let client = submit(&url, "0*18");
    let at_work = |worker: &Value| worker["job"].is_u64() && worker["facts"].as_u64() > Some(0);
    coordinator.wait_until("both at work", |status| {
        status["workers"].as_array().is_some_and(|workers| workers.iter().all(at_work))
    });
    victim.signal("-KILL");
    assert_eq!(victim.end(), None);

    let object = solved(client);
    assert_eq!(
        (object["outcome"].as_str(), &object["nimber"]),
        (Some("loss"), &Value::from(0)),
        "{object}"
    );
    let status = coordinator.status();
    assert_eq!(status["workers"].as_array().map(Vec::len), Some(1), "{status}");

    // Everything ends when it is told to, and the database knows the answer.
    survivor.signal("-TERM");
    assert_eq!(survivor.end(), Some(0));
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
    let known = json(&["query", "0*18", "--db", &text(db.path()), "--json"]);
    assert_eq!(known["outcome"], "loss");
    assert_eq!(known["winning"], Value::Array(vec![]));
}

#[test]
fn misere_play_survives_a_killed_worker_and_a_killed_coordinator() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let url = coordinator.url.clone();
    let victim = Process::worker(&url, "victim");
    let survivor = Process::worker(&url, "survivor");
    coordinator
        .wait_until("two workers", |status| status["workers"].as_array().map(Vec::len) == Some(2));
    let client = submit_with(&url, "0*11", &["--misere"]);
    coordinator.wait_until("at work", |status| {
        let workers = status["workers"].as_array();
        workers.is_some_and(|workers| workers.iter().any(|worker| worker["job"].is_u64()))
    });
    victim.signal("-KILL");
    assert_eq!(victim.end(), None);
    let object = solved(client);
    assert_eq!((&object["outcome"], &object["play"]), (&"win".into(), &"misere".into()));
    assert!(object["nimber"].is_null(), "{object}");
    let status = coordinator.status();
    assert_eq!(status["jobs"][0]["question"], "misere outcome", "{status}");

    coordinator.process.signal("-KILL");
    assert_eq!(coordinator.process.end(), None);
    let address = url.strip_prefix("http://").expect("a URL").to_owned();
    let coordinator = Coordinator::start(&address, db.path());
    assert_eq!(solved(submit_with(&url, "0*7", &["--misere"]))["outcome"], "loss");
    let known = json(&["query", "0*7", "--misere", "--coordinator", &url, "--json"]);
    assert_eq!((&known["outcome"], &known["play"]), (&"loss".into(), &"misere".into()));
    // The game of normal play is another one, of which nothing is known.
    assert!(json(&["query", "0*7", "--coordinator", &url, "--json"])["outcome"].is_null());
    let text = answer(&["query", "0*4", "--misere", "--coordinator", &url]);
    assert!(text.contains("land        0*4 has tree "), "{text}");

    survivor.signal("-TERM");
    assert_eq!(survivor.end(), Some(0));
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
    let known = json(&["query", "0*11", "--misere", "--db", &self::text(db.path()), "--json"]);
    assert_eq!(known["outcome"], "win");
    assert!(known["winning"].as_array().is_some_and(|moves| !moves.is_empty()), "{known}");
}

#[test]
fn what_runs_is_joined_and_what_is_known_is_answered() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let url = coordinator.url.as_str();
    // Nobody works yet: the first job waits, the second submission joins it.
    let first = json(&["submit", "0*9", "--coordinator", url, "--json"]);
    assert_eq!(
        (&first["position"], &first["state"]),
        (&Value::from("0*9"), &Value::from("running"))
    );
    let second = json(&["submit", "0*9", "--coordinator", url, "--json"]);
    assert_eq!(first["job"], second["job"]);
    assert!(answer(&["status", "--coordinator", url]).contains("0*9"));

    let _worker = Process::worker(url, "only");
    let object = solved(submit(url, "0*9"));
    assert_eq!(object["outcome"], "win");
    let again = json(&["submit", "0*9", "--coordinator", url, "--json"]);
    assert_eq!(again["state"], "done", "{again}");
    let text = answer(&["submit", "0*9", "--coordinator", url, "--wait"]);
    assert!(text.starts_with("outcome     win for the player to move\n"), "{text}");
    let known = json(&["query", "0*9", "--coordinator", url, "--json"]);
    assert_eq!(known["outcome"], "win");
    assert!(known["winning"].as_array().is_some_and(|moves| !moves.is_empty()), "{known}");
    let table = answer(&["status", "--coordinator", url]);
    assert!(table.contains("only") && table.contains("win"), "{table}");
}

#[test]
fn a_worker_waits_for_its_coordinator() {
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
    let url = format!("http://127.0.0.1:{port}");
    let _worker = Process::worker(&url, "early");
    // The client waits too, for ten seconds.
    let client = submit(&url, "0*7");
    let db = folder();
    let _coordinator = Coordinator::start(&format!("127.0.0.1:{port}"), db.path());
    assert_eq!(solved(client)["outcome"], "loss");
}

#[test]
fn a_database_in_use_and_a_port_in_use_are_said() {
    let (db, other) = (folder(), folder());
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let (used, new) = (text(db.path()), other.path().join("new"));
    for args in [
        &["solve", "0", "--db", &used][..],
        &["coordinator", "--listen", "127.0.0.1:0", "--db", &used],
    ] {
        fails(args, &[&used, "in use by another process", "--coordinator URL"]);
    }
    let address = coordinator.url.strip_prefix("http://").expect("a URL");
    fails(&["coordinator", "--listen", address, "--db", &text(&new)], &[address, "--listen"]);
    assert!(!new.exists(), "no database is made for nothing");
}

#[test]
fn nobody_listens_off_loopback_by_accident() {
    let db = folder();
    let path = text(db.path().join("new"));
    fails(&["coordinator", "--listen", "0.0.0.0:0", "--db", &path], &["--insecure", "127.0.0.1"]);
    assert!(!db.path().join("new").exists());
    refuses(
        &["coordinator", "--listen", "nonsense", "--db", &path],
        &["`nonsense`", "127.0.0.1:7425"],
    );
}

#[test]
fn an_unreachable_coordinator_is_named() {
    // Port 1 is nobody's.
    let url = "http://127.0.0.1:1";
    // Who asks about what goes on is told at once.
    let begin = Instant::now();
    for args in [&["status"][..], &["query", "0*3"], &["moves", "0*3"]] {
        fails(&[args, &["--coordinator", url]].concat(), &[url, "sprig coordinator"]);
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // A coordinator may be about to start when work is submitted.
    let said = sprig(&["submit", "0*3", "--coordinator", url]);
    let lines: Vec<_> = said.err.lines().collect();
    assert_eq!((said.code, lines.len()), (Some(1), 2), "{}", said.err);
    assert!(lines[0].starts_with("sprig: looking for the coordinator at "), "{}", said.err);
    assert!(
        lines[1].contains("tried for 9 s") || lines[1].contains("tried for 10 s"),
        "{}",
        said.err
    );
    // A mistake is told before anybody is asked.
    refuses(&["submit", "0*2.AB|A", "--coordinator", url], &["column 6"]);
    for bad in ["http://", "not-a-url", "10.0.0.1", "ftp://10.0.0.1:7425"] {
        refuses(&["worker", "--coordinator", bad], &[bad, "http://127.0.0.1:7425"]);
    }
}
