//! Requests that make no sense: each is answered in words, and none changes anything.

use crate::common::Server;
use fastrand::Rng;
use sprig_gateway::Limits;

/// Where a position, a parameter or nothing stands.
const PLACES: [&str; 14] = [
    "/v1/positions/{}",
    "/v1/positions/{}?play=misere",
    "/v1/positions/{}/moves",
    "/v1/positions/{}/line",
    "/v1/positions/{}/picture.svg",
    "/v1/positions/{}/certificate",
    "/v1/positions/{}/stroke?points=0,0;9,9",
    "/v1/positions/4/moves?limit={}",
    "/v1/positions/4/moves?play={}",
    "/v1/positions/4/picture.svg?child={}",
    "/v1/positions/4/stroke?points={}",
    "/v1/lands?cursor={}",
    "/v1/jobs?before={}",
    "/v1/trees/{}",
];

/// Letters of notation, and what is none.
const SIGNS: [&str; 24] = [
    "0",
    "1",
    "2",
    "9",
    "A",
    "B",
    "a",
    "z",
    ".",
    "*",
    "~",
    "%2B",
    "!",
    "}",
    "]",
    ",",
    ";",
    "-",
    "%20",
    "%00",
    "%F0%9F%8C%80",
    "%C3%BC",
    "x",
    "@",
];

fn nonsense(dice: &mut Rng) -> String {
    (0..dice.usize(1..12)).map(|_| SIGNS[dice.usize(..SIGNS.len())]).collect()
}

#[test]
fn a_thousand_requests_without_sense_get_words_and_a_remedy() {
    let server = Server::start(Limits::default());
    let mut dice = Rng::with_seed(17);
    let (mut refused, mut columns) = (0, 0);
    for number in 0.. {
        if refused == 1_000 {
            break;
        }
        assert!(number < 5_000, "{refused} of {number}");
        let path = PLACES[number % PLACES.len()].replace("{}", &nonsense(&mut dice));
        let said = server.get(&path);
        // Some nonsense is a position.
        if said.status == 200 {
            continue;
        }
        assert!((400..500).contains(&said.status), "{path}: {}", said.status);
        let problem = said.problem();
        columns += usize::from(problem["column"].is_u64());
        refused += 1;
    }
    assert!(columns > 200, "{columns}");
}

#[test]
fn there_is_no_way_to_change_anything() {
    let server = Server::on_cluster();
    let before = ["/v1/statistics", "/v1/jobs", "/v1/workers"].map(|path| server.get(path).body);
    let document = server.json("/v1/openapi.json");
    let paths = document["paths"].as_object().expect("paths");
    for (path, methods) in paths {
        let path = path.replace("{position}", "3").replace("{job}", "1").replace("{key}", "00");
        let path = path.replace("{number}", "1");
        for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "SUBMIT"] {
            if methods.get(method.to_lowercase()).is_some() {
                continue;
            }
            let said = server.ask(&format!("{method} {path}"), "content-length: 0\r\n");
            assert_eq!(said.problem()["status"], 405, "{method} {path}");
            assert!(said.header("allow").is_some_and(|allow| !allow.contains(method)), "{path}");
        }
    }
    let after = ["/v1/statistics", "/v1/jobs", "/v1/workers"].map(|path| server.get(path).body);
    assert_eq!(before, after);
}
