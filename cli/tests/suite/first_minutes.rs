//! What people meet in their first minutes: forgiving input, errors that blame the right word, several positions, help, values
//! of moves.
#![cfg(feature = "coordinator")]

use std::fs;
use std::io::ErrorKind;
use std::process::Command;

use crate::common::{
    answer, command, commands, fails, file_in, folder, json, refuses, root, sprig,
    sprig_with_input, text,
};
use serde_json::{Value, json};

#[test]
fn a_number_alone_is_a_start_position() {
    assert_eq!(answer(&["canon", "14"]), "0*14\n");
    assert_eq!(answer(&["canon", "0x14"]), "0*14\n");
    assert_eq!(answer(&["canon", "0×3"]), "0*3\n");
    assert_eq!(answer(&["nimber", "3", "0*2"]), "3\t1\n0*2\t0\n");
    // What is notation and a number stays notation, and says so.
    let said = sprig(&["canon", "12"]);
    assert_eq!(said.out, answer(&["canon", "12.}]!"]));
    assert!(said.err.contains("`0*12`"), "{}", said.err);
    assert_eq!(answer(&["canon", "0x12"]), "0*12\n");
    // One spot of notation stays one.
    for spot in ["1", "2"] {
        let said = sprig(&["canon", spot]);
        assert_eq!(said.out, answer(&["canon", &format!("{spot}.}}]!")]));
        assert!(said.err.contains(&format!("`0*{spot}`")), "{}", said.err);
    }
    assert_eq!(sprig(&["canon", "0"]).err, "");
    refuses(&["canon", "107"], &["position `107`", "1 to 106"]);
    refuses(&["canon", "0x0"], &["the empty position is written `!`"]);
    // A file holds notation alone: what `children` prints comes back as it was.
    let said = sprig_with_input(&["canon", "--file", "-"], "22\n14\n");
    assert_eq!(said.out, format!("22\t{}14\terror\n", answer(&["canon", "22.}]!"])));
    assert!(said.err.contains("line 2") && said.err.contains("write `0*14`"), "{}", said.err);
    // What may be meant as spots is said there, too.
    let line = "sprig: standard input, line 1: `22` is a boundary of 2 spots";
    assert!(said.err.starts_with(line) && said.err.contains("`0*22`"), "{}", said.err);
    // Once for a file, and not of what would be refused.
    let said = sprig_with_input(&["canon", "--file", "-"], "2222\n22\n12\n22\n");
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("sprig: standard input, line 2: `22` is a boundary"), "{lines:?}");
    assert_eq!(lines[1], "sprig: standard input: and 2 more such lines");
    let said = sprig_with_input(&["canon", "--file", "-", "--hoey-full"], "12\n");
    assert!(!said.err.contains("is a boundary"), "{}", said.err);
}

#[test]
fn a_sum_of_numbers_alone_says_what_it_is() {
    let said = sprig(&["compare", "2+2", "0", "--misere"]);
    for part in ["`2+2` is a sum of boundaries", "`0*2+0*2`", "`{0;1}+2`"] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert!(said.out.starts_with("equal\n"), "{}", said.out);
    // The example of the help is about heaps.
    let example = ["compare", "{0;1}+2", "0", "--misere"];
    assert!(answer(&["compare", "--help"]).contains("sprig compare '{0;1}+2' 0 --misere "));
    let said = sprig(&example);
    assert!(said.out.starts_with("different\n") && said.err.is_empty(), "{}", said.err);
    let said = sprig(&["rct", "2+2"]);
    assert!(said.err.contains("needs braces"), "{}", said.err);
    assert_eq!(sprig(&["canon", "0+0"]).err, "");
}

