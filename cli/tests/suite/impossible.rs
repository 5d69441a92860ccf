//! `sprig impossible`.

use crate::common::{
    answer, fails, json, refuses, root, rows, said_one_line_with, sprig_with_input,
};
use serde_json::Value;

fn checked(rows: &str) -> (String, Value) {
    let said = sprig_with_input(&["impossible", "check", "-"], rows);
    assert_eq!(said.code, Some(0), "{rows:?}: {}", said.err);
    let object = sprig_with_input(&["impossible", "check", "-", "--json"], rows).out;
    (said.out, serde_json::from_str(&object).expect("one object"))
}

#[test]
fn the_first_word_is_the_answer() {
    let (text, object) = checked("R3 B3 R0\nB0 R3 B2\n");
    assert!(text.starts_with("possible\nrow 1: turn card "), "{text}");
    assert_eq!(object["colourings"], 1024);
    assert_eq!(object["turn"].as_array().expect("a list").len(), 2);
    let (text, object) = checked("R3 B3 R0 / B0 R3 B2 / R2 B0 BQ");
    assert!(text.starts_with("impossible\nthese rows are impossible alone"), "{text}");
    assert!(text.contains("cannot be red") && text.contains("cannot be black"), "{text}");
    assert_eq!(object["core"]["rows"], serde_json::json!([1, 2, 3]));
    let (text, _) = checked("");
    assert_eq!(text, "possible\n");
}

#[test]
fn the_reference_is_met() {
    for row in rows(&root().join("testdata/variants/impossible.tsv")).iter().take(20) {
        let (text, object) = checked(&row[0]);
        assert_eq!(text.split_whitespace().next(), Some(row[2].as_str()), "{row:?}");
        assert_eq!(object["colourings"].to_string(), row[3], "{row:?}");
    }
}

#[test]
fn a_bad_table_is_refused_with_its_place() {
    for (table, part) in [
        ("X3 R1 R2", "line 1, column 1: `X3` is no card"),
        ("R1 R11 R2", "line 1, column 4: `R11` is no card"),
        ("R1 R2 R", "line 1, column 7: `R` is no card"),
        ("R1 R2", "line 1, column 1: this row has 2 cards"),
        ("R1 R2 R3\nR4 R5 R6 R7", "line 2, column 1: this row has 4 cards"),
        ("R1 R1 R2 / B2 B2 R1", "line 1, column 18: R1 is there for the third time"),
    ] {
        let said = sprig_with_input(&["impossible", "check", "-"], table);
        said_one_line_with(2, &said, table, &["standard input", part]);
    }
    fails(&["impossible", "check", "/nowhere/rows"], &["cannot open /nowhere/rows"]);
    refuses(&["impossible", "deal", "--rows", "18"], &["1 to 17 rows, not 18"]);
    refuses(&["impossible", "advise", "--hand", "R1 R2"], &["--hand has 2 cards"]);
    refuses(&["impossible", "advise", "--hand", "R1 R2 R1 R1"], &["--hand", "column 10: R1"]);
}

#[test]
fn what_is_dealt_can_be_checked() {
    let rows = answer(&["impossible", "deal", "--rows", "14", "--seed", "1"]);
    assert_eq!(rows, answer(&["impossible", "deal", "--rows", "14", "--seed", "1"]));
    assert!(checked(&rows).0.starts_with("impossible\n"), "14 rows are always impossible");
    let deal = json(&["impossible", "deal", "--seed", "1", "--json"]);
    assert_eq!(deal["deck"].as_str().expect("cards").split(' ').count(), 38);
}

#[test]
fn advice_is_a_safe_row() {
    let advised = json(&["impossible", "advise", "--hand", "R1 B1 R2 B5 RK BN R0", "--json"]);
    assert_eq!(advised["rows"].as_array().expect("a list").len(), 35);
    assert_eq!(advised["safe"], 35);
    assert_eq!(advised["play"], advised["rows"][0]["row"]);
    let text = answer(&["impossible", "advise", "--hand", "R1 B1 R2", "--seed", "1"]);
    assert!(text.starts_with("play R1 R2 B1\n"), "{text}");
}

#[test]
fn a_person_can_play() {
    let play = |input: &str| sprig_with_input(&["impossible", "play", "--seed", "3"], input);
    let help = play("?\nhelp\nquit\n");
    assert_eq!(help.out.matches("impossible  challenge my last row").count(), 2, "{}", help.out);
    let said = play("nonsense\nimpossible\nR1 R1 R1\nquit\n");
    assert_eq!(said.code, Some(0));
    assert!(said.out.contains("your hand: "), "{}", said.out);
    assert!(said.err.contains("is no card") && said.err.contains("no row of mine"), "{}", said.err);
    assert!(said.err.contains("third time") || said.err.contains("not three cards of your hand"));
    // A challenge to the first row of the program is lost.
    let said =
        sprig_with_input(&["impossible", "play", "--second", "--seed", "3"], "Impossible!\n");
    assert!(said.out.contains("I meet it: you lose."), "{}", said.out);
}
