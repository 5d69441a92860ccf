//! Jobs for people, through the real program: what can be ordered, what is shown, what survives a restart.
#![cfg(feature = "coordinator")]

use crate::common::processes::{Coordinator, Process};
use crate::common::{answer, commands, fails, folder, json, refuses, sprig};
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
    // What has ended stays as it is, and who wants to change it hears so.
    let ended = ["pause", &third, "--coordinator", &coordinator.url];
    fails(&ended, &["job 3 has ended", "sprig jobs"]);
    assert_eq!(ask(&coordinator, &["cancel", &third])["state"], "cancelled");
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

/// Every job that is shown, the first at the beginning.
fn shown(coordinator: &Coordinator, args: &[&str]) -> Vec<Value> {
    let page = ask(coordinator, &[&["jobs"], args].concat());
    let mut jobs = page["jobs"].as_array().expect("a list").clone();
    jobs.reverse();
    jobs
}

#[test]
fn a_campaign_is_one_thing_in_turn_and_survives_the_coordinator() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let campaign = ["submit", "--campaign", "2..9,60,61", "--skip", "0mod3:4..8", "--owner", "ada"];
    let on = ["--coordinator", &coordinator.url];
    let lines = answer(&[&campaign[..], &on].concat());
    assert_eq!(lines.lines().count(), 9, "{lines}");
    let jobs = shown(&coordinator, &["--label", "campaign 2..9,60,61", "--owner", "ada"]);
    let field = |name: &str| -> Vec<Value> { jobs.iter().map(|job| job[name].clone()).collect() };
    assert_eq!(field("position")[3..6], ["0*5", "0*7", "0*8"]);
    assert_eq!(field("reason")[0], "worker");
    assert!(field("reason")[1..].iter().all(|reason| reason == "behind"), "{jobs:?}");
    assert_eq!(jobs[1]["waiting"], "waits for job 1 of its campaign");
    fails(
        &[&["jobs", "--label", "another"][..], &on].concat(),
        &["no job has the label", "another", "sprig jobs"],
    );

    // It is all there after a kill, and a worker does one after the other.
    coordinator.process.signal("-KILL");
    assert_eq!(coordinator.process.end(), None);
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let _worker = Process::worker(&coordinator.url, "only");
    let runs = |status: &Value, position: &str| {
        let jobs = status["jobs"].as_array().expect("a list");
        jobs.iter().any(|job| job["position"] == position && job["workers"] == 1)
    };
    // The next one begins while an answer is being shown.
    let done = |status: &Value| {
        let jobs = status["jobs"].as_array().expect("a list");
        jobs.iter().filter(|job| job["state"] == "done").count()
    };
    coordinator.wait_until("the first hard one", |s| runs(s, "0*60") && done(s) == 7);
    let jobs = shown(&coordinator, &["--owner", "ada"]);
    assert!(jobs[..7].iter().all(|job| job["state"] == "done"), "{jobs:?}");
    assert_eq!((&jobs[8]["reason"], &jobs[8]["label"]), (&"behind".into(), &jobs[0]["label"]));
    let spent = jobs.iter().filter_map(|job| job["core_seconds"].as_f64());
    assert!(spent.sum::<f64>() > 0.0, "{jobs:?}");

    // One that has spent its budget waits, the next begins, and it can get more.
    let spent = jobs[7]["id"].to_string();
    ask(&coordinator, &["budget", &spent, "1s"]);
    coordinator.wait_until("the next", |status| runs(status, "0*61"));
    let waits = shown(&coordinator, &[])[7].clone();
    assert_eq!((&waits["reason"], &waits["state"]), (&"budget".into(), &"waiting".into()));
    let on = ["--coordinator", &coordinator.url];
    let again = ["submit", "--campaign", "60", "--label", "campaign 2..9,60,61", "--owner", "ada"];
    let said = sprig(&[&again[..], &["--budget", "1s", "--wait"], &on].concat());
    assert_eq!((said.code, said.out.as_str()), (Some(1), "0*60\terror\n"), "{}", said.err);
    assert!(said.err.contains("has spent its budget (sprig budget gives it more)"), "{}", said.err);
    ask(&coordinator, &["budget", &spent, "none"]);
    coordinator.wait_until("it again", |status| runs(status, "0*60"));
    ask(&coordinator, &["deadline", &spent, "1s"]);
    coordinator.wait_until("the next again", |status| runs(status, "0*61"));

    // It is cancelled as one.
    let label = "campaign 2..9,60,61";
    let ended = answer(&[&["cancel", "--label", label][..], &on].concat());
    assert_eq!(ended.matches("cancelled").count(), 2, "{ended}");
    coordinator.wait_until("nothing", |status| job_of_worker(status).is_none());
}

#[test]
fn who_waits_for_a_campaign_is_told_each_answer() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let _worker = Process::worker(&coordinator.url, "only");
    let on = ["--coordinator", &coordinator.url];
    let campaign = ["submit", "--campaign", "2..8", "--misere", "--wait", "--json"];
    let lines = answer(&[&campaign[..], &on].concat());
    let told: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let outcomes: Vec<&str> = told.iter().filter_map(|told| told["outcome"].as_str()).collect();
    // Figure 1 of Lemoine and Viennot 2009.
    assert_eq!(outcomes, ["loss", "loss", "loss", "win", "win", "loss", "loss"], "{lines}");
    // Again: all of it is known.
    let again = answer(&[&campaign[..], &on].concat());
    assert_eq!(again.lines().count(), 7);
}

#[test]
fn mistakes_about_campaigns_budgets_and_deadlines_name_their_remedy() {
    for (args, parts) in [
        (&["submit", "--campaign", "3", "--skip", "3"][..], &["--skip"][..]),
        (&["submit", "--campaign", "3..1"], &["3..1", "smaller number first"]),
        (&["submit", "--campaign", "2..9", "--skip", "3mod3"], &["3mod3", "0mod3:34.."]),
        (&["submit", "0*9", "--budget", "0h"], &["--budget", "give more"]),
        (&["submit", "0*9", "--deadline", "2001-01-01"], &["--deadline", "passed"]),
        (&["submit", "0*9", "--deadline", "soon"], &["2026-12-01T18:00"]),
        (&["submit", "0*9", "--label", ""], &["--label", "empty"]),
        (&["cancel"], &["--label"]),
        (&["budget", "7", "0s"], &["give more"]),
    ] {
        refuses(args, parts);
    }
}
