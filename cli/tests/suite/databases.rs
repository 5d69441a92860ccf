//! What a database is worth: one's own, a stranger's, a damaged one, one that is in use.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::processes::Process;
use crate::common::{Said, answer, command, fails, folder, json, sprig, store, text};
use serde_json::Value;
use sprig_domain::Node;
use sprig_domain::{Conclusion, Goal, JobId, JobState, Outcome, Question, Terms};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_store::{Batch, Contribution, Fact, Job, Provenance, Secret, Source, Store, UnixMillis};

fn start(spots: usize) -> CanonicalPosition {
    CanonicalPosition::of(&Position::start(spots))
}

fn nimber(spots: usize, nimber: u64) -> Fact {
    Fact::nimber(start(spots).lands()[0].key(), Nimber::new(nimber).expect("in range")).verified()
}

/// A database that somebody else made up: 3 spots lost, 7 spots won, in misère play 6 spots lost; and the job that says so.
fn forge(db: &Path) {
    let lost = Fact::loss(&Node::new(start(6), false, []).encode()).verified();
    let source = Source { worker: "eve".into(), build: "none".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let facts = vec![nimber(3, 0), nimber(7, 4), nimber(30, 5), lost];
    let time = UnixMillis(1_767_225_600_000);
    let goal = |spots| Goal::normal(start(spots), Question::OUTCOME);
    let lost = Conclusion { outcome: Outcome::Loss, nimber: Some(Nimber::ZERO) };
    let job = |id, spots| Job {
        id: JobId(id),
        goal: goal(spots),
        priority: 0,
        submitted: time,
        state: JobState::Done(lost),
        ended: Some(time),
        expansions: 1,
        seconds: 1.0,
        terms: Terms::default(),
        core_seconds: 0.0,
        wishes: Vec::new(),
    };
    let batch = Batch {
        contributions: vec![Contribution { provenance, facts, exclusions: vec![] }],
        jobs: vec![job(1, 8), job(2, 3)],
        events: vec![],
    };
    let store = Store::open(db, &Secret::new([8; Secret::BYTES])).expect("a database");
    store.commit(&batch).expect("its form is right");
}

/// The one line that says how much is not ours.
fn says_claims(said: &Said) -> bool {
    let mut lines = said.err.lines().filter(|line| line.contains("count as claims"));
    let line = lines.next().unwrap_or_default();
    line.contains("of 4 facts")
        && line.contains("sprig audit")
        && line.contains("sprig adopt")
        && lines.next().is_none()
}

#[test]
fn a_strangers_database_is_not_answered_from() {
    let folder = folder();
    let db = folder.path().join("forged");
    forge(&db);
    let db = text(db);
    let said = sprig(&["query", "0*3", "--db", &db, "--json"]);
    let known: Value = serde_json::from_str(&said.out).expect("JSON");
    assert!(says_claims(&said), "{}", said.err);
    assert_eq!((&known["outcome"], &known["nimber"]), (&Value::Null, &Value::Null), "{known}");
    assert_eq!(known["claimed"]["outcome"], "loss", "{known}");
    assert_eq!(known["lands"][0]["claimed"], "nimber 0", "{known}");
    let said = sprig(&["query", "0*3", "--db", &db]);
    assert!(said.out.contains("outcome     unknown\n"), "{}", said.out);
    assert!(said.out.contains("claimed     0*3 has nimber 0\n"), "{}", said.out);
    // A job that ended with an answer is no door either.
    assert_eq!(json(&["query", "0*8", "--db", &db, "--json"])["outcome"], Value::Null);
    for (args, reason) in [
        (vec!["certify", "0*7", "--db", &db, "-o", "-"], "do not prove"),
        (vec!["play-out", "0*3", "--db", &db], "do not say who wins"),
        (vec!["certify", "0*6", "--misere", "--db", &db, "-o", "-"], "do not prove"),
    ] {
        let said = sprig(&args);
        assert!(said.code == Some(1) && says_claims(&said), "{args:?}: {}", said.err);
        assert!(said.err.contains(reason), "{args:?}: {}", said.err);
    }
    assert_eq!(json(&["query", "0*6", "--misere", "--db", &db, "--json"])["outcome"], Value::Null);
}

#[test]
fn solving_into_a_strangers_database_finds_the_truth() {
    let folder = folder();
    let db = folder.path().join("forged");
    forge(&db);
    let db = text(db);
    let solved = sprig(&["solve", "0*3", "--db", &db, "--json"]);
    assert!(says_claims(&solved), "{}", solved.err);
    let solved: Value = serde_json::from_str(&solved.out).expect("JSON");
    assert_eq!(solved["outcome"], "win");
    assert!(solved["expansions"].as_u64() > Some(0), "it has searched");
    assert_eq!(answer(&["nimber", "0*3", "--db", &db]), "1\n");
    assert_eq!(json(&["solve", "0*7", "--db", &db, "--json"])["outcome"], "loss");
    assert_eq!(json(&["solve", "0*8", "--db", &db, "--json"])["outcome"], "loss");
    assert_eq!(json(&["solve", "0*3+0*5", "--db", &db, "--json"])["outcome"], "loss");
    assert_eq!(json(&["solve", "0*6", "--misere", "--db", &db, "--json"])["outcome"], "win");
    // What was proved has taken the place of what was made up.
    let known = json(&["query", "0*3", "--db", &db, "--json"]);
    assert_eq!((&known["outcome"], &known["nimber"]), (&"win".into(), &1.into()));
    assert_eq!(json(&["db", "check", "--db", &db, "--json"])["marked"]["nimbers"], 1);
    // Once is enough: it is all verified now.
    assert_eq!(json(&["solve", "0*7", "--db", &db, "--json"])["expansions"], 0);
}

#[test]
fn what_is_forged_stays_forged_when_it_is_merged() {
    let folder = folder();
    let [victim, forged] = ["victim", "forged"].map(|name| folder.path().join(name));
    forge(&forged);
    answer(&["solve", "0*5", "--db", &text(&victim)]);
    answer(&["merge", &text(&victim), &text(&forged)]);
    let victim = text(victim);
    assert_eq!(json(&["query", "0*3", "--db", &victim, "--json"])["outcome"], Value::Null);
    assert_eq!(json(&["query", "0*5", "--db", &victim, "--json"])["outcome"], "win");
    assert_eq!(json(&["solve", "0*3", "--db", &victim, "--json"])["outcome"], "win");
    assert_eq!(json(&["solve", "0*6", "--misere", "--db", &victim, "--json"])["outcome"], "win");
}

#[test]
fn ones_own_facts_stay_verified_and_the_owner_can_vouch_for_others() {
    let folder = folder();
    let [db, moved] = ["db", "moved"].map(|name| folder.path().join(name));
    answer(&["solve", "0*8", "--db", &text(&db)]);
    fs::rename(&db, &moved).expect("moved");
    let moved = text(moved);
    let said = sprig(&["query", "0*8", "--db", &moved]);
    assert!(said.out.contains("loss") && said.err.is_empty(), "{} {}", said.out, said.err);

    // Another machine has another key.
    let key = text(folder.path().join("keys/other.key"));
    let other = |args: &[&str]| {
        let output = command(args).args(["--seal-key", &key]).output().expect("sprig starts");
        Said::from(output)
    };
    let said = other(&["query", "0*8", "--db", &moved, "--json"]);
    assert!(said.out.contains("\"outcome\":null"), "{}", said.out);
    let mode = fs::metadata(&key).expect("made on first use").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let info: Value =
        serde_json::from_str(&other(&["db", "info", "--db", &moved, "--json"]).out).expect("JSON");
    assert_eq!(info["verified"]["nimbers"], 0, "{info}");
    let facts = info["claimed"]["nimbers"].as_u64().expect("a number");
    assert!(facts > 0, "{info}");

    let adopted = other(&["adopt", "--db", &moved, "--json"]);
    let adopted: Value = serde_json::from_str(&adopted.out).expect("JSON");
    assert_eq!((&adopted["nimbers"], &adopted["claimed"]), (&facts.into(), &0.into()));
    let said = other(&["query", "0*8", "--db", &moved]);
    assert!(said.out.contains("loss") && said.err.is_empty(), "{} {}", said.out, said.err);
    // The first owner finds another's seals now.
    assert!(sprig(&["query", "0*8", "--db", &moved]).err.contains("count as claims"));
}

#[test]
fn a_key_lies_outside_the_database_and_is_for_its_owner_alone() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    answer(&["solve", "0*2", "--db", &db]);
    let inside = text(folder.path().join("db/seal.key"));
    fails(
        &["query", "0*2", "--db", &db, "--seal-key", &inside],
        &["lies in the database", "elsewhere"],
    );
    let open = crate::common::file_in(&folder, "open.key", "00".repeat(32));
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).expect("changed");
    fails(&["query", "0*2", "--db", &db, "--seal-key", &open], &["chmod 600"]);
    let short = crate::common::file_in(&folder, "short.key", "00");
    fs::set_permissions(&short, fs::Permissions::from_mode(0o600)).expect("changed");
    fails(&["query", "0*2", "--db", &db, "--seal-key", &short], &["64 hexadecimal digits"]);

    let mut homeless = command(&["query", "0*2", "--db", &db]);
    homeless.env_remove("SPRIG_SEAL_KEY").env_remove("HOME").env_remove("XDG_STATE_HOME");
    homeless.env("STATE_DIRECTORY", &db);
    let said = homeless.output().expect("sprig starts").into();
    crate::common::said_one_line(
        &said,
        "homeless",
        &["no place", "--seal-key FILE", "SPRIG_SEAL_KEY"],
    );
    let mut at_home = command(&["query", "0*2", "--db", &db]);
    at_home.env_remove("SPRIG_SEAL_KEY").env_remove("XDG_STATE_HOME").env_remove("STATE_DIRECTORY");
    at_home.env("HOME", folder.path());
    assert!(at_home.output().expect("sprig starts").status.success());
    assert!(folder.path().join(".local/state/sprig/seal.key").exists());
}

