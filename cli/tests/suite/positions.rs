//! `canon`, `children`, and what all commands that take positions have in common.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use crate::common::{
    answer, command, commands, fails, file_in, folder, json, refuses, said_one_line, sprig,
    sprig_with_input,
};
use serde_json::json;

#[test]
fn canon_prints_the_canonical_form() {
    assert_eq!(answer(&["canon", "0.0.QX|XQ"]), "0*2.AB|AB\n");
    assert_eq!(answer(&["canon", "0.0.AB.}AB.}]!"]), "0*2.AB|AB\n");
    assert_eq!(answer(&["canon", "0*2.AB|AB", "--ajs"]), "0.0.AB.}AB.}]!\n");
    assert_eq!(answer(&["canon", "!"]), "!\n");
    assert_eq!(answer(&["canon", "0+0"]), "0+0\n", "equal lands are not cancelled");
    assert_eq!(
        json(&["canon", "--json", "0.0.QX|XQ"]),
        json!({"position": "0.0.QX|XQ", "canonical": "0*2.AB|AB"})
    );
}

#[test]
fn children_are_sorted_and_different() {
    assert_eq!(answer(&["children", "0*2"]), "0.AB|AB\n1a1a\n");
    assert_eq!(answer(&["children", "!"]), "");
    for position in ["0*4", "0*3.1a1a.AB|AB+0*2", "0*3.1a2a.1"] {
        let out = answer(&["children", position]);
        let children: Vec<_> = out.lines().collect();
        assert!(children.len() >= 3);
        assert!(children.is_sorted_by(|a, b| a < b), "{children:?}");
        for child in &children {
            assert_eq!(answer(&["canon", child]), format!("{child}\n"));
        }
        let object = json(&["children", "--json", position]);
        assert_eq!(object["children"], json!(children));
        assert_eq!(object["position"], position);
    }
}

#[test]
fn a_mistake_names_column_and_remedy() {
    for (position, column, remedy) in [
        ("0*2.AB|A", 6, "exactly twice"),
        ("AA.A", 4, "exactly twice"),
        ("0||1", 3, "take the separator out"),
        ("0..1", 3, "take one separator out"),
        ("0.#", 3, "a position is made of"),
        ("0 1", 2, "take it out"),
        ("  0 1", 4, "take it out"),
        ("0é", 2, "a position is made of"),
        ("", 1, "`!`"),
        ("   ", 4, "`!`"),
        ("0×x", 2, "`×`"),
        ("0*0", 2, "the empty position is written `!`"),
        ("0*5@", 4, "leave `@` out"),
        ("0*107", 2, "1 to 106"),
        ("0.}]", 5, "missing terminator"),
    ] {
        for name in ["canon", "children"] {
            refuses(&[name, position], &[&format!("column {column}: "), remedy]);
        }
    }
}

#[test]
fn blanks_around_a_position_are_no_trap() {
    assert_eq!(answer(&["canon", " 0*2 "]), "0*2\n");
    assert_eq!(json(&["canon", " 0*2", "--json"])["position"], " 0*2");
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for args in [
        &["canon"][..],
        &["canon", "0", "--file", "x"],
        &["canon", "0", "--nonsense"],
        &["nonsense"],
        &[],
        &["query", "0"],
        &["submit"],
        &["worker", "--threads", "0"],
        &["worker", "--memory", "much"],
    ] {
        let said = sprig(args);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{args:?}: {}", said.err);
        assert!(
            said.err.contains("--help") || said.err.contains("Usage: sprig"),
            "{args:?}: {}",
            said.err
        );
    }
}

#[test]
fn an_empty_variable_and_a_value_apart_are_named() {
    for (variable, args) in [
        ("SPRIG_TLS_CA", &["status", "--coordinator", "https://127.0.0.1:1"][..]),
        ("SPRIG_THREADS", &["solve", "0*4"]),
    ] {
        let mut command = command(args);
        let said = command.env(variable, "").output().expect("it starts");
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains(&format!("{variable} is set and empty: unset it")), "{said}");
    }
    // What is typed is not blamed on a variable.
    let mut command = command(&["solve", "0*4", "--threads="]);
    let said = command.env("SPRIG_THREADS", "").output().expect("it starts");
    assert!(!String::from_utf8_lossy(&said.stderr).contains("SPRIG_THREADS"), "{said:?}");
    refuses(&["worker", "--exit-when-idle", "5s"], &["`--exit-when-idle=5s`"]);
}

#[test]
fn every_command_helps_with_examples() {
    let names = commands();
    assert!(names.len() >= 6, "{names:?}");
    for name in names.iter().filter(|name| *name != "help") {
        let help = answer(&[name, "--help"]);
        assert!(
            help.contains(&format!("\n  sprig {name} "))
                || help.contains(&format!("\n  sprig {name}\n")),
            "{help}"
        );
        assert!(help.contains("Examples:"), "{help}");
    }
}

