//! Published records, edge cases, and records of another writer: `testdata/variants/wgosa.tsv`.

use std::path::Path;

use sprig_engine::{CanonicalPosition, notation};
use sprig_records::{Dialect, Replayed, parse, replay};

/// The columns of a line.
const RECORD: usize = 0;
const IS_OK: usize = 1;
const IS_OVER: usize = 4;
const LAST: usize = 5;
const CLASSES: usize = 6;
const STRICT: usize = 7;
const SOURCE: usize = 8;

fn rows() -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/variants/wgosa.tsv");
    let text = std::fs::read_to_string(path).expect("it is there");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| row.split('\t').map(str::to_owned).collect()).collect()
}

fn rows_that_are(what: &str) -> Vec<Vec<String>> {
    let rows: Vec<_> = rows().into_iter().filter(|row| row[IS_OK] == what).collect();
    assert!(rows.len() > 10, "{what}");
    rows
}

fn read(text: &str, dialect: Dialect) -> Result<Replayed, String> {
    let records = parse(text).map_err(|error| error.to_string())?;
    assert_eq!(records.len(), 1, "{text}");
    replay(&records[0], dialect).map_err(|error| error.to_string())
}

fn canonical(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&notation::read(text).expect(text))
}

#[test]
fn every_record_replays_to_the_published_position() {
    for row in rows_that_are("ok") {
        let record = &row[RECORD];
        let replayed = read(record, Dialect::Lenient).unwrap_or_else(|e| panic!("{record}: {e}"));
        let classes: Vec<_> = replayed.readings.classes().into_iter().map(|c| c.1).collect();
        let wanted: Vec<_> = row[LAST].split(" or ").map(canonical).collect();
        assert!(wanted.contains(&classes[0]), "{record}: {classes:?}");
        assert!(wanted.iter().all(|position| classes.contains(position)), "{record}: {classes:?}");
        // For generated records the column counts strict readings.
        if !row[SOURCE].starts_with("random play") && !row[CLASSES].is_empty() {
            assert_eq!(classes.len().to_string(), row[CLASSES], "{record}: {classes:?}");
        }
        if ["over", "open"].contains(&row[IS_OVER].as_str()) {
            assert_eq!(replayed.over, row[IS_OVER] == "over", "{record}");
        }
    }
}

#[test]
fn strict_records_have_one_position() {
    for row in rows_that_are("ok") {
        let record = &row[RECORD];
        let strict = read(record, Dialect::Strict);
        match row[STRICT].strip_prefix("strict ok: ") {
            Some(position) => {
                let strict = strict.unwrap_or_else(|e| panic!("{record}: {e}"));
                assert_eq!(strict.readings.cheapest().position(), canonical(position), "{record}");
            }
            None if row[STRICT].starts_with("strict: move 10") => {
                assert!(strict.expect_err(record).contains("move 10 `3(18)15`"), "{record}");
            }
            None => {
                assert!(strict.is_err() || row[STRICT].is_empty() || row[STRICT] == "-", "{record}")
            }
        }
    }
}

#[test]
fn bad_records_are_refused() {
    for row in rows_that_are("error") {
        let error = read(&row[RECORD], Dialect::Lenient).map(|_| ()).expect_err(&row[RECORD]);
        assert!(error.starts_with("line 1, column "), "{error}");
    }
}

