//! What is worked at, and facts one by one: over a database, and over a real coordinator.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::Server;
use serde_json::{Value, json};
use sprig_domain::{Conclusion, Goal, JobId, JobState, Outcome, Question, Terms, TreeKey};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_gateway::Limits;
use sprig_store::{
    Batch, Contribution, Event, EventKind, Fact, Job, Provenance, Source, Status, UnixMillis,
};

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

/// The nimbers of the start positions of 1 to 9 spots (Applegate, Jacobson and Sleator, 1991).
const STARTS: [u64; 9] = [0, 0, 1, 1, 1, 0, 0, 0, 1];

/// The Nim-heap of two, and its options.
fn two() -> (TreeKey, [TreeKey; 2]) {
    let mut options = [TreeKey::ZERO, TreeKey::ZERO.plus_one()];
    options.sort_unstable();
    (TreeKey::of_sorted(&options), options)
}

/// A database: nimbers of start positions, of which the last is merely claimed; a tree; two jobs.
fn batch() -> Batch {
    let nimber = |spots: usize| {
        let land = &position(&format!("0*{spots}"));
        let value = Nimber::new(STARTS[spots - 1]).expect("in range");
        Fact { status: Status::Verified, ..Fact::nimber(land.lands()[0].key(), value) }
    };
    let mut facts: Vec<Fact> = (1..=9).map(nimber).collect();
    facts[8].status = Status::Claimed;
    let (tree, options) = two();
    for (key, options) in [(TreeKey::ZERO, Box::default()), (tree, options.into())] {
        facts.push(Fact { status: Status::Verified, ..Fact::tree(key, options) });
    }
    let source = Source { worker: "beech".into(), build: "sprig 1".into() };
    let provenance = Provenance { source, job: Some(JobId(1)), time: UnixMillis(1_000) };
    let job = |id, spots: usize, state| Job {
        id: JobId(id),
        goal: Goal::normal(position(&format!("0*{spots}")), Question::OUTCOME),
        priority: 0,
        submitted: UnixMillis(500),
        ended: matches!(state, JobState::Done(_)).then_some(UnixMillis(900)),
        state,
        expansions: 1_234,
        seconds: 2.5,
        terms: Terms::default(),
        core_seconds: 0.0,
        wishes: Vec::new(),
    };
    let done = JobState::Done(Conclusion { outcome: Outcome::Loss, nimber: None });
    let mut paused = job(2, 44, JobState::Paused);
    paused.terms = Terms { owner: "ada".into(), label: "a+b & c".into(), ..Terms::default() };
    let event =
        |time, kind| (JobId(1), Event { time: UnixMillis(time), kind, detail: String::new() });
    Batch {
        contributions: vec![Contribution { provenance, facts, exclusions: Vec::new() }],
        jobs: vec![job(1, 7, done), paused],
        events: vec![event(500, EventKind::Submitted), event(900, EventKind::Done)],
    }
}

/// The texts of the lands of all pages, with how many pages there were.
fn listed(server: &Server, query: &str) -> (Vec<String>, usize) {
    let (mut lands, mut pages) = (Vec::new(), 0);
    let mut next = Some(format!("/v1/lands{query}"));
    while let Some(path) = next {
        let page = server.json(&path);
        pages += 1;
        for land in page["lands"].as_array().expect("a list") {
            // A coordinator does not tell who found it.
            assert!([json!("beech"), Value::Null].contains(&land["origin"]["worker"]), "{land}");
            lands.push(land["land"].as_str().expect("a text").to_owned());
        }
        next = page["next"].as_str().map(str::to_owned);
    }
    (lands, pages)
}

