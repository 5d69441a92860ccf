//! `sprig bench`: what it says about processes that really run.
#![cfg(feature = "coordinator")]

use std::fs;

use crate::common::{answer, fails, file_in, folder, json, sprig, text};

#[test]
fn whole_processes_are_measured() {
    let report = json(&["bench", "5", "6", "--threads", "1,2", "--json"]);
    let records = report["records"].as_array().expect("a list");
    assert_eq!(records.len(), 4);
    for (record, expected) in records.iter().zip(["win", "win", "loss", "loss"]) {
        let run = &record["runs"][0];
        assert_eq!(run["answer"], expected, "{record}");
        for key in ["expansions", "children", "facts", "lands", "bytes"] {
            assert!(run[key].as_u64() > Some(0), "{key} in {run}");
        }
        assert!(run["cpu_seconds"].as_f64() > Some(0.0), "{run}");
        // RocksDB and gRPC are in it: the solver alone takes a fifth of that.
        #[cfg(target_os = "linux")]
        assert!(run["peak_bytes"].as_u64() > Some(10 << 20), "{run}");
    }
}

#[test]
fn one_process_profits_from_what_it_solved_before() {
    let report = json(&["bench", "6", "6", "--cumulative", "--nimber", "--json"]);
    let records = report["records"].as_array().expect("a list");
    assert_eq!(records[0]["runs"][0]["answer"]["nimber"], 0, "{report}");
    assert_eq!(records[1]["runs"][0]["expansions"], 0, "{report}");
}

#[test]
fn people_get_a_table_and_a_drawing() {
    let folder = folder();
    let earlier = file_in(&folder, "earlier.json", answer(&["bench", "4", "--json"]));
    let drawing = text(folder.path().join("new.svg"));
    let args = ["bench", "3", "30", "--seconds", "0", "--label", "mine", "--plot", &drawing];
    let said = sprig(&[&args[..], &["--beside", &earlier]].concat());
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("| 30 |       1 |   open |"), "{}", said.out);
    assert!(said.err.starts_with("sprig: 1 of 2: 3 on 1 thread: "), "{}", said.err);
    let drawn = fs::read_to_string(drawing).expect("a drawing");
    for name in ["SPOTS", "mine", "sprig "] {
        assert!(drawn.contains(name), "{name}");
    }
    assert_eq!(
        answer(&["bench", "--list"]),
        [12, 14, 16, 17, 23].map(|n| format!("{n} on 1 thread\n")).concat()
    );
}

#[test]
fn mistakes_are_said_before_anything_is_measured() {
    fails(&["bench", "6", "x"], &["`x` is neither a number of spots nor a position"]);
    let folder = folder();
    let foreign = file_in(&folder, "foreign.json", "{}");
    let drawing = text(folder.path().join("new.svg"));
    let args = ["bench", "6", "--plot", &drawing, "--beside", &foreign];
    fails(&args, &["foreign.json is no result of `sprig bench --json`"]);
}
