//! `sprig import` and `sprig export`.
#![cfg(feature = "coordinator")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::common::{
    answer, command, fails, file_in, folder, json, root, sprig, sprig_with_input, text,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_store::{Batch, Contribution, Fact, Provenance, Source, UnixMillis};
use tempfile::TempDir;

/// A database of proofs of 0*1 to 0*8, and its facts as JSON Lines.
fn solved(folder: &TempDir) -> (String, String) {
    let db = text(folder.path().join("solved"));
    let positions: String = (1..=8).map(|n| format!("0*{n}\n")).collect();
    let said = sprig_with_input(&["solve", "--file", "-", "--nimber", "--db", &db], positions);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let facts = answer(&["export", "--db", &db]);
    assert!(facts.lines().count() > 100, "{facts}");
    (db, facts)
}

/// A database of the trees of all lands of 0*4, and its facts as JSON Lines.
fn based(folder: &TempDir) -> (String, String) {
    let db = text(folder.path().join("based"));
    answer(&["rct-base", "0*4", "--db", &db]);
    let facts = answer(&["export", "--db", &db]);
    assert!(facts.lines().count() > 1_000, "{facts}");
    (db, facts)
}

fn export(folder: &TempDir, db: &str, format: &str, kind: &str) -> String {
    let file = text(folder.path().join(format!("{kind}.{format}")));
    let written =
        json(&["export", "--db", db, "--format", format, "--kind", kind, "-o", &file, "--json"]);
    let lines = std::fs::read_to_string(&file).expect("it was written").lines().count() as u64;
    let header = u64::from(format != "jsonl");
    assert_eq!(written["lines"].as_u64(), Some(lines - header), "{written}");
    file
}

#[test]
fn nimbers_survive_every_format() {
    let folder = folder();
    let (db, facts) = solved(&folder);
    for format in ["glop", "spots", "jsonl", "csv"] {
        let file = export(&folder, &db, format, "nimbers");
        let copy = text(folder.path().join(format!("copy of {format}")));
        let summary = json(&["import", &file, "--db", &copy, "--json"]);
        let claims = facts.lines().count() as u64;
        assert_eq!(summary["claims"].as_u64(), Some(claims), "{summary}");
        assert_eq!(summary["followed"].as_u64(), Some(claims), "{summary}");
        assert_eq!(answer(&["export", "--db", &copy]), facts, "{format}");
        // Once more, from standard input and packed: everything is known.
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&std::fs::read(&file).expect("it was written")).expect("memory");
        let packed = packed.finish().expect("memory");
        let said = sprig_with_input(&["import", "-", "--db", &copy, "--json"], packed);
        assert!(said.out.contains(&format!("\"known\":{claims}")), "{}", said.out);
    }
}

#[test]
fn trees_survive_every_format() {
    let folder = folder();
    let (db, facts) = based(&folder);
    for format in ["glop", "spots", "jsonl", "csv"] {
        let [trees, rcts] = ["trees", "rcts"].map(|kind| export(&folder, &db, format, kind));
        let copy = text(folder.path().join(format!("copy of {format}")));
        answer(&["import", &rcts, &trees, "--db", &copy]);
        assert_eq!(answer(&["export", "--db", &copy]), facts, "{format}");
    }
}

#[test]
fn a_wrong_line_is_named_and_the_others_are_taken_in() {
    let folder = folder();
    let (db, facts) = solved(&folder);
    let file = export(&folder, &db, "csv", "nimbers");
    let sound = std::fs::read_to_string(&file).expect("it was written");
    let lines: Vec<&str> = sound.lines().collect();
    for wrong in [2, lines.len() / 2, lines.len() - 1] {
        let mut forged: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let (land, nimber) = lines[wrong].split_once(',').expect("two columns");
        let nimber: u8 = nimber.parse().expect("a nimber");
        forged[wrong] = format!("{land},{}", nimber ^ 1);
        let file = file_in(&folder, "forged.csv", forged.join("\n"));
        let copy = text(folder.path().join(format!("copy {wrong}")));
        let said = sprig(&["import", &file, "--db", &copy, "--json"]);
        assert_eq!(said.code, Some(1), "{}", said.out);
        assert!(said.out.contains("\"wrong\":1,"), "{}", said.out);
        let place = format!("forged.csv, line {}: land `{land}` does not have", wrong + 1);
        assert!(said.err.contains(&place), "{}", said.err);
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        // What the file had right is there, and nothing false: a search may have found more.
        let taken = answer(&["export", "--db", &copy]);
        let claimed = format!("{{\"land\":\"{land}\",\"nimber\":{}}}", nimber ^ 1);
        assert!(!taken.contains(&claimed), "{claimed}");
        for line in facts.lines().filter(|line| !line.contains(&format!("\"{land}\""))) {
            assert!(taken.contains(line), "{line}");
        }
    }
}