#[test]
fn verified_lands_are_listed_by_value_and_by_how_they_begin() {
    for server in [Server::on(&batch(), Limits::default()), Server::on_cluster_with(&batch())] {
        let all: Vec<String> = (1..=8).map(|spots| format!("0*{spots}")).collect();
        assert_eq!(listed(&server, "").0, ["0", "0*2", "0*3", "0*4", "0*5", "0*6", "0*7", "0*8"]);
        let (paged, pages) = listed(&server, "?limit=3&prefix=0");
        assert_eq!((paged.len(), pages), (all.len(), 3));
        assert_eq!(listed(&server, "?nimber=1").0, ["0*3", "0*4", "0*5"]);
        assert_eq!(listed(&server, "?prefix=0*4&nimber=1").0, ["0*4"]);
        assert_eq!(listed(&server, "?nimber=7").0, [""; 0]);
        for wrong in ["nimber=64", "nimber=x", "cursor=0", "cursor=xy", "limit=0", "land=0"] {
            let problem = server.get(&format!("/v1/lands?{wrong}")).problem();
            assert_eq!(problem["type"], "/about#bad-parameter", "{wrong}: {problem}");
        }
    }
    let first = &Server::on(&batch(), Limits::default()).json("/v1/lands?limit=1")["lands"][0];
    assert_eq!(first["origin"]["worker"], "beech");
}

#[test]
fn a_tree_has_its_options_and_a_tree_plus_one_those_of_the_tree() {
    let server = Server::on(&batch(), Limits::default());
    let (tree, options) = two();
    let options = options.map(|option| option.to_string());
    let said = server.json(&format!("/v1/trees/{tree}"));
    assert_eq!((&said["options"], &said["rct"]), (&json!(options), &json!("2")));
    assert_eq!((said["plus_one"].as_bool(), &said["origin"]["job"]), (Some(false), &json!(1)));
    let said = server.json(&format!("/v1/trees/{}", tree.plus_one()));
    assert_eq!(
        (said["plus_one"].as_bool(), &said["options"], &said["rct"]),
        (Some(true), &json!(options), &json!("3"))
    );
    let cluster = Server::on_cluster_with(&batch());
    let there = cluster.json(&format!("/v1/trees/{}", tree.plus_one()));
    assert_eq!((&there["options"], &there["plus_one"]), (&said["options"], &said["plus_one"]));
    for server in [&server, &cluster] {
        let page = server.get(&format!("/tree/{}", tree.plus_one())).body;
        for part in ["<code>3</code>", "it is 1 + ", &format!("href=\"/tree/{tree}\"")] {
            assert!(page.contains(part), "no {part} in {page}");
        }
        let svg = server.get(&format!("/v1/trees/{tree}/picture.svg?theme=dark")).body;
        assert!(svg.starts_with("<svg") && svg.contains("<desc>2; 1; 0</desc>"), "{svg}");
        for wrong in ["0", "xyz", "ffffffffffffffffffffffffffffff00", "%00"] {
            let path = format!("/v1/trees/{wrong}");
            assert_eq!(server.get(&path).problem()["status"], 404, "{wrong}");
        }
    }
}

