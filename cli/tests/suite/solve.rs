//! `solve`, `nimber` and `query`: a whole cluster inside one process, with its database.
#![cfg(feature = "coordinator")]

use std::fs;
use std::process::{Command, Stdio};

use crate::common::{
    answer, command, fails, file_in, folder, json, refuses, root, rows, said_one_line, sprig, text,
};
use serde_json::{Value, json};

#[test]
fn start_positions_have_their_published_outcomes() {
    let folder = folder();
    let rows = rows(&root().join("testdata/outcomes.tsv"));
    let positions: Vec<_> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(positions.len(), 20);
    let file = file_in(&folder, "positions.txt", positions.join("\n"));
    let out = answer(&["solve", "--nimber", "--json", "--file", &file]);
    let objects: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), rows.len());
    for (row, object) in rows.iter().zip(&objects) {
        assert_eq!(object["position"], row[0]);
        assert_eq!(object["outcome"], row[1], "{object}");
        assert_eq!(object["nimber"].to_string(), row[2], "{object}");
    }
}

#[test]
fn nimbers_are_the_published_ones() {
    let folder = folder();
    let rows = rows(&root().join("testdata/nimbers.tsv"));
    let positions: Vec<_> = rows.iter().map(|row| row[0].as_str()).collect();
    let file = file_in(&folder, "positions.txt", positions.join("\n"));
    let expected: String = rows.iter().map(|row| format!("{}\t{}\n", row[0], row[1])).collect();
    assert_eq!(answer(&["nimber", "--file", &file]), expected);
}

#[test]
fn the_json_object_has_exactly_its_keys() {
    let object = json(&["solve", "0*3+0", "--json"]);
    let keys: Vec<_> = object.as_object().expect("an object").keys().collect();
    let mut expected = [
        "position",
        "canonical",
        "game",
        "play",
        "outcome",
        "nimber",
        "expansions",
        "facts",
        "seconds",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(object["position"], "0*3+0");
    assert_eq!(object["canonical"], answer(&["canon", "0*3+0"]).trim_end());
    assert_eq!(object["play"], "normal");
    assert_eq!(object["outcome"], "win");
    assert!(
        object["expansions"].is_u64() && object["facts"].is_u64() && object["seconds"].is_number()
    );
    assert_eq!(json(&["nimber", "0*3+0", "--json"])["nimber"], 1);
    assert_eq!(json(&["solve", "0*2", "--json"])["nimber"], 0, "a loss has nimber 0, asked or not");
}

#[test]
fn people_get_text() {
    let out = answer(&["solve", "0*3", "--nimber"]);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines[..2], ["outcome     win for the player to move", "nimber      1"]);
    assert!(lines[2].starts_with("expansions  ") && lines[3].starts_with("facts       "), "{out}");
    assert_eq!(answer(&["nimber", "0*3"]), "1\n");
    assert_eq!(answer(&["nimber", "!"]), "0\n");
    let said = sprig(&["nimber", "0*2"]);
    assert!(said.err.contains("temporary database") && said.err.contains("--db"), "{}", said.err);
}

#[test]
fn a_file_mixes_answers_and_errors() {
    let folder = folder();
    let file = file_in(&folder, "positions.txt", "0*3\n0*2.AB|A\n# and\n0*2\n0*7+0\n");
    for (args, expected) in [
        (&["solve"][..], "0*3\twin\n0*2.AB|A\terror\n0*2\tloss\n0*7+0\tloss\n"),
        (&["solve", "--nimber"], "0*3\twin 1\n0*2.AB|A\terror\n0*2\tloss 0\n0*7+0\tloss 0\n"),
        (&["nimber"], "0*3\t1\n0*2.AB|A\terror\n0*2\t0\n0*7+0\t0\n"),
    ] {
        let said = sprig(&[args, &["--file", &file]].concat());
        assert_eq!((said.code, said.out.as_str()), (Some(1), expected), "{args:?}: {}", said.err);
        assert!(said.err.contains("positions.txt, line 2: column 6: "), "{}", said.err);
    }
}

#[test]
fn the_second_time_the_database_answers() {
    let folder = folder();
    let db = text(folder.path().join("new/facts"));
    let first = json(&["solve", "0*8", "--nimber", "--db", &db, "--json"]);
    assert!(first["expansions"].as_u64() > Some(0), "{first}");
    let second = json(&["solve", "0*8", "--nimber", "--db", &db, "--json"]);
    assert_eq!(second["expansions"], 0, "{second}");
    for key in ["outcome", "nimber", "canonical"] {
        assert_eq!(first[key], second[key]);
    }
    // What is asked differently is known too.
    assert_eq!(json(&["solve", "0*8", "--db", &db, "--json"])["expansions"], 0);
}

