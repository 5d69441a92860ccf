//! Trees as people write them, comparisons and nodes, through the real program.
#![cfg(feature = "coordinator")]

use crate::common::{answer, fails, folder, json, refuses, text};
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
fn trees_and_start_positions_are_read_as_the_paper_writes_them() {
    for (args, tree) in [
        (&["rct", "{3; {1; 2; {3; {2}}}}"][..], "{3;{1;2;{3;{2}}}}"),
        (&["rct", "S4"], "{3;{1;2;{3;{2}}}}"),
        (&["rct", "S_2+S_1"], "{2}"),
    ] {
        assert_eq!(json(&[args, &["--json"]].concat())["rct"], tree, "{args:?}");
    }
    for (a, b) in [
        ("{0; {2}; {3; {2}}}+2", "{2}"),
        ("S2", "{2}"),
        ("{ 2 }", "S_2"),
        ("{2} + {3;{2}}", "{2}+1+{2}"),
    ] {
        let compared = json(&["compare", a, b, "--misere", "--json"]);
        assert_eq!(compared["equal"], true, "{compared}");
    }
    assert_eq!(
        answer(&["solve", "S3"]).lines().next(),
        Some("outcome     win for the player to move")
    );
    refuses(&["rct", "{2 2}"], &["column 4: `;` or `}`"]);
    refuses(&["canon", "S0"], &["no spots are no start position"]);
    refuses(&["canon", "S"], &["letter `S` occurs once"]);
    refuses(&["canon", "S107"], &["1 to 106"]);
}

#[test]
fn sums_of_positions_and_trees_are_solved() {
    // `0*2` is worth {2}, `22` is worth 1, and `0*4` the last tree.
    for (sum, position) in [
        ("0*8+1+{2}", "0*8+22+0*2"),
        ("0*7 + {2}", "0*7+0*2"),
        ("S6+{2}+{2}", "0*6+0*2+0*2"),
        ("0*5+{3;{1;2;{3;{2}}}}", "0*5+0*4"),
        ("{2}+{3;{2}}", "0*2+0*2+22"),
    ] {
        let solve = |text| json(&["solve", text, "--misere", "--json"]);
        let (of_sum, of_position) = (solve(sum), solve(position));
        assert_eq!(of_sum["outcome"], of_position["outcome"], "{sum}");
        assert_eq!(of_sum["position"], sum);
    }
    // What a database knows is used, and so are its trees.
    let folder = folder();
    let db = folder.path().join("db").to_string_lossy().into_owned();
    answer(&["solve", "0*7", "--misere", "--db", &db]);
    let from_nothing = json(&["solve", "0*8+{2}", "--misere", "--json"]);
    let solved = json(&["solve", "0*8+{2}", "--misere", "--db", &db, "--json"]);
    assert_eq!(solved["outcome"], from_nothing["outcome"]);
    let lines = answer(&["solve", "{2}+1", "0*3", "--misere"]);
    assert_eq!(lines, "{2}+1\twin\n0*3\tloss\n");
    assert_eq!(
        json(&["rct", "0*2+{2}", "--json"])["rct"],
        json(&["rct", "{2}+{2}", "--json"])["rct"]
    );
    let node = json(&["node", "0*8+0*2+{3;{2}}", "--json"]);
    assert_eq!(node["lands"], json!(["0*8"]));
    assert_eq!((&node["one"], &node["trees"]), (&json!(true), &json!(["{2}", "{2}"])));

    refuses(&["solve", "0*8+{2}"], &["`0*8+{2}`", "add --misere"]);
    refuses(&["solve", "0*8+{2", "--misere"], &["column 7", "not closed"]);
    refuses(
        &["solve", "0*8+{2}", "--misere", "--variant", "black-and-white"],
        &["without --variant"],
    );
    refuses(&["rct", "0*2+{2}", "--explain"], &["not for sums of both"]);
}

