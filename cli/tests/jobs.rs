//! Jobs for people, through the real program: what can be ordered, what is shown, what survives a restart.
#![cfg(feature = "coordinator")]

mod common;

use common::processes::{Coordinator, Process};
use common::{answer, commands, fails, folder, json};
use serde_json::Value;

/// Nobody solves these while a test runs.
const HARD: [&str; 2] = ["0*60", "0*61"];

/// Runs a command about the coordinator.
fn ask(coordinator: &Coordinator, args: &[&str]) -> Value {
    json(&[args, &["--coordinator", &coordinator.url, "--json"]].concat())
}

fn submit(coordinator: &Coordinator, position: &str, priority: &str) -> String {
    let job = ask(coordinator, &["submit", position, "--priority", priority]);
    job["job"].to_string()
}

/// The job of the only worker.
fn job_of_worker(status: &Value) -> Option<u64> {
    status["workers"][0]["job"].as_u64()
}

#[test]
fn orders_are_on_disk_when_they_are_answered() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let (first, second) = (submit(&coordinator, HARD[0], "0"), submit(&coordinator, HARD[1], "3"));
    assert_eq!((first.as_str(), second.as_str()), ("1", "2"));
    assert_eq!(ask(&coordinator, &["pause", "1"])["state"], "paused");
    assert_eq!(ask(&coordinator, &["priority", "2", "-7"])["priority"], -7);
    let third = submit(&coordinator, "0*62", "0");
    assert_eq!(ask(&coordinator, &["cancel", &third])["state"], "cancelled");
    // What has ended stays as it is.
    assert_eq!(ask(&coordinator, &["pause", &third])["state"], "cancelled");
    fails(&["pause", "99", "--coordinator", &coordinator.url], &["job 99"]);

    coordinator.process.signal("-KILL");
    assert_eq!(coordinator.process.end(), None);
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let page = ask(&coordinator, &["jobs"]);
    let field = |name: &str| -> Vec<Value> {
        page["jobs"].as_array().expect("a list").iter().map(|job| job[name].clone()).collect()
    };
    assert_eq!(field("id"), [3, 2, 1]);
    assert_eq!(field("state"), ["cancelled", "waiting", "paused"]);
    assert_eq!(field("priority"), [0, -7, 0]);
    assert_eq!(field("position"), ["0*62", HARD[1], HARD[0]]);
    assert!(page["before"].is_null(), "{page}");

    // The pages, and the table for people.
    let page = ask(&coordinator, &["jobs", "--limit", "2"]);
    assert_eq!((page["jobs"][1]["id"].as_u64(), page["before"].as_u64()), (Some(2), Some(2)));
    let page = ask(&coordinator, &["jobs", "--before", "2"]);
    assert_eq!(page["jobs"][0]["id"], 1);
    let table = answer(&["jobs", "--coordinator", &coordinator.url, "--limit", "2"]);
    assert!(table.contains("cancelled") && table.contains("sprig jobs --before 2"), "{table}");
    assert_eq!(ask(&coordinator, &["resume", "1"])["state"], "waiting");
    // What has ended of late is shown with what runs.
    let status = coordinator.status();
    let mut states: Vec<_> = (status["jobs"].as_array().expect("a list").iter())
        .map(|job| (job["id"].as_u64(), job["state"].as_str()))
        .collect();
    states.sort_unstable();
    assert_eq!(states[..2], [(Some(1), Some("waiting")), (Some(2), Some("waiting"))]);
}

#[test]
fn work_goes_where_it_is_wanted() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let _worker = Process::worker(&coordinator.url, "only");
    submit(&coordinator, HARD[0], "0");
    coordinator.wait_until("the only job", |status| job_of_worker(status) == Some(1));
    submit(&coordinator, HARD[1], "5");
    coordinator.wait_until("the more important job", |s| job_of_worker(s) == Some(2));
    ask(&coordinator, &["pause", "2"]);
    coordinator.wait_until("what is left", |status| job_of_worker(status) == Some(1));
    ask(&coordinator, &["resume", "2"]);
    coordinator.wait_until("the resumed job", |status| job_of_worker(status) == Some(2));
    ask(&coordinator, &["priority", "1", "6"]);
    coordinator.wait_until("the raised job", |status| job_of_worker(status) == Some(1));
    ask(&coordinator, &["cancel", "1"]);
    coordinator.wait_until("not the cancelled job", |status| job_of_worker(status) == Some(2));

    let drained = ask(&coordinator, &["drain"]);
    assert_eq!(drained["drained"], true);
    coordinator.wait_until("nothing", |status| job_of_worker(status).is_none());
    let workers = ask(&coordinator, &["workers"]);
    let worker = &workers["workers"][0];
    assert_eq!((worker["name"].as_str(), &worker["job"]), (Some("only"), &Value::Null));
    assert!(answer(&["workers", "--coordinator", &coordinator.url]).contains("only"));
    assert_eq!(ask(&coordinator, &["drain", "--end"])["drained"], false);
    coordinator.wait_until("work again", |status| job_of_worker(status) == Some(2));
    // There is no terminal here.
    fails(&["top", "--coordinator", &coordinator.url], &["sprig status --json"]);
}

#[test]
fn whoever_answers_does_so_for_programs_too() {
    let names = commands();
    assert!(names.len() > 20, "{names:?}");
    // They run until they are stopped, draw, write for shells or for `man`, or are groups of commands.
    let others = [
        "coordinator",
        "worker",
        "explore",
        "follow",
        "top",
        "completions",
        "man",
        "db",
        "certificate",
        "pousse",
        "impossible",
        "draw",
        "help",
    ];
    for name in names.iter().filter(|name| !others.contains(&name.as_str())) {
        let help = answer(&[name, "--help"]);
        assert!(help.contains("Examples:"), "{name}");
        assert!(help.contains("--json"), "{name}");
    }
}
