//! `sprig pousse`.

use crate::common::{answer, fails, json, refuses, said_one_line_with, sprig, sprig_with_input};
use serde_json::json;

fn judged(record: &str) -> String {
    let said = sprig_with_input(&["pousse", "judge", "-"], record);
    assert_eq!(said.code, Some(0), "{record:?}: {}", said.err);
    said.out
}

#[test]
fn records_are_judged() {
    assert_eq!(
        judged("2\nT1\nB2\nL2\nQUIT\n"),
        "result  X wins: straights 1:0\nmoves   3\nboard   X./XO\n"
    );
    let repeated = "3 B3 B3 T3 L2 B1 L1 B1 T1 QUIT";
    assert!(judged(repeated).starts_with("result  X wins: repetition by O\n"));
    assert!(judged("4 L1").starts_with("result  unfinished: O is to move\n"));
    let said = sprig_with_input(&["pousse", "judge", "--json"], "2 T1 B2 L2");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&said.out).expect("JSON"),
        json!({"size": 2, "moves": 3, "board": "X./XO", "result": "X wins: straights 1:0",
               "winner": "X", "reason": "straights"})
    );
}

#[test]
fn a_bad_record_is_refused_with_its_place() {
    for (record, part) in [
        ("4\nL0", "line 2, column 1: `L0` names line 0"),
        ("4\nL5", "line 2, column 1: `L5` names line 5"),
        ("4\nX1", "line 2, column 1: `X1` is no move"),
        ("4\nL", "line 2, column 1: `L` is no move"),
        ("4\n1L", "line 2, column 1: `1L` is no move"),
        ("0", "line 1, column 1: a record begins with the size"),
        ("101", "line 1, column 1: a record begins with the size"),
        ("", "line 1, column 1: a record begins with the size"),
        ("2 T1 B2 L2 R1", "line 1, column 12: `R1` comes after the end"),
    ] {
        let said = sprig_with_input(&["pousse", "judge"], record);
        said_one_line_with(2, &said, record, &["standard input", part]);
    }
    let said = sprig_with_input(&["pousse", "judge", "--json"], "4 L0");
    assert!(said.out.contains("{\"error\":{\"code\":\"usage\""), "{}", said.out);
    // That a file is not there is no mistake in it.
    fails(&["pousse", "judge", "/nowhere/record"], &["cannot open /nowhere/record"]);
}

#[test]
fn small_boards_are_solved_with_a_checked_proof() {
    let solved = json(&["pousse", "solve", "3", "--json"]);
    assert_eq!(solved["outcome"], "win");
    assert_eq!(solved["winner"], "X");
    assert_eq!(solved["proof"]["checked"], true);
    assert_eq!(solved["history"], "all moves");
    let text = answer(&["pousse", "solve", "3", "--repeat", "board"]);
    assert!(text.starts_with("outcome     win for X, the player to move: X wins\n"), "{text}");
    // A row of the reference: a board with an empty history.
    let lost = json(&["pousse", "solve", "X../.XO/.OX", "--to-move", "O", "--json"]);
    assert_eq!(lost["outcome"], "loss");
    assert!(lost["history"].as_str().expect("text").starts_with("none"));
}

#[test]
fn every_move_has_a_value() {
    let best = json(&["pousse", "best", "2", "T1", "--json"]);
    assert_eq!(best["outcome"], "loss");
    assert_eq!((&best["plain"], &best["plies"]), (&json!("loss"), &json!(2)));
    assert_eq!(best["moves"].as_array().expect("a list").len(), 8);
    let best = json(&["pousse", "best", "O.X/.../.XO", "--to-move", "x", "--json"]);
    assert_eq!((&best["plain"], &best["plies"]), (&json!("win"), &json!(5)));
    assert_eq!(best["moves"][0]["plies"], 5);
    let text = answer(&["pousse", "best", "3"]);
    assert!(text.contains("only by repetition"), "{text}");
    assert!(text.contains("neither player can force the end"), "{text}");
}

#[test]
fn a_bad_place_is_refused() {
    for (args, part) in [
        (&["5"][..], "boards from 1 x 1 to 4 x 4 are solved"),
        (&["0"], "boards from 1 x 1 to 4 x 4 are solved"),
        (&["3", "L4"], "move 1: `L4` names line 4"),
        (&["3", "T1", "X1"], "move 2: `X1` is no move"),
        (&["2", "T1", "B2", "L2"], "the game is over: X wins: straights 1:0"),
        (&["2", "T1", "B2", "L2", "R1"], "move 4: `R1` comes after the end"),
        (&["X../..X/..."], "no game leads here"),
        (&["XXX/.O./.O."], "is over: X has more straights"),
        (&["XOX/.../..."], "does not tell who is to move: add --to-move"),
        (&["X../.../..#"], "column 11: `#` is no square"),
        (&["X../..", "L1"], "board `X../..`: column 1: row 1 has 3 squares"),
    ] {
        for question in ["solve", "best"] {
            let args: Vec<_> = ["pousse", question].iter().chain(args).copied().collect();
            refuses(&args, &[part]);
        }
    }
    assert_eq!(sprig(&["pousse", "solve", "3", "--repeat", "x"]).code, Some(2));
}

#[test]
fn a_person_can_play() {
    let help = sprig_with_input(&["pousse", "play", "2"], "?\nHelp\nquit\n");
    assert_eq!((help.code, help.out.matches("B1 .. B2  ").count()), (Some(0), 2), "{}", help.out);
    let said = sprig_with_input(&["pousse", "play", "2"], "T1\nnonsense\nT9\nB2\nT1\nB1\nL1\n");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("You are X."), "{}", said.out);
    assert!(said.out.contains("I play"), "{}", said.out);
    assert!(said.out.contains("You win") || said.out.contains("You lose"), "{}", said.out);
    // The program wins from the first move.
    let second = sprig_with_input(&["pousse", "play", "1", "--second"], "");
    assert!(second.out.ends_with("You lose. X wins: straights 2:0\n"), "{}", second.out);
    refuses(&["pousse", "play", "11"], &["boards from 1 x 1 to 10 x 10"]);
    // Boards that are not solved are played as well, the same way every time.
    let args = ["pousse", "play", "5", "--second", "--effort", "3000"];
    let said = sprig_with_input(&args, "L1\nL1\nquit\n");
    assert_eq!((said.code, said.out.matches("I play ").count()), (Some(0), 3), "{}", said.out);
    assert_eq!(sprig_with_input(&args, "L1\nL1\nquit\n").out, said.out);
}

#[test]
fn help_has_examples() {
    assert!(answer(&["pousse", "--help"]).contains("sprig pousse best 4 L1 T2 B3"));
}