/// What of the last log of writes may be missing after a clean end: everything.
#[test]
fn no_log_is_needed_after_a_clean_end() {
    let folder = folder();
    let db = folder.path().join("db");
    answer(&["solve", "0*8", "--db", &text(&db)]);
    let facts = store(&db).counts().expect("readable").total();
    assert!(facts > 0);
    let damages: [fn(&Path); 3] = [
        |log| fs::remove_file(log).expect("removed"),
        |log| fs::write(log, "").expect("emptied"),
        |log| {
            let bytes = fs::read(log).expect("read");
            fs::write(log, &bytes[..bytes.len() / 2]).expect("cut");
        },
    ];
    for damage in damages {
        for file in fs::read_dir(&db).expect("there").map(|file| file.expect("there").path()) {
            if file.extension().is_some_and(|extension| extension == "log") {
                damage(&file);
            }
        }
        let known = json(&["query", "0*8", "--db", &text(&db), "--json"]);
        assert_eq!(known["outcome"], "loss");
        assert_eq!(store(&db).counts().expect("readable").total(), facts);
    }
}

#[test]
fn less_than_was_recorded_is_refused_until_it_is_accepted() {
    let folder = folder();
    let [db, copy] = ["db", "copy"].map(|name| folder.path().join(name));
    let running = store(&db);
    let source = Source { worker: "ada".into(), build: "none".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let contribution = Contribution { provenance, facts: vec![nimber(3, 1)], exclusions: vec![] };
    running.commit(&Batch { contributions: vec![contribution], ..Batch::default() }).expect("kept");
    running.record().expect("written");
    // A copy of a database that is in use, without its log.
    fs::create_dir(&copy).expect("made");
    for file in fs::read_dir(&db).expect("there").map(|file| file.expect("there")) {
        if !file.file_name().to_string_lossy().ends_with(".log") {
            fs::copy(file.path(), copy.join(file.file_name())).expect("copied");
        }
    }
    let copy = text(copy);
    for args in [
        vec!["query", "0*3", "--db", &copy],
        vec!["solve", "0*3", "--db", &copy],
        vec!["export", "--db", &copy],
        vec!["db", "check", "--db", &copy],
    ] {
        fails(&args, &["holds 0 facts", "at least 1 on 2", "sprig db accept --db"]);
    }
    let accepted = answer(&["db", "accept", "--db", &copy]);
    assert!(accepted.contains("0 facts are there; on "), "{accepted}");
    assert_eq!(json(&["solve", "0*3", "--db", &copy, "--json"])["outcome"], "win");
}

/// While a process solves, others read what it has written by then.
#[test]
fn a_query_is_answered_beside_a_running_solve() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    let solve = ["solve", "0*60", "--db", &db, "--threads", "1", "--memory", "512M"];
    let mut solve = command(&solve);
    solve.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut solve = solve.spawn().expect("sprig starts");
    let until = Instant::now() + Duration::from_secs(60);
    let (land, nimber) = loop {
        let said = sprig(&["export", "--db", &db]);
        if let Some(line) = said.out.lines().next().filter(|_| said.code == Some(0)) {
            let fact: Value = serde_json::from_str(line).expect("JSON lines");
            break (fact["land"].as_str().expect("a land").to_owned(), fact["nimber"].clone());
        }
        assert!(Instant::now() < until, "nothing is there: {}", said.err);
    };
    let known = json(&["query", &land, "--db", &db, "--json"]);
    assert_eq!(known["nimber"], nimber, "{known}");
    assert!(solve.try_wait().expect("it can be asked").is_none(), "it still solves");
    solve.kill().expect("it is there");
    solve.wait().expect("it ends");
}

