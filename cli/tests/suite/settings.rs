//! Settings in a file, and services that end by themselves.
#![cfg(feature = "coordinator")]

use std::os::unix::net::UnixDatagram;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::processes::{Coordinator, Process};
use crate::common::{command, file_in, folder, json, refuses, text};
use serde_json::Value;

/// The row of an option in what `config show` says.
fn row(shown: &Value, option: &str) -> Value {
    let rows = shown["settings"].as_array().expect("a list");
    rows.iter().find(|row| row["option"] == option).expect("the option is listed").clone()
}

/// A job that keeps a worker busy for longer than any test.
fn submit(url: &str, position: &str) {
    json(&["submit", position, "--coordinator", url, "--json"]);
}

/// A worker that ends by itself.
fn ending(url: &str, more: &[&str]) -> Process {
    let usual = ["worker", "--coordinator", url, "--threads", "1", "--memory", "200M"];
    Process::start(&[&usual, more].concat())
}

#[test]
fn the_command_line_wins_over_the_environment_and_that_over_the_file() {
    let here = folder();
    let site = "coordinator = 'http://127.0.0.1:9'\nprogress = 'none'\n[worker]\nthreads = 3\nname = 'site'\ninsecure = true\n";
    let file = file_in(&here, "site.toml", site);
    let mut shows = command(&["--config", &file, "config", "show", "worker", "--json"]);
    let said = shows.env("SPRIG_NAME", "of the machine").output().expect("it runs");
    let shown: Value = serde_json::from_slice(&said.stdout).expect("one object");
    assert_eq!((&shown["command"], &shown["file"]), (&"worker".into(), &file.clone().into()));
    for (option, value, from) in [
        ("--threads", Value::from("3"), "file"),
        ("--coordinator", "http://127.0.0.1:9".into(), "file"),
        ("--name", "of the machine".into(), "environment"),
        ("--notice", "19s".into(), "default"),
        ("--metrics", Value::Null, "none"),
    ] {
        let row = row(&shown, option);
        assert_eq!((&row["value"], &row["from"]), (&value, &from.into()), "{row}");
    }
    assert_eq!(row(&shown, "--threads")["place"], format!("{file}:4"));
    // A service takes them, and what is typed counts more.
    let serve =
        format!("listen = '127.0.0.1:0'\n[coordinator]\ndb = {:?}\n", text(here.path().join("db")));
    let file = file_in(&here, "serve.toml", serve);
    let served =
        command(&["--config", &file, "coordinator", "--for", "1s"]).output().expect("it runs");
    assert_eq!(served.status.code(), Some(0), "{}", String::from_utf8_lossy(&served.stderr));
    assert!(here.path().join("db/CURRENT").exists() && !here.path().join("typed").exists());
    let typed = text(here.path().join("typed"));
    let served = command(&["coordinator", "--for", "1s", "--db", &typed])
        .env("SPRIG_CONFIG", &file)
        .output();
    assert_eq!(served.expect("it runs").status.code(), Some(0));
    assert!(here.path().join("typed/CURRENT").exists());
}

#[test]
fn a_wrong_file_names_its_line() {
    let here = folder();
    for (content, parts) in [
        ("[worker]\nthread = 2\n", ["line 2", "no option `--thread`"]),
        ("[worker]\nmemory = '12Q'\n", ["line 2", "12Q"]),
        ("spots = 3\n", ["line 1", "no command has an option"]),
        ("[wurker]\n", ["there is no command", "sprig wurker"]),
        ("[worker\n", ["line 1", "is no TOML"]),
        ("[worker]\ninsecure = 'perhaps'\n", ["line 2", "true or false"]),
    ] {
        let file = file_in(&here, "site.toml", content);
        refuses(&["--config", &file, "canon", "0*3"], &parts);
    }
    let nowhere = text(here.path().join("nowhere.toml"));
    crate::common::fails(
        &["--config", &nowhere, "canon", "0*3"],
        &["nowhere.toml", "No such file"],
    );
}

#[test]
fn a_worker_whose_time_is_over_says_whether_work_is_left() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    // Nothing to do, and then no coordinator at all.
    assert_eq!(ending(&coordinator.url, &["--exit-when-idle=1s"]).end(), Some(0));
    assert_eq!(ending("http://127.0.0.1:1", &["--exit-when-idle=1s"]).end(), Some(75));
    submit(&coordinator.url, "0*33");
    let worker = ending(&coordinator.url, &["--for", "4s", "--exit-when-idle=2s"]);
    coordinator.wait_until("at work", |status| status["workers"][0]["job"].is_u64());
    assert_eq!(worker.end(), Some(75));
    // The lease was handed back, and what was proved is there.
    let status = coordinator.status();
    assert!(
        status["facts"].as_u64() > Some(0) && status["workers"] == Value::Array(vec![]),
        "{status}"
    );
}

#[test]
fn a_coordinator_ends_when_all_is_answered() {
    let db = folder();
    let idle = ["coordinator", "--listen", "127.0.0.1:0", "--exit-when-idle=2s", "--db"];
    let coordinator = Coordinator::of(command(&[&idle[..], &[&text(db.path())]].concat()));
    submit(&coordinator.url, "0*12");
    let worker = ending(&coordinator.url, &["--exit-when-idle=1s"]);
    assert_eq!(coordinator.process.end(), Some(0));
    assert!(matches!(worker.end(), Some(0 | 75)));
    assert_eq!(json(&["query", "0*12", "--db", &text(db.path()), "--json"])["outcome"], "loss");
}

#[test]
fn the_notice_is_all_the_time_that_the_end_takes() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    submit(&coordinator.url, "0*33");
    let worker = ending(&coordinator.url, &["--notice", "1s"]);
    coordinator.wait_until("at work", |status| status["workers"][0]["facts"].as_u64() > Some(0));
    // Nobody acknowledges any more.
    coordinator.process.signal("-STOP");
    worker.signal("-TERM");
    let begun = Instant::now();
    assert_eq!(worker.end(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_supervisor_sees_signs_of_life() {
    let here = folder();
    let socket = here.path().join("notify");
    let manager = UnixDatagram::bind(&socket).expect("a socket");
    manager.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    let db = text(here.path().join("db"));
    let mut command = command(&["coordinator", "--listen", "127.0.0.1:0", "--db", &db]);
    command.env("NOTIFY_SOCKET", &socket).env("WATCHDOG_USEC", "300000").stderr(Stdio::null());
    let coordinator = Process::of(command);
    let hear = || {
        let mut message = [0; 64];
        let length = manager.recv(&mut message).expect("a message in time");
        String::from_utf8_lossy(&message[..length]).into_owned()
    };
    assert_eq!([hear(), hear(), hear()], ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]);
    coordinator.signal("-TERM");
    assert!((0..100).any(|_| hear() == "STOPPING=1"));
    assert_eq!(coordinator.end(), Some(0));
}
