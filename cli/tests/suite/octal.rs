//! Octal games on the command line.

use serde_json::{Value, json};

use crate::common::{answer, fails, json, refuses, sprig};

#[test]
fn sums_have_their_nimbers() {
    let found = json(&["octal", "0.77", "12+7", "--json"]);
    assert_eq!((&found["outcome"], &found["nimber"]), (&"win".into(), &6.into()), "{found}");
    assert_eq!((&found["heaps"], &found["nimbers"]), (&json!([7, 12]), &json!([2, 4])));
    assert_eq!((&found["code"], &found["play"]), (&"0.77".into(), &"normal".into()));
    let text = answer(&["octal", ".770", "7+12"]);
    let expected = "outcome     win for the player to move\n\
                    nimber      6\n\
                    heaps       7 has 2, 12 has 4\n";
    assert_eq!(text, expected);
    let lines = answer(&["octal", "0.77", "40", "9+4", "5 + 13 + 0", "0"]);
    let expected = "40\twin, nimber 1\n9+4\twin, nimber 5\n5 + 13 + 0\twin, nimber 5\n\
                    0\tloss, nimber 0\n";
    assert_eq!(lines, expected);
    assert_eq!(json(&["octal", "0.3..", "1+2+3", "--json"])["outcome"], "loss");
    // Behind the period nothing is worked out.
    assert_eq!(json(&["octal", "0.77", "1000000", "--json"])["nimber"], 1);
}

#[test]
fn periods_are_said_where_they_are_proved() {
    let found = json(&["octal", "0.77", "--up-to", "83", "--json"]);
    let period = json!({"length": 12, "from": 71, "proved_by": 167});
    assert_eq!(found["period"], period);
    let nimbers = found["nimbers"].as_array().expect("a list");
    assert_eq!((nimbers.len(), &nimbers[70], &nimbers[82]), (84, &json!(6), &json!(2)));
    let text = answer(&["octal", "0.77", "--up-to", "23"]);
    let expected = " 0  0 1 2 3 1 4 3 2 1 4 2 6\n\
                    12  4 1 2 7 1 4 3 2 1 4 6 7\n\
                    period      12, from 71 on; heaps to 167 prove it\n";
    assert_eq!(text, expected);
    for code in ["0.007", "0.3.."] {
        let found = json(&["octal", code, "--up-to", "9", "--json"]);
        assert_eq!(found["period"], Value::Null, "{found}");
        let text = answer(&["octal", code, "--up-to", "9"]);
        assert!(text.ends_with("period      none is proved by heaps to 1000\n"), "{text}");
    }
}

#[test]
fn misere_play_has_genera_and_trees() {
    let found = json(&["octal", "0.77", "5", "--misere", "--json"]);
    assert_eq!((&found["outcome"], &found["genus"]), (&"win".into(), &"4^146".into()), "{found}");
    // The tree is the one that the command of trees finds.
    #[cfg(feature = "coordinator")]
    {
        let tree = found["rct"].as_str().expect("it is short");
        assert_eq!(json(&["rct", tree, "--json"])["key"], found["key"]);
    }
    let text = answer(&["octal", "0.77", "4+1", "--misere"]);
    assert_eq!(text, "outcome     win for the player to move\ngenus       0^120\ntree        0\n");
    let lines = answer(&["octal", "0.77", "--misere", "--up-to", "30"]);
    let lost = lines.lines().filter(|line| line.contains("\tloss"));
    let lost: Vec<&str> = lost.filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(lost, ["1", "4", "9", "12", "20"], "{lines}");
    assert!(lines.starts_with("0\twin, genus 0^120, tree 0\n1\tloss, genus 1^031, tree 1\n"));
    // Rows that are too large for trees are searched (Sibert and Conway 1992).
    for (rows, outcome) in [("25+20", "win"), ("17+12+20+4", "win"), ("25+9+4", "loss")] {
        let found = json(&["octal", "0.77", rows, "--misere", "--threads", "1", "--json"]);
        assert_eq!(found["outcome"], outcome, "{found}");
    }
}

#[test]
fn mistakes_name_the_digit_and_the_column() {
    for (args, parts) in [
        (&["0.78", "3"][..], &["code `0.78`: column 4: digit 2 after the point is `8`"][..]),
        (&["3.7", "3"], &["column 1: the digit before the point is `3`; write 0, or 4"]),
        (&["77", "3"], &["column 1: the digit before the point is `7`"]),
        (&["0.77", "7+x"], &["position `7+x`: column 3: a heap is a number of tokens"]),
        (&["0.77", "1000001"], &["at most 1000000 tokens"]),
        (&["0.77"], &["<POSITION>"]),
        (&["0.77", "3", "--up-to", "3"], &["--up-to"]),
        (&["0.77", "--up-to", "1000001"], &["1000001"]),
        (&["0.77", "3", "--budget", "1s"], &["--misere"]),
        (&["0.77", "3", "--misere", "--budget", "0s"], &["nothing can be done in no time"]),
    ] {
        refuses(&[&["octal"], args].concat(), parts);
    }
}

#[test]
fn a_budget_leaves_positions_open() {
    let args = ["octal", "0.137", "300+299+298", "--misere", "--budget", "1s"];
    fails(&args, &["position `300+299+298`", "still open", "--budget"]);
    let several = sprig(&[&args[..2], &["3"], &args[2..]].concat());
    assert_eq!(several.code, Some(1));
    assert!(several.out.ends_with("300+299+298\terror\n"), "{}", several.out);
}
