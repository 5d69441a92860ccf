//! A protected cluster of real processes: certificates, tokens, and who is kept out.
#![cfg(feature = "coordinator")]

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::common::{answer, command, fails, folder, json, refuses, sprig, text};
use serde_json::json;
use sprig_domain::{Figures, Game};
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Answer, Build, FromWorker, GaveUp, Hello, Obstacle, Pull, ToWorker, WorkerId, wire,
};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Status, Streaming};

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
    assert_eq!(made["made"].as_array().map(Vec::len), Some(7), "{made}");
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

    // The coordinator's own certificate is none of a client, another authority is nobody's, and no TLS is no way in. Each
    // refusal says what to change.
    let said = run(&["status"], "coordinator");
    assert_eq!(said.code, Some(1), "{}", said.out);
    let other = folder();
    let stranger = text(other.path());
    answer(&["certs", &stranger]);
    let (theirs, their_key) = (format!("{stranger}/admin.pem"), format!("{stranger}/admin.key"));
    let access = ["--tls-ca", &ca, "--tls-cert", &theirs, "--tls-key", &their_key];
    fails(
        &[&["status", "--coordinator", &url][..], &access].concat(),
        &["does not take our certificate"],
    );
    let wrong_ca = format!("{stranger}/ca.pem");
    fails(
        &["status", "--coordinator", &url, "--tls-ca", &wrong_ca],
        &["another authority", "--tls-ca"],
    );
    fails(
        &["status", "--coordinator", &url, "--tls-ca", &ca],
        &["wants a certificate", "--tls-cert"],
    );
    let plain = url.replace("https", "http");
    fails(&["status", "--coordinator", &plain], &["https://", "--tls-ca"]);
    let other_name = url.replace("127.0.0.1", "127.0.0.2");
    let said = sprig(&["status", "--coordinator", &other_name, "--tls-ca", &ca]);
    assert!(said.code == Some(1) && !said.err.contains("goes on there"), "{}", said.err);
    let open = folder();
    let (_open, open) = coordinator(&open, &[]);
    let encrypted = open.replace("http", "https");
    fails(&["status", "--coordinator", &encrypted, "--tls-ca", &ca], &["write http://"]);
    refuses(&["status", "--coordinator", &url], &["--tls-ca"]);
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
        &["cannot make", "reader", "it is there already", "name another file"],
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
fn a_list_of_tokens_says_who_may_come_in_and_nothing_that_opens() {
    let secrets = folder();
    let file = |name: &str| text(secrets.path().join(name));
    let tokens = file("tokens");
    for (role, name) in [("admin", "boss"), ("worker", "node-7")] {
        answer(&["token", role, name, "--tokens", &tokens, "--out", &file(name)]);
    }
    let listed = json(&["token", "--list", "--tokens", &tokens, "--json"]);
    let names: Vec<_> = listed["tokens"].as_array().expect("a list").iter().collect();
    assert_eq!(names.len(), 2, "{listed}");
    assert_eq!((&names[1]["name"], &names[1]["role"]), (&json!("node-7"), &json!("worker")));
    let shown = answer(&["token", "--list", "--tokens", &tokens]);
    let rows: Vec<Vec<&str>> =
        shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows[0][..2] == ["NAME", "ROLE"] && rows[1][..2] == ["boss", "admin"], "{shown}");
    let lines = fs::read_to_string(&tokens).expect("read");
    for (hidden, name) in lines.split_whitespace().skip(2).step_by(3).zip(["boss", "node-7"]) {
        let secret = fs::read_to_string(file(name)).expect("read");
        for said in [&shown, &listed.to_string()] {
            assert!(!said.contains(hidden) && !said.contains(secret.trim()), "{said}");
            assert!(said.contains(&hidden[..8]), "{said}");
        }
    }
    refuses(&["token", "--list", "worker", "--tokens", &tokens], &["--list"]);
    refuses(&["token", "worker", "node-8", "--tokens", &tokens], &["--out"]);
    fails(&["token", "--list", "--tokens", &file("node-7")], &["no file of tokens"]);
}

/// A worker whose words are chosen by the test, and that gives up the job it gets.
struct Puppet {
    _out: UnboundedSender<wire::FromWorker>,
    _session: Streaming<wire::ToWorker>,
}