#[test]
fn what_a_file_leaves_out_is_searched_for() {
    let folder = folder();
    let file = file_in(&folder, "some.txt", "[Positions+Nimber]\n0*5 1\n0.0.AB|BA 2\n0*3 2\n");
    let db = text(folder.path().join("db"));
    let said = sprig(&["import", &file, "--db", &db, "--json"]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("\"searched\":2,\"unchecked\":0,\"wrong\":1,"), "{}", said.out);
    assert!(said.err.contains("line 4: land `0*3` does not have nimber 2"), "{}", said.err);
    let said = sprig(&["import", &file, "--db", &db, "--expansions", "0", "--json"]);
    assert!(said.out.contains("\"known\":2,"), "{}", said.out);
    // Without a search, nothing can be said of a lone claim.
    let file = file_in(&folder, "one.txt", "[Positions+Nimber]\n0*9 1\n");
    let other = text(folder.path().join("other"));
    let said = sprig(&["import", &file, "--db", &other, "--expansions", "1", "--json"]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("\"undecided\":1,"), "{}", said.out);
    assert!(said.err.contains("line 2: it could not be decided"), "{}", said.err);
    assert_eq!(answer(&["export", "--db", &other]).find("0*9"), None);
}

#[test]
fn contradictions_are_reported_from_both_sides_and_not_merged() {
    let folder = folder();
    let one = file_in(&folder, "one.txt", "[Positions+Nimber]\n0.0.AB|AB 2\n0*3 1\n");
    let two = file_in(&folder, "two.csv", "land,nimber\n0*2.BA|AB,3\n");
    let db = text(folder.path().join("db"));
    let said = sprig(&["import", &one, &two, "--db", &db, "--json"]);
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("\"contradictions\":1"), "{}", said.out);
    for part in ["two.csv, line 2: land `0*2.AB|AB`", "nimber 3 here and 2 in", "one.txt, line 2"] {
        assert!(said.err.contains(part), "{}", said.err);
    }

    // A mere claim of a database does not stand in the way of what is true.
    let land = CanonicalPosition::of(&Position::start(3)).lands()[0].clone();
    let false_fact = Fact::nimber(land.key(), Nimber::new(2).expect("in range"));
    let put = |db: &str, fact: Fact| {
        let source = Source { worker: "liar".into(), build: "0".into() };
        let provenance = Provenance { source, job: None, time: UnixMillis(0) };
        let facts = vec![fact];
        let contributions = vec![Contribution { provenance, facts, exclusions: Vec::new() }];
        let batch = Batch { contributions, ..Batch::default() };
        crate::common::store(db).commit(&batch).expect("it is written");
    };
    let claimed = text(folder.path().join("claimed"));
    put(&claimed, false_fact.clone());
    let summary = json(&["import", &one, "--db", &claimed, "--json"]);
    assert_eq!(summary["contradictions"], 0, "{summary}");
    let facts = answer(&["export", "--db", &claimed]);
    assert!(facts.contains("{\"land\":\"0*3\",\"nimber\":1}"), "{facts}");

    // What is verified is not overwritten.
    let verified = text(folder.path().join("verified"));
    put(&verified, false_fact.verified());
    let said = sprig(&["import", &one, "--db", &verified, "--json"]);
    assert_eq!(said.code, Some(1));
    for part in ["one.txt, line 3", "said to have nimber 1, but the database has 2", "worker liar"]
    {
        assert!(said.err.contains(part), "{}", said.err);
    }
    let facts = answer(&["export", "--db", &verified]);
    assert!(facts.contains("{\"land\":\"0*3\",\"nimber\":2}"), "{facts}");
}

