//! Positions with handles and cross-caps, from the command line to clusters and certificates.
#![cfg(feature = "coordinator")]

use std::fs;
use std::process::Command;

use crate::common::processes::{Coordinator, Process};
use crate::common::{
    answer, fails, file_in, folder, json, refuses, rows, sprig, sprig_with_input, text,
};
use serde_json::Value;

#[test]
fn start_positions_have_their_outcomes() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    for row in rows(&crate::common::root().join("testdata/variants/surfaces_start.tsv")) {
        let nimber = answer(&["nimber", &row[0], "--db", &db]);
        assert_eq!(nimber.trim(), row[1], "{}", row[0]);
    }
    // What was found on the sphere on the way is known of the sphere, and the other way around.
    let known = json(&["query", "0*2@-1+0*3", "--db", &db, "--json"]);
    assert_eq!((&known["outcome"], &known["nimber"]), (&"loss".into(), &0.into()), "{known}");
    let said = answer(&["query", "0*2@-1", "--db", &db]);
    assert!(said.contains("land        0*2@-1 has nimber 1"), "{said}");
    assert!(said.contains("[0], through a cross-cap"), "{said}");
}

#[test]
fn every_move_has_words_and_a_value() {
    let found = json(&["moves", "0*3@1", "--solve", "--nimber", "--json"]);
    let moves = found["moves"].as_array().expect("a list");
    let children = json(&["children", "0*3@1", "--json"]);
    assert_eq!(moves.len(), children["children"].as_array().expect("a list").len());
    let values: Vec<(&str, &str, u64)> = moves
        .iter()
        .map(|found| {
            let text = |key: &str| found[key].as_str().expect("a text");
            (text("move"), text("outcome"), found["nimber"].as_u64().expect("a number"))
        })
        .collect();
    let over = moves.iter().find(|found| found["move"] == "[0], through a handle").expect("it");
    assert_eq!(over["witness"]["course"]["open"]["genus"], 0, "{over}");
    // The nimber of three spots on the torus is 1, so one of the moves leads to 0, and none to 1.
    assert!(values.iter().any(|(_, outcome, nimber)| (*outcome, *nimber) == ("loss", 0)));
    assert!(values.iter().all(|(.., nimber)| *nimber != 1), "{values:?}");
    let best = answer(&["best", "0*3@-1", "--solve"]);
    assert!(best.starts_with("wins 0.AB@-1|0.AB: [0] around 0"), "{best}");
    let misere = json(&["moves", "0*2@-1", "--misere", "--solve", "--json"]);
    assert_eq!(misere["outcome"], "loss", "{misere}");
}

#[test]
fn games_are_played_there() {
    let folder = folder();
    let record = text(folder.path().join("game.jsonl"));
    let words = "1-1, through a cross-cap\nq\n";
    let said = sprig_with_input(&["play", "0*2@-1", "--record", &record], words).out;
    assert!(said.contains("1. You: 1-1, through a cross-cap, new spot 3"), "{said}");
    let said = sprig_with_input(&["play", "0*2@1", "--json"], words).out;
    assert!(said.contains("runs so: `through a cross-cap`"), "{said}");
    let line = fs::read_to_string(&record).expect("a record");
    assert!(line.contains("\"course\":{\"open\":{\"one_sided\":true,\"genus\":0"), "{line}");
    let file = text(folder.path().join("game.txt"));
    refuses(&["play", "0*2@1", "--record", &file], &["a record begins with 1 to", "0*2@1"]);
}

#[test]
fn what_a_plane_can_show_is_drawn() {
    let folder = folder();
    let file = text(folder.path().join("it.svg"));
    answer(&["draw", "0*3@1", "0*2.AB@-2|0*2.AB", "-o", &file]);
    let svg = fs::read_to_string(&file).expect("a picture");
    assert_eq!(svg.matches("class=\"genus\"").count(), 2);
    fails(&["draw", "0*2.zy.zy", "-o", &file], &["no picture in the plane", "sprig moves"]);
    let said = sprig(&["draw", "0*2@1", "--children", "-o", &file]);
    assert_eq!(said.err, "sprig: 0.zy.zy has no picture in the plane, and is left out\n");
}

#[test]
fn five_spots_are_lost_on_the_projective_plane() {
    let root = crate::common::root().join("certificates/surfaces");
    for (file, position, claim) in [
        ("normal/5-projective-plane.cert", "0*5@-1", "loss"),
        ("normal/5-torus.cert", "0*5@1", "win"),
        ("misere/4-projective-plane.cert", "0*4@-1", "win"),
    ] {
        let path = text(root.join(file));
        let found = json(&["verify", &path, "--json"]);
        assert_eq!((&found["position"], &found["claim"]), (&position.into(), &claim.into()));
    }
    // The same by rules that were written a third time.
    let script = text(crate::common::root().join("scripts/check_certificate.py"));
    let path = text(root.join("normal/5-projective-plane.cert"));
    let checked = Command::new("python3").args([&script, &path]).output().expect("python3 runs");
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(said.starts_with("proved: 0*5@-1, loss"), "{said}");
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
    for start in ["0*4@1", "0*3@-2", "0*2@-2"] {
        answer(&["solve", start, "--nimber", "--db", &db]);
        json(&["certify", start, "--db", &db, "-o", &file, "--minimize", "0", "--json"]);
        let verified = json(&["verify", &file, "--json"]);
        assert_eq!((&verified["verified"], &verified["position"]), (&true.into(), &start.into()));
    }
    // On the sphere two spots are lost, and no facts prove there that they are won.
    let written = answer(&["certificate", "text", &file]).replace("@-2", "");
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
    // Three spots: two trees take turns, by whether the number of cross-caps is even.
    let far = ["--handles", "0", "--cross-caps", "11", "--trees", "100000", "--json"];
    let found = json(&[&["surfaces", "3"][..], &far].concat());
    let others = &found["non_orientable"];
    assert_eq!((&others["from"], &others["alternates_from"]), (&Value::Null, &8.into()), "{found}");
}

#[test]
fn what_there_is_not_is_said() {
    answer(&["draw", "22@1", "-o", "-"]);
    fails(
        &["solve", "0*2@1", "--variant", "black-and-white"],
        &["black-and-white is played on the sphere alone"],
    );
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
