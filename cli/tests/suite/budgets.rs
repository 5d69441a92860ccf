//! What would take for ever is refused, and what takes long can be ended: by the real program.
#![allow(clippy::disallowed_methods, reason = "waits for other processes")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::processes::{Coordinator, Process};
use crate::common::{Said, answer, command, fails, file_in, folder, said_one_line, sprig, text};

/// A region with so many boundaries of several spots, no two alike.
fn of_boundaries(count: usize) -> String {
    let boundary = |i: usize| format!("{}{}", "1".repeat(i % 5), "2".repeat(2 + i / 5));
    (0..count).map(boundary).collect::<Vec<_>>().join(".")
}

/// Runs the program, which has to end in some seconds.
fn soon(args: &[&str]) -> Said {
    let begun = Instant::now();
    let mut child =
        command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sprig starts");
    while child.try_wait().expect("it can be asked").is_none() {
        if begun.elapsed() > Duration::from_secs(30) {
            child.kill().expect("it is there");
            panic!("{args:?} goes on and on");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("it has ended").into()
}

#[test]
fn too_many_moves_are_refused_at_once() {
    let dear = of_boundaries(20);
    let said = soon(&["children", &dear]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{}", said.err);
    assert!(said.err.contains("20 boundaries") && said.err.contains("65536"), "{}", said.err);
    let canon = soon(&["canon", &dear]);
    assert_eq!(canon.code, Some(0), "{}", canon.err);
}

#[test]
fn a_search_gives_up_what_rests_on_such_a_land_and_solves_the_rest() {
    let dear = of_boundaries(20);
    let said = soon(&["solve", &dear, "--threads", "1", "--memory", "512M"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.err.contains("20 boundaries"), "{}", said.err);
    // Equal lands cancel each other, whatever they are worth.
    let twice = format!("{dear}+{dear}+0*5");
    let said = soon(&["solve", &twice, "--threads", "1", "--memory", "512M"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.out.contains("win"), "{}", said.out);
}

#[test]
fn an_import_says_what_it_cannot_check() {
    let dir = folder();
    let line = format!("{{\"land\":\"{}\",\"nimber\":0}}\n", of_boundaries(20));
    let file = file_in(&dir, "poison.jsonl", line);
    let db = text(dir.path().join("db"));
    let said = soon(&["import", &file, "--db", &db, "--max-seconds", "20"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(said.err.contains("line 1") && said.err.contains("ways to move"), "{}", said.err);
}

/// A certificate with its checksum.
fn certificate(dir: &tempfile::TempDir, text: &str) -> String {
    file_in(dir, "some.cert", format!("{text}{}", sprig_certificate::checksum(text)))
}

#[test]
fn a_base_that_takes_hours_is_refused_with_its_price() {
    let dir = folder();
    let text = "sprig certificate 1\nplay misere\nbase 0*7\nposition 0*8\nclaim loss\nfacts 0\n";
    let said = soon(&["verify", &certificate(&dir, text)]);
    said_one_line(&said, "verify", &["`base 0*7`", "21 lives", "--large-base"]);
}

#[test]
fn a_certificate_about_such_a_land_is_refused() {
    let dear = of_boundaries(20);
    for (claim, facts) in [("loss", format!("1\n{dear} 0\n")), ("win", "0\n".to_owned())] {
        let dir = folder();
        let text = format!(
            "sprig certificate 1\nplay normal\nposition {dear}\nclaim {claim}\nfacts {facts}"
        );
        let said = soon(&["verify", &certificate(&dir, &text)]);
        assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{}", said.err);
    }
}

#[test]
fn a_check_ends_when_its_time_is_over() {
    let dir = folder();
    // To find the trees of six spots takes a minute.
    let text = "sprig certificate 1\nplay misere\nbase 0*6\nposition 0*8\nclaim loss\nfacts 0\n";
    let file = certificate(&dir, text);
    // It is the time of all files: those behind are not begun.
    for files in [&[&*file][..], &[&file, "nowhere.cert"]] {
        let args = [&["verify", "--max-seconds", "1", "--threads", "1"][..], files].concat();
        said_one_line(&soon(&args), "verify", &["in 1 seconds", "--max-seconds"]);
    }
}

#[test]
fn a_check_ends_soon_when_a_person_says_so() {
    let dir = folder();
    let text = "sprig certificate 1\nplay misere\nbase 0*6\nposition 0*8\nclaim loss\nfacts 0\n";
    let file = certificate(&dir, text);
    let mut command = command(&["verify", &file, "nowhere.cert", "--threads", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("sprig starts");
    std::thread::sleep(Duration::from_secs(1));
    let begun = Instant::now();
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.expect("kill runs").success());
    let said = Said::from(child.wait_with_output().expect("it ends"));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!((said.code, said.out.as_str()), (Some(130), ""), "{}", said.err);
    assert!(
        said.err.starts_with("sprig: interrupted: ") && said.err.contains(&file),
        "{}",
        said.err
    );
}

/// Queries that are given up, on a land that cannot be listed and one that just can; then SIGTERM.
#[test]
fn queries_that_were_given_up_do_not_hold_a_coordinator() {
    let dir = folder();
    let coordinator = Coordinator::start("127.0.0.1:0", &dir.path().join("db"));
    for count in [20, 10] {
        let asked = of_boundaries(count);
        let mut queries: Vec<_> = (0..10)
            .map(|_| {
                let args = ["query", &asked, "--coordinator", &coordinator.url];
                let mut query = command(&args);
                query.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("sprig starts")
            })
            .collect();
        std::thread::sleep(Duration::from_millis(700));
        for query in &mut queries {
            let _ = query.kill();
            let _ = query.wait();
        }
    }
    assert!(coordinator.status().is_object());
    let begun = Instant::now();
    coordinator.process.signal("-TERM");
    assert_eq!(coordinator.process.end(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(sprig(&["query", "0*3", "--db", &text(dir.path().join("db"))]).code, Some(0));
}

#[test]
fn a_certificate_that_cannot_be_written_is_refused_before_the_work() {
    let folder = folder();
    let (db, place) = (text(folder.path().join("db")), folder.path().join("proofs"));
    fs::create_dir(&place).expect("made");
    answer(&["solve", "0*5", "--db", &db, "--threads", "1"]);
    let to = |file: &str| {
        ["certify", "0*5", "--db", &db, "-o", file, "--minimize", "1h"].map(str::to_owned)
    };
    // Nobody waits an hour for what is refused.
    for file in [text(place.join("missing/5.cert")), text(&place)] {
        let args = to(&file);
        fails(&args.each_ref().map(String::as_str), &["cannot write", &file]);
    }
    // What fails, or is ended, leaves nothing, and what was there before.
    let file = text(place.join("6.cert"));
    fs::write(&file, "before").expect("written");
    fails(&["certify", "0*6", "--db", &db, "-o", &file], &["sprig solve '0*6'"]);
    let args = to(&file);
    let certify = Process::start(&args.each_ref().map(String::as_str));
    certify.signal("-KILL");
    certify.end();
    assert_eq!(fs::read(&file).expect("it is there"), b"before");
}
