//! `sprig doctor`: what it finds wrong, and what it says to do.
#![cfg(feature = "coordinator")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::common::processes::{Coordinator, Process};
use crate::common::{Said, answer, command, folder, json, sprig, text};
use serde_json::Value;

fn doctor(more: &[&str]) -> (Option<i32>, Value) {
    let said = sprig(&[&["doctor", "--json"], more].concat());
    let found = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}", said.err));
    (said.code, found)
}

/// The findings about something.
fn about<'a>(found: &'a Value, what: &str) -> Vec<&'a Value> {
    let findings = found["findings"].as_array().expect("a list");
    findings.iter().filter(|finding| finding["about"] == what).collect()
}

fn one<'a>(found: &'a Value, what: &str, verdict: &str, part: &str) -> &'a Value {
    let all = about(found, what);
    let is_it = |f: &&&Value| {
        f["verdict"] == verdict && f["detail"].as_str().is_some_and(|d| d.contains(part))
    };
    all.iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("no {verdict} {what} with `{part}` in {found:#}"))
}

#[test]
fn a_good_deployment_is_good() {
    let place = folder();
    let db = text(place.path().join("db"));
    let coordinator = Coordinator::start("127.0.0.1:0", &place.path().join("db"));
    let _worker = Process::worker(&coordinator.url, "one");
    json(&["submit", "0*8", "--coordinator", &coordinator.url, "--wait", "--json"]);
    coordinator.wait_until("it is there", |status| {
        status["workers"].as_array().is_some_and(|w| w.len() == 1)
    });
    let (code, found) = doctor(&["--coordinator", &coordinator.url, "--db", &db]);
    assert_eq!(code, Some(0), "{found:#}");
    one(&found, "clock", "good", "UTC");
    one(&found, "coordinator", "good", "facts");
    one(&found, "workers", "good", "1 worker is connected");
    one(&found, "database", "good", "verified facts");
    one(&found, "lock", "good", "writes to it");
    one(&found, "sync", "good", "ms");
    one(&found, "seal key", "good", "");
    let said = answer(&["doctor", "--db", &db]);
    assert!(said.lines().all(|line| line.len() > 20), "{said}");
    // It has made nothing.
    let absent = place.path().join("none");
    let (_, found) = doctor(&["--db", &text(&absent)]);
    one(&found, "database", "good", "there is none");
    assert!(!absent.exists());
}

#[test]
fn what_is_wrong_has_its_remedy() {
    let place = folder();
    let of = |name: &str| text(place.path().join(name));
    let (db, tokens) = (of("db"), of("tokens"));
    answer(&["solve", "0*8", "--db", &db]);
    fs::write(&tokens, "king ann 1234\n").expect("written");
    let tls = of("tls");
    json(&["certs", &tls, "--json"]);
    let key = format!("{tls}/coordinator.key");
    fs::set_permissions(&key, Permissions::from_mode(0o644)).expect("ours");
    let files = [
        "--server-cert",
        &format!("{tls}/coordinator.pem"),
        "--server-key",
        &key,
        "--tokens",
        &tokens,
    ];
    let nobody = ["--coordinator", "http://127.0.0.1:1"];
    let (code, found) = doctor(&[&files[..], &nobody, &["--db", &db]].concat());
    assert_eq!((code, &found["verdict"]), (Some(1), &"bad".into()), "{found:#}");
    one(&found, "certificate", "good", "holds for");
    one(&found, "key", "bad", "chmod 600");
    one(&found, "tokens", "bad", "line 1");
    let away = one(&found, "coordinator", "bad", "no coordinator answers");
    assert!(away["remedy"].as_str().is_some_and(|it| it.contains("`sprig coordinator`")), "{away}");
    has_remedies(&found);
    // Another key than the owner's: nothing is answered from claims.
    let mut stranger = command(&["doctor", "--json", "--db", &db]);
    let said: Said =
        stranger.env("SPRIG_SEAL_KEY", of("other.key")).output().expect("it runs").into();
    let found: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(said.code, Some(0), "{found:#}");
    let finding = one(&found, "database", "warning", "claims");
    assert!(
        finding["remedy"].as_str().is_some_and(|remedy| remedy.contains("sprig audit")),
        "{found:#}"
    );
    one(&found, "seal key", "warning", "there is none at");
    assert!(!place.path().join("other.key").exists(), "it has made a key");
    // What is no database.
    let (code, found) = doctor(&["--db", &tls]);
    assert_eq!(code, Some(1));
    one(&found, "database", "bad", "");
    has_remedies(&found);
    // What is not there.
    let absent = of("absent");
    let none = ["--tokens", &absent, "--server-cert", &absent, "--server-key", &absent];
    let (_, found) = doctor(&[&none[..], &nobody, &["--token-file", &absent]].concat());
    for what in ["tokens", "certificate", "key", "access", "coordinator"] {
        one(&found, what, "bad", "");
    }
    has_remedies(&found);
}

#[test]
fn more_memory_than_there_is_is_warned_of() {
    for (size, verdict, part) in
        [("512M", "good", "512 MB that it is given"), ("900T", "warning", "more than what")]
    {
        let (_, found) = doctor(&["--threads", "1", "--memory", size]);
        one(&found, "memory", verdict, part);
        has_remedies(&found);
    }
}

#[test]
fn a_key_of_another_certificate_is_bad() {
    let place = folder();
    let [ours, theirs] = ["ours", "theirs"].map(|name| text(place.path().join(name)));
    for set in [&ours, &theirs] {
        json(&["certs", set, "--json"]);
    }
    let certificate = format!("{ours}/coordinator.pem");
    for (set, verdict, part) in [(&ours, "good", "belongs to"), (&theirs, "bad", "does not fit")] {
        let key = format!("{set}/coordinator.key");
        let (_, found) = doctor(&["--server-cert", &certificate, "--server-key", &key]);
        one(&found, "key", verdict, part);
        has_remedies(&found);
    }
}

/// Expects that each finding that is not good says what to do.
fn has_remedies(found: &Value) {
    for finding in found["findings"].as_array().expect("a list") {
        let is_told = finding["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty());
        assert_eq!(is_told, finding["verdict"] != "good", "{finding}");
    }
}
