//! The explorer through the real program: on a database, beside a process that writes to it, on a cluster.
#![cfg(feature = "coordinator")]
#![allow(clippy::disallowed_methods, reason = "waits for other processes")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::processes::Coordinator;
use crate::common::{answer, command, fails, folder, json, refuses, text};
use serde_json::Value;

/// The explorer, until it is dropped.
struct Explorer {
    child: Child,
    address: String,
}

impl Explorer {
    fn start(args: &[&str]) -> Self {
        let args = [&["explore", "--listen", "127.0.0.1:0"], args].concat();
        let mut child = command(&args).stderr(Stdio::piped()).spawn().expect("sprig starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("a line");
            Some(line.split("http://").nth(1)?.split(' ').next()?.to_owned())
        });
        // It may go on to say something.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: address.expect("it says where it is") }
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path}"), "", "")
    }

    fn ask(&self, line: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let request =
            format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n{body}");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("text");
        said
    }

    fn json(&self, path: &str) -> Value {
        let said = self.get(path);
        let (head, body) = said.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {said}");
        serde_json::from_str(body).expect("JSON")
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_knows_what_query_knows_and_where_it_comes_from() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    answer(&["solve", "7", "--nimber", "--db", &db]);
    let explorer = Explorer::start(&["--db", &db]);
    for (position, misere) in
        [("7", false), ("0*3.AB|0.AB", false), ("0*2+0*5", false), ("5", true)]
    {
        let play: &[&str] = if misere { &["--misere"] } else { &[] };
        let query = json(&[&["query", position, "--db", &db, "--json"], play].concat());
        let path = position.replace('|', "~");
        let play = if misere { "?play=misere" } else { "" };
        let shown = explorer.json(&format!("/v1/positions/{path}{play}"));
        for field in ["canonical", "written", "play", "claimed"] {
            assert_eq!(shown[field], query[field], "{position}: {field}");
        }
        // Whole trees of small positions may say more than the database does.
        for field in ["outcome", "nimber"] {
            assert!(query[field].is_null() || shown[field] == query[field], "{position}: {field}");
        }
    }
    let seven = explorer.json("/v1/positions/7");
    assert_eq!(seven["outcome"], "loss");
    assert_eq!(seven["lands"][0]["origin"]["job"], 1);
    // A position that is lost has no winning move, and the page says so.
    let page = explorer.get("/p/0*7");
    assert!(page.contains("Loss for the player to move") && page.contains("verified; found by"));
    let moves = explorer.json("/v1/positions/7/moves");
    let counts = &moves["counts"];
    assert_eq!((&counts["winning"], &counts["unknown"]), (&0.into(), &0.into()), "{moves}");
    assert!(moves["moves"].as_array().expect("a list").iter().all(|m| m["outcome"] == "win"));
}

#[test]
fn what_is_proved_meanwhile_is_seen() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    let coordinator = Coordinator::start("127.0.0.1:0", folder.path().join("facts").as_path());
    let explorer = Explorer::start(&["--db", &db]);
    assert!(explorer.json("/v1/positions/8")["outcome"].is_null());
    let _worker = crate::common::processes::Process::worker(&coordinator.url, "only");
    answer(&["submit", "8", "--wait", "--coordinator", &coordinator.url]);
    // A cluster says it at once, a database that is being written to after some seconds.
    let of_cluster = Explorer::start(&["--coordinator", &coordinator.url]);
    assert_eq!(of_cluster.json("/v1/positions/8")["outcome"], "loss");
    assert_eq!(of_cluster.json("/v1/positions/8/line")["line"][0]["outcome"], "win");
    let end = Instant::now() + Duration::from_secs(60);
    while explorer.json("/v1/positions/8")["outcome"] != "loss" {
        assert!(Instant::now() < end, "it is still not seen");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_mistake_is_one_line_and_makes_nothing() {
    let folder = folder();
    let none = text(folder.path().join("none"));
    fails(&["explore", "--db", &none], &["none"]);
    assert!(!folder.path().join("none").exists());
    refuses(&["explore", "--db", &none, "--listen", "0.0.0.0:0"], &["--public"]);
    refuses(&["explore", "--db", &none, "--listen", "here"], &["`here`", "127.0.0.1:7480"]);
    refuses(&["explore", "--db", &none, "--steer"], &["no searches", "--coordinator URL"]);
    let open = Coordinator::start("127.0.0.1:0", &folder.path().join("facts"));
    let steered = ["explore", "--coordinator", &open.url, "--steer"];
    fails(&steered, &["asks nobody for a token", "--tokens"]);
    let far = [&steered[..], &["--public", "--listen", "0.0.0.0:0"]].concat();
    refuses(&far, &["tokens of visitors", "TLS", "--insecure"]);
}

#[test]
fn who_has_found_it_stands_on_a_page() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    answer(&["solve", "9", "--db", &db]);
    let credits = json(&["credit", "--db", &db, "--json"]);
    let first = &credits["credits"][0];
    let name = first["name"].as_str().expect("somebody");
    let explorer = Explorer::start(&["--db", &db]);
    let page = explorer.get("/credit");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains(name), "{page}");
    let verified = format!("<td class=\"number\">{}</td>", first["verified"]);
    assert!(first["verified"].as_u64() > Some(10) && page.contains(&verified), "{page}");
    assert!(explorer.get("/work").contains("href=\"/credit\""));
    assert!(explorer.get("/credit?by=name").starts_with("HTTP/1.1 400"));
}

