//! Wishes of visitors: made with tokens of their own, over a real coordinator, and in no other way.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::common::{Said, Server, secret};
use crate::interface::check;
use fastrand::Rng;
use serde_json::{Value, json};
use sprig_domain::{Goal, JobId, JobState, Question, Terms, Wish, WishEnd, WishKind};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_gateway::Limits;
use sprig_proto::{ClientError, JobOrder, Role, TOKEN_CHARS, Visitors};
use sprig_store::{Batch, Job, UnixMillis};

const WISHES: &str = "/v1/jobs/1/wishes";
const PIN: &str = r#"{"kind": "pin", "at": "0*43.AB|AB"}"#;
const JSON: &str = "content-type: application/json\r\n";

fn goal(text: &str) -> Goal {
    let position = text.parse::<Position>().expect("a position");
    Goal::normal(CanonicalPosition::of(&position), Question::OUTCOME)
}

/// A gateway whose visitors may steer the search of 44 spots, at which nobody works.
fn steered() -> Server {
    let server = Server::on_closed_cluster(true);
    server.submit(goal("0*44"));
    server
}

fn bearer(role: Role) -> String {
    format!("authorization: Bearer {}\r\n", secret(role))
}

impl Server {
    fn change(&self, line: &str, headers: &str, body: &str) -> Said {
        self.ask_with(line, &format!("content-length: {}\r\n{headers}", body.len()), body)
    }

    /// Makes a wish as who may.
    fn wish(&self, body: &str) -> Said {
        self.change(&format!("POST {WISHES}"), &(bearer(Role::Submit) + JSON), body)
    }
}

/// The body of an answer, which must be one that the document says.
fn documented(server: &Server, path: &str, method: &str, said: &Said) -> Value {
    let document = server.json("/v1/openapi.json");
    let response = &document["paths"][path][method]["responses"][said.status.to_string()];
    assert!(response.is_object(), "{method} {path}: {} is not in the document", said.status);
    let kind = said.header("content-type").expect("a type");
    let schema = &response["content"][kind]["schema"];
    assert!(schema.is_object(), "{method} {path}: {kind} is not in the document");
    let body = serde_json::from_str(&said.body).expect("JSON");
    check(&document, schema, &body, path);
    if said.status >= 400 {
        said.problem();
    }
    assert_eq!(said.header("cache-control"), Some("no-store"));
    assert_eq!(said.header("access-control-allow-origin"), None, "{}", said.head);
    assert!(!said.raw.contains("----") && !said.body.contains("----"), "a token is told");
    body
}

const MADE: &str = "/v1/jobs/{job}/wishes";
const ONE: &str = "/v1/jobs/{job}/wishes/{number}";

#[test]
fn a_visitor_makes_wishes_in_its_own_name_and_withdraws_them() {
    let server = steered();
    let answer = documented(&server, MADE, "post", &server.wish(PIN));
    assert_eq!(answer["job"]["id"], 1);
    let wish = &answer["wishes"][0];
    let of = |name: &str| wish[name].clone();
    assert_eq!((of("kind"), of("number"), of("heap")), (json!("pin"), json!(1), json!(0)));
    // The gateway's own token is that of its-admin.
    assert_eq!((of("by"), of("position")), (json!("its-submit"), json!("0*43.AB|AB")));
    let later = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis() + 60_000;
    let ban = format!(r#"{{"kind": "ban", "at": "0*43.AB~AB", "heap": 2, "until": {later}}}"#);
    let answer = documented(&server, MADE, "post", &server.wish(&ban));
    assert_eq!(
        (&answer["wishes"][1]["heap"], &answer["wishes"][1]["until"]),
        (&json!(2), &json!(later))
    );
    assert_eq!(server.json(WISHES)["wishes"], answer["wishes"]);

    let there = server.job(1).wishes;
    assert_eq!((there.len(), there[0].by.as_str()), (2, "its-submit"));
    assert_eq!((there[1].kind, there[1].at.question().heap().get()), (WishKind::Ban, 2));

    // A page of this site says where it is from.
    let own = bearer(Role::Submit) + "origin: http://X\r\n";
    let said = server.change(&format!("DELETE {WISHES}/1"), &own, "");
    let answer = documented(&server, ONE, "delete", &said);
    assert_eq!(answer["wishes"][0]["end"], "withdrawn");
    assert_eq!(server.job(1).wishes[0].end, Some(WishEnd::Withdrawn));
    let said = server.change(&format!("DELETE {WISHES}/1"), &bearer(Role::Admin), "");
    let problem = documented(&server, ONE, "delete", &said);
    assert_eq!((said.status, &problem["type"]), (409, &json!("/about#refused")));
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("no wish 1")), "{problem}");
}

