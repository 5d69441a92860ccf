//! `certify`, `verify` and `play-out`, and the certificates that ship with the program.
#![cfg(feature = "coordinator")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::common::{answer, fails, file_in, folder, json, root, rows, sprig, text};
use serde_json::Value;

/// The certificate of a start position that ships with the program.
fn shipped(spots: u32) -> String {
    text(root().join(format!("certificates/normal/{spots}.cert")))
}

/// A certificate in text form, changed, with the right checksum.
fn altered(folder: &tempfile::TempDir, text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no `{from}` in:\n{text}");
    let text = text.replacen(from, to, 1);
    let (body, _) = text.trim_end().rsplit_once('\n').expect("several lines");
    let body = body.to_owned() + "\n";
    let whole = body.clone() + &sprig_certificate::checksum(&body);
    file_in(folder, "altered.txt", whole)
}

#[test]
fn what_was_solved_can_be_certified_and_verified() {
    let folder = folder();
    let (db, file) = (text(folder.path().join("db")), text(folder.path().join("5.cert")));
    // Two threads prove other facts in every run, and now and then a set whose least certificate is larger.
    answer(&["solve", "0*5", "--nimber", "--threads", "1", "--db", &db]);
    let certified =
        json(&["certify", "0*5", "--db", &db, "-o", &file, "--minimize", "1s", "--json"]);
    let verified = json(&["verify", &file, "--json"]);
    for object in [&certified, &verified] {
        assert_eq!(object["position"], "0*5");
        assert_eq!(object["play"], "normal");
        assert_eq!(object["claim"], "win");
        assert_eq!(object["facts"], certified["facts"]);
    }
    assert_eq!(verified["verified"], true);
    assert_eq!(certified["bytes"], fs::metadata(&file).expect("it was written").len());
    let (facts, bound) = (certified["facts"].as_u64(), certified["bound"].as_u64());
    assert!(facts.expect("a number") <= 20, "{certified}");
    assert!(bound <= facts && bound.expect("a number") > 5, "{certified}");
    let other = text(folder.path().join("other.cert"));
    let quick = ["certify", "0*5", "--db", &db, "-o", &other, "--minimize", "0", "--bound", "0"];
    let quick = json(&[&quick[..], &["--json"]].concat());
    assert_eq!(quick.get("bound"), Some(&Value::Null), "{quick}");

    // The text says the same, also about the exact nimber and about sums.
    for (position, claim) in
        [("0*5", "claim nimber 1"), ("0*5+0*3", "claim loss"), ("!", "claim loss")]
    {
        answer(&["solve", position, "--nimber", "--db", &db]);
        let args =
            ["certify", position, "--db", &db, "-o", "-", "--text", "--nimber", "--minimize", "0"];
        let written = answer(&args);
        assert!(written.contains(&format!("\nposition {position}\n{claim}\n")), "{written}");
        let file = file_in(&folder, "certificate.txt", &written);
        assert_eq!(json(&["verify", &file, "--json"])["verified"], true);
    }
    // It goes on from an earlier certificate, also with an empty database.
    let more = text(folder.path().join("more"));
    answer(&["solve", "0", "--db", &more]);
    let again = [
        "certify",
        "0*5",
        "--db",
        &more,
        "-o",
        &file,
        "--from",
        &file,
        "--minimize",
        "0",
        "--json",
    ];
    assert!(json(&again)["facts"].as_u64() <= certified["facts"].as_u64());
    fails(&["certify", "0*6", "--db", &more, "-o", &file], &["sprig solve '0*6'", "--db"]);
    fails(&["certify", "0*5", "--db", "nowhere", "-o", &file], &["no database"]);
}

#[test]
fn shipped_certificates_prove_the_published_outcomes() {
    let outcomes = rows(&root().join("testdata/outcomes.tsv"));
    for spots in 2..=11 {
        let said = json(&["verify", &shipped(spots), "--json"]);
        let row = outcomes.iter().find(|row| row[0] == format!("0*{spots}")).expect("published");
        assert_eq!(
            (said["position"].as_str(), said["claim"].as_str()),
            (Some(&*row[0]), Some(&*row[1]))
        );
    }
}

