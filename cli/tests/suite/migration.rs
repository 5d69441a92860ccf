//! Databases of earlier versions.
#![cfg(feature = "coordinator")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::processes::Coordinator;
use crate::common::{answer, folder, json, text};

/// A copy of a database that an earlier version has written (`testdata/README.md`), with the seal of
/// the tests.
fn database(place: &Path, name: &str) -> PathBuf {
    let db = place.join("db");
    fs::create_dir(&db).expect("a folder");
    let databases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/databases");
    let from = databases.join(name);
    for entry in fs::read_dir(from).expect("a folder") {
        let file = entry.expect("an entry").path();
        fs::copy(&file, db.join(file.file_name().expect("a name"))).expect("copied");
    }
    db
}

fn verified(db: &str) -> Value {
    json(&["db", "info", "--db", db, "--json"])["verified"].clone()
}

/// What the database has is believed, read and not searched again.
fn answers(db: &str) {
    let known = json(&["query", "0*8", "--db", db, "--json"]);
    assert_eq!((&known["outcome"], &known["nimber"]), (&"loss".into(), &0.into()), "{known}");
    let again = json(&["solve", "0*8", "--nimber", "--db", db, "--json"]);
    assert_eq!((&again["nimber"], &again["expansions"]), (&0.into(), &0.into()), "{again}");
    let tree = json(&["rct", "0*4", "--db", db, "--json"]);
    assert_eq!((&tree["outcome"], &tree["height"]), (&"loss".into(), &6.into()), "{tree}");
}

#[test]
fn a_database_from_before_the_games_is_read_written_and_migrated() {
    let place = folder();
    let path = database(place.path(), "before-games");
    let db = text(&path);
    let facts = verified(&db);
    assert_eq!(
        (&facts["nimbers"], &facts["trees"], &facts["rcts"]),
        (&197.into(), &27.into(), &1188.into()),
        "{facts}"
    );
    assert_eq!(json(&["db", "check", "--db", &db, "--json"])["verified"], facts);
    answers(&db);
    // What is new is written beside the old: more of Sprouts, misère play, and another game.
    let more = json(&["solve", "0*9", "--nimber", "--db", &db, "--json"]);
    assert_eq!(more["nimber"], 1, "{more}");
    let other = json(&["solve", "0*3", "--variant", "black-and-white", "--db", &db, "--json"]);
    assert_eq!(other["outcome"], "win", "{other}");
    answers(&db);
    let now = verified(&db);
    assert!(now["nimbers"].as_u64() > facts["nimbers"].as_u64(), "{now}");
    assert_eq!(now["rcts"], facts["rcts"]);
    assert_eq!(json(&["db", "check", "--db", &db, "--json"])["verified"], now);
    // A copy made by `merge` is of today's version from its first byte.
    let copy = text(place.path().join("copy"));
    answer(&["merge", &copy, &db, "--trust"]);
    answers(&copy);
    assert_eq!(verified(&copy)["rcts"], now["rcts"]);
}

#[test]
fn jobs_with_terms_and_wishes_go_on_where_an_earlier_program_left_them() {
    let place = folder();
    let path = database(place.path(), "with-wishes");
    let checked = json(&["db", "check", "--db", &text(&path), "--json"]);
    assert_eq!(
        (&checked["verified"]["nimbers"], &checked["claimed"]["nimbers"], &checked["jobs"]),
        (&105.into(), &4541.into(), &5.into()),
        "{checked}"
    );
    let coordinator = Coordinator::start("127.0.0.1:0", &path);
    let ask =
        |args: &[&str]| json(&[args, &["--coordinator", &coordinator.url, "--json"]].concat());
    let jobs = ask(&["jobs"]);
    let column = |key: &str| {
        let jobs = jobs["jobs"].as_array().expect("a list").iter();
        Value::Array(jobs.map(|job| job[key].clone()).collect())
    };
    assert_eq!(column("position"), json!(["0*63", "0*62", "0*60", "0*3", "0*7"]));
    assert_eq!(column("state"), json!(["cancelled", "paused", "waiting", "done", "done"]));
    assert_eq!(column("owner"), json!([null, "bob", "ada", null, "ada"]));
    let long = &jobs["jobs"][2];
    assert_eq!(
        (&long["label"], &long["priority"], &long["budget"], &long["deadline"]),
        (&json!("long"), &json!(-3), &json!(360_000.0), &json!(4_070_908_800_000_u64)),
        "{long}"
    );
    assert_eq!(long["expansions"], 60_059);
    let wishes = ask(&["look", "3"])["wishes"].clone();
    let of = |number: usize, key: &str| wishes[number][key].clone();
    assert_eq!((of(0, "kind"), of(0, "by")), (json!("pin"), json!("ada")));
    assert_eq!((of(0, "end"), of(0, "expansions")), (json!("withdrawn"), json!(20_419)));
    assert_eq!((of(1, "kind"), of(1, "position")), (json!("ban"), json!("0.AB|0*58.AB")));
    assert_eq!((of(2, "heap"), of(2, "end")), (json!(3), json!("decided: win")));
    // It goes on with them: a wish gets the next number, and the job has its history.
    let wished = ask(&["wish", "3", "boost", "0*59.AB|AB"]);
    assert_eq!(wished["wishes"][3]["number"], 4, "{wished}");
}
