//! Black-and-white, Brussels and Antwerp Sprouts on the command line.

use serde_json::Value;

use crate::common::{answer, fails, folder, json, refuses, root, rows, text};

const VARIANT: [&str; 2] = ["--variant", "black-and-white"];

#[test]
fn the_reference_of_black_and_white_is_met() {
    let mut seen = 0;
    for row in rows(&root().join("testdata/variants/variants.tsv")) {
        if row[0] != "black-and-white" {
            continue;
        }
        let position = format!("0*{}", row[1]);
        let play = if row[2] == "misere" { "--misere" } else { "--nimber" };
        let found = json(&[&["solve", &position, play, "--json"][..], &VARIANT].concat());
        assert_eq!(found["game"], "black-and-white");
        match row[2].as_str() {
            "misere" => assert_eq!(found["outcome"], row[3].as_str(), "{row:?}"),
            _ => assert_eq!(found["nimber"].to_string(), row[3], "{row:?}"),
        }
        seen += 1;
    }
    assert!(seen >= 5);
}

#[test]
fn one_database_holds_two_games_and_proves_both() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let db = dir.path().join("facts");
    let db = db.to_str().expect("text");
    let cert = dir.path().join("4.cert");
    let cert = cert.to_str().expect("text");
    let of = |args: &[&str]| answer(args);
    assert!(of(&["solve", "0*4", "--db", db]).contains("win"));
    assert!(of(&[&["solve", "0*4", "--db", db][..], &VARIANT].concat()).contains("loss"));
    assert!(of(&["query", "0*4", "--db", db]).contains("outcome     win"));
    assert!(
        of(&[&["query", "0*4", "--db", db][..], &VARIANT].concat()).contains("outcome     loss")
    );
    let certify = ["certify", "0*4", "--db", db, "-o", cert, "--minimize", "1s"];
    of(&[&certify[..], &VARIANT].concat());
    assert!(of(&["verify", cert]).contains("loss for the player to move, black-and-white"));
    of(&["audit", "--db", db]);
    of(&["db", "check", "--db", db]);
}

#[test]
fn the_beginner_loses_with_four_spots() {
    let path = root().join("certificates/black-and-white/normal/4.cert");
    let found = json(&["verify", path.to_str().expect("text"), "--json"]);
    assert_eq!((&found["game"], &found["claim"]), (&"black-and-white".into(), &"loss".into()));
}

#[test]
fn misere_proofs_of_the_game_are_certified() {
    let path = root().join("certificates/black-and-white/misere/6.cert");
    let found = json(&["verify", path.to_str().expect("text"), "--json"]);
    assert_eq!((&found["game"], &found["claim"]), (&"black-and-white".into(), &"win".into()));
    assert_eq!(found["play"], "misere");
}

