//! Records of games through the real program.
#![cfg(feature = "coordinator")]

use crate::common::{answer, file_in, folder, said_one_line, sprig_with_input};
use serde_json::{Value, json};

/// A game in which the second player is said to have won, and the first could win: wgosa.org/gotw012701.htm.
const GAVE_UP: &str = "8+ 1(9)2 1(10)1[2,3] 4(11)10 4(12)11 II\n";

fn replayed(args: &[&str], record: &str) -> Vec<Value> {
    let args = [&["replay", "-", "--json"], args].concat();
    let said = sprig_with_input(&args, record);
    assert_eq!(said.code, Some(0), "{}", said.err);
    said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_won_game_that_was_given_up_is_seen() {
    let folder = folder();
    let db = crate::common::text(folder.path().join("db"));
    let game = &replayed(&["--solve", "--db", &db, "--nimber"], GAVE_UP)[0];
    assert_eq!(
        (&game["claimed"], &game["claim"], &game["over"]),
        (&json!(2), &json!("wrong"), &json!(false))
    );
    let moves = game["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 4);
    assert_eq!((&moves[3]["outcome"], &moves[3]["nimber"]), (&json!("win"), &json!(1)));
    assert_eq!(moves[3]["position"], answer(&["canon", "0*4.AB|AB+0.12"]).trim_end());
    // The database knows it now.
    let known = &replayed(&["--db", &db], GAVE_UP)[0];
    assert_eq!(known["moves"], game["moves"]);
    let text = sprig_with_input(&["replay", "-", "--db", &db], GAVE_UP).out;
    assert!(text.contains("II is said to have won: but the other player was winning"), "{text}");
    let unvalued = &replayed(&[], GAVE_UP)[0];
    assert_eq!(
        (&unvalued["claim"], &unvalued["moves"][3]["outcome"]),
        (&json!("unknown"), &Value::Null)
    );
}

#[test]
fn a_move_that_gives_a_won_game_away_is_marked_with_what_would_have_won() {
    // Three spots are a win; every first move that is not the winning one gives it away.
    let given_away = |play: &str, first: &str| {
        let game = replayed(&["--solve"], &format!("3{play} {first}")).remove(0);
        (game["moves"][0]["gives_away"].clone(), game["moves"][0]["winning"].clone())
    };
    let firsts = ["1(4)2", "1(4)1", "1(4)1[2]"];
    let away: Vec<_> = firsts.iter().map(|first| given_away("+", first)).collect();
    assert!(away.iter().any(|(given, _)| *given == json!(true)), "{away:?}");
    assert!(away.iter().any(|(given, _)| *given == json!(false)), "{away:?}");
    for (given, winning) in away {
        if given == json!(true) {
            let better = winning[0]["move"].as_str().expect("it can be written");
            assert!(firsts.contains(&better), "{better}");
            assert_eq!(given_away("+", better).0, json!(false), "{better}");
        }
    }
    let text = sprig_with_input(&["replay", "-", "--solve"], "5- 1(6)1[2,3] 2(7)3 1(8)4").out;
    assert!(text.starts_with("5 spots, misère play\n"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("3 ") && line.contains("loss")), "{text}");
}

#[test]
fn a_finished_game_has_survivors_and_pharisees() {
    let games = replayed(&[], "2+ (Ann, Bob*) 1(3)2 1(4)2 1(5)4 2(6)3 I\n{again} 1+ 1(2)1 1(3)2");
    assert_eq!(games.len(), 2);
    let game = &games[0];
    assert_eq!(game["survivors"], json!([5, 6]));
    assert_eq!(
        (&game["pharisees"], &game["winner"], &game["claim"]),
        (&json!([]), &json!(2), &json!("wrong"))
    );
    assert_eq!(game["moves"][3]["lengths"], json!([4, 4]));
    assert_eq!(game["players"][1], json!({"name": "Bob", "inviting": true}));
    assert_eq!(game["moves"][2]["hoey"].as_str().map(|list| list.matches('/').count()), Some(2));
    assert_eq!(game["readings"].as_array().map(Vec::len), Some(2));
    let said = sprig_with_input(&["replay", "-"], "2+ 1(3)2 1(4)2 1(5)4 2(6)3 I");
    assert!(said.err.contains("the record says that I has won"), "{}", said.err);
    assert!(said.out.contains("pharisees   none"), "{}", said.out);
}

#[test]
fn bad_records_are_refused_with_their_place() {
    for (record, part) in [
        ("1(9)2", "line 1, column 1: no header"),
        (
            "{\"record\":\"sprig-game-1\"}\n{\"number\":1,\"witness\":{\"region\":0},\"before\":\"0*3\"}\n",
            "line 1, column 1: these are JSON Lines, as `sprig play --record game.jsonl`",
        ),
        ("8+\n1(9)2 1(11)3", "line 2, column 7: move 2 `1(11)3`: the new spot must be 10"),
        ("2+ 1(3)2 1(4)2 1(5)4 2(6)3 5(7)6 7(8)7 1(9)9", "column"),
    ] {
        said_one_line(
            &sprig_with_input(&["replay", "-"], record),
            record,
            &["standard input", part],
        );
    }
    said_one_line(
        &sprig_with_input(&["replay", "-", "--strict"], GAVE_UP),
        GAVE_UP,
        &["move 2 `1(10)1[2,3]`: the list fits no side of the curve"],
    );
    said_one_line(&sprig_with_input(&["replay", "no such file"], ""), "none", &["cannot open"]);
    let (folder, bytes) = (folder(), [0xff_u8, 0, 27, b'(']);
    let said = crate::common::sprig(&["replay", &file_in(&folder, "x", bytes)]);
    said_one_line(&said, "bytes", &["no header"]);
}

#[test]
fn a_game_is_drawn_with_what_was_given_away() {
    let folder = folder();
    let file = crate::common::text(folder.path().join("game.svg"));
    let said = sprig_with_input(&["replay", "-", "--draw", &file, "--solve"], "3+ 1(4)1[2] 2(5)2");
    assert_eq!(said.code, Some(0), "{}", said.err);
    let svg = std::fs::read_to_string(&file).expect("a picture");
    for part in ["3 spots, normal play: win", "1. 1(4)1[2]", "2. 2(5)2"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    assert_eq!(svg.matches("stroke-width=\"4.2\"").count(), 2, "the curves of each move");
    let args = ["replay", "-", "--draw", &file, "--equivalent"];
    assert_eq!(sprig_with_input(&args, "3+ 1(4)1[2] 2(5)2").code, Some(0));
    let forms = std::fs::read_to_string(&file).expect("a picture");
    assert!(forms.contains("2. 2(5)2") && !forms.contains("stroke-width=\"4.2\""), "{forms}");
    // Games side by side, finished ones too, on one sheet.
    let png = crate::common::text(folder.path().join("games.png"));
    let record = "2+ 1(3)2 1(4)2 1(5)4 2(6)3\n1- 1(2)1 1(3)2";
    let said = sprig_with_input(&["replay", "-", "--draw", &png, "--columns", "3"], record);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(std::fs::read(&png).expect("pixels").starts_with(b"\x89PNG"));
    // The last picture of a finished game has all its spots.
    let said = sprig_with_input(&["replay", "-", "--draw", &file], record);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let svg = std::fs::read_to_string(&file).expect("a picture");
    for part in [
        "4. 2(6)3; over after 4 moves: II wins; 1 spot, mis\u{e8}re play",
        "2. 1(3)2; over after 2 moves: I wins</desc>",
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    // Two survivors and four neighbours, one and two, and three signs of a legend each.
    assert_eq!(svg.matches("fill=\"#1f2937\" stroke=\"#ffffff\"").count(), 4 + 2 + 2);
    crate::common::refuses(&["replay", "-", "--equivalent"], &["--draw"]);
    crate::common::refuses(&["replay", "-", "--draw", "game.gif"], &["end it in .svg or .png"]);
    crate::common::refuses(&["replay", "-", "--columns", "3"], &["--draw"]);
}

/// What the brief of the records lists as bad input, case by case.
#[test]
fn each_kind_of_mistake_has_its_own_words() {
    for (record, part) in [
        ("", "no header"),
        ("1(9)2", "no header"),
        ("8+ 1(8)2", "the new spot must be 9"),
        ("8+ 1(10)2", "the new spot must be 9"),
        ("8+ 0(9)2", "spot 0 does not exist"),
        ("8+ 1(9)12", "spot 12 does not exist"),
        ("8+ 1(9)2 1(10)2 1(11)3 1(12)4", "spot 1 is dead"),
        ("8+ 1(9)2 9(10)9", "spot 9 has one life left"),
        ("3+ 1(4)1[2] 2(5)3", "spots 2 and 3 lie in no common region"),
        ("8+ 1(9)2[3]", "a list on a move that divides no region"),
        ("3+ 1(4)1[2] 3(5)3[2]", "the list fits no side"),
        ("8+ 1(9)1[2,2]", "names spot 2 twice"),
        ("8+ 1(9)1[3-2]", "the range 3-2 runs down"),
        ("8+ 1(9@20)2", "spot 20 does not exist"),
        ("8+ 1(9)2 1(10)2 1(11)3 4(12@1)5", "spot 1 is dead"),
        ("8+ 1!(9)2", "spot 1 has not two neighbours"),
        ("1+ 1(2)1 1(3)2 2(4)3", "the game is over"),
    ] {
        let said = sprig_with_input(&["replay", "-"], record);
        said_one_line(&said, record, &["standard input", part]);
    }
    // A result that the game contradicts is a warning.
    let said = sprig_with_input(&["replay", "-"], "1+ 1(2)1 1(3)2 I");
    assert_eq!(said.code, Some(0));
    assert!(said.err.contains("the record says that I has won"), "{}", said.err);
}

/// Who has won the published games of people, by the record and by proof of the last position.
#[test]
fn published_results_are_right_but_for_one_resignation() {
    let rows = crate::common::rows(&crate::common::root().join("testdata/variants/wgosa.tsv"));
    // By the record, whether it is ok, its moves, who has won by it, whether it is over, and the last position.
    let open: Vec<_> =
        rows.iter().filter(|row| row[1] == "ok" && row[3] != "-" && row[4] == "open").collect();
    let (mut right, mut wrong) = (0, Vec::new());
    for is_misere in [false, true] {
        let head = |row: &Vec<String>| row[0].split([' ', '(']).next().unwrap_or("").to_owned();
        let games: Vec<_> =
            open.iter().filter(|row| head(row).ends_with('-') == is_misere).collect();
        // Of two meanings the first is the cheaper one.
        let last = |row: &Vec<String>| row[5].split(" or ").next().unwrap_or("").to_owned();
        let positions: Vec<String> = games.iter().map(|row| last(row)).collect();
        let args = ["solve", "--file", "-", "--misere"];
        let said = sprig_with_input(&args[..if is_misere { 4 } else { 3 }], positions.join("\n"));
        assert_eq!(said.code, Some(0), "{}", said.err);
        for (row, line) in games.iter().zip(said.out.lines()) {
            let mover_wins = line.ends_with("win");
            let first_moves = row[2].parse::<usize>().is_ok_and(|moves| moves % 2 == 0);
            let winner = if mover_wins == first_moves { "I" } else { "II" };
            if winner == row[3] { right += 1 } else { wrong.push(head(row)) }
        }
    }
    assert_eq!((right, wrong), (5, vec!["8+".to_owned()]));
}
