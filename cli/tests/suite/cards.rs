//! Playing cards and boundary lists through the real program.

use crate::common::{answer, fails, file_in, folder, json, refuses, root, rows, sprig};
use serde_json::json;

#[test]
fn the_worked_game_of_the_procedure_is_played_step_by_step() {
    let moves = ["J 1 1 0 2 0", "D 1 1 1 3", "D 1 1 1 4", "D 3 1 1 2"];
    let out = answer(&[&["cards", "2"][..], &moves, &["--steps"]].concat());
    let wanted = "\
J 1 1 0 2 0
   1. 1;2
   2. (skipped)
   3. (skipped)
   4. 3,1;3,2
   5. 3,1,3,2
D 1 1 1 3
   1. 1,3,2,3
   2. 1,3,2,3,1
   3. 1,3,2/3,1
   4. 1,3,2/2,3,1
   5. 4,1,3,2/4,2,3,1
   6. (skipped)
D 1 1 1 4
   1. 1,3,2,4/4,2,3,1
   2. 1,3,2,4,1/4,2,3,1
   3. 1,3,2,4/1/4,2,3,1
   4. 1,3,2,4/4,1/4,2,3,1
   5. 5,1,3,2,4/5,4,1/4,2,3,1
   6. (skipped)
D 3 1 1 2
   1. 5,1,3,2,4/5,4,1/2,3,1,4
   2. 5,1,3,2,4/5,4,1/2,3,1,4,2
   3. 5,1,3,2,4/5,4,1/2,3/1,4,2
   4. 5,1,3,2,4/5,4,1/2,3/3,1,4,2
   5. 5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2
   6. (skipped)
";
    assert_eq!(out, wanted);
    let end = json(&["cards", "5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2", "--moves", "--json"]);
    assert_eq!(end["moves"], json!([]), "the game is over");
    assert_eq!(end["winner"], json!({"normal": "previous", "misere": "next"}));
    // Four moves, so the second player made the last one.
    let over = |args: &[&str]| answer(&[&["cards", "2"][..], &moves, &["--moves"], args].concat());
    let said =
        |sentence| format!("5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2\nthe game is over: {sentence}\n");
    let last = "the second player moved last and has";
    assert_eq!(over(&[]), said(format!("{last} won; in misère play the first player has won")));
    assert_eq!(over(&["--misere"]), said(format!("{last} lost; the first player has won")));
    // A table that is not the last one is shown as ever, also one of which moves cannot be listed.
    assert_eq!(answer(&["cards", "2", "--misere"]), "1;2\n");
    assert!(answer(&["cards", "60", "--misere"]).ends_with(";60\n"));
    let short = ["cards", "1", "D 1 1 0 1", "D 1 1 0 2", "--misere", "--json"];
    assert_eq!(json(&short)["winner"], json!({"normal": "second", "misere": "first"}));
    assert_eq!(json(&short)["moves"], json!(null));
}