impl Puppet {
    async fn join(url: String, name: &str, build: &str, reason: &str) -> Result<Self, Status> {
        let mut calls = WorkersClient::connect(url).await.expect("a connection");
        let (out, outgoing) = unbounded_channel();
        let say = |message: FromWorker| out.send(message.into()).expect("open");
        let figures = Figures::default();
        let (name, build) = (name.to_owned(), Build { id: build.to_owned(), ..Build::here() });
        let worker = WorkerId(name.len() as u64);
        say(FromWorker::Hello(Hello {
            build,
            name,
            worker,
            threads: 1,
            holding: None,
            figures,
            games: vec![Game::Sprouts],
            reign: None,
            looks: false,
        }));
        say(FromWorker::Pull(Pull { answer: None, more: true }));
        let mut session = calls.work(UnboundedReceiverStream::new(outgoing)).await?.into_inner();
        loop {
            let message = session.message().await?.expect("it is not closed without a word");
            let Ok(ToWorker::Grant(grant)) = ToWorker::try_from(message) else { continue };
            let verdict = Err(GaveUp { obstacle: Obstacle::Goal, reason: reason.to_owned() });
            let answer = Some(Answer { lease: grant.lease, verdict, figures });
            say(FromWorker::Pull(Pull { answer, more: false }));
            return Ok(Self { _out: out, _session: session });
        }
    }
}

#[test]
fn a_hostile_worker_says_nothing_that_a_terminal_would_obey() {
    const WORDS: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\r\n\u{9b}31m\u{202e}";
    let db = folder();
    let (_coordinator, url) = coordinator(&db, &[]);
    answer(&["submit", "0*60", "--coordinator", &url]);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let join = |name, build| runtime.block_on(Puppet::join(url.clone(), name, build, WORDS));
    let is_plain = |said: &str| said.chars().all(|c| c == '\n' || !c.is_control());
    let refused = join(WORDS, "b").err().expect("that is no name");
    assert!(is_plain(refused.message()) && refused.message().contains("name"), "{refused}");
    let _hostile = [join("shy", WORDS), join("node-7", "b")];
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let jobs = answer(&["jobs", "--coordinator", &url, "--json"]);
        if jobs.contains("owned") {
            break;
        }
        assert!(Instant::now() < until, "its reason is heard: {jobs}");
    }
    for command in ["workers", "jobs", "status"] {
        for json in [&[][..], &["--json"]] {
            let said = sprig(&[&[command, "--coordinator", &url], json].concat());
            assert_eq!(said.code, Some(0), "{}", said.err);
            assert!(
                is_plain(&said.out) && said.err.is_empty(),
                "{command} {json:?}: {:?}",
                said.out
            );
        }
    }
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
    refuses(
        &["status", "--coordinator", "http://192.0.2.1:1", "--token-file", &token],
        &["everybody", "https://", "--insecure"],
    );
}

#[test]
fn certificates_say_for_whom_and_for_how_long() {
    let tls = folder();
    let dir = text(tls.path());
    answer(&["certs", &dir, "--host", "127.0.0.2"]);
    let shown = json(&["certs", &dir, "--check", "--json"]);
    let named = |name: &str| {
        let all = shown["certificates"].as_array().expect("a list").clone();
        all.into_iter().find(|signed| signed["name"] == name).expect("it is there")
    };
    assert_eq!(named("coordinator")["names"][0], "127.0.0.2");
    assert_eq!(named("worker")["names"][0], "worker.worker.sprig");
    let days = |shown: &serde_json::Value| shown["days"].as_i64().expect("a number");
    assert!((360..=366).contains(&days(&named("admin"))), "{shown}");
    assert!(days(&named("ca")) > 3_600, "{shown}");

    // Another name is not kept silently.
    fails(&["certs", &dir, "--host", "other.example"], &["127.0.0.2", "other.example", "--renew"]);
    let key = fs::read_to_string(format!("{dir}/coordinator.key")).expect("made");
    let made = json(&["certs", &dir, "--host", "other.example", "--renew", "--json"]);
    assert_eq!(made["made"].as_array().map(Vec::len), Some(6), "{made}");
    assert_ne!(fs::read_to_string(format!("{dir}/coordinator.key")).expect("made"), key);
    let mode = fs::metadata(format!("{dir}/coordinator.key")).expect("made").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let table = answer(&["certs", &dir, "--check"]);
    assert!(table.contains("127.0.0.2 other.example"), "{table}");
    // What is there for these names is kept.
    let kept = json(&["certs", &dir, "--host", "other.example", "--json"]);
    assert_eq!(kept["kept"].as_array().map(Vec::len), Some(7), "{kept}");
}