#[test]
fn facts_of_another_game_are_left_out_of_files_and_counted() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    answer(&["solve", "0*8", "--db", &db]);
    let other = json(&["solve", "0*4", "--variant", "black-and-white", "--db", &db, "--json"]);
    let said = sprig(&["export", "--db", &db]);
    let count = format!("{} facts are of the game black-and-white", other["facts"]);
    assert!(said.code == Some(0) && said.err.contains(&count), "no `{count}` in {}", said.err);
}

#[test]
fn trees_are_of_no_game_and_are_not_said_to_be_left_out() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    answer(&["rct-base", "0*3", "--db", &db]);
    let said = sprig(&["export", "--db", &db]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let trees = said.out.lines().filter(|line| line.contains("\"options\"")).count();
    assert!(trees > 0, "no trees in {}", said.out);
    // Beside another game the trees do not count as facts of that.
    let other = json(&["solve", "0*4", "--variant", "black-and-white", "--db", &db, "--json"]);
    let said = sprig(&["export", "--db", &db]);
    let count = format!("sprig: {} facts are of the game black-and-white", other["facts"]);
    assert!(said.err.starts_with(&count), "no `{count}` in {}", said.err);
}

#[test]
fn readers_do_not_exclude_each_other_nor_who_writes() {
    let folder = folder();
    let db = folder.path().join("db");
    answer(&["solve", "0*8", "--db", &text(&db)]);
    let files = || {
        let files = fs::read_dir(&db).expect("there").map(|file| file.expect("there"));
        let mut files: Vec<_> = files
            .map(|file| {
                (file.file_name(), file.metadata().expect("there").modified().expect("a time"))
            })
            .collect();
        files.sort();
        files
    };
    let before = files();
    let query = || {
        let db = text(&db);
        let mut query = command(&["query", "0*8", "--db", &db, "--json"]);
        query.stdout(std::process::Stdio::piped()).spawn().expect("sprig starts")
    };
    let three = [query(), query(), query()].map(|child| child.wait_with_output().expect("ends"));
    for output in three {
        assert!(Said::from(output).out.contains("\"outcome\":\"loss\""));
    }
    assert_eq!(files(), before, "nothing is written into the folder");

    let ready = folder.path().join("ready");
    let listen = ["coordinator", "--listen", "127.0.0.1:0", "--db", &text(&db)];
    let mut coordinator = command(&listen);
    coordinator.stderr(fs::File::create(&ready).expect("made"));
    let _coordinator = Process::of(coordinator);
    while !fs::read_to_string(&ready).expect("there").contains("coordinator at") {
        std::thread::yield_now();
    }
    for args in [
        vec!["query", "0*8", "--db", &text(&db)],
        vec!["certify", "0*8", "--minimize", "0s", "-o", "-", "--text", "--db", &text(&db)],
        vec!["play-out", "0*8", "--depth", "0", "--db", &text(&db)],
        vec!["db", "info", "--db", &text(&db)],
        vec!["db", "list", "--db", &text(&db)],
        vec!["db", "check", "--db", &text(&db)],
        vec!["merge", &text(folder.path().join("merged")), &text(&db)],
        vec!["export", "--db", &text(&db)],
    ] {
        let said = sprig(&args);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{args:?}");
    }
    fails(&["solve", "0*9", "--db", &text(&db)], &["in use by another process (pid "]);
}