#[test]
fn a_database_remembers_its_jobs_and_counts_its_facts() {
    let server = Server::on(&batch(), Limits::default());
    let jobs = server.json("/v1/jobs");
    let ids: Vec<u64> = jobs["jobs"].as_array().expect("jobs").iter().map(id).collect();
    assert_eq!((ids, &jobs["next"]), (vec![2, 1], &Value::Null));
    let page = server.json("/v1/jobs?limit=1");
    assert_eq!(page["next"], "/v1/jobs?limit=1&before=2");
    assert_eq!(id(&server.json("/v1/jobs?limit=1&before=2")["jobs"][0]), 1);
    let owned = server.json("/v1/jobs?owner=ada&limit=1");
    assert_eq!((id(&owned["jobs"][0]), &owned["jobs"][0]["label"]), (2, &json!("a+b & c")));
    assert_eq!(owned["next"], "/v1/jobs?limit=1&before=2&owner=ada");
    let labelled = server.json("/v1/jobs?label=a%2Bb+%26%20c&limit=1");
    assert_eq!(labelled["next"], "/v1/jobs?limit=1&before=2&label=a%2Bb%20%26%20c");
    let next = labelled["next"].as_str().expect("an address");
    assert_eq!(server.json(next), json!({"jobs": [], "next": null}));
    assert_eq!(server.json("/v1/jobs?owner=bob")["jobs"], json!([]));
    let job = server.json("/v1/jobs/1");
    assert_eq!((job["state"].as_str(), job["outcome"].as_str()), (Some("done"), Some("loss")));
    let events: Vec<_> =
        job["history"].as_array().expect("a history").iter().map(|e| e["event"].clone()).collect();
    assert_eq!(events, ["submitted", "done"]);
    assert_eq!(server.get("/v1/jobs/3").problem()["status"], 404);
    let statistics = server.json("/v1/statistics");
    assert_eq!(statistics["source"], "database");
    assert_eq!(statistics["verified"], json!({"nimbers": 8, "trees": 2, "rcts": 0, "losses": 0}));
    assert_eq!(statistics["claimed"]["nimbers"], 1);
    assert_eq!(server.json("/v1/workers"), json!({"workers": null, "bans": null}));
    let page = server.get("/").body;
    assert!(
        page.contains("Answered last") && page.contains("0*7") && !page.contains("0*44"),
        "{page}"
    );
    let page = server.get("/work").body;
    assert!(
        page.contains(r#"<a href="/work?owner=ada">ada</a>: <a href="/work?owner=ada&amp;label="#)
    );
    assert!(page.contains("href=\"/credit\""), "{page}");
    let others = server.get("/work?owner=bob").body;
    assert!(others.contains("There is none.") && !others.contains("0*44"), "{others}");
    for shown in ["11</b> facts", "0*44", "paused", "knows no workers", "1\u{202f}234"] {
        assert!(page.contains(shown), "no {shown}: {page}");
    }
}

fn id(job: &Value) -> u64 {
    job["id"].as_u64().expect("a number")
}

#[test]
fn each_job_has_a_page_with_what_has_happened_to_it() {
    let server = Server::on(&batch(), Limits::default());
    let work = server.get("/work").body;
    for (path, parts) in [
        ("/jobs/1", ["0*7", "who wins", "1970-01-01 00:00 UTC", "submitted", "/v1/jobs/1"]),
        ("/jobs/2", ["0*44", "ada", "paused", "Nothing is kept of it", "/v1/jobs/2"]),
    ] {
        assert!(work.contains(&format!("href=\"{path}\"")), "{path}: {work}");
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        for part in parts {
            assert!(page.body.contains(part), "no `{part}` in {}", page.body);
        }
    }
    for (path, part) in [("/jobs/3", "no job 3"), ("/jobs/x", "no number"), ("/jobs/", "no number")]
    {
        let page = server.get(path);
        assert_eq!(page.status, 404, "{path}");
        assert!(page.body.contains(part) && page.body.contains("/work"), "{path}: {}", page.body);
    }
    assert_eq!(server.get("/jobs/1?x=1").status, 400);
    let cluster = Server::on_cluster();
    cluster.submit(Goal::misere(position("0*44")));
    let page = cluster.get("/jobs/1").body;
    assert!(page.contains("waits for a worker") && page.contains("does not tell it"), "{page}");
    assert!(page.contains("href=\"/jobs/1/search\""), "{page}");
    for path in ["/jobs/1", "/jobs/2"] {
        let page = server.get(path).body;
        assert!(!page.contains("/search"), "a database has no searches: {page}");
    }
}

#[test]
fn a_job_leads_to_its_searches_until_it_has_ended() {
    let cluster = Server::on_cluster_with(&batch());
    let [ended, paused] = ["/jobs/1", "/jobs/2"].map(|path| cluster.get(path).body);
    assert!(!ended.contains("/jobs/1/search"), "{ended}");
    assert!(paused.contains("href=\"/jobs/2/search\""), "{paused}");
    let ended = cluster.get("/jobs/1/search").body;
    assert!(ended.contains("1\u{202f}234 expansions in all"), "{ended}");
    for word in ["until now", "sprig wish", "Steering"] {
        assert!(!ended.contains(word), "{word}: {ended}");
    }
    // A wish for the goal, where all searches are, would be no use.
    let paused = cluster.get("/jobs/2/search").body;
    assert!(paused.contains("sprig wish --help") && !paused.contains(" pin '"), "{paused}");
    let looked = cluster.get("/jobs/2/search?at=0*43.AB%7CAB&heap=2").body;
    assert!(looked.contains("sprig wish 2 pin '0*43.AB|AB' --heap 2"), "{looked}");
}

#[test]
fn a_cluster_shows_what_waits() {
    let server = Server::on_cluster();
    let page = server.get("/work").body;
    assert!(page.contains("No worker is connected") && !page.contains("/credit"), "{page}");
    server.submit(Goal::misere(position("0*44")));
    let job = &server.json("/v1/jobs")["jobs"][0];
    assert_eq!((job["position"].as_str(), job["state"].as_str()), (Some("0*44"), Some("waiting")));
    assert_eq!(job["question"], "misere outcome");
    let alone = server.json("/v1/jobs/1");
    assert_eq!((&alone["id"], &alone["history"]), (&json!(1), &Value::Null));
    assert_eq!(server.get("/v1/jobs/7").problem()["status"], 404);
    assert_eq!(server.json("/v1/statistics")["workers"], 0);
    assert_eq!(server.json("/v1/workers"), json!({"workers": [], "bans": []}));
    let page = server.get("/work").body;
    assert!(
        page.contains("waits for a worker") && page.contains("who wins in misère play"),
        "{page}"
    );
    assert_eq!(server.json("/v1/lands"), json!({"lands": [], "next": null}));
}

/// A stream of events.
struct Listener(std::io::BufReader<std::net::TcpStream>);

impl Listener {
    fn new(server: &Server, headers: &str) -> Self {
        let mut stream = server.connect();
        let request = format!("GET /v1/events HTTP/1.1\r\nhost: x\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        Self(std::io::BufReader::new(stream))
    }

    /// The next event: its id, its name and its data.
    fn next(&mut self) -> (String, String, Value) {
        let mut lines = [const { String::new() }; 3];
        for (place, field) in ["id: ", "event: ", "data: "].iter().enumerate() {
            lines[place] = loop {
                let mut line = String::new();
                assert_ne!(self.0.read_line(&mut line).expect("it goes on"), 0, "it has ended");
                if let Some(value) = line.strip_prefix(field) {
                    break value.trim_end().to_owned();
                }
            };
        }
        let [id, event, data] = lines;
        (id, event, serde_json::from_str(&data).expect("JSON"))
    }
}

#[test]
fn who_listens_hears_what_changes_and_who_comes_back_hears_what_was_missed() {
    let server = Server::on_cluster();
    let mut listener = Listener::new(&server, "");
    let (first, event, now) = listener.next();
    assert_eq!((event.as_str(), &now["workers"]), ("statistics", &json!(0)));
    let begun = std::time::Instant::now();
    server.submit(Goal::misere(position("0*44")));
    let (_, event, job) = listener.next();
    assert_eq!(
        (event.as_str(), &job["position"], &job["state"]),
        ("job", &json!("0*44"), &json!("waiting"))
    );
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(listener);
    server.submit(Goal::misere(position("0*45")));
    // Two were missed: the first job again is what shows that nothing is left out.
    let mut back = Listener::new(&server, &format!("last-event-id: {first}\r\n"));
    assert_eq!(back.next().2["position"], "0*44");
    assert_eq!(back.next().2["position"], "0*45");
    // What this server has not said is unknown to it: all is told anew.
    let mut strange = Listener::new(&server, "last-event-id: 7-7\r\n");
    assert_eq!(strange.next().1, "statistics");
    assert_eq!(server.ask("HEAD /v1/events", "").status, 200);
    assert_eq!(server.get("/v1/events?x=1").problem()["status"], 400);
    assert_eq!(server.ask("POST /v1/events", "").status, 405);
}

/// A visitor cannot help it, so the answer must not say that the question was too much.
#[test]
fn a_coordinator_that_falls_silent_is_away_and_nobody_asked_too_much() {
    let silent = Arc::<AtomicBool>::default();
    let server = Server::on_cluster_behind(&silent);
    assert_eq!(server.ask("GET /v1/statistics", "").status, 200);
    silent.store(true, Ordering::Relaxed);
    let asked = ["/v1/statistics", "/v1/positions/0*2", "/p/0*3"];
    std::thread::scope(|scope| {
        let server = &server;
        let ask = |path| move || server.ask(&format!("GET {path}"), "");
        let asked = asked.map(|path| scope.spawn(ask(path)));
        for said in asked.map(|asking| asking.join().expect("it was answered")) {
            assert_eq!(said.status, 502, "{}", said.body);
            assert!(
                said.body.contains("the coordinator behind this page is away"),
                "{}",
                said.body
            );
        }
    });
}
