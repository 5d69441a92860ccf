//! Records of games through the real program.
#![cfg(feature = "coordinator")]

mod common;

use common::{answer, file_in, folder, said_one_line, sprig_with_input};
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
    let db = common::text(folder.path().join("db"));
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
    assert!(text.contains("5 spots, misère play") || text.contains("misere play"), "{text}");
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
    let said = common::sprig(&["replay", &file_in(&folder, "x", bytes)]);
    said_one_line(&said, "bytes", &["no header"]);
}
