//! Positions with handles and cross-caps, from the command line to clusters and certificates.
#![cfg(feature = "coordinator")]

mod common;

use common::processes::{Coordinator, Process};
use common::{answer, fails, file_in, folder, json, refuses, rows, sprig, text};
use serde_json::Value;

#[test]
fn start_positions_have_their_outcomes() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    for row in rows(&common::root().join("testdata/variants/surfaces_start.tsv")) {
        let nimber = answer(&["nimber", &row[0], "--db", &db]);
        assert_eq!(nimber.trim(), row[1], "{}", row[0]);
    }
    // What was found on the sphere on the way is known of the sphere, and the other way around.
    let known = json(&["query", "0*2@-1+0*3", "--db", &db, "--json"]);
    assert_eq!((&known["outcome"], &known["nimber"]), (&"loss".into(), &0.into()), "{known}");
    let said = answer(&["query", "0*2@-1", "--db", &db]);
    assert!(said.contains("land        0*2@-1 has nimber 1"), "{said}");
    assert!(said.contains("moves are described on the sphere alone"), "{said}");
}

#[test]
fn misere_outcomes_are_right() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    for (start, outcome) in
        [("0*2@-1", "loss"), ("0*3@1", "loss"), ("0*4@-1", "win"), ("0*4@1", "loss")]
    {
        let solved = json(&["solve", start, "--misere", "--db", &db, "--json"]);
        assert_eq!(solved["outcome"], outcome, "{start}");
    }
}

#[test]
fn a_cluster_solves_them() {
    let db = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let url = coordinator.url.clone();
    let worker = Process::worker(&url, "one");
    let submitted = json(&["submit", "0*5@-1", "--coordinator", &url, "--wait", "--json"]);
    assert_eq!(submitted["outcome"], "loss", "{submitted}");
    worker.signal("-TERM");
    assert_eq!(worker.end(), Some(0));
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
    let known = json(&["query", "0*5@-1", "--db", &text(db.path()), "--json"]);
    assert_eq!(known["outcome"], "loss");
}

#[test]
fn proofs_are_certified_and_verified() {
    let folder = folder();
    let (db, file) = (text(folder.path().join("db")), text(folder.path().join("it.cert")));
    for start in ["0*4@1", "0*3@-2"] {
        answer(&["solve", start, "--nimber", "--db", &db]);
        json(&["certify", start, "--db", &db, "-o", &file, "--minimize", "0", "--json"]);
        let verified = json(&["verify", &file, "--json"]);
        assert_eq!((&verified["verified"], &verified["position"]), (&true.into(), &start.into()));
    }
    // The same facts prove nothing of another surface.
    let written = answer(&["certificate", "text", &file]).replace("@-2", "@-1");
    let (body, _) = written.trim_end().rsplit_once('\n').expect("several lines");
    let body = body.to_owned() + "\n";
    let changed =
        file_in(&folder, "changed.txt", body.clone() + &sprig_certificate::checksum(&body));
    let said = sprig(&["verify", &changed]);
    assert_ne!(said.code, Some(0), "{}", said.out);
}

#[test]
fn surfaces_are_compared() {
    let found = json(&["surfaces", "2", "--handles", "4", "--cross-caps", "4", "--json"]);
    let rows = found["surfaces"].as_array().expect("rows");
    let trees: Vec<&str> = rows.iter().filter_map(|row| row["tree"].as_str()).collect();
    assert_eq!(trees, ["a", "b", "c", "c", "c", "d", "e", "f", "f"], "{found}");
    let nimbers: Vec<u64> = rows.iter().filter_map(|row| row["nimber"].as_u64()).collect();
    assert_eq!(nimbers, [0, 0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(
        (&found["orientable"]["from"], &found["orientable"]["proved"]),
        (&2.into(), &true.into())
    );
    let others = &found["non_orientable"];
    assert_eq!((&others["from"], &others["seen_to"]), (&3.into(), &4.into()), "{found}");
    assert_eq!(others["proved"], Value::Bool(false));
    let said = answer(&["surfaces", "1"]);
    assert!(said.contains("projective plane"), "{said}");
}

#[test]
fn what_there_is_not_is_said() {
    fails(&["draw", "0*2@1", "-o", "-"], &["another surface than the sphere"]);
    answer(&["draw", "22@1", "-o", "-"]);
    let folder = folder();
    let db = text(folder.path().join("db"));
    answer(&["solve", "0", "--db", &db]);
    fails(&["moves", "0*2@1", "--db", &db], &["described on the sphere alone"]);
    refuses(&["surfaces", "0"], &["0"]);
    refuses(&["surfaces", "2", "--handles", "1001"], &["1001"]);
    for (mistake, column) in
        [("0*5@", 4), ("@1", 1), ("0*2@1.0", 6), ("0@1@1", 4), ("0@+1", 2), ("0@99999999999", 3)]
    {
        refuses(&["canon", mistake], &[&format!("column {column}")]);
    }
    assert_eq!(answer(&["canon", "0*2@0"]), "0*2\n");
    assert_eq!(answer(&["canon", "0.AB.AB"]), "0.zy.zy\n");
    assert_eq!(answer(&["canon", "0*2@1", "--hoey"]), "0*2@1\n");
}