#[test]
fn shipped_misere_certificates_prove_the_published_outcomes() {
    // Those on the trees of S_5, which are found once.
    let outcomes = ["win", "win", "loss", "loss", "loss", "win", "win"];
    let certificate = |spots: usize| text(root().join(format!("certificates/misere/{spots}.cert")));
    let files: Vec<String> = (5..=11).map(certificate).collect();
    let args: Vec<&str> = ["verify"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let expected = (5..)
        .zip(outcomes)
        .map(|(spots, outcome)| format!("{}\t0*{spots}\tmisere\t{outcome}\n", certificate(spots)));
    assert_eq!(answer(&args), expected.collect::<String>());
}

#[test]
fn several_certificates_are_all_verified_also_after_a_wrong_one() {
    let folder = folder();
    let good = fs::read(shipped(5)).expect("it ships");
    let cut = file_in(&folder, "cut.cert", &good[..30]);
    let [three, four, five] = [3, 4, 5].map(shipped);
    let files = [three.as_str(), &cut, &four, "nowhere.cert", &five];
    let said = sprig(&[&["verify", "--json"][..], &files].concat());
    assert_eq!(said.code, Some(1));
    let verified: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(verified.len(), 5, "{}", said.out);
    for (at, position) in [(0, "0*3"), (2, "0*4"), (4, "0*5")] {
        let object = &verified[at];
        assert_eq!((&object["position"], &object["verified"]), (&position.into(), &true.into()));
        assert_eq!(object["file"], files[at]);
    }
    let errors: Vec<&str> = said.err.lines().collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    for (at, error) in [1, 3].into_iter().zip(errors) {
        let wrong = verified[at]["error"].as_str().expect("a text");
        assert!(verified[at]["file"] == files[at] && wrong.contains(files[at]), "{wrong}");
        assert_eq!(error, format!("sprig: {wrong}"));
    }
    let said = sprig(&[&["verify"][..], &files].concat());
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!((said.code, lines.len()), (Some(1), 5), "{}", said.out);
    assert_eq!((lines[1], lines[3]), (&*format!("{cut}\terror"), "nowhere.cert\terror"));
}

#[test]
fn a_wrong_step_is_named() {
    let folder = folder();
    let file = text(folder.path().join("0.txt"));
    let db = text(folder.path().join("db"));
    answer(&["solve", "0*2", "--db", &db]);
    answer(&["certify", "0*2", "--db", &db, "-o", &file, "--text"]);
    let good = fs::read_to_string(&file).expect("it was written");
    assert!(good.ends_with("\n") && good.contains("\n0*2 0\n"), "{good}");
    let line = 1 + good.lines().position(|line| line == "0*2 0").expect("it is there");
    let wrong = |from, to, parts: &[&str]| {
        fails(&["verify", &altered(&folder, &good, from, to)], parts);
    };
    wrong("0*2 0", "0*2 1", &["claim `loss` about `0*2`", "another nim-sum"]);
    wrong("claim loss", "claim nimber 1", &["claim `nimber 1`"]);
    wrong("claim loss", "claim win", &["claim `win`", "no move"]);
    wrong("position 0*2", "position 0*3", &["claim `loss` about `0*3`", "not all lands"]);
    wrong("facts 3", "facts 4", &["not complete"]);
    wrong("facts 3", "facts 2", &[&format!("line {line}"), "expected `blake3"]);
    wrong("facts 3\n0 0\n", "facts 2\n", &["line 8, `0*2 0`", "is not answered"]);
    wrong("0 0\n", "0 1\n", &["line 7, `0 1`"]);
    wrong("0 0\n", "0+0 0\n", &["line 7", "not one land"]);
    wrong("0 0\n", "0*2 0\n", &["fact 1 once more"]);
    wrong("0 0\n", "0. 0\n", &["line 7", "column"]);
    wrong("0 0\n", "0 64\n", &["line 7", "no nimber"]);
    wrong("certificate 1", "certificate 2", &["format 2", "format 1"]);
    // Without a new checksum.
    let flipped = file_in(&folder, "flipped.txt", good.replacen("0 0\n", "0 1\n", 1));
    fails(&["verify", &flipped], &["flipped.txt", "checksum"]);
    let cut = file_in(&folder, "cut.txt", &good[..good.len() / 2]);
    fails(&["verify", &cut], &["cut.txt", "not complete"]);
    fails(
        &["verify", &file_in(&folder, "foreign", "[Positions+Nimber]\n0 0\n")],
        &["no certificate"],
    );
    fails(&["verify", "nowhere.cert"], &["nowhere.cert"]);
    let packed = fs::read(shipped(5)).expect("it ships");
    for length in [0, 5, 30, 60, packed.len() - 1] {
        fails(&["verify", &file_in(&folder, "cut.cert", &packed[..length])], &["cut.cert"]);
    }
}

/// What the checker in Python says: whether it accepts the file, and what it prints.
fn checked_in_python(args: &[&str]) -> (bool, String) {
    let script = root().join("scripts/check_certificate.py");
    // Without assertions: no check may rest on one.
    let said = Command::new("python3").arg("-O").arg(script).args(args).output();
    let said = said.expect("python3 is installed");
    let text = String::from_utf8([said.stdout, said.stderr].concat()).expect("text");
    assert!(!text.contains("Traceback"), "{text}");
    (said.status.success(), text)
}

#[test]
fn the_checker_for_mathematicians_agrees() {
    let folder = folder();
    for file in ["normal/5", "normal/6", "misere/4"] {
        let file = text(root().join(format!("certificates/{file}.cert")));
        let (accepts, said) = checked_in_python(&[&file]);
        assert!(accepts && said.starts_with("proved: 0*"), "{said}");
    }
    // A loss has the nimber 0.
    let loss = answer(&["certificate", "text", &shipped(6)]);
    let (accepts, said) =
        checked_in_python(&[&altered(&folder, &loss, "claim loss", "claim nimber 0")]);
    assert!(accepts, "{said}");
    let good = answer(&["certificate", "text", &shipped(5)]);
    let refused = |from: &str, to: &str, why: &str| {
        let (accepts, said) = checked_in_python(&[&altered(&folder, &good, from, to)]);
        assert!(!accepts && said.contains(why), "{from}: {said}");
    };
    // A nimber changed, a fact dropped or doubled, another claim, position, play and game.
    let first = good.lines().nth(6).expect("a fact");
    let (land, nimber) = first.split_once(' ').expect("a fact");
    refused(first, &format!("{land} {}", if nimber == "0" { "1" } else { "0" }), "line ");
    let last = good.lines().rev().nth(1).expect("a fact");
    refused(&format!("{last}\n"), "", "not complete");
    refused(last, good.lines().rev().nth(2).expect("another"), "before");
    refused("claim win", "claim loss", "does not follow");
    refused("position 0*5", "position 0*6", "does not follow");
    refused("play normal", "play misere", "head");
    refused("game sprouts", "game nim", "head");
    refused("sprig certificate 1", "sprig certificate 2", "line 1");
    let packed = fs::read(shipped(5)).expect("it ships");
    for bytes in [&packed[..packed.len() / 2], &packed[..1], b"\x1f\x8b\xff", b"\xff\xfe", b""] {
        assert!(!checked_in_python(&[&file_in(&folder, "cut.cert", bytes)]).0);
    }
    // It says how far it came, and that this is not all.
    let (accepts, said) = checked_in_python(&[&shipped(5), "--sample", "3"]);
    assert!(!accepts && said.contains("not decided: no mistake in 3 of 15"), "{said}");
}

/// Lost nodes that prove four spots, with the trees of two.
const FOUR_SPOTS: &str = "sprig certificate 1
game sprouts
play misere
base 0*2
position 0*4
claim loss
facts 17
2.A|2.A
0.A|2.A
1.A|1.A
1.A|B.A.C|B.C
2.A.B|C.D|CD.AB
2.ABCD|ABCD
1.A|B.A.C|B.D|D.C
ABCD|AECF|B.E|D.F
0.0.2
0.1AB|A.B
0.ABCD|ABCD
0.A|0.A
0.1AB|A.C|C.B
ABCD|ABCD.EFGH|EFGH
0.0.0
0.0.ABCD|ABCD
0.0.0.0
";

#[test]
fn the_checker_for_mathematicians_knows_misere_play() {
    let folder = folder();
    let good = FOUR_SPOTS.to_owned() + &sprig_certificate::checksum(FOUR_SPOTS);
    let (accepts, said) = checked_in_python(&[&file_in(&folder, "4.txt", &good)]);
    assert!(accepts && said.contains("0*4, loss, misere play"), "{said}");
    // Both checkers say the same of what is changed.
    let both = |from: &str, to: &str| {
        let file = altered(&folder, &good, from, to);
        let accepts = sprig(&["verify", &file]).code == Some(0);
        let (python, said) = checked_in_python(&[&file]);
        assert_eq!(python, accepts, "{from} to {to}: {said}");
        accepts
    };
    for (number, fact) in FOUR_SPOTS.lines().enumerate().skip(7).step_by(3) {
        let line = format!("\n{fact}\n");
        assert!(!both(&line, &format!("\n{fact} 22\n")), "line {number} with 1");
        let dropped = FOUR_SPOTS.replacen(&line, "\n", 1).replacen("facts 17", "facts 16", 1);
        let file = dropped.clone() + &sprig_certificate::checksum(&dropped);
        let file = file_in(&folder, "dropped.txt", file);
        let accepts = sprig(&["verify", &file]).code == Some(0);
        assert_eq!(checked_in_python(&[&file]).0, accepts, "without line {number}");
    }
    assert!(!both("claim loss", "claim win"));
    assert!(!both("position 0*4", "position 0*5"));
    assert!(!both("base 0*2", "base !"), "with other trees other facts are needed");
    assert!(!both("\n0.0.2\n", "\n!\n"), "the empty node is a win");
    assert!(!both("\n0.0.2\n", "\n0.0.2 0.0.0\n"), "not in the base");
}

#[test]
fn every_reply_is_answered() {
    let strategy =
        json(&["play-out", "0*5", "--certificate", &shipped(5), "--depth", "2", "--json"]);
    assert_eq!((&strategy["position"], &strategy["outcome"]), (&"0*5".into(), &"win".into()));
    let mut checked = 0;
    follow(&strategy["move"], 2, &mut checked);
    assert!(checked > 20, "{checked} replies");
    let text = answer(&["play-out", "0*2", "--certificate", &shipped(2)]);
    assert!(text.starts_with("loss: 0*2; every move has an answer\n  "), "{text}");
    let parts = ["do not say who wins `0*4`", "give a certificate of this position"];
    fails(&["play-out", "0*4", "--certificate", &shipped(2)], &parts);
}

#[test]
fn misere_outcomes_can_be_certified_verified_and_played() {
    let folder = folder();
    let path = |name: &str| text(folder.path().join(name));
    let (db, file) = (path("db"), path("7.txt"));
    answer(&["solve", "0*7", "--misere", "--db", &db]);
    let certify = ["certify", "0*7", "--misere", "--db", &db, "--minimize", "0", "-o"];
    let packed = path("7.cert");
    let certified = json(&[&certify[..], &[&packed, "--json"]].concat());
    let verified = json(&["verify", &packed, "--json"]);
    for object in [&certified, &verified] {
        assert_eq!(object["position"], "0*7");
        assert_eq!(object["play"], "misere");
        assert_eq!(object["claim"], "loss");
        assert_eq!(object["facts"], certified["facts"]);
    }
    assert_eq!(certified["base"], "0*5");
    assert_eq!(verified["base"]["position"], "0*5");
    assert!(answer(&["verify", &packed]).contains("for the player to move, misère play\n"));
    assert_eq!(
        (&verified["base"]["lands"], &verified["base"]["trees"]),
        (&13_342.into(), &1_171.into())
    );

    // A wrong step is named, with a smaller base and with another position.
    answer(&[&certify[..], &[&file, "--text"]].concat());
    let good = fs::read_to_string(&file).expect("it was written");
    assert!(
        good.starts_with(
            "sprig certificate 1\ngame sprouts\nplay misere\nbase 0*5\nposition 0*7\n"
        ),
        "{good}"
    );
    let wrong = |from, to, parts: &[&str]| {
        fails(&["verify", &altered(&folder, &good, from, to)], parts);
    };
    wrong("base 0*5", "base 0*2", &["the move to", "is not answered"]);
    wrong("base 0*5\nposition 0*7", "base 0*2\nposition 0*6", &["claim `loss` about `0*6`"]);
    wrong("base 0*5", "base 0*50", &["`base 0*50`", "150 lives", "--large-base"]);
    wrong("base 0*5\n", "", &["line 4", "expected `base"]);
    wrong("claim loss", "claim nimber 0", &["line 6", "no nimbers in misère play"]);
    wrong("\n0*7\n", "\n0*7 0*6\n", &["`0*7 0*6`", "not all of its lands are in the base"]);

    // Every reply is answered, also from the database.
    for source in [["--certificate", &file], ["--db", &db]] {
        let play = ["play-out", "0*7", "--misere", "--depth", "1"];
        let strategy = json(&[&play[..], &source, &["--json"]].concat());
        follow(&strategy, 1, &mut 0);
    }
    let end = answer(&["play-out", "1", "--misere", "--depth", "2", "--certificate", &file]);
    assert!(end.contains("no move left, which wins"), "{end}");
    fails(&["play-out", "0*7", "--certificate", &file], &["misère", "--misere"]);
    fails(&["play-out", "0*5", "--misere", "--certificate", &shipped(5)], &["leave out --misere"]);
    let normal = shipped(5);
    fails(&[&certify[..], &[&file, "--from", &normal]].concat(), &["normal play"]);
    fails(
        &["certify", "0*9", "--misere", "--db", &db, "-o", &file],
        &["sprig solve '0*9' --misere --db"],
    );
}

/// Checks that all moves from a lost position are listed and that each answer is one move away, down to `depth`.
fn follow(lost: &Value, depth: u32, checked: &mut usize) {
    assert_eq!(lost["outcome"], "loss");
    let children = |position: &Value| -> BTreeSet<String> {
        let position = position.as_str().expect("text");
        answer(&["children", position]).lines().map(str::to_owned).collect()
    };
    if depth == 0 {
        return assert!(lost["replies"].is_null());
    }
    let replies = lost["replies"].as_array().expect("a list");
    let listed = replies.iter().map(|reply| reply["position"].as_str().expect("text").to_owned());
    assert_eq!(listed.collect::<BTreeSet<_>>(), children(&lost["position"]));
    for reply in replies {
        let answer = &reply["move"];
        assert!(children(&reply["position"]).contains(answer["position"].as_str().expect("text")));
        *checked += 1;
        follow(answer, depth - 1, checked);
    }
}

#[test]
fn a_damaged_certificate_is_still_called_one() {
    let folder = folder();
    let old = root().join("testdata/certificates/compact/normal-5.cert");
    for file in [root().join("certificates/normal/8.cert"), old] {
        let whole = fs::read(file).expect("it is there");
        for place in [60, 100, whole.len() / 2, whole.len() - 10] {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x55;
            let said = sprig(&["verify", &file_in(&folder, "damaged.cert", damaged)]);
            assert_eq!(said.code, Some(1), "{place}: {}", said.out);
            assert!(!said.err.contains("no certificate"), "{place}: {}", said.err);
            assert!(said.err.contains("fetch it again"), "{place}: {}", said.err);
        }
        fails(
            &["verify", &file_in(&folder, "cut.cert", &whole[..100])],
            &["not complete", "fetch it again"],
        );
    }
}

#[test]
fn lines_may_end_as_other_systems_end_them() {
    let folder = folder();
    let (db, file) = (text(folder.path().join("facts")), text(folder.path().join("5.txt")));
    answer(&["solve", "0*5", "--db", &db]);
    answer(&["certify", "0*5", "--db", &db, "-o", &file, "--text", "--minimize", "0s"]);
    let lines = fs::read_to_string(&file).expect("written").replace('\n', "\r\n");
    assert_eq!(json(&["verify", &file_in(&folder, "crlf.txt", lines), "--json"])["claim"], "win");
}

/// What another program prints of a file.
fn printed(program: &str, args: &[&str]) -> String {
    let said = Command::new(program).args(args).output().expect("it is installed");
    assert!(said.status.success(), "{program}: {}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).expect("text")
}

#[test]
fn anybody_opens_a_certificate() {
    for file in [shipped(5), text(root().join("certificates/misere/7.cert"))] {
        let told = answer(&["certificate", "text", &file]);
        assert!(told.starts_with("sprig certificate 1\ngame sprouts\nplay "), "{told}");
        assert_eq!(printed("zcat", &[&file]), told);
        let python = "import gzip, sys; print(gzip.open(sys.argv[1], 'rt').read(), end='')";
        assert_eq!(printed("python3", &["-c", python, &file]), told);
    }
}

#[test]
fn text_and_back_are_the_same_file() {
    let folder = folder();
    let path = |name: &str| text(folder.path().join(name));
    let (plain, again) = (path("5.txt"), path("5.cert"));
    let said = json(&["certificate", "text", &shipped(5), "-o", &plain, "--json"]);
    assert_eq!(said["bytes"], fs::metadata(&plain).expect("it was written").len());
    assert_eq!(said["text"], Value::Null);
    let whole = json(&["certificate", "text", &shipped(5), "--json"]);
    assert_eq!(whole["text"], fs::read_to_string(&plain).expect("text"));
    let said = json(&["certificate", "pack", &plain, "-o", &again, "--json"]);
    for (key, value) in
        [("game", "sprouts"), ("play", "normal"), ("position", "0*5"), ("claim", "win")]
    {
        assert_eq!((&said[key], &whole[key]), (&value.into(), &value.into()));
    }
    assert_eq!(fs::read(&again).expect("written"), fs::read(shipped(5)).expect("it ships"));
    // What an earlier version wrote becomes a file of today.
    let old = text(root().join("testdata/certificates/compact/misere-7.cert"));
    answer(&["certificate", "pack", &old, "-o", &again]);
    assert!(printed("zcat", &[&again]).contains("\ngame sprouts\nplay misere\nbase 0*5\n"));
    for file in [&old, &again] {
        assert_eq!(json(&["verify", file, "--json"])["facts"], 3);
    }
}

#[test]
fn a_text_that_is_no_certificate_is_not_packed() {
    let folder = folder();
    let good = answer(&["certificate", "text", &shipped(2)]);
    let out = text(folder.path().join("out.cert"));
    let pack = |file: &str, parts: &[&str]| {
        fails(&["certificate", "pack", file, "-o", &out], parts);
        assert!(!folder.path().join("out.cert").exists());
    };
    pack(&altered(&folder, &good, "0*2 0", "0*2 x"), &["line 9, `0*2 x`", "no nimber"]);
    pack(&altered(&folder, &good, "claim loss", "claim lost"), &["line 5", "`claim lost`"]);
    pack(&altered(&folder, &good, "game sprouts", "game nim"), &["line 2", "`nim`"]);
    pack(&file_in(&folder, "cut.txt", &good[..good.len() / 2]), &["not complete"]);
    pack("nowhere.txt", &["nowhere.txt"]);
    let said = sprig(&["certificate", "pack", &shipped(2), "--json"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains("-o"), "{}", said.err);
}

#[test]
fn a_file_that_swells_is_refused() {
    // 200 MB in 200 KB.
    let folder = folder();
    let file = text(folder.path().join("bomb.cert"));
    let python = "\
import gzip, sys
with gzip.open(sys.argv[1], 'wt') as file:
    file.write('sprig certificate 1\\nplay normal\\nposition 0\\nclaim loss\\nfacts 99999999\\n')
    for _ in range(50):
        file.write('0 0\\n' * 1000000)";
    printed("python3", &["-c", python, &file]);
    assert!(fs::metadata(&file).expect("written").len() < 1 << 20);
    for command in [&["verify"][..], &["certificate", "text"]] {
        fails(&[command, &[&file]].concat(), &["bomb.cert", "refused", "16 MiB"]);
    }
}
