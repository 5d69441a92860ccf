//! Databases of earlier versions.
#![cfg(feature = "coordinator")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{answer, folder, json, text};
use serde_json::Value;

/// A copy of the database that the last version without games has written (`testdata/README.md`),
/// with the seal of the tests.
fn database(place: &Path) -> PathBuf {
    let db = place.join("db");
    fs::create_dir(&db).expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/databases/before-games");
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
    let path = database(place.path());
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
