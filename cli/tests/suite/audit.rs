//! One law for what is believed: forged facts through every door, and honest databases of strangers.
#![cfg(feature = "coordinator")]

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::{SECRET, answer, command, file_in, folder, json, sprig, text};
use sprig_domain::Node;
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_store::{
    Batch, Contribution, Exclusion, Fact, Provenance, Secret, Source, Status, Store, UnixMillis,
};
use tempfile::TempDir;

/// The secret of a stranger.
const FOREIGN: [u8; Secret::BYTES] = [9; Secret::BYTES];

fn canonical(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn nimber(land: &str, value: u64) -> Fact {
    let nimber = Nimber::new(value).expect("in range");
    Fact::nimber(canonical(land).lands()[0].key(), nimber)
}

fn loss(position: &str) -> Fact {
    Fact::loss(&Node::new(canonical(position), false, []).encode())
}

/// Puts facts into a database as its owner does who has this secret, sealed.
fn put(db: &str, secret: [u8; Secret::BYTES], facts: Vec<Fact>) {
    let store = Store::open(db.as_ref(), &Secret::new(secret)).expect("a database");
    let source = Source { worker: "eve".into(), build: "none".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let facts = facts.into_iter().map(|fact| Fact { status: Status::Verified, ..fact }).collect();
    let contributions = vec![Contribution { provenance, facts, exclusions: Vec::new() }];
    store.commit(&Batch { contributions, ..Batch::default() }).expect("its form is right");
}

/// Six nimbers and two lost nodes, all of them false.
fn forgery(folder: &TempDir) -> String {
    let db = text(folder.path().join("forged"));
    let facts = [("0*3", 0), ("0*30", 5), ("0*7", 1), ("0*8", 2), ("0*5", 3), ("0*4", 0)];
    let facts = facts.into_iter().map(|(land, value)| nimber(land, value));
    put(&db, FOREIGN, facts.chain([loss("0*6"), loss("0*2.AB|AB")]).collect());
    db
}

/// Asks for everything that the forgery lies about; nothing of it may come back.
fn believes_nothing(db: &str) {
    for position in ["0*3", "0*30", "0*7", "0*3+0*5"] {
        let known = json(&["query", position, "--db", db, "--json"]);
        assert!(known["outcome"].is_null() && known["nimber"].is_null(), "{known}");
    }
    let known = json(&["query", "0*6", "--misere", "--db", db, "--json"]);
    assert!(known["outcome"].is_null(), "{known}");
}

/// Solves what the forgery lies about; the truth comes out.
fn finds_the_truth(db: &str) {
    for (position, outcome) in [("0*3", "win"), ("0*7", "loss"), ("0*3+0*5", "loss")] {
        let solved = json(&["solve", position, "--db", db, "--json"]);
        assert_eq!(solved["outcome"], outcome, "{solved}");
    }
    assert_eq!(json(&["nimber", "0*5", "--db", db, "--json"])["nimber"], 1);
    assert_eq!(json(&["solve", "0*6", "--misere", "--db", db, "--json"])["outcome"], "win");
}

#[test]
fn nothing_forged_is_believed_after_a_merge() {
    let folder = folder();
    let (mine, forged) = (text(folder.path().join("mine")), forgery(&folder));
    let merged = json(&["merge", &mine, &forged, "--json"]);
    let [verified, claimed] = ["verified", "claimed"].map(|key| merged[key].as_u64());
    assert_eq!((verified, claimed), (Some(0), Some(8)), "{merged}");
    believes_nothing(&mine);
    finds_the_truth(&mine);
    // What I have proved refuses a stranger's word against it, and names both.
    let said = sprig(&["merge", &mine, &forged]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(
        said.err.contains("eve") && said.err.contains("is not merged any further"),
        "{}",
        said.err
    );
}

#[test]
fn nothing_forged_is_believed_in_a_database_that_is_opened() {
    let folder = folder();
    let forged = forgery(&folder);
    believes_nothing(&forged);
    let said = sprig(&["audit", "--db", &forged, "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.out.contains("\"verified\":0,"), "{}", said.out);
    assert!(said.out.contains("\"claimed\":8,"), "{}", said.out);
    assert!(said.err.contains("worker eve"), "{}", said.err);
    believes_nothing(&forged);
    finds_the_truth(&forged);
}

#[test]
fn nothing_forged_is_believed_from_a_file() {
    let folder = folder();
    let forged = forgery(&folder);
    // Not written silently like a true one; and marked where it is asked for.
    let left_out = sprig(&["export", "--db", &forged]);
    assert_eq!((left_out.code, left_out.out.as_str()), (Some(0), ""));
    assert!(left_out.err.contains("8 facts were left out"), "{}", left_out.err);
    let said =
        sprig(&["export", "--db", &forged, "--claims", "--format", "csv", "--kind", "nimbers"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    let lines = answer(&["export", "--db", &forged, "--claims"]);
    assert_eq!(lines.lines().count(), 8);
    assert!(lines.lines().all(|line| line.contains("\"claimed\":true")), "{lines}");
    let file = file_in(&folder, "claims.jsonl", lines);
    let mine = text(folder.path().join("mine"));
    let said = sprig(&["import", &file, "--db", &mine, "--expansions", "0", "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.out.contains("\"followed\":0,\"searched\":0,"), "{}", said.out);
    believes_nothing(&mine);
    finds_the_truth(&mine);
}

/// A database that a stranger has made honestly, in both plays.
fn honest(folder: &TempDir) -> String {
    let db = text(folder.path().join("honest"));
    let key = file_in(folder, "foreign.key", FOREIGN.map(|byte| format!("{byte:02x}")).concat());
    let solve = |args: &[&str]| {
        let args = [args, &["--db", &db, "--seal-key", &key]].concat();
        let mut command = command(&args);
        let said = command.output().expect("sprig starts");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    };
    make_private(&key);
    solve(&["solve", "0*11", "--nimber"]);
    solve(&["solve", "0*8", "--misere"]);
    db
}

fn make_private(file: &str) {
    use std::os::unix::fs::PermissionsExt;
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(file, private).expect("it is ours");
}

#[test]
fn an_honest_database_of_a_stranger_is_verified_as_a_whole_and_answers_then() {
    let folder = folder();
    let db = honest(&folder);
    let ask = |args: &[&str]| json(&[&["query", "--db", &db, "--json"], args].concat());
    assert!(ask(&["0*11"])["outcome"].is_null() && ask(&["0*8", "--misere"])["outcome"].is_null());
    let audited = json(&["audit", "--db", &db, "--json"]);
    assert_eq!((&audited["before"], &audited["claimed"]), (&0.into(), &0.into()), "{audited}");
    assert!(audited["verified"].as_u64() > Some(1_000), "{audited}");
    assert_eq!(ask(&["0*11"])["outcome"], "win");
    assert_eq!(ask(&["0*8", "--misere"])["outcome"], "loss");
    let again = json(&["audit", "--db", &db, "--json"]);
    assert_eq!(again["before"], again["verified"], "{again}");
    // Into a database of one's own it comes the same way.
    let mine = text(folder.path().join("mine"));
    let merged = json(&["merge", &mine, &db, "--json"]);
    assert_eq!((&merged["verified"], &merged["claimed"]), (&audited["verified"], &0.into()));
}

#[test]
fn an_audit_that_is_killed_goes_on_where_it_was() {
    let folder = folder();
    let db = honest(&folder);
    let mut audit = command(&["audit", "--db", &db]);
    audit.env("SPRIG_LOG", "sprig=debug").stdout(Stdio::null()).stderr(Stdio::piped());
    let mut audit = audit.spawn().expect("sprig starts");
    let log = BufReader::new(audit.stderr.take().expect("a pipe"));
    let written =
        log.lines().map_while(Result::ok).filter(|line| line.contains("facts are on disk"));
    assert_eq!(written.take(4).count(), 4);
    audit.kill().expect("it runs");
    audit.wait().expect("it ends");
    let audited = json(&["audit", "--db", &db, "--json"]);
    assert!(audited["before"].as_u64() > Some(3), "{audited}");
    assert!(audited["before"].as_u64() < audited["verified"].as_u64(), "{audited}");
    assert_eq!(audited["claimed"], 0, "{audited}");
}

#[test]
fn an_owner_vouches_with_trust_and_what_is_left_can_be_taken_out() {
    let folder = folder();
    let (mine, forged) = (text(folder.path().join("mine")), forgery(&folder));
    let trusted = text(folder.path().join("trusted"));
    let merged = json(&["merge", &trusted, &forged, "--trust", "--json"]);
    assert_eq!((&merged["verified"], &merged["claimed"]), (&8.into(), &0.into()), "{merged}");
    answer(&["merge", &mine, &forged]);
    let audited = json(&["audit", "--db", &mine, "--withdraw", "--json"]);
    assert_eq!((&audited["withdrawn"], &audited["claimed"]), (&8.into(), &0.into()), "{audited}");
    // A won couple that follows from nothing does not come in either.
    let land = canonical("0*9").lands()[0].key().into();
    let store = Store::open(forged.as_ref(), &Secret::new(FOREIGN)).expect("a database");
    let source = Source { worker: "eve".into(), build: "none".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let exclusions = vec![Exclusion {
        game: sprig_domain::Game::Sprouts,
        land,
        values: 2,
        status: Status::Verified,
    }];
    let contributions = vec![Contribution { provenance, facts: Vec::new(), exclusions }];
    store.commit(&Batch { contributions, ..Batch::default() }).expect("its form is right");
    drop(store);
    answer(&["merge", &mine, &forged]);
    let store = Store::open(mine.as_ref(), &Secret::new(SECRET)).expect("a database");
    assert_eq!(store.exclusions().count(), 0);
}
