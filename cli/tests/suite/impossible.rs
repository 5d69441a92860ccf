//! `sprig impossible`.

use crate::common::{
    answer, fails, json, refuses, root, rows, said_one_line_with, sprig, sprig_with_input,
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
    let (text, object) = checked("");
    assert_eq!(text, "possible\n");
    assert_eq!((&object["ways"], &object["all_ways"]), (&Value::from(1), &Value::from(1)));
}

#[test]
fn ways_that_meet_a_challenge_are_counted() {
    for (rows, ways, all, words) in [
        ("R3 B3 R0 / B0 R3 B2", 1, 9, "1 of the 9 ways to turn over one card in each row meets"),
        ("R1 B1 R2", 2, 3, "2 of the 3 ways to turn over one card in each row meet"),
        ("R1 B1 R2 / R1 B1 B2", 0, 9, "none of the 9 ways to turn over one card in each row meets"),
    ] {
        let (text, object) = checked(rows);
        assert!(text.contains(words), "{text}");
        assert_eq!((&object["ways"], &object["all_ways"]), (&Value::from(ways), &Value::from(all)));
    }
    let rows = answer(&["impossible", "deal", "--rows", "17", "--seed", "1"]);
    assert_eq!(checked(&rows).1["all_ways"], 129_140_163);
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
fn tables_end_by_the_fourteenth_row() {
    let args = ["impossible", "ends", "--games", "200", "--seed", "1"];
    let object = json(&[&args[..], &["--json"]].concat());
    let ends = object["ends"].as_array().expect("a list");
    assert_eq!(ends.len(), 14);
    for kind in ["deck", "safe", "advised"] {
        let tables: u64 = ends.iter().map(|of| of[kind].as_u64().expect("a number")).sum();
        assert_eq!((tables, &ends[0][kind]), (200, &Value::from(0)), "{kind}");
        let sum: u64 = ends
            .iter()
            .map(|of| of["row"].as_u64().expect("a number") * of[kind].as_u64().expect("a number"))
            .sum();
        let mean = object[format!("mean_{kind}")].as_f64().expect("a number");
        assert!((mean - sum as f64 / 200.0).abs() < 0.01, "{kind}: {mean}");
    }
    let text = answer(&args);
    assert!(text.contains("ROW") && text.contains(" ####") && text.contains("\nmean"), "{text}");
    assert!(sprig(&["impossible", "ends", "--games", "0"]).code == Some(2));
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
    for (option, value) in [
        ("--minutes", "-1"),
        ("--minutes", "x"),
        ("--minutes", "inf"),
        ("--minutes", "2000"),
        ("--bluff", "101"),
    ] {
        let said = sprig(&["impossible", "play", &format!("{option}={value}")]);
        assert_eq!(said.code, Some(2), "{option} {value}: {}", said.err);
        assert!(said.err.contains(option), "{}", said.err);
    }
}

/// Lays the first three cards of the hand, again and again, until the program says "Impossible!" or
/// lays a row that is impossible. What was typed until then, and what it has said.
fn until_challenged(args: &[&str]) -> (String, String) {
    let mut typed = String::new();
    loop {
        let said = sprig_with_input(&[&["impossible", "play"], args].concat(), &typed);
        assert_eq!(said.code, Some(0), "{typed}: {}", said.err);
        if said.out.contains("Impossible!") {
            return (typed, said.out);
        }
        let hand = said.out.lines().rev().find_map(|line| line.strip_prefix("your hand: "));
        let hand: Vec<&str> = hand.expect("a hand").split(' ').collect();
        typed += &format!("{}\n", hand[..3].join(" "));
    }
}

/// The rows that a challenge shows.
fn challenged_rows(out: &str) -> Vec<&str> {
    let (_, after) = out.split_once("Impossible!").expect("a challenge");
    let rows = after.lines().skip(1).map_while(|line| line.strip_prefix("row "));
    rows.map(|line| line.split_once(": ").expect("a number and cards").1).collect()
}

#[test]
fn a_challenged_person_turns_cards_over() {
    let (mut met, mut failed) = (0, 0);
    for seed in 0..8 {
        let seed = seed.to_string();
        let args = ["--bluff", "100", "--seed", &seed];
        let (typed, out) = until_challenged(&args);
        assert!(out.contains("You have 3 minutes."), "{out}");
        assert!(out.contains("You turn over nothing: you lose."), "the input has ended: {out}");
        let rows = challenged_rows(&out);
        let (_, object) = checked(&rows.join("\n"));
        let play = |more: &str| {
            let input = format!("{typed}{more}\n");
            sprig_with_input(&[&["impossible", "play"], &args[..]].concat(), input)
        };
        let help = play(&format!("?\n{}\ngive up", "1 ".repeat(16)));
        assert!(help.out.contains("2 B0 1      turn over these cards"), "{}", help.out);
        assert!(help.out.contains(" left\n"), "the clock runs: {}", help.out);
        assert!(help.err.contains(" rows, in their order; 16 came"), "{}", help.err);
        assert!(help.out.contains("You turn over nothing: you lose. It could "), "{}", help.out);
        if object["challenge"] == "possible" {
            assert!(rows.len() >= 4, "few rows are not challenged: {out}");
            let turned = object["turn"].as_array().expect("cards");
            let places = turned.iter().map(Value::to_string).collect::<Vec<_>>().join(" ");
            assert!(play(&places).out.ends_with("You meet it: you win.\n"), "{out}");
            let names = rows.iter().zip(turned).map(|(row, place)| {
                row.split(' ').nth(place.as_u64().expect("a place") as usize - 1).expect("a card")
            });
            let names = names.collect::<Vec<_>>().join(" ").to_lowercase();
            assert!(play(&names).out.ends_with("You meet it: you win.\n"), "{names}: {out}");
            met += 1;
        } else {
            let said = play(&vec!["1"; rows.len()].join(" "));
            assert!(said.out.contains(" stays red in row"), "{}", said.out);
            assert!(
                said.out.contains(": you lose. It could not be met:\nthese rows"),
                "{}",
                said.out
            );
            failed += 1;
        }
        // A person who is late has lost, however the cards are turned.
        if let Some(turned) = object["turn"].as_array() {
            let places = turned.iter().map(Value::to_string).collect::<Vec<_>>().join(" ");
            for (minutes, end) in
                [("0.000000001", "Time is up: you lose. It could be met:"), ("0", "you win")]
            {
                let args = [&["impossible", "play", "--minutes", minutes], &args[..]].concat();
                let said = sprig_with_input(&args, format!("{typed}{places}\n"));
                assert!(said.out.contains(end), "{minutes}: {}", said.out);
            }
        }
    }
    assert!(met > 0, "{met} {failed}");
}

#[test]
fn without_bluffs_the_word_of_the_program_is_true() {
    for seed in ["1", "2", "3"] {
        let (_, out) = until_challenged(&["--bluff", "0", "--seed", seed]);
        assert!(out.contains("Impossible! You lose.\nthese rows are impossible alone"), "{out}");
    }
}