#[test]
fn a_file_is_answered_line_by_line() {
    let folder = folder();
    let lines = "# a comment\n\n0.0.QX|XQ\r\n  0*2  \n\t# indented comment\n0*2.AB|A\n-0\n22";
    let file = file_in(&folder, "positions.txt", lines);
    let said = sprig(&["canon", "--file", &file]);
    assert_eq!(said.code, Some(1));
    assert_eq!(
        said.out,
        "0.0.QX|XQ\t0*2.AB|AB\n  0*2\t0*2\n0*2.AB|A\terror\n-0\terror\n22\t2.2\n"
            .replace("2.2", answer(&["canon", "22.}]!"]).trim_end())
    );
    let errors: Vec<_> = said.err.lines().collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[0].contains("positions.txt, line 6: column 6: "), "{errors:?}");
    assert!(errors[1].contains("positions.txt, line 7: column 1: "), "{errors:?}");
    assert!(errors[2].contains("positions.txt, line 8: `22` is a boundary"), "{errors:?}");
}

#[test]
fn a_file_can_be_standard_input_and_the_answers_json() {
    let said = sprig_with_input(&["children", "--file", "-", "--json"], "0*2\n0*2.AB|A\n!\n");
    assert_eq!(said.code, Some(1));
    let objects: Vec<serde_json::Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("one object a line"))
        .collect();
    assert_eq!(objects.len(), 3);
    assert_eq!(objects[0]["children"], json!(["0.AB|AB", "1a1a"]));
    assert_eq!((&objects[1]["position"], &objects[1]["line"]), (&json!("0*2.AB|A"), &json!(2)));
    assert!(objects[1]["error"].as_str().expect("a text").starts_with("column 6: "));
    assert_eq!(objects[2]["children"], json!([]));
    assert!(said.err.contains("standard input, line 2: column 6: "), "{}", said.err);
    let said = sprig_with_input(&["children", "--file", "-"], "0*2\n");
    assert_eq!((said.code, said.out.as_str()), (Some(0), "0*2\t0.AB|AB 1a1a\n"));
}

#[test]
fn bytes_that_are_no_text_are_echoed_as_they_are() {
    let mut child = command(&["canon", "--file", "-"]);
    let mut child = child
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    child.stdin.take().expect("a pipe").write_all(b"0\xff\n0\n").expect("read");
    let mut out = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut out).expect("readable");
    assert_eq!(out, b"0\xff\terror\n0\t0\n");
    assert_eq!(child.wait().expect("ends").code(), Some(1));
}

#[test]
fn ten_megabytes_of_text_are_one_bad_line() {
    let folder = folder();
    let long = "1".repeat(10_000_000);
    let file = file_in(&folder, "long.txt", format!("{long}\n0\n"));
    let said = sprig(&["canon", "--file", &file]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("line 1: column 1: the text is 10000000 bytes long"), "{}", said.err);
    assert!(said.out == format!("{long}\terror\n0\t0\n"), "{} bytes", said.out.len());
    // Lines that do not even fit in memory end the command.
    let said = sprig(&["canon", "--file", "/dev/zero"]);
    said_one_line(&said, "/dev/zero", &["line 1: longer than", "one position a line"]);
}

#[test]
fn answers_come_while_the_input_is_still_open() {
    let mut child = command(&["canon", "--file", "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..3 {
        writeln!(input, "1.0").expect("read");
        let mut line = String::new();
        output.read_line(&mut line).expect("readable");
        assert_eq!(line, "1.0\t0.1\n");
    }
    drop(input);
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}

#[test]
fn a_reader_that_has_gone_ends_the_command_quietly() {
    let mut child = command(&["canon", "--file", "-"]);
    let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    // Fails as soon as the command has gone.
    while input.write_all(b"0\n").is_ok() {}
    let said: crate::common::Said = child.wait_with_output().expect("ends").into();
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
}

#[test]
fn a_full_disk_is_said() {
    let full = || OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    for args in [&["canon", "0"][..], &["children", "0*2", "--json"]] {
        let output = command(args).stdout(full()).stderr(Stdio::piped()).output().expect("starts");
        said_one_line(
            &output.into(),
            "/dev/full",
            &["cannot write to standard output", "No space left"],
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = folder();
    let missing = crate::common::text(folder.path().join("missing.txt"));
    fails(&["canon", "--file", &missing], &["missing.txt", "No such file"]);
    fails(&["canon", "--file", &crate::common::text(folder.path())], &["directory"]);
}