#[test]
fn legal_moves_are_listed_and_can_be_played() {
    let listed = json(&["cards", "2", "--moves", "--json"]);
    let moves = listed["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 5);
    for found in moves {
        let made = found["move"].as_str().expect("text");
        assert_eq!(json(&["cards", "2", made, "--json"])["table"], found["table"], "{made}");
    }
    assert_eq!(answer(&["cards", "2", "D 1 1 0 1 2"]), "3,1;2/3,1\n");
}

#[test]
fn what_the_procedure_forbids_is_refused() {
    fails(&["cards", "1,3,2,3", "D 1 1 1 1"], &["move 1 `D 1 1 1 1`", "no twin left"]);
    fails(&["cards", "2", "J 1 1 0 3 0"], &["not on the table"]);
    fails(&["cards", "60", "--moves"], &["more than 100000", "sprig children"]);
    for (args, part) in [
        (&["0"][..], "a game has 1 to 106 spots"),
        (&["107"], "a game has 1 to 106 spots"),
        (&["1,2,3"], "column 1: the walks go from 1 to 2 1 times and back 0 times"),
        (&["1/2"], "no drawing on the sphere"),
        (&["1,2t"], "a mark in a full list"),
        (&["2", "J 1 1"], "write `J ROW A CUT B CUT`"),
        (&["2", "D 1 1 0 x"], "whole numbers"),
        (&["2", "D 0 1 0 1"], "counted from 1"),
        (&["2", "X"], "a move begins with `J`"),
    ] {
        refuses(&[&["cards"], args].concat(), &[part]);
    }
}

#[test]
fn boundary_lists_are_positions_everywhere() {
    assert_eq!(answer(&["canon", "4,2/4,2;1;3"]), "0*2.AB|AB\n");
    assert_eq!(answer(&["canon", "1,8,4,9t,8,5;2"]), answer(&["canon", "1a12a1.0"]));
    assert_eq!(answer(&["canon", "0*2.AB|AB", "--hoey"]), "1;2;3,4/3,4\n");
    for child in answer(&["children", "0*4", "--hoey"]).lines() {
        let back = answer(&["canon", child, "--hoey"]);
        assert_eq!(back.trim_end(), child);
    }
    assert_eq!(json(&["moves", "1;2", "--solve", "--json"])["canonical"], "0*2");
    let folder = folder();
    let file = file_in(&folder, "lists", "1;2\n  3,1/3,1;2\n  1,2;3,x/4\n0*2\n");
    let said = sprig(&["canon", "--file", &file]);
    assert_eq!(
        said.out.lines().filter_map(|line| line.split('\t').nth(1)).collect::<Vec<_>>(),
        ["0*2", "0.AB|AB", "error", "0*2"]
    );
    assert!(said.err.contains("line 3: column 9: `x` is no spot"), "{}", said.err);
}

#[test]
fn full_lists_must_be_drawings() {
    assert_eq!(answer(&["canon", "--hoey-full", "4,2/4,2;1;3"]), "0*2.AB|AB\n");
    assert_eq!(answer(&["canon", "--hoey-full", "1"]), "0\n");
    assert_eq!(answer(&["canon", "5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2", "--hoey-full"]), "!\n");
    for (list, part) in [
        ("1,3,2/3,1", "and back"),
        ("1,8,4,9t,8,5;2", "a mark in a full list"),
        ("1,3,2,3;3", "spot 3 is alone"),
        ("1,2,3/1,3,2/4", "fall into 2 parts"),
        ("0*2", "`0*2` is no spot"),
    ] {
        refuses(&["canon", "--hoey-full", list], &[part]);
    }
}

#[test]
fn random_games_need_as_many_cards_as_others_have_seen() {
    let mut seen = 0;
    for row in rows(&root().join("testdata/variants/cards_needed.tsv")) {
        let [spots, _, cards, enough, seed_has, most_rows, enough_rows, lengths] = &row[..] else {
            panic!("{row:?}")
        };
        let needed = json(&["cards", spots, "--games", "1500", "--seed", "1", "--json"]);
        let text = |key: &str| needed[key].to_string();
        assert_eq!([&text("cards"), &text("cards_enough")], [cards, enough], "{row:?}");
        assert_eq!([&text("rows"), &text("rows_enough")], [most_rows, enough_rows], "{row:?}");
        assert_eq!(text("lengths"), lengths.replace(' ', ""), "{row:?}");
        // What the procedure says is enough, 3N + 1, is not from three spots on.
        let too_few =
            seed_has.parse::<u64>().expect("a number") < needed["cards"].as_u64().expect("one");
        assert_eq!(too_few, spots != "1", "{row:?}");
        seen += 1;
    }
    assert_eq!(seen, 3);
    let text = answer(&["cards", "2", "--games", "200", "--seed", "7"]);
    assert_eq!(
        text,
        "cards  7 different ones at most; 7 are enough for 2 spots\nrows   5 at most; 5 are enough\n\
         moves  4 5\ngames  200\nseed   7\n"
    );
    for (args, part) in [
        (&["11", "--games", "5"][..], "table `11`: a game has 1 to 10 spots"),
        (&["1;2", "--games", "5"], "table `1;2`: a game has 1 to 10 spots"),
        (&["2", "--games", "0"], "--games"),
        (&["2", "--seed", "1"], "--games"),
        (&["2", "J 1 1 0 2 0", "--games", "5"], "--games"),
    ] {
        let said = sprig(&[&["cards"], args].concat());
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
}