#[test]
fn what_is_wrong_is_blamed() {
    for (args, parts) in [
        (&["solve", "--nimbr", "0*5"][..], &["'--nimbr'", "'--nimber'"][..]),
        (&["solve", "--foo", "0"], &["'--foo'"]),
        (&["solve", "0*5", "--misère"], &["'--misère'", "'--misere'"]),
        (&["solve", "—nimber", "0*5"], &["`—nimber`", "`--nimber`"]),
        (&["slove", "0*5"], &["'slove'", "'solve'"]),
        (&["nimber", "--misere", "0*5"], &["normal play", "sprig rct"]),
        (&["children", "0*5", "--misere"], &["normal play", "sprig rct"]),
        (&["solve", "0*5", "--threads", "0"], &["from 1 to"]),
        (&["solve", "0*5", "--workers", "0"], &["from 1 to"]),
        (&["verify", "--threads", "0", "x"], &["from 1 to"]),
        (&["canon"], &["<POS>", "sprig canon --help"]),
    ] {
        refuses(args, parts);
        let said = sprig(args);
        assert!(!said.err.contains("to pass"), "{}", said.err);
    }
}

#[test]
fn several_positions_are_answered_in_turn() {
    assert_eq!(answer(&["solve", "0*3", "0*2"]), "0*3\twin\n0*2\tloss\n");
    let out = answer(&["canon", "0*3", "0*2", "--json"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    // A mistake is said before anything is answered.
    refuses(&["solve", "0*3", "0*2.AB|A"], &["`0*2.AB|A`", "column 6"]);
}

#[test]
fn an_error_is_an_object_for_programs() {
    let cases: [(&[&str], i32, &str); 5] = [
        (&["canon", "0*2.AB|A", "--json"], 2, "usage"),
        (&["canon", "--json"], 2, "usage"),
        (&["solve", "0*2", "--nimbr", "--json"], 2, "usage"),
        (&["verify", "nowhere.cert", "--json"], 1, "failed"),
        (&["status", "--coordinator", "http://127.0.0.1:1", "--json"], 1, "unreachable"),
    ];
    for (args, code, word) in cases {
        let said = sprig(args);
        assert_eq!(said.code, Some(code), "{args:?}: {}", said.err);
        let object: Value = serde_json::from_str(&said.out).expect("one object");
        assert_eq!(object["error"]["code"], word, "{object}");
        let message = object["error"]["message"].as_str().expect("a text");
        assert_eq!(said.err, format!("sprig: {message}\n"));
    }
}

#[test]
fn a_byte_order_mark_is_no_position() {
    let folder = folder();
    let file = file_in(&folder, "positions.txt", "\u{feff}0*2\n0*3\n");
    assert_eq!(answer(&["canon", "--file", &file]), "0*2\t0*2\n0*3\t0*3\n");
    let facts = file_in(&folder, "facts.txt", "\u{feff}[Positions+Nimber]\n0*3 1\n");
    answer(&["import", &facts, "--db", &text(folder.path().join("db"))]);
}

#[test]
fn a_file_of_something_else_is_named_in_short() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    let long = file_in(&folder, "long.txt", "[".repeat(200_000));
    fails(&["import", &long, "--db", &db], &["unknown header"]);
    assert!(sprig(&["import", &long, "--db", &db]).err.len() < 3_000);
}

#[test]
fn versions_say_what_fits_together() {
    let versions = json(&["version", "--json"]);
    for key in ["protocol", "protocol_from", "canonical", "store", "certificate"] {
        assert!(versions[key].is_u64(), "{versions}");
    }
    assert_eq!(versions["program"], env!("CARGO_PKG_VERSION"));
    assert!(answer(&["version"]).contains("canonical form"));
}

#[test]
fn help_puts_options_where_they_belong() {
    for name in ["query", "submit", "top", "worker", "status"] {
        let help = answer(&[name, "--help"]);
        let protected = help.split("Protected coordinators (https://):").nth(1).expect("a heading");
        let protected = protected
            .split("\n\n")
            .take_while(|part| part.starts_with(' ') || part.starts_with('\n'));
        let protected: String = protected.collect();
        assert!(help.contains("--tls-ca"), "{name}");
        for other in ["--json", "--ajs", "--every", "--threads", "--memory", "--misere", "--wait"] {
            assert!(!protected.contains(other), "{name}: {other}: {protected}");
        }
    }
    let help = answer(&["--help"]);
    for group in ["Solve:", "Proofs:", "Data:", "Cluster:", "Misère play:", "Tools:"] {
        assert!(help.lines().any(|line| line == group), "{group}: {help}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}

#[test]
fn shells_and_man_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = answer(&["completions", shell]);
        assert!(script.contains("play-out") && script.contains("nimber"), "{shell}");
    }
    let folder = folder();
    let pages = folder.path().join("man/man1");
    answer(&["man", &text(&pages)]);
    for name in commands().iter().filter(|name| *name != "help") {
        let page = fs::read_to_string(pages.join(format!("sprig-{name}.1"))).expect("a page");
        assert!(page.contains("Examples:"), "{name}");
    }
    assert!(answer(&["man"]).contains(".TH sprig 1"));
}

/// What a shell says to a script; none where that shell is not installed, which is said.
fn shell(shell: &str, args: &[&str]) -> Option<String> {
    match Command::new(shell).args(args).env("TERM", "dumb").output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("{shell} is not installed here: its completions are not loaded");
            None
        }
        said => {
            let said = crate::common::Said::from(said.expect("it starts"));
            assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{shell}: {}", said.out);
            Some(said.out)
        }
    }
}

