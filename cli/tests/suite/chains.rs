//! Campaigns under kills, and owners that share the workers of a cluster of real processes.
#![cfg(feature = "coordinator")]

use std::path::Path;

use crate::common::processes::{Coordinator, Process};
use crate::common::{answer, folder, json};
use serde_json::Value;

/// A cluster without workers.
struct Cluster {
    coordinator: Coordinator,
    url: String,
}

impl Cluster {
    fn start(db: &Path) -> Self {
        let coordinator = Coordinator::start("127.0.0.1:0", db);
        let url = coordinator.url.clone();
        Self { coordinator, url }
    }

    /// A command that asks it.
    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        [args, &["--coordinator", &self.url]].concat()
    }

    fn says(&self, args: &[&str]) -> String {
        answer(&self.args(args))
    }

    /// All jobs with a label, the latest first.
    fn labelled(&self, label: &str) -> Vec<Value> {
        let page = json(&self.args(&["jobs", "--label", label, "--limit", "500", "--json"]));
        page["jobs"].as_array().expect("a list").clone()
    }
}

#[test]
fn a_campaign_survives_kills_and_goes_from_the_small_to_the_large() {
    let db = folder();
    let cluster = Cluster::start(db.path());
    let told = cluster.says(&["submit", "--campaign", "4..16", "--skip", "15", "--json"]);
    assert_eq!(told.lines().count(), 12, "{told}");
    let label = "campaign 4..16";
    let jobs = cluster.labelled(label);
    assert_eq!(jobs.len(), 12);
    // The smallest waits for a worker, the others for it.
    for job in &jobs {
        let reason = if job["position"] == "0*4" { "worker" } else { "behind" };
        assert_eq!((&job["reason"], &job["in_turn"]), (&reason.into(), &true.into()), "{job}");
    }

    let worker = Process::worker(&cluster.url, "w");
    let is_done = |job: &&Value| job["state"] == "done";
    cluster.coordinator.wait_until("some are proved", |status| {
        status["jobs"].as_array().is_some_and(|jobs| jobs.iter().filter(is_done).count() > 2)
    });
    worker.signal("-KILL");
    cluster.coordinator.process.signal("-KILL");
    assert_eq!(cluster.coordinator.process.end(), None);
    let address = cluster.url.strip_prefix("http://").expect("a URL").to_owned();
    let coordinator = Coordinator::start(&address, db.path());
    let cluster = Cluster { coordinator, url: cluster.url };
    assert_eq!(cluster.labelled(label).len(), 12, "it is forgotten");

    // The same command joins it again, and answers when all is proved.
    let _worker = Process::worker(&cluster.url, "w");
    let submit = ["submit", "--campaign", "4..16", "--skip", "15", "--wait", "--json"];
    let answers = cluster.says(&submit);
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(answers.len(), 12);
    for (spots, answer) in (4..17).filter(|&spots| spots != 15).zip(&answers) {
        let outcome = if spots % 6 < 3 { "loss" } else { "win" };
        assert_eq!(answer["position"], format!("0*{spots}"), "{answer}");
        assert_eq!(answer["outcome"], outcome, "{answer}");
    }
    let jobs = cluster.labelled(label);
    // What was known when it was asked for again is written down as answered.
    assert_eq!(jobs.iter().filter(is_done).count(), jobs.len(), "{jobs:?}");
    let cores: f64 = jobs.iter().filter_map(|job| job["core_seconds"].as_f64()).sum();
    assert!(cores > 0.0, "nobody has counted");
}

#[test]
fn owners_share_the_workers_evenly() {
    let db = folder();
    let cluster = Cluster::start(db.path());
    for (position, owner) in [("0*50", "ada"), ("0*51", "ada"), ("0*52", "ada"), ("0*53", "ben")] {
        cluster.says(&["submit", position, "--owner", owner]);
    }
    let _workers = [1, 2, 3, 4].map(|n| Process::worker(&cluster.url, &format!("w{n}")));
    let of = |status: &Value, owner: &str| {
        let jobs = status["jobs"].as_array().expect("a list").iter();
        let jobs = jobs.filter(|job| job["owner"] == owner);
        jobs.map(|job| job["workers"].as_u64().expect("a number")).sum::<u64>()
    };
    cluster
        .coordinator
        .wait_until("two workers each", |status| (of(status, "ada"), of(status, "ben")) == (2, 2));
    let status = cluster.coordinator.status();
    let waits = status["jobs"].as_array().expect("a list").iter();
    assert_eq!(waits.filter(|job| job["reason"] == "share").count(), 1, "{status}");
    assert!(cluster.says(&["jobs", "--owner", "ben"]).contains("0*53"));
}