#[test]
fn query_tells_outcome_and_winning_moves() {
    let folder = folder();
    let db = text(folder.path());
    answer(&["solve", "0*9", "--nimber", "--db", &db]);
    let known = json(&["query", "0*9", "--db", &db, "--json"]);
    assert_eq!((&known["outcome"], &known["nimber"]), (&json!("win"), &json!(1)), "{known}");
    let children = answer(&["children", "0*9"]);
    let winning = known["winning"].as_array().expect("a list");
    assert!(!winning.is_empty());
    for child in winning {
        let child = child.as_str().expect("a text");
        assert!(children.lines().any(|line| line == child), "{child} is no child");
        assert_eq!(answer(&["nimber", child, "--db", &db]), "0\n", "{child} is no winning move");
        assert!(answer(&["query", "0*9", "--db", &db]).contains(&format!("wins        {child}\n")));
    }
    let unknown = json(&["query", "0*19", "--db", &db, "--json"]);
    assert_eq!((&unknown["outcome"], &unknown["nimber"]), (&Value::Null, &Value::Null));
    assert!(answer(&["query", "0*19", "--db", &db]).starts_with("outcome     unknown\n"));
}

#[test]
fn one_thread_expands_the_same_in_every_run() {
    let run = || json(&["solve", "0*11", "--threads", "1", "--json"])["expansions"].clone();
    let first = run();
    assert!(first.as_u64() > Some(100), "{first}");
    assert_eq!(run(), first);
}

#[test]
fn several_workers_and_threads_agree() {
    for (workers, threads) in [("1", "2"), ("2", "1"), ("3", "2")] {
        let args =
            ["nimber", "0*11", "--workers", workers, "--threads", threads, "--memory", "512M"];
        assert_eq!(answer(&args), "1\n", "{args:?}");
    }
}

#[test]
fn databases_that_are_none_are_refused() {
    let folder = folder();
    let missing = text(folder.path().join("missing"));
    fails(&["query", "0", "--db", &missing], &["there is no database in", "missing", "solve"]);
    assert!(!folder.path().join("missing").exists(), "asking must not make a database");

    let file = file_in(&folder, "file", "text");
    fails(&["solve", "0", "--db", &file], &["not a directory"]);
    fails(&["query", "0", "--db", &file], &["not a directory"]);

    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).expect("made");
    fs::write(foreign.join("thesis.tex"), "years of work").expect("written");
    fails(&["solve", "0", "--db", &text(&foreign)], &["thesis.tex", "empty or new directory"]);
    assert_eq!(
        fs::read_dir(&foreign).expect("there").count(),
        1,
        "a foreign directory is left as it is"
    );

    let newer = text(folder.path().join("newer"));
    answer(&["solve", "0*2", "--db", &newer]);
    let stamp = folder.path().join("newer/SPRIG");
    let changed = fs::read_to_string(&stamp).expect("there").replace("format 2", "format 999");
    fs::write(&stamp, changed).expect("written");
    fails(&["solve", "0*2", "--db", &newer], &["version 999", "newer than this program"]);

    // Not even root may make a directory there.
    fails(&["solve", "0", "--db", "/sys/sprig"], &["/sys/sprig", "directory you may write to"]);
}

#[test]
fn a_mistake_makes_no_database() {
    let folder = folder();
    let db = folder.path().join("new");
    refuses(&["solve", "0*2.AB|A", "--db", &text(&db)], &["column 6"]);
    assert!(!db.exists());
}

#[test]
fn a_full_disk_ends_the_proof_with_one_line() {
    let folder = folder();
    // A limit on the size of files stands in for a full disk; the signal it would send is ignored.
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" solve '0*14' --db \"$1\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_sprig")]).arg(folder.path()).stdin(Stdio::null());
    shell.env("SPRIG_SEAL_KEY", crate::common::seal_key());
    let said = shell.output().expect("sh starts").into();
    said_one_line(&said, "full disk", &["no space left", "make room"]);
}

#[test]
fn an_interrupt_keeps_what_is_proved() {
    let folder = folder();
    let db = folder.path().join("facts");
    let mut solve = command(&["solve", "0*27", "--threads", "1", "--db", &text(&db)]);
    let child = solve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    // It is at work once its log of facts has grown.
    while log_bytes(&db) < 10_000 {
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    let said: crate::common::Said = child.wait_with_output().expect("ends").into();
    assert_eq!((said.code, said.out.as_str()), (Some(130), ""), "{}", said.err);
    assert!(said.err.contains("interrupted: ") && said.err.contains("is kept in"), "{}", said.err);
    let after = json(&["query", "0*27", "--db", &text(&db), "--json"]);
    assert_eq!(after["outcome"], Value::Null);
}

/// What a process that was killed had begun is still a job in the database; nobody who asks for
/// something else has asked for that.
#[test]
fn what_a_killed_process_had_begun_holds_nobody_up() {
    let folder = folder();
    let db = folder.path().join("facts");
    let text = text(&db);
    let mut command = command(&["solve", "0*60", "--db", &text]);
    let mut solve = command.stderr(Stdio::null()).spawn().expect("it starts");
    while log_bytes(&db) < 10_000 {
        assert!(solve.try_wait().expect("it is ours").is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    solve.kill().expect("it is there");
    solve.wait().expect("it ends");
    for play in [&[][..], &["--misere"]] {
        let asked = ["solve", "0*7", "--db", &text, "--json"];
        assert_eq!(json(&[&asked, play].concat())["outcome"], "loss");
    }
}

/// Bytes in the logs of a database.
fn log_bytes(db: &std::path::Path) -> u64 {
    let entries = fs::read_dir(db).into_iter().flatten().flatten();
    let logs = entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "log"));
    logs.filter_map(|log| log.metadata().ok()).map(|metadata| metadata.len()).sum()
}
