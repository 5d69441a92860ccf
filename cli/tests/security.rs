//! A protected cluster of real processes: certificates, tokens, and who is kept out.
#![cfg(feature = "coordinator")]

mod common;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::sync::mpsc;

use common::{answer, command, fails, folder, json, sprig, text};
use tempfile::TempDir;

/// A process that does not outlive its test, and all that it says on standard error.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a coordinator; its address.
fn coordinator(db: &TempDir, protection: &[&str]) -> (Process, String) {
    let path = text(db.path());
    let args = [&["coordinator", "--listen", "127.0.0.1:0", "--db", &path], protection].concat();
    let mut child =
        command(&args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("sprig starts");
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let (found, url) = mpsc::channel();
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let url = line.strip_prefix("sprig: coordinator at ").and_then(|l| l.split(',').next());
            if let Some(url) = url {
                let _ = found.send(url.to_owned());
            }
        }
    });
    (Process(child), url.recv().expect("the coordinator says where it listens"))
}

#[test]
fn certificates_open_what_their_role_may_do() {
    let (db, tls) = (folder(), folder());
    let dir = text(tls.path());
    let made = json(&["certs", &dir, "--json"]);
    assert_eq!(made["made"].as_array().map(Vec::len), Some(6), "{made}");
    let file = |name: &str| format!("{dir}/{name}");
    for name in ["ca.key", "coordinator.key", "worker.key", "admin.key"] {
        let mode = fs::metadata(file(name)).expect("made").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let (cert, key, ca) = (file("coordinator.pem"), file("coordinator.key"), file("ca.pem"));
    let protection = ["--tls-cert", &cert, "--tls-key", &key, "--tls-client-ca", &ca];
    let (_coordinator, url) = coordinator(&db, &protection);
    assert!(url.starts_with("https://"), "{url}");

    let as_role = |role: &str| {
        let own = [file(&format!("{role}.pem")), file(&format!("{role}.key"))];
        ["--coordinator", &url, "--tls-ca", &ca, "--tls-cert", &own[0], "--tls-key", &own[1]]
            .map(str::to_owned)
    };
    let run = |command: &[&'static str], role: &str| {
        let access = as_role(role);
        let args: Vec<&str> =
            command.iter().copied().chain(access.iter().map(String::as_str)).collect();
        sprig(&args)
    };
    let worker = as_role("worker");
    let args: Vec<&str> = ["worker", "--threads", "1", "--memory", "256M", "--name", "w"]
        .into_iter()
        .chain(worker.iter().map(String::as_str))
        .collect();
    let _worker = Process(
        command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"),
    );
    let solved = run(&["submit", "0*7", "--wait", "--json"], "submit");
    assert!(solved.out.contains("loss"), "{}", solved.err);
    // Facts are signed with the name in the certificate.
    let status = run(&["status", "--json"], "read");
    assert!(status.out.contains("w@worker"), "{} {}", status.out, status.err);
    for (command, role) in
        [(&["submit", "0*8"][..], "read"), (&["submit", "0*8"], "worker"), (&["status"], "worker")]
    {
        let said = run(command, role);
        assert_eq!(said.code, Some(1), "{role} {command:?}");
        assert!(said.err.contains("may not call"), "{}", said.err);
    }
    let said = run(&["worker"], "read");
    assert!(said.code == Some(1) && said.err.contains("may not call"), "{}", said.err);

    // The coordinator's own certificate is none of a client, another authority is nobody's, and no TLS is no way in.
    let said = run(&["status"], "coordinator");
    assert_eq!(said.code, Some(1), "{}", said.out);
    let other = folder();
    let stranger = text(other.path());
    answer(&["certs", &stranger]);
    let (theirs, their_key) = (format!("{stranger}/admin.pem"), format!("{stranger}/admin.key"));
    let access = ["--tls-ca", &ca, "--tls-cert", &theirs, "--tls-key", &their_key];
    assert_eq!(sprig(&[&["status", "--coordinator", &url][..], &access].concat()).code, Some(1));
    let wrong_ca = format!("{stranger}/ca.pem");
    assert_eq!(sprig(&["status", "--coordinator", &url, "--tls-ca", &wrong_ca]).code, Some(1));
    fails(&["status", "--coordinator", &url], &["--tls-ca"]);
}

#[test]
fn tokens_open_and_are_never_shown() {
    let (db, secrets) = (folder(), folder());
    let file = |name: &str| text(secrets.path().join(name));
    let (tokens, reader) = (file("tokens"), file("reader"));
    answer(&["token", "read", "its-reader", "--tokens", &tokens, "--out", &reader]);
    let secret = fs::read_to_string(&reader).expect("made").trim().to_owned();
    assert_eq!(secret.len(), 64);
    let listed = fs::read_to_string(&tokens).expect("made");
    assert!(listed.starts_with("read its-reader ") && !listed.contains(&secret), "{listed}");
    fails(
        &["token", "read", "a", "--tokens", &tokens, "--out", &reader],
        &["cannot make", "reader"],
    );

    let path = text(db.path());
    let mut child = command(&[
        "-vv",
        "coordinator",
        "--listen",
        "127.0.0.1:0",
        "--db",
        &path,
        "--tokens",
        &tokens,
    ])
    .env("SPRIG_LOG", "trace")
    .stdout(Stdio::null())
    .stderr(Stdio::piped())
    .spawn()
    .expect("sprig starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let _coordinator = Process(child);
    let mut log = String::new();
    let url = loop {
        let before = log.len();
        assert_ne!(stderr.read_line(&mut log).expect("text"), 0, "{log}");
        let line = log[before..].strip_prefix("sprig: coordinator at ");
        if let Some(url) = line.and_then(|line| line.split(',').next()) {
            break url.to_owned();
        }
    };
    let drain = std::thread::spawn(move || {
        let _ = stderr.read_to_string(&mut log);
        log
    });
    let said = sprig(&["-vv", "status", "--coordinator", &url, "--token-file", &reader]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.err.contains(&secret), "the client has logged its token");
    let said = sprig(&["submit", "0*8", "--coordinator", &url, "--token-file", &reader]);
    assert!(said.err.contains("its-reader (read) may not call"), "{}", said.err);
    fails(&["status", "--coordinator", &url], &["--token-file"]);
    drop(_coordinator);
    let log = drain.join().expect("read");
    assert!(log.contains("its-reader") || log.contains("status") || !log.is_empty());
    assert!(!log.contains(&secret), "the coordinator has logged a token");

    // A secret that others can read is none.
    fs::set_permissions(&reader, Permissions::from_mode(0o644)).expect("ours");
    fails(&["status", "--coordinator", &url, "--token-file", &reader], &["chmod 600"]);
    fs::set_permissions(&tokens, Permissions::from_mode(0o666)).expect("ours");
    fails(&["coordinator", "--db", &path, "--tokens", &tokens], &["chmod go-w"]);
}

#[test]
fn a_token_alone_is_not_enough_off_loopback() {
    let (db, secrets) = (folder(), folder());
    let file = |name: &str| text(secrets.path().join(name));
    let (tokens, token) = (file("tokens"), file("token"));
    answer(&["token", "admin", "boss", "--tokens", &tokens, "--out", &token]);
    let path = text(db.path());
    let listen = ["coordinator", "--listen", "0.0.0.0:0", "--db", &path];
    fails(
        &[&listen[..], &["--tokens", &tokens]].concat(),
        &["--tls-cert", "127.0.0.1", "--insecure"],
    );
    fails(
        &["status", "--coordinator", "http://192.0.2.1:1", "--token-file", &token],
        &["everybody", "https://", "--insecure"],
    );
}
