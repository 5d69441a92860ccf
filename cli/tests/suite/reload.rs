//! A coordinator that reads its tokens again, and one that remembers bans, as processes.
#![cfg(feature = "coordinator")]

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::processes::{Coordinator, Process};
use crate::common::{answer, command, fails, folder, json, sprig, text};
use sprig_store::{BanRecord, BanState, Person, UnixMillis};

/// A coordinator whose log is read.
struct Logged {
    child: Child,
    url: String,
    log: Receiver<String>,
    /// Lines that were passed over: what happens at once is logged in either order.
    passed: RefCell<Vec<String>>,
}

impl Drop for Logged {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Logged {
    fn start(db: &str, tokens: &str) -> Self {
        let args = ["coordinator", "--listen", "127.0.0.1:0", "--db", db, "--tokens", tokens];
        let mut child = command(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sprig starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (lines, log) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    return;
                }
            }
        });
        let mut logged = Self { child, url: String::new(), log, passed: RefCell::default() };
        let line = logged.line("sprig: coordinator at ");
        let url = line.strip_prefix("sprig: coordinator at ").and_then(|l| l.split(',').next());
        logged.url = url.expect("an address").to_owned();
        logged
    }

    /// The first line of the log that holds this and was not given before.
    fn line(&self, part: &str) -> String {
        let mut passed = self.passed.borrow_mut();
        if let Some(at) = passed.iter().position(|line| line.contains(part)) {
            return passed.remove(at);
        }
        let end = Instant::now() + Duration::from_secs(60);
        while let Ok(line) = self.log.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if line.contains(part) {
                return line;
            }
            passed.push(line);
        }
        panic!("no `{part}` in {passed:#?}");
    }

    fn hang_up(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().expect("kill runs").success());
    }
}

#[test]
fn a_signal_has_the_tokens_read_again_and_the_log_says_who_did_what() {
    let (db, secrets) = (folder(), folder());
    let file = |name: &str| text(secrets.path().join(name));
    let tokens = file("tokens");
    for (role, name) in [("read", "eve"), ("admin", "boss"), ("worker", "node-7")] {
        answer(&["token", role, name, "--tokens", &tokens, "--out", &file(name)]);
    }
    let coordinator = Logged::start(&text(db.path()), &tokens);
    let url = coordinator.url.clone();
    let (eve, boss, node) = (file("eve"), file("boss"), file("node-7"));
    let ask = |token: &str, args: &[&str]| {
        sprig(&[args, &["--coordinator", &url, "--token-file", token]].concat())
    };
    assert_eq!(ask(&eve, &["status"]).code, Some(0));
    assert_eq!(ask(&eve, &["cancel", "1"]).code, Some(1));
    let refused = coordinator.line("call refused");
    assert!(
        refused.contains("eve (read) may not call") && refused.contains("127.0.0.1"),
        "{refused}"
    );
    assert_eq!(ask(&boss, &["submit", "0*60"]).code, Some(0));
    let submitted = coordinator.line("job submitted");
    assert!(submitted.contains("boss (admin)") && submitted.contains("127.0.0.1"), "{submitted}");
    assert_eq!(ask(&boss, &["pause", "1"]).code, Some(0));
    assert!(coordinator.line("job ordered").contains("Pause"));
    let worker = Process::start(&[
        "worker",
        "--threads",
        "1",
        "--memory",
        "256M",
        "--name",
        "w",
        "--coordinator",
        &url,
        "--token-file",
        &node,
    ]);
    assert!(coordinator.line("worker joined").contains("w@node-7"));

    // Without the lines of eve and node-7.
    let lines = fs::read_to_string(&tokens).expect("text");
    let left: String =
        lines.lines().filter(|line| line.contains(" boss ")).map(|l| format!("{l}\n")).collect();
    fs::write(&tokens, &left).expect("written");
    assert_eq!(ask(&eve, &["status"]).code, Some(0), "until it is told");
    coordinator.hang_up();
    coordinator.line("were read again");
    let left_line = coordinator.line("worker left");
    assert!(left_line.contains("w@node-7") && left_line.contains("no longer known"), "{left_line}");
    assert_eq!(worker.end(), Some(1));
    assert!(ask(&eve, &["status"]).err.contains("--token-file"));
    assert_eq!(ask(&boss, &["status"]).code, Some(0));

    // A file that is none changes nothing.
    fs::write(&tokens, "king boss\n").expect("written");
    coordinator.hang_up();
    let kept = coordinator.line("were not read again");
    assert!(kept.contains("line 1"), "{kept}");
    assert_eq!(ask(&boss, &["status"]).code, Some(0));

    // One that has none any more lets nobody in.
    fs::write(&tokens, &left).expect("written");
    answer(&["token", "--revoke", "boss", "--tokens", &tokens]);
    coordinator.hang_up();
    coordinator.line("nobody comes in by token");
    assert!(ask(&boss, &["status"]).err.contains("--token-file"));
}

#[test]
fn a_ban_is_shown_and_can_be_lifted() {
    let db = folder();
    {
        let store = crate::common::store(db.path());
        let person = Person { proved: false, name: "broken".into() };
        let reason = "broken: computed again it is 1".to_owned();
        let state = BanState::Banned { reason, claim: Some("land 0*3: nimber 2".into()) };
        let ban = BanRecord { person, time: UnixMillis(1_767_225_600_000), state };
        store.record_bans(&[ban]).expect("written");
    }
    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let url = &*coordinator.url;
    let table = answer(&["workers", "--coordinator", url]);
    for part in ["broken", "2026-01-01", "land 0*3: nimber 2", "computed again it is 1"] {
        assert!(table.contains(part), "no `{part}` in {table}");
    }
    assert_eq!(coordinator.status()["bans"][0]["name"], "broken");
    let worker = ["worker", "--threads", "1", "--memory", "256M", "--name", "broken"];
    let refused = sprig(&[&worker[..], &["--coordinator", url]].concat());
    assert!(
        refused.err.contains("broken is banned") && refused.err.contains("sprig unban"),
        "{}",
        refused.err
    );
    fails(&["unban", "other", "--coordinator", url], &["nobody is banned", "other"]);
    let lifted = json(&["unban", "broken", "--coordinator", url, "--json"]);
    assert_eq!(lifted["lifted"][0]["name"], "broken");
    coordinator.process.signal("-KILL");
    assert_eq!(coordinator.process.end(), None);

    let coordinator = Coordinator::start("127.0.0.1:0", db.path());
    let _worker = Process::worker(&coordinator.url, "broken");
    coordinator.wait_until("it works again", |s| s["workers"][0]["name"] == "broken");
    assert_eq!(coordinator.status()["bans"].as_array().map(Vec::len), Some(0));
}