#[test]
fn a_sample_takes_in_what_it_has_checked() {
    let folder = folder();
    let (db, facts) = solved(&folder);
    let file = export(&folder, &db, "glop", "nimbers");
    let copy = text(folder.path().join("copy"));
    let none = json(&["import", &file, "--db", &copy, "--check", "none", "--json"]);
    assert_eq!(none["unchecked"].as_u64(), Some(facts.lines().count() as u64), "{none}");
    fails(&["export", "--db", &copy], &["there is no database"]);
    // Trees prove themselves, and are not kept either.
    let trees = export(&folder, &based(&folder).0, "jsonl", "trees");
    let none = json(&["import", &trees, "--db", &copy, "--check", "none", "--json"]);
    assert_eq!((&none["claims"], &none["followed"]), (&none["unchecked"], &0.into()), "{none}");
    fails(&["export", "--db", &copy], &["there is no database"]);
    let half = json(&["import", &file, "--db", &copy, "--check", "sample=0.5", "--json"]);
    let [all, left] = ["claims", "unchecked"].map(|key| half[key].as_u64().expect("a count"));
    assert!(left > 0 && left < all, "{half}");
    let said = sprig(&["import", &file, "--db", &copy, "--check", "some"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
}

#[test]
fn a_file_of_something_else_changes_nothing() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    let sound = file_in(&folder, "sound.txt", "[Positions+Nimber]\n0*3 1\n");
    for (content, parts) in [
        ("0*3 1\n", &["file: line 1, column 1: no header"][..]),
        ("[Positions+Nimber]\n0*3 1\n0*x 1\n", &["file: line 3, column 2: `*` must"]),
        ("[Positions+Nimber]\n0*3+0*2 1\n", &["file, line 2: `0*3+0*2` is a sum of 2 lands"]),
        ("[Positions+Nimber]\n! 1\n", &["file, line 2: `!` has no moves left"]),
        ("[Rct+Rcts_children]\n3-1-L 0 2\n", &["file, line 2: RCT 3-1-L is not reduced"]),
        (
            "[Rct+Rcts_children]\n3-1-L 2\n3-1-L 3\n",
            &["line 3: RCT 3-1-L has other options in", "file, line 2"],
        ),
    ] {
        let file = file_in(&folder, "file", content);
        fails(&["import", &sound, &file, "--db", &db], parts);
        fails(&["export", "--db", &db], &["there is no database"]);
    }
    fails(&["import", "/nowhere/at all", "--db", &db], &["cannot open /nowhere/at all"]);
}

#[test]
fn certificates_are_files_of_facts() {
    let folder = folder();
    for (play, most) in [("normal", 12), ("misere", 8)] {
        let of = |n: u32| text(root().join(format!("certificates/{play}/{n}.cert")));
        let db = text(folder.path().join(play));
        let mut args = vec!["import".to_owned(), "--db".into(), db.clone(), "--json".into()];
        args.extend((2..=most).map(of));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let first = json(&args);
        assert_eq!(first["followed"], first["claims"], "{first}");
        assert_eq!(json(&args)["known"], first["claims"]);
        // What was proved elsewhere needs no search but a look at some moves, and can be certified again.
        let misere: &[&str] = if play == "misere" { &["--misere"] } else { &[] };
        for n in 2..=most {
            let position = format!("0*{n}");
            let solved = json(&[&["solve", &position, "--db", &db, "--json"], misere].concat());
            assert!(solved["expansions"].as_u64() < Some(100), "{solved}");
            let proof = text(folder.path().join("again.cert"));
            let quick = ["certify", &position, "--db", &db, "-o", &proof, "--minimize", "0"];
            answer(&[&quick, misere].concat());
            let verified = json(&["verify", &proof, "--json"]);
            assert_eq!(verified["claim"].as_str(), solved["outcome"].as_str(), "{verified}");
        }
    }
}

#[test]
fn a_false_fact_of_a_certificate_is_named_and_left_out() {
    let folder = folder();
    let whole = answer(&["certificate", "text", &text(root().join("certificates/normal/8.cert"))]);
    let line = whole.lines().position(|line| line == "22 1").expect("it has this fact") + 1;
    let body = whole.replace("\n22 1\n", "\n22 2\n");
    let body = &body[..body.find("blake3").expect("a checksum")];
    let file = file_in(&folder, "8.txt", body.to_owned() + &sprig_certificate::checksum(body));
    let db = text(folder.path().join("db"));
    let said = sprig(&["import", &file, "--db", &db, "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.err.contains(&format!("8.txt, line {line}: land `22`")), "{}", said.err);
    assert!(said.out.contains("\"wrong\":1"), "{}", said.out);
    // Damage, and games that have databases of their own.
    let damaged = file_in(&folder, "damaged.txt", whole.replace("\n22 1\n", "\n22 2\n"));
    let other = text(folder.path().join("other"));
    fails(&["import", &damaged, "--db", &other], &["damaged.txt: the checksum is wrong"]);
    let of = text(root().join("certificates/black-and-white/normal/4.cert"));
    fails(&["import", &of, "--db", &other], &["4.cert: this certificate is about the game"]);
    fails(&["export", "--db", &other], &["there is no database"]);
}

/// All positions of a small game that are lost in misère play.
fn losses(spots: usize) -> Vec<CanonicalPosition> {
    fn wins(position: &CanonicalPosition, known: &mut BTreeMap<CanonicalPosition, bool>) -> bool {
        if let Some(&wins) = known.get(position) {
            return wins;
        }
        let children = position.children().expect("few moves");
        let mut lost = children.iter().filter(|child| !wins(child, known)).count() > 0;
        lost |= children.is_empty();
        known.insert(position.clone(), lost);
        lost
    }
    let mut known = BTreeMap::new();
    wins(&CanonicalPosition::of(&Position::start(spots)), &mut known);
    known.into_iter().filter(|(_, wins)| !wins).map(|(position, _)| position).collect()
}

#[test]
fn misère_losses_are_checked_and_survive_every_format() {
    let folder = folder();
    let losses = losses(4);
    let lines: Vec<_> = losses.iter().map(CanonicalPosition::to_string).collect();
    let header = "[WinLoss_Misere:Losing_Position]";
    let file = file_in(&folder, "losses.txt", format!("{header}\n{}\n", lines.join("\n")));
    let db = text(folder.path().join("db"));
    let summary = json(&["import", &file, "--db", &db, "--json"]);
    assert_eq!(summary["followed"].as_u64(), Some(lines.len() as u64), "{summary}");
    let facts = answer(&["export", "--db", &db]);
    for (format, kind) in [("glop", "plain-losses"), ("spots", "losses"), ("csv", "losses")] {
        let file = export(&folder, &db, format, kind);
        let copy = text(folder.path().join(format!("copy of {format}")));
        answer(&["import", &file, "--db", &copy]);
        assert_eq!(answer(&["export", "--db", &copy]), facts, "{format}");
    }
    // 0*2.AB|AB is a win.
    let file =
        file_in(&folder, "wrong.txt", format!("{header}\n0*2.AB|AB\n{}\n", lines.join("\n")));
    let copy = text(folder.path().join("wrong"));
    let said = sprig(&["import", &file, "--db", &copy, "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.err.contains("wrong.txt, line 2: node `0*2.AB|AB 0` is not lost"), "{}", said.err);
    // Alone, a loss of many moves follows from nothing; a search can find it.
    let file = file_in(&folder, "alone.txt", format!("{header}\n0*4\n"));
    let alone = text(folder.path().join("alone"));
    let said = sprig(&["import", &file, "--db", &alone, "--expansions", "0", "--json"]);
    assert!(said.out.contains("\"undecided\":1"), "{}", said.out);
    assert_eq!(json(&["import", &file, "--db", &alone, "--json"])["searched"], 1);
}

#[test]
fn misère_losses_may_name_trees() {
    let folder = folder();
    let (base, _) = based(&folder);
    let [trees, rcts] = ["trees", "rcts"].map(|kind| export(&folder, &base, "glop", kind));
    // S_2 = {2}, S_4 = {3;{1;2;{3;{2}}}}; 2 + {1;{2}} is a win, 2 + 2 + 2 + {1;{2}} a loss; 0*2.AB|AB has {1;{2}}.
    let name = |land: &str| {
        let text = std::fs::read_to_string(&rcts).expect("it was written");
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{land} ")))
            .expect("it is there")
            .to_owned();
        line.split_once(' ').expect("two fields").1.to_owned()
    };
    let odd = name("0*2.AB|AB");
    let nodes = format!(
        "[Misere_Complex:Losing_Position+Rcts]\n0*2 0\n! 0 {}\n! 0 2 {odd}\n! 0 2 2 2 {odd}\n",
        name("0*4")
    );
    let file = file_in(&folder, "nodes.txt", nodes);
    let db = text(folder.path().join("db"));
    let said = sprig(&["import", &file, &trees, &rcts, "--db", &db, "--json"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    assert!(said.err.contains("nodes.txt, line 4: node"), "{}", said.err);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    let losses = answer(&["export", "--db", &db, "--kind", "losses"]);
    assert_eq!(losses.lines().count(), 3, "{losses}");
}

#[test]
fn an_import_that_is_killed_goes_on_where_it_was() {
    let folder = folder();
    let (db, facts) = solved(&folder);
    let file = export(&folder, &db, "glop", "nimbers");
    // The last claim keeps a search busy for longer than any test waits; the others are on disk by then.
    let sound = std::fs::read_to_string(&file).expect("it was written");
    let endless = file_in(&folder, "endless.txt", format!("{sound}0*45 2\n"));
    let copy = text(folder.path().join("copy"));
    let mut import = command(&["import", &endless, "--db", &copy, "--expansions", "1000000000"]);
    import.env("SPRIG_LOG", "sprig=debug").stdout(Stdio::null()).stderr(Stdio::piped());
    let mut import = import.spawn().expect("sprig starts");
    let log = BufReader::new(import.stderr.take().expect("a pipe"));
    let written =
        log.lines().map_while(Result::ok).filter(|line| line.contains("facts are on disk"));
    assert_eq!(written.take(5).count(), 5);
    import.kill().expect("it runs");
    import.wait().expect("it ends");
    let kept = answer(&["export", "--db", &copy]);
    assert!(!kept.is_empty());
    for line in kept.lines() {
        assert!(facts.contains(line), "{line}");
    }
    let summary = json(&["import", &file, "--db", &copy, "--json"]);
    assert_eq!(summary["known"].as_u64(), Some(kept.lines().count() as u64), "{summary}");
    assert_eq!(answer(&["export", "--db", &copy]), facts);
    // Its time may be over, too, and then nobody has interrupted it.
    let slow = ["import", &endless, "--db", &copy, "--expansions", "1000000000"];
    let parts = ["its time is over (--max-seconds); what was checked is kept"];
    fails(&[&slow[..], &["--max-seconds", "1"]].concat(), &parts);
    assert_eq!(answer(&["export", "--db", &copy]), facts);
}

#[test]
fn only_json_lines_hold_several_kinds() {
    let folder = folder();
    let db = text(folder.path().join("db"));
    let file = file_in(&folder, "file.txt", "[Positions+Nimber]\n0*3 1\n");
    answer(&["import", &file, "--db", &db]);
    // Most databases hold nimbers, and so do the files of others.
    for format in ["csv", "spots", "glop"] {
        let said = sprig(&["export", "--db", &db, "--format", format]);
        let same = answer(&["export", "--db", &db, "--format", format, "--kind", "nimbers"]);
        assert_eq!((said.code, said.out), (Some(0), same), "{format}");
        assert!(said.err.contains("--kind"), "{}", said.err);
    }
    assert_eq!(sprig(&["export", "--db", &db, "--json"]).code, Some(2));
    let csv = answer(&["export", "--db", &db, "--format", "csv", "--kind", "nimbers"]);
    assert!(csv.starts_with("land,nimber\n") && csv.contains("\n0*3,1\n"), "{csv}");
    let said = command(&["export", "--db", &db]).stdout(Stdio::null()).output().expect("it runs");
    assert!(said.status.success());
}
