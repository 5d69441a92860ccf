//! Strangers who work for a cluster: invited by one file, bounded, let go, credited.
#![cfg(feature = "coordinator")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::processes::Coordinator;
use crate::common::{answer, command, fails, folder, json, refuses, text};

#[test]
fn one_file_brings_a_volunteer_in_and_taking_it_back_ends_the_session() {
    let place = folder();
    let [db, tls, tokens, invitation, admin] =
        ["db", "tls", "tokens", "ann.invitation", "admin.token"]
            .map(|name| text(place.path().join(name)));
    json(&["certs", &tls, "--json"]);
    answer(&["token", "admin", "boss", "--tokens", &tokens, "--out", &admin]);
    let [cert, key, ca] =
        ["coordinator.pem", "coordinator.key", "ca.pem"].map(|name| format!("{tls}/{name}"));
    let listen = [
        "coordinator",
        "--listen",
        "127.0.0.1:0",
        "--db",
        &db,
        "--tls-cert",
        &cert,
        "--tls-key",
        &key,
    ];
    let coordinator = Coordinator::of(command(&[&listen[..], &["--tokens", &tokens]].concat()));
    let url = coordinator.url.clone();
    let invite = ["invite", "ann", "--tokens", &tokens, "--coordinator", &url, "--tls-ca", &ca];
    let invite = [&invite[..], &["--workers", "1", "--out", &invitation]].concat();
    answer(&invite);
    fails(&invite, &["ann has a token already", "--revoke ann"]);
    coordinator.process.signal("-HUP");
    let volunteer = |name: &str| {
        let args = [
            "worker",
            "--invitation",
            &invitation,
            "--threads",
            "1",
            "--memory",
            "256M",
            "--name",
            name,
        ];
        command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("sprig starts")
    };
    let as_boss = ["--coordinator", &url, "--tls-ca", &ca, "--token-file", &admin];
    let asked = |what: &[&str]| json(&[what, &as_boss, &["--json"]].concat());
    let names = || {
        let workers = asked(&["workers"])["workers"].as_array().cloned().unwrap_or_default();
        workers
            .iter()
            .map(|w| w["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let await_names = |wanted: &[&str]| {
        let end = Instant::now() + Duration::from_secs(60);
        while names() != wanted {
            assert!(Instant::now() < end, "{:?}, not {wanted:?}", names());
        }
    };
    let first = Ended(volunteer("pc"));
    await_names(&["pc@ann"]);
    // A second one must wait until the first has gone.
    let second = Ended(volunteer("laptop"));
    let solved = asked(&["submit", "0*12", "--wait"]);
    assert_eq!(solved["outcome"], "loss", "{solved}");
    assert_eq!(names(), ["pc@ann"]);
    drop(first);
    await_names(&["laptop@ann"]);
    // It may do no more than work.
    let token = token_of(&invitation);
    let shown = text(place.path().join("ann.token"));
    fs::write(&shown, token).expect("written");
    fs::set_permissions(&shown, Permissions::from_mode(0o600)).expect("ours");
    fails(
        &["status", "--coordinator", &url, "--tls-ca", &ca, "--token-file", &shown],
        &["may not call"],
    );
    // Facts are credited by the name that was proved.
    let credits = json(&["credit", "--db", &db, "--json"]);
    let row = &credits["credits"][0];
    assert_eq!(
        (row["name"].as_str(), row["proved"].as_bool()),
        (Some("ann"), Some(true)),
        "{credits}"
    );
    assert!(row["verified"].as_u64() > Some(10), "{credits}");
    assert!(answer(&["credit", "--db", &db]).contains("ann"));
    // It is taken back: the session ends within five seconds.
    answer(&["token", "--revoke", "ann", "--tokens", &tokens]);
    fails(
        &["token", "--revoke", "ann", "--tokens", &tokens],
        &["nobody has the name `ann`", "--list"],
    );
    coordinator.process.signal("-HUP");
    let begun = Instant::now();
    await_names(&[]);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(second);
}

/// The secret of an invitation.
fn token_of(invitation: &str) -> String {
    let text = fs::read_to_string(invitation).expect("it is there");
    let invitation: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    invitation["token"].as_str().expect("a token").to_owned()
}

/// A process that ends with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_invitation_that_would_show_its_secret_is_none() {
    let place = folder();
    let [tokens, out] = ["tokens", "out"].map(|name| text(place.path().join(name)));
    let invite = |more: &[&str]| {
        let args = ["invite", "ann", "--tokens", &tokens, "--out", &out];
        [&args[..], more].concat().iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>()
    };
    for (more, parts) in [
        (&["--coordinator", "http://sprig.example:7425"][..], &["for everybody to read"][..]),
        (&["--coordinator", "sprig.example"], &["with its port"]),
    ] {
        let args = invite(more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let said = crate::common::sprig(&args);
        assert_ne!(said.code, Some(0), "{}", said.out);
        assert!(parts.iter().all(|part| said.err.contains(part)), "{}", said.err);
        assert!(!place.path().join("out").exists() && !place.path().join("tokens").exists());
    }
    let args = invite(&[]);
    refuses(&args.iter().map(String::as_str).collect::<Vec<_>>(), &["--coordinator https://"]);
    fs::write(place.path().join("torn"), "{\"sprig_invitation\": 1, \"about").expect("written");
    let torn = text(place.path().join("torn"));
    fs::set_permissions(&torn, Permissions::from_mode(0o600)).expect("ours");
    fails(&["worker", "--invitation", &torn], &["no invitation", "ask for it again"]);
    fs::set_permissions(&torn, Permissions::from_mode(0o644)).expect("ours");
    fails(&["worker", "--invitation", &torn], &["chmod 600"]);
}