#[test]
fn black_and_white_is_explored_and_played() {
    let folder = folder();
    let db = text(folder.path().join("facts"));
    let variant = ["--variant", "black-and-white"];
    answer(&[&["solve", "0*6", "--nimber", "--db", &db], &variant[..]].concat());
    answer(&["solve", "4", "--db", &db]);
    let explorer = Explorer::start(&[&["--db", &db], &variant[..]].concat());
    // Four spots are won in Sprouts, and lost here.
    let four = explorer.json("/v1/positions/4");
    assert_eq!((&four["game"], &four["outcome"]), (&"black-and-white".into(), &"loss".into()));
    assert_eq!(explorer.json("/v1/positions/6")["nimber"], 3);
    let moves = explorer.json("/v1/positions/6/moves");
    let bare = |m: &Value| m["witness"]["without_spot"] == true;
    assert!(moves["moves"].as_array().expect("a list").iter().any(bare), "{moves}");
    let page = explorer.get("/p/0*4");
    assert!(page.contains("Black-and-white Sprouts.") && page.contains("Loss for the player"));
    assert!(page.contains("without a spot"), "{page}");
    let game = explorer.get("/play?start=4&first=you&moves=0");
    assert!(game.starts_with("HTTP/1.1 30"), "it answers: {game}");
    let game = explorer.get("/play?start=4&first=you");
    assert!(game.contains("without a spot") && !game.contains("/play/record"), "{game}");
    assert!(explorer.get("/play/record?start=4").contains("knows no black-and-white"));
    assert!(explorer.get("/v1/positions/0*2@1").starts_with("HTTP/1.1 400"));
    // The proof that it hands out is one of this game.
    let said = explorer.get("/v1/positions/4/certificate?form=text");
    let cert = text(folder.path().join("4.cert"));
    std::fs::write(&cert, said.split_once("\r\n\r\n").expect("a body").1).expect("written");
    let checked = answer(&["verify", &cert]);
    assert!(checked.contains("loss for the player to move, black-and-white"), "{checked}");
    // The same database, asked about Sprouts.
    assert_eq!(Explorer::start(&["--db", &db]).json("/v1/positions/4")["outcome"], "win");
}

#[test]
fn visitors_do_not_steer_by_the_certificate_of_the_explorer() {
    let folder = folder();
    let file = |name: &str| text(folder.path().join(name));
    let (tokens, token) = (file("tokens"), file("ada.token"));
    answer(&["token", "submit", "ada", "--tokens", &tokens, "--out", &token]);
    answer(&["certs", &file("tls")]);
    let [cert, key, ca] =
        ["coordinator.pem", "coordinator.key", "ca.pem"].map(|name| file(&format!("tls/{name}")));
    let start = |db: &str, more: &[&str]| {
        let db = file(db);
        let args = ["coordinator", "--listen", "127.0.0.1:0", "--db", &db, "--tls-cert", &cert];
        let client = ["--tls-key", &key, "--tls-client-ca", &ca];
        Coordinator::of(command(&[&args[..], &client, more].concat()))
    };
    // The certificate of the explorer may do everything.
    let (own, own_key) = (file("tls/admin.pem"), file("tls/admin.key"));
    let access = ["--tls-ca", &ca, "--tls-cert", &own, "--tls-key", &own_key];

    let both = start("both", &["--tokens", &tokens]);
    answer(&[&["submit", "0*44", "--coordinator", &both.url][..], &access].concat());
    let explorer =
        Explorer::start(&[&["--coordinator", &both.url, "--steer"][..], &access].concat());
    let wish = |authorization: &str| {
        let body = r#"{"kind": "pin", "at": "0*43.AB|AB"}"#;
        let length = body.len();
        let headers = format!(
            "content-type: application/json\r\ncontent-length: {length}\r\n{authorization}"
        );
        explorer.ask("POST /v1/jobs/1/wishes", &headers, body)
    };
    let known = std::fs::read_to_string(&token).expect("made").trim().to_owned();
    let unknown = "0".repeat(known.len());
    for authorization in [String::new(), format!("authorization: Bearer {unknown}\r\n")] {
        let said = wish(&authorization);
        assert!(said.starts_with("HTTP/1.1 401"), "{said}");
    }
    assert_eq!(explorer.json("/v1/jobs/1/wishes")["wishes"], serde_json::json!([]));
    let said = wish(&format!("authorization: Bearer {known}\r\n"));
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert_eq!(explorer.json("/v1/jobs/1/wishes")["wishes"][0]["by"], "ada");

    // Where certificates alone open, visitors have no way in.
    let closed = start("closed", &[]);
    let steered = ["explore", "--coordinator", &closed.url, "--steer"];
    fails(&[&steered[..], &access].concat(), &["asks nobody for a token", "--tokens"]);
}
