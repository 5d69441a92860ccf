//! Trees as people write them, comparisons and nodes, through the real program.
#![cfg(feature = "coordinator")]

mod common;

use common::{answer, fails, json, refuses};
use serde_json::json;

#[test]
fn the_sums_of_the_paper_are_worked_out() {
    // Two heaps of 2 do not cancel.
    for (sum, tree) in [("{0;{2};{3;{2}}}+2", "{2}"), ("{1}", "0"), ("2+{0;1}", "{2;3}")] {
        let found = json(&["rct", sum, "--json"]);
        assert_eq!((&found["rct"], &found["canonical"]), (&json!(tree), &json!(null)), "{sum}");
    }
    // 3 + {3;{2}} and 2 + {2} are the same, as theorem 3 says.
    assert_eq!(json(&["compare", "3+{3;{2}}", "2+{2}", "--misere", "--json"])["equal"], true);
    let lines = answer(&["rct", "{{2}}", "{1;{2}}"]);
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.starts_with("{{2}}\t"), "{lines}");
}

#[test]
fn reversible_moves_are_shown() {
    let found = json(&["rct", "{0;2;3}", "--explain", "--json"]);
    assert_eq!(found["rct"], "1");
    assert_eq!(found["explained"]["reversible"], json!(["2", "3"]));
    assert_eq!(found["explained"]["kept"], json!(["0"]));
    let text = answer(&["rct", "{2}", "--explain"]);
    assert!(text.contains("not         {}: only a win reduces to 0"), "{text}");
    // Figure 4 of the paper.
    let figure = json(&["rct", "0.0.A|1A", "--explain", "--json"]);
    let reversible = figure["explained"]["reversible"].as_array().expect("a list");
    assert!(!reversible.is_empty(), "{figure}");
    assert_eq!(figure["explained"]["reducer"], figure["rct"]);
}

#[test]
fn games_are_told_apart_or_are_the_same() {
    // Section 2.1 of the paper: S1 and S2 are told apart in misère play.
    let told = json(&["compare", "0*1", "0*2", "--misere", "--json"]);
    assert_eq!((&told["equal"], &told["play"]), (&json!(false), &json!("misere")));
    assert!(told["told_by"].is_string());
    // They are the same in normal play.
    let same = json(&["compare", "0*1", "0*2", "--json"]);
    assert_eq!((&same["equal"], &same["worth"]), (&json!(true), &json!(["0", "0"])));
    let other = answer(&["compare", "0*3", "0*2"]);
    assert!(
        other.starts_with("different\n") && other.contains("told by     T = the Nim-heap"),
        "{other}"
    );
    let twice = answer(&["compare", "{0;1}", "2+{0;1}+2", "--misere"]);
    assert!(twice.contains("told by"), "{twice}");
    refuses(&["compare", "{0}", "0*2"], &["add --misere"]);
    refuses(&["compare", "{0", "{1}", "--misere"], &["column 3: `;` or `}`"]);
    refuses(&["compare", "0*", "0", "--misere"], &["column 2"]);
    fails(
        &["compare", "0*9", "0", "--misere", "--max-lands", "100"],
        &["position `0*9`", "--max-lands"],
    );
}

#[test]
fn large_lands_stay_in_a_node() {
    let node = json(&["node", "0*8+22+2ab2ba+0*2.A|2A", "--json"]);
    assert_eq!((&node["lands"], &node["one"]), (&json!(["0*8"]), &json!(true)), "{node}");
    assert_eq!(answer(&["node", "!"]), "0\n");
    assert_eq!(answer(&["node", "22+22"]), "0\n");
}