#[test]
fn a_position_beside_a_heap_is_lost_if_the_heap_is_its_nimber() {
    for (heap, outcome) in [("0", "win"), ("1", "loss"), ("2", "win")] {
        let solved = json(&["solve", "0*4", "--heap", heap, "--json"]);
        assert_eq!(solved["outcome"], outcome, "{heap}");
        let nimber = if outcome == "loss" { json!(1) } else { json!(null) };
        assert_eq!(solved["nimber"], nimber, "{heap}");
    }
    refuses(&["solve", "0*4", "--heap", "64"], &["64 is not in 0..=63"]);
    refuses(&["solve", "0*4", "--heap", "1", "--misere"], &["cannot be used with"]);
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
fn the_smaller_tree_beside_1_is_named_as_in_the_paper() {
    let found = json(&["rct", "{3;{2}}", "--subtrees", "--json"]);
    assert_eq!((&found["factor"], &found["smaller"]), (&json!(true), &json!("{2}")));
    let subtrees = found["subtrees"].as_array().expect("a list");
    let named = |rct| subtrees.iter().find(|tree| tree["rct"] == rct).expect("it is below");
    // Section 3.3 of the paper.
    for (rct, id) in [("1", "0-0+1-L"), ("3", "2-0+1-W"), ("{3;{2}}", "3-1+1-W")] {
        assert_eq!(named(rct)["factored"], id);
    }
    assert_eq!(named("{2}")["factored"], json!(null));
    let text = answer(&["rct", "{3;{2}}"]);
    assert!(text.contains("factor      1 + {2}\n"), "{text}");
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
fn sprouts_tells_some_trees_apart_and_others_not() {
    let games = ["{2}", "{2}+2+2", "--misere"];
    let compare =
        |within| json(&[&["compare"], &games[..], &["--within", within, "--json"]].concat());
    let four = &compare("0*4")["within"];
    assert_eq!((&four["lands"], &four["told_by"]), (&json!(1_192), &json!(null)));
    let told = compare("0*5")["within"]["told_by"].clone();
    assert_ne!(told["outcomes"][0], told["outcomes"][1]);
    // The trees of that position say the same.
    let test = json(&["rct", told["position"].as_str().expect("a text"), "--json"])["rct"].clone();
    for (game, outcome) in games.into_iter().zip(told["outcomes"].as_array().expect("two")) {
        let sum = format!("{game}+{}", test.as_str().expect("it is short"));
        assert_eq!(json(&["rct", &sum, "--json"])["outcome"], *outcome, "{sum}");
    }
    refuses(&["compare", "0*1", "0*2", "--within", "0*3"], &["--misere"]);
    fails(
        &["compare", "0*1", "0*2", "--misere", "--within", "0*9", "--max-lands", "99"],
        &["--max-lands"],
    );
    let db = folder();
    let base = ["rct-base", "0*4", "--db", &text(db.path()), "--apart", "--json"];
    assert_eq!(json(&base)["apart"], json!({"trees": 54, "classes": 48}));
}

#[test]
fn large_lands_stay_in_a_node() {
    let node = json(&["node", "0*8+22+2ab2ba+0*2.A|2A", "--json"]);
    assert_eq!((&node["lands"], &node["one"]), (&json!(["0*8"]), &json!(true)), "{node}");
    assert_eq!(answer(&["node", "!"]), "0\n");
    assert_eq!(answer(&["node", "22+22"]), "0\n");
}

#[test]
fn canonical_trees_keep_duplicates_out_and_nothing_else() {
    let found = json(&["rct", "0.AB|AB", "--canonical", "--json"]);
    // What the canonical tree is worth is the reduced tree.
    let canonical = found["canonical_tree"].as_str().expect("short");
    assert_eq!(json(&["rct", canonical, "--json"])["key"], found["key"]);
    let written = json(&["rct", "{0;2;2;{1}}", "--canonical", "--json"]);
    assert_eq!(written["canonical_tree"], "{0;2;{1}}");
    fails(&["rct", "0*4", "--canonical", "--max-chars", "50"], &["more than 50 characters"]);
    fails(&["rct", "0*5", "--subtrees", "--max-chars", "50"], &["more than 50 characters"]);
}

#[test]
fn what_a_closed_set_can_tell_apart_is_found() {
    let nim = json(&["quotient", "--nim", "2", "--json"]);
    assert_eq!(nim["classes"].as_array().map(Vec::len), Some(6));
    // Two spots lead to 0, 1, 2, 3 and {2}.
    let spots = json(&["quotient", "0*2", "0*1", "--json"]);
    assert_eq!(spots["generators"], json!(["1", "2", "{2}"]));
    let games = spots["games"].as_array().expect("two");
    assert_eq!((&games[0][0], &games[1][0]), (&json!("0*2"), &json!("0*1")));
    let classes = spots["classes"].as_array().expect("a list");
    let of = |game: usize| &classes[games[game][1].as_u64().expect("a place") as usize];
    assert_eq!((&of(0)["outcome"], &of(1)["outcome"]), (&json!("loss"), &json!("win")));
    let text = answer(&["quotient", "{2}", "2"]);
    assert!(text.contains("2 is in the class of 2"), "{text}");
    fails(&["quotient", "--nim", "20", "--max-classes", "10"], &["more than 10 classes"]);
    fails(&["quotient", "0*6"], &["position `0*6` leads to more than 2000 lands"]);
    refuses(&["quotient", "{2"], &["column 3: `;` or `}`"]);
    refuses(&["quotient"], &["<GAME>"]);
    refuses(&["quotient", "0*2.A"], &["letter `A` occurs once"]);
}

#[test]
fn trees_of_little_height_are_counted_and_listed() {
    let all = json(&["small-trees", "3", "--list", "--json"]);
    assert_eq!((&all["canonical_trees"], &all["rcts"]), (&json!(16), &json!(5)));
    assert_eq!(all["list"]["rcts"], json!(["0", "1", "2", "3", "{2}"]));
    let listed = all["list"]["canonical_trees"].as_array().expect("a list");
    for tree in listed {
        let tree = tree.as_str().expect("text");
        let reduced = json(&["rct", &format!("{{{tree}}}"), "--json"]);
        assert!(reduced["height"].as_u64() <= Some(4), "{tree}");
    }
    assert_eq!(json(&["small-trees", "4", "--json"])["canonical_trees"], 65_536);
    let five = json(&["small-trees", "5", "--json"]);
    assert_eq!((&five["canonical_trees"], &five["rcts"]), (&json!(null), &json!(4_171_780)));
    assert_eq!(
        (&five["canonical_trees_exact"], &five["rcts_exact"]),
        (&json!("2^65536"), &json!("4171780"))
    );
    let six = json(&["small-trees", "6", "--json"]);
    assert_eq!((&six["canonical_trees_exact"], &six["rcts"]), (&json!("2^2^65536"), &json!(null)));
    let exact = six["rcts_exact"].as_str().expect("text");
    assert!(exact.starts_with("2^4171780 - 2^2096640 - ") && exact.ends_with(" + 21"), "{exact}");
    assert_eq!(six["rcts_decimal"], json!({"digits": 1_255_831, "first": "8228"}));
    refuses(&["small-trees", "7"], &["7 is not in 0..=6"]);
    refuses(&["small-trees", "5", "--list"], &["up to height 4"]);
    refuses(&["small-trees", "4", "--draw", "x.svg"], &["up to height 3"]);
}

#[test]
fn games_have_lengths() {
    let three = json(&["length", "3", "--json"]);
    assert_eq!((&three["shortest"], &three["longest"]), (&json!(6), &json!(8)));
    assert_eq!(three["normal"]["outcome"], "win");
    assert_eq!(three["normal"]["moves"].as_u64().map(|moves| moves % 2), Some(1));
    assert_eq!(three["misere"]["outcome"], "loss");
    assert_eq!(answer(&["length", "!", "0*1"]), "!\t0 0 loss 0 win 0\n0*1\t2 2 loss 2 win 2\n");
    // The sum is short enough, its forced game is not.
    let sum = json(&["length", "0*3+0*3", "--max-positions", "200", "--json"]);
    assert_eq!((&sum["shortest"], &sum["normal"]), (&json!(12), &json!(null)));
    fails(&["length", "0*5", "--max-positions", "100"], &["position `0*5`", "--max-positions"]);
}

#[test]
fn start_positions_are_conjectured_proved_or_open() {
    for (args, folder, file) in [
        (&["starts", "--json"][..], "certificates/normal", "outcomes.tsv"),
        (&["starts", "--misere", "--json"], "certificates/misere", "misere.tsv"),
    ] {
        let starts = json(args);
        let starts = starts["starts"].as_array().expect("a list").clone();
        assert_eq!(starts.len(), 106);
        for start in &starts {
            let certificate = format!("{folder}/{}.cert", start["spots"]);
            let is_certified = start["status"] == "certified";
            assert_eq!(
                crate::common::root().join(&certificate).exists(),
                is_certified,
                "{certificate}"
            );
        }
        for row in crate::common::rows(&crate::common::root().join("testdata").join(file)) {
            let Some(Ok(spots)) = row[0].strip_prefix("0*").map(str::parse::<usize>) else {
                continue;
            };
            let outcome = if row[1].to_lowercase().starts_with('w') { "win" } else { "loss" };
            assert_eq!(starts[spots - 1]["conjecture"], outcome, "{}", row[0]);
        }
    }
    let here = json(&["starts", "--to", "5", "--solve", "--misere", "--json"]);
    let here: Vec<_> = here["starts"].as_array().expect("a list").iter().collect();
    assert!(here.iter().all(|start| start["here"] == start["conjecture"]), "{here:?}");
    let text = answer(&["starts"]);
    assert!(text.ends_with("89 proved, 17 open\n"), "{text}");
    refuses(&["starts", "--to", "107"], &["107 is not in 1..=106"]);
}