#[test]
fn who_may_not_steer_changes_nothing_and_the_gateway_lends_nobody_its_token() {
    let server = steered();
    let may = bearer(Role::Submit);
    let unknown = format!("authorization: Bearer {}\r\n", "z".repeat(2 * TOKEN_CHARS));
    let cases = [
        (String::new(), 401),
        ("authorization: Bearer short\r\n".to_owned(), 401),
        ("authorization: Bearer\r\n".to_owned(), 401),
        ("authorization: Bearer \u{fc}\u{fc}\r\n".to_owned(), 401),
        (may.replace("Bearer", "Basic"), 401),
        (unknown.clone(), 401),
        (format!("{may}{may}"), 401),
        (format!("cookie: token={}\r\n", secret(Role::Submit)), 401),
        (bearer(Role::Read), 403),
        (bearer(Role::Worker), 403),
        (bearer(Role::Follower), 403),
        (format!("{may}origin: http://elsewhere\r\n"), 403),
        (format!("{may}origin: http://x:81\r\n"), 403),
        (format!("{may}origin: http://x.elsewhere\r\n"), 403),
        (format!("{may}origin: null\r\n"), 403),
        (format!("{may}origin: http://x\r\norigin: http://y\r\n"), 403),
    ];
    for (headers, status) in &cases {
        for (line, path, method) in [
            (format!("POST {WISHES}"), MADE, "post"),
            (format!("DELETE {WISHES}/1"), ONE, "delete"),
        ] {
            let said = server.change(&line, &format!("{headers}{JSON}"), PIN);
            documented(&server, path, method, &said);
            assert_eq!(said.status, *status, "{line} with {headers}: {}", said.body);
            assert_eq!(said.header("www-authenticate").is_some(), said.status == 401, "{headers}");
        }
    }
    for kind in ["", "content-type: text/plain\r\n", "content-type: multipart/form-data\r\n"] {
        let said = server.change(&format!("POST {WISHES}"), &format!("{may}{kind}"), PIN);
        documented(&server, MADE, "post", &said);
        assert_eq!(said.status, 415, "{kind}");
    }
    assert_eq!(server.job(1).wishes, []);
    assert_eq!(server.json(WISHES)["wishes"], json!([]));
}

#[test]
fn other_sites_are_not_told_that_they_may_ask() {
    let server = steered();
    for path in [WISHES, "/v1/jobs/1/wishes/1"] {
        let asks = "origin: http://elsewhere\r\naccess-control-request-method: POST\r\n";
        let said = server.ask(&format!("OPTIONS {path}"), asks);
        assert_eq!(said.status, 204, "{path}");
        assert!(said.header("allow").is_some(), "{path}");
        assert!(!said.head.contains("access-control"), "{}", said.head);
    }
    // What is read may be read from everywhere.
    assert_eq!(server.get(WISHES).header("access-control-allow-origin"), Some("*"));
}

