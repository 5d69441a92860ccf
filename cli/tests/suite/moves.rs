//! Moves with their values, through the real program: what is listed, in whose words, and from where.
#![cfg(feature = "coordinator")]

use crate::common::{answer, folder, json, refuses, text};
use serde_json::{Value, json};
use sprig_engine::paper::{Paper, Place, Witness};

fn list(object: &Value) -> &Vec<Value> {
    object["moves"].as_array().expect("a list")
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).expect("a small number")
}

/// The curve of a move, as a program reads it.
fn witness(found: &Value) -> Witness {
    let curve = &found["witness"];
    let place =
        |end: &str| Place { boundary: number(&curve[end][0]), spot: number(&curve[end][1]) };
    let along = curve["along"].as_array().expect("a list").iter().map(number).collect();
    let ends = [place("from"), place("to")];
    Witness::plain(number(&curve["region"]), ends, along)
}

/// Draws every move of an answer, and looks where it leads.
fn draw(answered: &Value) {
    let written = answered["written"].as_str().expect("a text");
    let paper = Paper::of(&written.parse().expect("a position"));
    for found in list(answered) {
        let after = paper.play(&witness(found)).expect("legal").canonical().to_string();
        let drawn = if found["drawn"].is_null() { &found["child"] } else { &found["drawn"] };
        assert_eq!(&json!(after), drawn, "{found}");
        assert_eq!(found["move"], paper.words(&witness(found)), "{found}");
    }
}

#[test]
fn every_move_can_be_drawn_in_the_position_as_it_was_typed() {
    // Letters and order are not those of the canonical form.
    let typed = "BA|0.BA.1a1a";
    let found = json(&["moves", typed, "--solve", "--json"]);
    assert_eq!(found["written"], "AB|0.AB.1a1a");
    assert_eq!(list(&found).len(), answer(&["children", typed]).lines().count());
    draw(&found);
    let table = answer(&["moves", typed, "--solve"]);
    assert!(table.contains("moves are those of AB|0.AB.1a1a"), "{table}");
    assert!(table.contains("region 2: [0]-[1]a1a"), "{table}");
    // The lower-case style of the paper of 1991 is for children; the words stay those of the text.
    draw(&json(&["moves", "0*4", "--solve", "--misere", "--json"]));
}

#[test]
fn it_is_said_where_a_value_comes_from() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    answer(&["solve", "5", "--nimber", "--db", &db]);
    for (command, args) in [("moves", &["--db"][..]), ("query", &["--db"])] {
        let found = json(&[&[command, "0*5"], args, &[&db, "--json"]].concat());
        let moves = list(&found);
        assert_eq!(moves.len(), answer(&["children", "0*5"]).lines().count(), "{command}");
        draw(&found);
        let known = moves.iter().filter(|found| found["source"] == "database").count();
        assert!(known > 0, "{command}: {found}");
        for found in moves {
            assert_eq!(found["source"].is_null(), found["outcome"].is_null(), "{command}: {found}");
        }
    }
    // What is not in the database is listed as unknown, and said to be computed once it is.
    let unknown = json(&["query", "0*6", "--db", &db, "--json"]);
    assert!(list(&unknown).iter().any(|found| found["outcome"].is_null()), "{unknown}");
    let table = answer(&["query", "0*6", "--db", &db]);
    assert!(table.contains("unknown") && table.contains("[0]-[0]"), "{table}");
    let other = text(folder.path().join("other"));
    let solved = json(&["moves", "0*6", "--db", &other, "--solve", "--json"]);
    assert!(list(&solved).iter().all(|found| found["source"] == "here"), "{solved}");
    assert!(answer(&["moves", "0*3", "--solve"]).contains("computed"));
}

#[test]
fn misere_moves_have_trees() {
    let folder = folder();
    let db = text(folder.path().join("trees"));
    answer(&["rct-base", "0*3", "--db", &db]);
    let found = json(&["query", "0*3", "--misere", "--db", &db, "--json"]);
    for found in list(&found) {
        let tree = json(&["rct", found["child"].as_str().expect("a text"), "--json"]);
        assert_eq!(found["tree"], tree["key"], "{found}");
        assert_eq!(found["status"], "verified", "{found}");
    }
    assert!(answer(&["query", "0*3", "--misere", "--db", &db]).contains("TREE"));
}

#[test]
fn the_best_line_is_played_to_its_end() {
    let args = [(&["--solve"][..], 4), (&["--solve"], 7), (&["--solve", "--misere"], 5)];
    for (args, spots) in args {
        let start = spots.to_string();
        let best = json(&[&["best", &start, "--line", "--json"], args].concat());
        let line = best["line"].as_array().expect("a line");
        assert!((2 * spots..3 * spots).contains(&line.len()), "{best}");
        assert_eq!(line[0]["child"], best["best"]["child"]);
        assert_eq!(line.last().expect("a move")["child"], "!");
        // Who wins makes no mistake, and who loses cannot.
        let mut wins = best["outcome"] == "win";
        for step in line {
            assert_eq!(step["outcome"], if wins { "loss" } else { "win" }, "{step}");
            wins = !wins;
        }
        // From small positions on it is known how long it takes.
        for (left, step) in line.iter().rev().take(5).enumerate() {
            assert_eq!(step["length"], left, "{best}");
        }
    }
    let text = answer(&["best", "3", "--solve", "--line"]);
    assert!(text.lines().nth(1).is_some_and(|line| line.contains("first   0*3: [0]")), "{text}");
    assert!(text.ends_with("the second player cannot move, and the first wins\n"), "{text}");
    refuses(&["best", "0*3.A", "--solve", "--line"], &["column 5"]);
}