#[test]
fn facts_are_listed_by_pages() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    answer(&["solve", "0*6", "--db", &db]);
    let all = json(&["db", "list", "--limit", "1000000", "--db", &db, "--json"]);
    let all = all["facts"].as_array().expect("a list").clone();
    assert!(all.len() > 10);
    let (mut paged, mut after) = (Vec::new(), String::new());
    loop {
        let mut args = vec!["db", "list", "--limit", "7", "--db", &db, "--json"];
        if !after.is_empty() {
            args.extend(["--after", &after]);
        }
        let page = json(&args);
        paged.extend(page["facts"].as_array().expect("a list").clone());
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(paged, all);
    assert!(all.iter().all(|fact| fact["status"] == "verified"));
    let few = json(&["db", "list", "--lives", "6", "--prefix", "0", "--db", &db, "--json"]);
    for fact in few["facts"].as_array().expect("a list") {
        assert_eq!(fact["lives"], 6);
        assert!(fact["subject"].as_str().expect("text").starts_with('0'));
    }
    answer(&["db", "compact", "--db", &db]);
    let checked = json(&["db", "check", "--db", &db, "--json"]);
    assert_eq!(checked["verified"]["nimbers"], all.len());
}

#[test]
fn claims_about_nothing_are_left_out_of_an_export() {
    let db = folder();
    let fact = Fact::nimber(&[7, 7, 7, 7], Nimber::ZERO);
    let source = Source { worker: "eve".into(), build: "none".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let facts = vec![fact, nimber(3, 0)];
    let contribution = Contribution { provenance, facts, exclusions: vec![] };
    let batch = Batch { contributions: vec![contribution], ..Batch::default() };
    store(db.path()).commit(&batch).expect("its form is right");
    let said = sprig(&["export", "--db", &text(db.path()), "--claims", "--format", "jsonl"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("1 claim is about bytes that are no land"), "{}", said.err);
    assert!(said.out.lines().count() == 1 && said.out.contains("\"0*3\""), "{}", said.out);
}

#[test]
fn a_search_on_a_damaged_table_ends_with_the_reason() {
    let db = folder();
    let at = text(db.path());
    answer(&["solve", "9", "--nimber", "--db", &at]);
    let tables =
        fs::read_dir(db.path()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let largest = tables
        .filter(|path| path.extension().is_some_and(|end| end == "sst"))
        .max_by_key(|path| fs::metadata(path).expect("a file").len())
        .expect("a table");
    let mut bytes = fs::read(&largest).expect("read");
    bytes[200] ^= 1;
    fs::write(&largest, bytes).expect("written");
    fails(&["solve", "10", "--nimber", "--db", &at], &["damaged"]);
}