#[test]
fn its_moves_have_words_and_values() {
    let of = |args: &[&str]| json(&[args, &VARIANT, &["--solve", "--json"]].concat());
    let found = of(&["moves", "0*4", "--nimber"]);
    let children = json(&[&["children", "0*4", "--json"][..], &VARIANT].concat());
    let moves = found["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), children["children"].as_array().expect("a list").len());
    assert_eq!((&found["outcome"], &found["game"]), (&"loss".into(), &"black-and-white".into()));
    assert!(moves.iter().all(|found| found["outcome"] == "win" && found["nimber"] != 0));
    let bare = moves.iter().find(|found| found["move"] == "[0]-[0], without a spot").expect("it");
    assert_eq!(bare["witness"]["without_spot"], true);
    let best = of(&["best", "0*3"]);
    assert_eq!(best["outcome"], "win", "{best}");
}

#[cfg(feature = "coordinator")]
#[test]
fn a_cluster_plays_it() {
    use crate::common::processes::{Coordinator, Process};
    let db = tempfile::tempdir().expect("a temporary directory");
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let workers = ["one", "two"].map(|name| Process::worker(&coordinator.url, name));
    let whom = ["--coordinator", &coordinator.url, "--json"];
    let ask = |args: &[&str]| json(&[args, &VARIANT, &whom].concat());
    let found = ask(&["submit", "0*5", "--nimber", "--wait"]);
    assert_eq!((&found["outcome"], &found["nimber"]), (&"win".into(), &1.into()), "{found}");
    let found = ask(&["submit", "0*4", "--wait"]);
    assert_eq!((&found["outcome"], &found["game"]), (&"loss".into(), &"black-and-white".into()));
    let found = ask(&["submit", "0*4", "--misere", "--wait"]);
    assert_eq!(found["outcome"], "loss", "{found}");
    let found = ask(&["query", "0*4"]);
    assert_eq!(found["outcome"], "loss", "{found}");
    // What the cluster knows of the game says nothing about Sprouts.
    let found = json(&[&["query", "0*4"][..], &whom].concat());
    assert_eq!(found["outcome"], Value::Null, "{found}");
    for worker in workers {
        worker.signal("-TERM");
        assert_eq!(worker.end(), Some(0));
    }
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
    let db = db.path().to_str().expect("text");
    answer(&["audit", "--db", db]);
}

#[test]
fn brussels_and_antwerp_are_answered() {
    let found = json(&["brussels", "3", "--json"]);
    assert_eq!((&found["shortest"], &found["outcome"]), (&13.into(), &"win".into()));
    let found = json(&["brussels", "1", "--surface=-1", "--json"]);
    assert_eq!((&found["nimber"], &found["step"]), (&2.into(), &1.into()));
    let found = json(&["antwerp", "3", "--hot", "--json"]);
    assert_eq!((&found["class"], &found["temperature"]), (&"N".into(), &"5/4".into()));
    refuses(&["brussels", "0"], &["at least one cross"]);
    for (args, moves) in [
        (&["brussels", "1", "--arms", "2"][..], "a game has 1 move."),
        (&["brussels", "1", "--surface=-1"], "a game has 3 or 4 moves."),
        (&["brussels", "1", "--surface=-2"], "a game has 3 to 5 moves."),
        (&["brussels", "1", "--surface", "2"], "a game has 3, 5 or 7 moves."),
        (&["brussels", "1", "--surface", "3"], "a game has 3, 5, .. or 9 moves."),
    ] {
        let said = answer(args);
        assert!(said.contains(moves), "no `{moves}` in: {said}");
    }
    refuses(&["antwerp", "0x"], &["column 2"]);
}

#[test]
fn what_is_proved_of_black_and_white_is_played_out_and_drawn() {
    let cert = text(root().join("certificates/black-and-white/normal/4.cert"));
    let played = |more: &[&str]| {
        answer(&[&["play-out", "4", "--certificate", &cert], &VARIANT[..], more].concat())
    };
    assert!(played(&[]).starts_with("loss: 0*4; every move has an answer"));
    let children = answer(&[&["children", "4"], &VARIANT[..]].concat());
    // Every move, those without a new spot too, has its answer.
    assert_eq!(played(&[]).lines().count() - 1, children.lines().count());
    fails(&["play-out", "4", "--certificate", &cert], &["say --variant black-and-white"]);
    let sheet = answer(&[&["draw", "3", "--children"], &VARIANT[..]].concat());
    for child in answer(&[&["children", "3"], &VARIANT[..]].concat()).lines() {
        assert!(sheet.contains(child), "{child}");
    }
    assert!(answer(&[&["draw", "2", "--tree"], &VARIANT[..]].concat()).contains("<svg"));
    refuses(&[&["draw", "3"], &VARIANT[..]].concat(), &["--children, --tree or --rct"]);
}

#[test]
fn moves_best_and_query_agree_on_black_and_white() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    for spots in 1..=5 {
        answer(
            &[&["solve", &format!("0*{spots}"), "--nimber", "--db", &db], &VARIANT[..]].concat(),
        );
    }
    for position in ["0*4", "0*5", "0*2.AB|AB", "0*3.1a1a"] {
        let ask = |command: &str, more: &[&str]| {
            json(&[&[command, position, "--db", &db, "--json"], &VARIANT[..], more].concat())
        };
        let moves = ask("moves", &["--solve", "--nimber"]);
        let best = ask("best", &[]);
        let query = ask("query", &[]);
        assert_eq!(query["outcome"], moves["outcome"], "{position}");
        assert_eq!(best["outcome"], moves["outcome"], "{position}");
        assert_eq!(best["best"]["child"], moves["moves"][0]["child"], "{position}");
        let listed = |of: &Value| {
            let mut children: Vec<_> = of["moves"]
                .as_array()
                .expect("moves")
                .iter()
                .map(|m| (m["child"].to_string(), m["outcome"].to_string()))
                .collect();
            children.sort();
            children
        };
        assert_eq!(listed(&query), listed(&moves), "{position}");
    }
}