#[test]
fn nonsense_is_refused_in_words_and_changes_nothing() {
    let server = steered();
    let long = format!(r#"{{"kind": "pin", "at": "{}"}}"#, "0.".repeat(1_500));
    let many = format!(r#"{{"kind": "pin", "at": "0*100{}"}}"#, "+0*100".repeat(10));
    let longer = format!(r#"{{"kind": "pin", "at": "{}"}}"#, "0.".repeat(5_000));
    let cases = [
        ("", 400, "line 1"),
        ("pin", 400, "line 1 column 1"),
        ("[]", 400, "line 1"),
        (r#"{"kind": "pin"}"#, 400, "`at`"),
        (r#"{"kind": "pin", "at": "0*9", "by": "ada"}"#, 400, "`by`"),
        (r#"{"kind": "pin", "at": "0*9", "at": "0*8"}"#, 400, "`at`"),
        (r#"{"kind": "win", "at": "0*9"}"#, 400, "`win`"),
        (r#"{"kind": "pin", "at": 9}"#, 400, "column"),
        (r#"{"kind": "pin", "at": "0*2.AX"}"#, 400, "0*2.AX"),
        (r#"{"kind": "pin", "at": "0*9", "heap": 64}"#, 400, "64"),
        (r#"{"kind": "pin", "at": "0*9", "heap": -1}"#, 400, "-1"),
        (r#"{"kind": "pin", "at": "0*9", "until": 5}"#, 400, "`until`"),
        (r#"{"kind": "pin", "at": "0*9"} {}"#, 400, "trailing"),
        (r#"{"kind": "ban", "at": "0*2+0*3"}"#, 409, "one land"),
        (r#"{"kind": "pin", "at": "0*99999"}"#, 400, "spots"),
        (many.as_str(), 422, "spots"),
        (long.as_str(), 413, "bytes"),
        (longer.as_str(), 413, "too long"),
    ];
    for (body, status, part) in cases {
        let said = server.wish(body);
        let problem = documented(&server, MADE, "post", &said);
        assert_eq!(said.status, status, "{body}: {problem}");
        assert!(
            problem["detail"].as_str().is_some_and(|text| text.contains(part)),
            "{body}: {problem}"
        );
    }
    let column = &server.wish(r#"{"kind": "pin", "at": "0*2.AX"}"#).problem()["column"];
    assert_eq!(column, 5);
    let mut dice = Rng::with_seed(29);
    for _ in 0..300 {
        let mut body = PIN.as_bytes().to_vec();
        for _ in 0..dice.usize(1..4) {
            let place = dice.usize(..body.len());
            body[place] = dice.u8(32..127);
        }
        let body = String::from_utf8(body).expect("plain");
        let said = server.wish(&body);
        // Some nonsense is a wish.
        if said.status == 200 {
            let made = serde_json::from_str::<Value>(&said.body).expect("JSON");
            let holding =
                made["wishes"].as_array().expect("a list").last().expect("a wish")["number"]
                    .clone();
            let line = format!("DELETE {WISHES}/{holding}");
            assert_eq!(server.change(&line, &bearer(Role::Submit), "").status, 200);
            continue;
        }
        assert!((400..500).contains(&said.status), "{body}: {}", said.status);
        said.problem();
    }
    assert!(server.job(1).wishes.iter().all(|wish| !wish.holds()));
    for (line, status) in [
        ("POST /v1/jobs/7/wishes", 404),
        ("POST /v1/jobs/x/wishes", 404),
        ("POST /v1/jobs/1/wishes?at=4", 400),
        ("DELETE /v1/jobs/7/wishes/1", 404),
        ("DELETE /v1/jobs/1/wishes/x", 404),
        ("DELETE /v1/jobs/1/wishes/99999999999", 404),
        ("DELETE /v1/jobs/1/wishes/1?x=1", 400),
        ("DELETE /v1/jobs/1/wishes", 405),
        ("PUT /v1/jobs/1/wishes", 405),
        ("GET /v1/jobs/1/wishes/1", 405),
        ("POST /v1/jobs/1/wish%65s", 405),
    ] {
        let said = server.change(line, &(bearer(Role::Submit) + JSON), PIN);
        assert_eq!(said.status, status, "{line}: {}", said.body);
        said.problem();
    }
}

#[test]
fn what_the_coordinator_does_not_do_is_told_with_its_reason() {
    let server = steered();
    for _ in 0..32 {
        assert_eq!(server.wish(PIN).status, 200);
    }
    let problem = documented(&server, MADE, "post", &server.wish(PIN));
    assert_eq!(problem["status"], 409);
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("32 wishes hold")));
    let cancel =
        async |mut client: sprig_proto::Client| client.order(JobId(1), JobOrder::Cancel).await;
    server.directly(cancel).expect("cancelled");
    let said = server.wish(PIN);
    let problem = documented(&server, MADE, "post", &said);
    assert_eq!(said.status, 409);
    assert!(problem["detail"].as_str().is_some_and(|text| text.contains("has ended")), "{problem}");
    let page = server.get("/jobs/1/search").body;
    assert!(!page.contains("name=\"withdraw\"") && !page.contains("steer.js"), "{page}");
}

#[test]
fn the_page_has_buttons_where_visitors_may_steer() {
    let server = steered();
    assert_eq!(server.wish(PIN).status, 200);
    let page = server.get("/jobs/1/search?at=0*43.AB~AB&heap=1").body;
    for part in [
        r#"<button type="button" name="withdraw" value="1""#,
        r#"<button type="button" name="ban" value="0*43.AB|AB" data-heap="1""#,
        r#"type="password" autocomplete="off""#,
        "sprig wish 1 pin",
        "/assets/steer.js",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let sum = server.get("/jobs/1/search?at=0*2%2B0*3").body;
    assert!(sum.contains("name=\"pin\"") && !sum.contains("name=\"ban\""), "{sum}");
    let script = server.get("/assets/steer.js");
    assert_eq!(script.status, 200);
}

#[test]
fn nobody_steers_unless_it_was_started_so() {
    let closed = Server::on_closed_cluster(false);
    closed.submit(goal("0*44"));
    let ended = Job {
        id: JobId(1),
        goal: goal("0*44"),
        priority: 0,
        submitted: UnixMillis(500),
        ended: None,
        state: JobState::Paused,
        expansions: 0,
        seconds: 0.0,
        terms: Terms::default(),
        core_seconds: 0.0,
        wishes: vec![Wish {
            number: 1,
            kind: WishKind::Boost,
            at: Goal::normal(
                goal("0*9").position().clone(),
                Question::Outcome { heap: Nimber::new(3).expect("small") },
            ),
            by: "ada".into(),
            made: 600,
            until: None,
            expansions: 7,
            end: None,
        }],
    };
    let batch = Batch { jobs: vec![ended], ..Batch::default() };
    let database = Server::on(&batch, Limits::default());
    for server in [&closed, &database] {
        let before = server.json(WISHES);
        for line in [format!("POST {WISHES}"), format!("DELETE {WISHES}/1")] {
            for role in Role::ALL {
                let said = server.change(&line, &(bearer(role) + JSON), PIN);
                let problem = said.problem();
                assert_eq!(said.status, 403, "{line}");
                assert!(problem["remedy"].as_str().is_some_and(|text| text.contains("--steer")));
            }
        }
        assert_eq!(server.json(WISHES), before);
    }
    assert_eq!(closed.job(1).wishes, []);
    let page = closed.get("/jobs/1/search?at=0*9").body;
    assert!(page.contains("sprig wish 1 pin") && !page.contains("steer"), "{page}");
    let wish = &database.json(WISHES)["wishes"][0];
    assert_eq!(
        (&wish["by"], &wish["heap"], &wish["expansions"]),
        (&json!("ada"), &json!(3), &json!(7))
    );
}

#[test]
fn a_coordinator_that_asks_for_no_tokens_cannot_be_steered_by_visitors() {
    let open = Server::on_cluster();
    let url = open.url();
    let refused = open.directly(async |_| Visitors::connect(&url, &Default::default()).await);
    assert!(matches!(refused, Err(ClientError::NoTokens { .. })), "{refused:?}");
}