#[test]
fn shells_load_the_completions_and_complete_with_them() {
    let folder = folder();
    let script = |shell| file_in(&folder, shell, answer(&["completions", shell]));
    let lines = format!(
        "source {}; complete -p sprig; COMP_WORDS=(sprig play-); COMP_CWORD=1; \
         _sprig sprig play- sprig; echo \"${{COMPREPLY[@]}}\"",
        script("bash")
    );
    let said = shell("bash", &["--noprofile", "--norc", "-c", &lines]).expect("bash is there");
    assert!(said.contains(" -F _sprig ") && said.ends_with("play-out\n"), "{said}");
    let lines = format!(
        "autoload -Uz compinit; compinit -u -d {}; source {}; print -r -- $_comps[sprig]",
        text(folder.path().join("dump")),
        script("zsh")
    );
    if let Some(said) = shell("zsh", &["-f", "-c", &lines]) {
        assert_eq!(said, "_sprig\n");
    }
    let lines = format!("source {}; complete -C 'sprig play-'", script("fish"));
    if let Some(said) = shell("fish", &["--no-config", "-c", &lines]) {
        assert!(said.starts_with("play-out"), "{said}");
    }
}

#[test]
fn moves_have_values_and_the_best_comes_first() {
    let found = json(&["moves", "6", "--solve", "--nimber", "--json"]);
    let children = answer(&["children", "0*6"]);
    let moves = found["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), children.lines().count());
    assert_eq!((&found["outcome"], &found["nimber"]), (&json!("loss"), &json!(0)), "{found}");
    for found in moves {
        let child = found["child"].as_str().expect("a text");
        assert!(children.lines().any(|line| line == child), "{child}");
        assert_eq!(answer(&["nimber", child]).trim_end(), found["nimber"].to_string());
        assert_eq!(found["outcome"], "win", "{child}");
    }
    // 7 spots are a loss, 9 a win.
    assert!(answer(&["best", "7", "--solve"]).starts_with("loses "));
    let best = json(&["best", "9", "--solve", "--json"]);
    let child = best["best"]["child"].as_str().expect("a text");
    assert_eq!(answer(&["solve", child, "!"]).lines().next(), Some(&*format!("{child}\tloss")));
    assert_eq!(answer(&["best", "!", "--solve"]), "no move is left\n");
    refuses(&["moves", "6"], &["--db", "--solve"]);
}

#[test]
fn moves_come_from_a_database_and_the_next_question_profits() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    answer(&["solve", "0*2", "--nimber", "--db", &db]);
    let table = answer(&["moves", "5", "--db", &db]);
    assert!(table.contains("unknown"), "{table}");
    answer(&["moves", "5", "--solve", "--nimber", "--db", &db]);
    let found = json(&["moves", "5", "--db", &db, "--json"]);
    let moves = found["moves"].as_array().expect("a list");
    assert!(moves.iter().all(|found| !found["nimber"].is_null()), "{found}");
    // The position itself was never asked about: its moves say what it is worth.
    let known = json(&["query", "5", "--db", &db, "--json"]);
    let expected: Value = answer(&["nimber", "5"]).trim_end().parse().expect("a number");
    assert_eq!(known["nimber"], expected, "{known}");
    assert_eq!(known["outcome"], "win");
}

