//! A cluster that is looked at and steered, through the real program.
#![cfg(feature = "coordinator")]

use std::time::{Duration, Instant};

use crate::common::processes::{Coordinator, Process};
use crate::common::{answer, fails, folder, json, refuses};
use serde_json::Value;

/// Runs a command about the coordinator.
fn ask(coordinator: &Coordinator, args: &[&str]) -> Value {
    json(&[args, &["--coordinator", &coordinator.url, "--json"]].concat())
}

/// What is seen once `holds`.
fn see(coordinator: &Coordinator, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let sight = ask(coordinator, &["look", "1", "--limit", "3"]);
        if holds(&sight) {
            return sight;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "never {what}: {sight}");
        std::thread::yield_now();
    }
}

fn worker<'a>(sight: &'a Value, name: &str) -> &'a Value {
    let mut workers = sight["workers"].as_array().expect("a list").iter();
    workers.find(|worker| worker["name"] == name).unwrap_or(&Value::Null)
}

#[test]
fn people_see_where_a_search_is_and_send_it_elsewhere() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let workers = ["ash", "birch"].map(|name| Process::worker(&coordinator.url, name));
    ask(&coordinator, &["submit", "0*60"]);
    let is_seen = |sight: &Value| {
        ["ash", "birch"].iter().all(|name| worker(sight, name)["view"]["options"][2].is_object())
    };
    let sight = see(&coordinator, "seen", is_seen);
    let view = &worker(&sight, "ash")["view"];
    assert_eq!((&view["at"]["place"], &view["line"][0]), (&"0*60".into(), &view["options"][0]));
    assert!(view["open"].as_u64().is_some_and(|open| open >= 29), "{view}");
    let table = answer(&["look", "1", "--coordinator", &coordinator.url]);
    assert!(table.contains("ash at 0*60") && table.contains("option 3"), "{table}");

    // A pin: one of them goes there, and says what it sees there.
    let place = "0*29.AB|0*30.AB";
    let wished = ask(&coordinator, &["wish", "1", "pin", "0*30.AB|0*29.AB", "--owner", "ada"]);
    assert_eq!(
        (&wished["wishes"][0]["position"], &wished["wishes"][0]["by"]),
        (&place.into(), &"ada".into())
    );
    let at_pin = |sight: &Value| {
        ["ash", "birch"]
            .map(|name| worker(sight, name)["at"] == place)
            .into_iter()
            .filter(|at| *at)
            .count()
    };
    let sight = see(&coordinator, "pinned", |sight| at_pin(sight) == 1);
    let pinned = sight["workers"].as_array().expect("a list").iter().find(|it| it["wish"] == 1);
    assert_eq!(pinned.expect("one is there")["view"]["at"]["place"], place);
    // A ban goes with both, and a small place is soon decided.
    ask(&coordinator, &["wish", "1", "ban", "0*58.AB|AB", "--until", "1h"]);
    ask(&coordinator, &["wish", "1", "boost", "0*5", "--heap", "3"]);
    let decided = |sight: &Value| sight["wishes"][2]["end"] == "decided: win";
    see(&coordinator, "decided", decided);
    fails(&["wish", "1", "ban", "0*2+0*3", "--coordinator", &coordinator.url], &["one land"]);
    refuses(&["wish", "1", "pin", "--coordinator", &coordinator.url], &["say where"]);
    refuses(&["wish", "1", "withdraw", "x", "--coordinator", &coordinator.url], &["`x`"]);
    fails(&["look", "9", "--coordinator", &coordinator.url], &["no job 9"]);

    // Wishes outlive the coordinator, and its workers come back to them.
    coordinator.process.signal("-KILL");
    let listen = coordinator.url.trim_start_matches("http://").to_owned();
    assert_eq!(coordinator.process.end(), None);
    let coordinator = Coordinator::start(&listen, db.path());
    let sight = see(&coordinator, "pinned again", |sight| at_pin(sight) == 1);
    let ends: Vec<&Value> =
        sight["wishes"].as_array().expect("a list").iter().map(|wish| &wish["end"]).collect();
    assert_eq!(ends, [&Value::Null, &Value::Null, &"decided: win".into()]);
    ask(&coordinator, &["wish", "1", "withdraw", "1"]);
    see(&coordinator, "back", |sight| at_pin(sight) == 0 && worker(sight, "ash").is_object());
    let table = answer(&["wish", "1", "--coordinator", &coordinator.url]);
    assert!(table.contains("withdrawn") && table.contains("ada"), "{table}");
    drop(workers);
}