#[test]
fn every_mistake_names_its_place_and_its_remedy() {
    for (record, dialect, wanted) in [
        ("", Dialect::Lenient, "line 1, column 1: no header"),
        ("\n{\"record\":\"sprig-game-1\"}\n", Dialect::Lenient, "line 2, column 1: these are JSON"),
        ("{\"a\":1}\n{\"b\":{\"c\":1}}", Dialect::Lenient, "line 1, column 1: these are JSON"),
        ("8+ (A, ) 1(9)2", Dialect::Lenient, "line 1, column 5: a player has no name"),
        ("8+ (A", Dialect::Lenient, "line 1, column 4: the names of the players do not end"),
        ("8+ {A", Dialect::Lenient, "line 1, column 4: the comment does not end"),
        ("107+", Dialect::Lenient, "line 1, column 1: a game has 1 to 106 spots"),
        ("8+\n 1(9)2x", Dialect::Lenient, "line 2, column 7: `x` is no move"),
        ("8+ 1(9)2[]", Dialect::Lenient, "column 9: the list is empty"),
        ("8+ 1(9)1[2,2]", Dialect::Lenient, "column 12: the list names spot 2 twice"),
        ("8+ 1(9)1[2-1]", Dialect::Lenient, "column 10: the range 2-1 runs down"),
        ("8+ 1(9)1[2-99]", Dialect::Lenient, "column 10: `99` is no number of a spot"),
        ("8+ 99999999999(9)1", Dialect::Lenient, "column 4: `99999999999` is no number of a spot"),
        ("8+ 1(9)2 II 1(10)2", Dialect::Lenient, "column 13: text after the result"),
        ("8+ 1(9)1[3,2]", Dialect::Strict, "spot 2 comes too late in the list"),
        ("8+ 1(9)1 1(10)1", Dialect::Lenient, "move 2 `1(10)1`: spot 1 has one life left"),
        ("8+ 1!(9)2", Dialect::Lenient, "spot 1 has not two neighbours"),
        ("8+ 1(9@9)2", Dialect::Lenient, "`@9` names the new spot itself"),
        (
            "2+ 1(3)2 1(4)2 1!(5)4",
            Dialect::Strict,
            "column 16: move 3 `1!(5)4`: no way to draw it fits the marks",
        ),
        ("3+ 1(4)1[2] 2(5@3)2", Dialect::Lenient, "spot 3 cannot be reached from the new spot"),
        ("3+ 1(4)1[2] 3(5)3[2]", Dialect::Lenient, "the list fits no side of the curve"),
        ("1+ 1(2)1 1(3)2 2(4)3", Dialect::Lenient, "move 3 `2(4)3`: the game is over"),
        (
            "6+ 2(7)2[6] 1(8)3 2(9)7[1,3-5,8] 1(10)3[5] 1(11)10[3,8]",
            Dialect::Strict,
            "2 different positions fit",
        ),
    ] {
        let error = read(record, dialect).map(|_| ()).expect_err(record);
        assert!(error.contains(wanted), "{record}: {error}");
    }
}

#[test]
fn a_text_may_hold_several_records_comments_and_names() {
    let text = "\u{feff}3− (Jean-Paul - Schmitz*) {the first} 1(4)1 [2] ; after the move\n3(5)3\n\n2+ (A,B) 1(3)2 I";
    let records = parse(text).expect("well-formed");
    assert_eq!(records.len(), 2);
    assert!(records[0].misere && !records[1].misere);
    assert!(parse("{\"the first\"} 2+ 1(3)2").is_ok(), "a comment in quotation marks");
    let names: Vec<_> = records[0].players.iter().map(|p| (&*p.name, p.inviting)).collect();
    assert_eq!(names, [("Jean-Paul", false), ("Schmitz", true)]);
    assert_eq!(records[0].moves[0].1.list, [2]);
    assert_eq!((records[0].winner, records[1].winner), (None, Some(1)));
}

#[test]
fn a_record_with_very_many_readings_is_given_up_soon() {
    // Pairs of mirror images: every loop around one spot doubles the readings of a strict record.
    let mut text = "106+".to_owned();
    for pair in 0..30 {
        text += &format!(" {0}({2}){1}", 3 * pair + 1, 3 * pair + 2, 107 + 2 * pair);
        text +=
            &format!(" {0}({2}){1}[{3}]", 3 * pair + 1, 3 * pair + 2, 108 + 2 * pair, 3 * pair + 3);
    }
    for dialect in [Dialect::Strict, Dialect::Lenient] {
        let error = read(&text, dialect).map(|_| ()).expect_err("too many");
        assert!(error.contains("more than 1024 readings"), "{error}");
    }
}