#[test]
fn misere_moves_have_values_too() {
    let found = json(&["moves", "3", "--misere", "--solve", "--json"]);
    assert_eq!(found["outcome"], json(&["solve", "3", "--misere", "--json"])["outcome"]);
    assert_eq!((&found["nimber"], &found["play"]), (&Value::Null, &json!("misere")));
    refuses(&["moves", "3", "--misere", "--solve", "--nimber"], &["--nimber"]);
}

#[test]
fn progress_without_a_terminal_is_lines() {
    let said = sprig(&["solve", "0*20", "--progress", "plain=0"]);
    assert!(said.err.lines().any(|line| line.starts_with("sprig: 0*20: ")), "{}", said.err);
    assert!(said.err.contains("expansions"), "{}", said.err);
    let said = sprig(&["solve", "0*20", "--progress", "json=0"]);
    let line = said.err.lines().find(|line| line.starts_with('{')).expect("an object");
    let object: Value = serde_json::from_str(line).expect("JSON");
    assert!(object["expansions"].as_u64() > Some(0), "{object}");
    let said = sprig(&["solve", "0*20", "--progress", "none"]);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
}

#[test]
fn every_setting_of_a_service_is_a_variable() {
    for (service, example) in
        [("coordinator", "coordinator"), ("worker", "worker"), ("follow", "follower")]
    {
        let help = answer(&[service, "--help"]);
        let path = root().join(format!("deploy/systemd/{example}.env.example"));
        let example = fs::read_to_string(path).expect("it is there");
        // Options that are no settings, and what every command has.
        let others = ["--help", "--verbose", "--version", "--progress", "--seal-key"];
        let options = help.lines().filter_map(|line| {
            let mut words = line.trim_start().split([' ', ',']);
            words.find(|word| word.starts_with("--"))
        });
        let options: Vec<_> = options.filter(|option| !others.contains(option)).collect();
        assert!(options.len() > 5, "{options:?}");
        let named = help.split("[env: ").skip(1).filter_map(|rest| rest.split(['=', ']']).next());
        let named: Vec<_> =
            named.filter(|name| !["SPRIG_PROGRESS", "SPRIG_SEAL_KEY"].contains(name)).collect();
        for name in &named {
            assert!(example.contains(&format!("{name}=")), "{service}: {name}");
        }
        let said = example.lines().filter_map(|line| line.trim_start_matches('#').split_once('='));
        for (name, _) in said.filter(|(name, _)| name.starts_with("SPRIG_")) {
            let is_common = name.starts_with("SPRIG_LOG") || name == "SPRIG_SEAL_KEY";
            assert!(is_common || named.contains(&name), "{service}: {name} is not known");
        }
    }
    let mut worker = command(&["worker", "--coordinator", "http://127.0.0.1:1"]);
    let said = worker.env("SPRIG_THREADS", "0").output().expect("it starts");
    assert_eq!(said.status.code(), Some(2));
}

#[test]
fn who_names_nobody_asks_the_coordinator_of_the_environment() {
    let (folder, nobody) = (folder(), "http://127.0.0.1:1");
    let db = folder.path().join("db").display().to_string();
    answer(&["solve", "5", "--db", &db]);
    for asking in [&["query", "5"][..], &["moves", "5"], &["best", "5"], &["explore"]] {
        refuses(asking, &["--db DIR", "SPRIG_COORDINATOR"]);
        let said = command(asking).env("SPRIG_COORDINATOR", nobody).output().expect("it starts");
        let error = String::from_utf8_lossy(&said.stderr);
        assert!(!said.status.success() && error.contains(nobody), "{asking:?}: {error}");
    }
    // A database that is named comes first.
    for asking in ["query", "moves"] {
        let mut asked = command(&[asking, "5", "--db", &db]);
        let said = asked.env("SPRIG_COORDINATOR", nobody).output().expect("it starts");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
}
