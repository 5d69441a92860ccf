//! Workers that read facts from a copy; all of them as processes.
#![cfg(feature = "coordinator")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::processes::Coordinator;
use crate::common::{answer, command, fails, folder, json, text};

/// A process, and what it has said.
struct Service {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    fn start(args: &[&str]) -> Self {
        let mut command = command(args);
        command.env("SPRIG_LOG", "info").stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("sprig starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let said = Arc::<Mutex<String>>::default();
        let heard = Arc::clone(&said);
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                *heard.lock().expect("no panic") += &format!("{line}\n");
            }
        });
        Self { child, said }
    }

    /// Waits until it has said a line with this; returns what stands behind it.
    fn says(&self, word: &str) -> String {
        wait(word, || {
            let said = self.said.lock().expect("no panic");
            let (_, rest) = said.split_once(word)?;
            let (line, _) = rest.split_once('\n')?;
            Some(line.trim().to_owned())
        })
    }
}

/// Asks until there is an answer.
fn wait<T>(what: &str, ask: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::yield_now();
    }
}

/// A figure of the metrics at a URL.
fn figure(url: &str, name: &str) -> Option<u64> {
    let address = url.strip_prefix("http://")?.strip_suffix("/metrics")?;
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n").ok()?;
    let mut page = String::new();
    stream.read_to_string(&mut page).ok()?;
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("{name} ")))?;
    line.parse().ok()
}

#[test]
fn workers_read_facts_from_a_copy_and_go_on_without_it() {
    let place = folder();
    let [db, copy, other] = ["db", "copy", "other"].map(|name| text(place.path().join(name)));
    let tokens = text(place.path().join("tokens"));
    let token = |role: &str| {
        let file = text(place.path().join(role));
        answer(&["token", role, &format!("a-{role}"), "--tokens", &tokens, "--out", &file]);
        file
    };
    let [submit, worker, follower] = ["submit", "worker", "follower"].map(token);
    let listen = ["coordinator", "--listen", "127.0.0.1:0", "--db", &db, "--tokens", &tokens];
    // No claim waits there until it was looked at.
    let listen = [&listen[..], &["--believe-workers"]].concat();
    let coordinator = Coordinator::of(command(&listen));
    let url = &coordinator.url;
    let solve = |position: &str| {
        let args = ["submit", position, "--coordinator", url, "--wait", "--json"];
        json(&[&args[..], &["--token-file", &submit]].concat())["outcome"].clone()
    };
    let work = |name: &str, copies: &str| {
        let args = ["worker", "--coordinator", url, "--threads", "1", "--memory", "1G"];
        let named = ["--name", name, "--token-file", &worker, "--copies", copies];
        Service::start(&[&args[..], &named].concat())
    };
    let follow = |db: &str, listen: &str| {
        let args = ["follow", "--coordinator", url, "--db", db, "--token-file", &follower];
        let tells = ["--listen", listen, "--listen-tokens", &tokens, "--metrics", "127.0.0.1:0"];
        Service::start(&[&args[..], &tells].concat())
    };
    let copy = follow(&copy, "127.0.0.1:0");
    let copies = copy.says("facts for workers at ");
    let metrics = copy.says("metrics at ");
    // Nobody listens at the first address, so the second is asked.
    let both = format!("http://127.0.0.1:9,{copies}");
    // Each worker that comes new is told what was proved before, so it needs the copies for sure.
    let _first = work("first", &both);
    assert_eq!(solve("0*12"), "loss");
    let second = work("second", &both);
    second.says("reads facts from a copy");
    assert_eq!(solve("0*16"), "win");
    let told = || figure(&metrics, "sprig_follower_told_facts_total").filter(|&told| told > 0);
    wait("facts are told", told);
    // The copy is gone: what it should tell comes from the coordinator.
    drop(copy);
    let third = work("third", &copies);
    third.says("no copy tells the facts");
    assert_eq!(solve("0*17"), "win");
    // A copy of something else, under an address that is known already, is not believed.
    let stranger = Coordinator::of(command(&[
        "coordinator",
        "--listen",
        "127.0.0.1:0",
        "--db",
        &other,
        "--tokens",
        &tokens,
    ]));
    let fourth = place.path().join("fourth");
    let wrong = Service::start(&[
        "follow",
        "--coordinator",
        &stranger.url,
        "--db",
        &text(&fourth),
        "--token-file",
        &follower,
        "--listen",
        "127.0.0.1:0",
        "--listen-tokens",
        &tokens,
    ]);
    let wrong = (wrong.says("facts for workers at "), wrong);
    let misled = work("misled", &wrong.0);
    let why = misled.says("a copy tells nothing");
    assert!(why.contains("of another database"), "{why}");
    assert_eq!(solve("0*18"), "loss");
}

#[test]
fn a_copy_listens_where_it_is_protected_alone() {
    let place = folder();
    let copy = text(place.path().join("copy"));
    let follow = ["follow", "--coordinator", "http://127.0.0.1:9", "--db", &copy];
    let with = |more: &[&'static str]| [&follow[..], more].concat();
    let remedy = "--listen-cert, --listen-key and --listen-client-ca or --listen-tokens";
    fails(&with(&["--listen", "0.0.0.0:0"]), &["can be reached from other machines", remedy]);
    let said = crate::common::sprig(&with(&["--listen", "nowhere"]));
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains("is not an address to listen on"), "{}", said.err);
    let said = crate::common::sprig(&with(&["--listen-tokens", "tokens"]));
    assert_eq!(said.code, Some(2), "{}", said.err);
    let said = crate::common::sprig(&["worker", "--copies", "nonsense"]);
    assert_eq!((said.code, said.out), (Some(2), String::new()), "{}", said.err);
    assert!(said.err.contains("`nonsense` is not the address of a copy"), "{}", said.err);
}
