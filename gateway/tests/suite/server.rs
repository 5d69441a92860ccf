//! The real server, over real connections.

use std::io::Read;
use std::time::Duration;

use crate::common::Server;
use crate::interface::check;
use serde_json::Value;
use sprig_engine::{CanonicalPosition, Nimber};
use sprig_gateway::Limits;
use sprig_store::{Batch, Contribution, Fact, Provenance, Source, Status, UnixMillis};

#[test]
fn a_position_has_its_value_its_moves_its_line_and_its_picture() {
    let server = Server::start(Limits::default());
    let four = server.json("/v1/positions/4");
    assert_eq!((four["canonical"].as_str(), four["outcome"].as_str()), (Some("0*4"), Some("win")));
    assert_eq!(four["lives"], 12);
    let moves = server.json("/v1/positions/4/moves");
    assert_eq!(
        moves["moves"].as_array().map(Vec::len),
        moves["total"].as_u64().map(|n| n as usize)
    );
    assert_eq!(moves["moves"][0]["outcome"], "loss", "the best first: {moves}");
    // By Applegate, Jacobson and Sleator, 1991: normal play, and misère play.
    for (spots, normal, misere) in
        [(1, "loss", "win"), (2, "loss", "loss"), (3, "win", "loss"), (4, "win", "loss")]
    {
        let position = format!("/v1/positions/0*{spots}");
        assert_eq!(server.json(&position)["outcome"], normal, "{spots}");
        assert_eq!(server.json(&format!("{position}?play=misere"))["outcome"], misere, "{spots}");
    }
    let line = server.json("/v1/positions/0*3/line");
    assert_eq!(line["ended"], true);
    let words = line["line"][0]["move"].as_str().expect("a move");
    assert!(words.starts_with('['), "{words}");
    let svg = server.get("/v1/positions/0*2.AB~AB/picture.svg?theme=dark");
    assert_eq!((svg.status, svg.header("content-type")), (200, Some("image/svg+xml")));
    assert!(svg.body.starts_with("<svg") && svg.body.contains("0*2.AB|AB"));
}

#[test]
fn moves_come_in_pages() {
    let server = Server::start(Limits::default());
    let whole = server.json("/v1/positions/0*2.AB%7CAB/moves?limit=1000");
    let mut pages = Vec::new();
    let mut next = Some("/v1/positions/0*2.AB%7CAB/moves?limit=3".to_owned());
    while let Some(path) = next {
        let page = server.json(&path);
        pages.extend(page["moves"].as_array().expect("a list").clone());
        next = page["next"].as_str().map(str::to_owned);
    }
    assert!(pages.len() > 3 && whole["moves"] == Value::from(pages));
}

#[test]
fn a_position_says_at_sight_what_its_moves_say() {
    let facts = [("0*2", 0), ("0*3", 1), ("0*2.AB|AB", 2)].map(|(text, nimber)| {
        let position = CanonicalPosition::of(&text.parse().expect("a position"));
        let nimber = Nimber::new(nimber).expect("a nimber");
        Fact { status: Status::Verified, ..Fact::nimber(position.lands()[0].key(), nimber) }
    });
    let provenance = Provenance {
        source: Source { worker: "beech".into(), build: "sprig 1".into() },
        job: None,
        time: UnixMillis(1),
    };
    let contribution = Contribution { provenance, facts: facts.into(), exclusions: Vec::new() };
    let batch = Batch { contributions: vec![contribution], ..Batch::default() };
    let (here, cluster) = (Server::on(&batch, Limits::default()), Server::on_cluster_with(&batch));
    // What is known by facts, by a whole game tree, not at all, and where no move is left.
    for position in ["0*2", "0*3%2B0*2.AB~AB", "0*2.AB~AB%2B0*2", "1a1a", "0*4", "0*12", "!"] {
        for play in ["normal", "misere"] {
            for server in [&here, &cluster] {
                let path = format!("/v1/positions/{position}");
                let found = server.json(&format!("{path}?play={play}"));
                let moves = server.json(&format!("{path}/moves?play={play}&limit=1000"));
                for key in ["written", "canonical", "play", "outcome", "nimber"] {
                    assert_eq!(found[key], moves[key], "{key} of {path}, {play}");
                }
                let count = |key: &str| moves["counts"][key].as_u64().expect("a number");
                let all = count("winning") + count("unknown") + count("losing");
                assert_eq!(moves["total"].as_u64(), Some(all), "{path}");
                let is_win = found["outcome"] == "win";
                assert!(is_win || count("winning") == 0, "{path}, {play}: {moves}");
            }
        }
    }
    let sum = here.json("/v1/positions/0*3%2B0*2.AB~AB");
    assert_eq!((&sum["outcome"], &sum["nimber"]), (&"win".into(), &3.into()));
    assert_eq!(sum["lands"][0]["origin"]["worker"], "beech");
    let held = here.get("/v1/positions/0*3%2B0*2.AB~AB");
    assert!(held.header("cache-control").is_some_and(|held| held.contains("immutable")));
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let server = Server::start(Limits::default());
    for path in ["/v1/positions/3", "/p/0*3", "/v1/positions/3/picture.svg", "/assets/explorer.css"]
    {
        let first = server.get(path);
        let tag = first.header("etag").unwrap_or_else(|| panic!("{path}")).to_owned();
        assert!(!tag.starts_with("w/"), "{tag}");
        let again = server.ask(&format!("GET {path}"), &format!("if-none-match: \"x\", {tag}\r\n"));
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
        assert_eq!(server.ask(&format!("GET {path}"), "if-none-match: \"x\"\r\n").status, 200);
        let head = server.ask(&format!("HEAD {path}"), "");
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
        assert_eq!(head.header("content-length"), first.header("content-length"));
    }
}

#[test]
fn a_mistake_has_its_place_and_its_remedy() {
    let server = Server::start(Limits::default());
    let problem = server.get("/v1/positions/0*2.AX").problem();
    assert_eq!((problem["status"].as_u64(), problem["column"].as_u64()), (Some(400), Some(5)));
    for (path, status, part) in [
        ("/v1/positions/", 400, "empty"),
        ("/v1/positions/999999999", 400, "999999999"),
        ("/v1/positions/%ff", 400, "UTF-8"),
        ("/v1/positions/14?play=chess", 400, "chess"),
        ("/v1/positions/14?pley=misere", 400, "pley"),
        ("/v1/positions/14/moves?limit=0", 400, "limit"),
        ("/v1/positions/14/moves?cursor=-1", 400, "cursor"),
        ("/v1/positions/14/picture.svg?theme=pink", 400, "pink"),
        ("/v1/nothing", 404, "/v1/nothing"),
        ("/v1/positions/14/moves/3", 404, "moves/3"),
    ] {
        let problem = server.get(path).problem();
        assert_eq!(problem["status"], status, "{path}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|d| d.contains(part)), "{path}: {problem}");
    }
    assert_eq!(server.ask("DELETE /v1/positions/14", "").problem()["status"], 405);
    let page = server.get("/p/0*2.AX");
    assert_eq!(page.status, 400);
    assert!(page.body.contains("column 5") && page.body.contains("What to do"), "{}", page.body);
    // A text of a stranger stays a text.
    let page = server.get("/p/%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    assert!(!page.body.contains("<script>alert"), "{}", page.body);
}

#[test]
fn a_move_among_spots_that_are_drawn_as_one_has_no_curve_and_another_remedy() {
    let server = Server::start(Limits::default());
    for (child, reason, remedy) in [
        ("0*13.AB%7CAB", "drawn as one", "picture of the child"),
        ("0*3", "no curve in `0*14`", "list of its moves"),
    ] {
        let path = format!("/v1/positions/0*14/picture.svg?child={child}");
        let problem = server.get(&path).problem();
        assert_eq!(problem["status"], 404, "{path}: {problem}");
        let says = |key: &str, part: &str| problem[key].as_str().is_some_and(|t| t.contains(part));
        assert!(says("detail", reason) && says("remedy", remedy), "{path}: {problem}");
    }
    assert_eq!(server.get("/v1/positions/0*13.AB%7CAB/picture.svg").status, 200);
}

#[test]
fn pages_need_no_scripts_and_lead_on() {
    let server = Server::start(Limits::default());
    let page = server.get("/p/0*4");
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-security-policy").is_some_and(|p| p.contains("default-src 'none'"))
    );
    for part in ["Win for the player to move", "Winning moves", "/p/0*4?play=misere", "picture.svg"]
    {
        assert!(page.body.contains(part), "no `{part}` in {}", page.body);
    }
    // Every link of the page leads somewhere.
    let links = page.body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let links: std::collections::BTreeSet<_> = links.filter(|l| !l.starts_with('#')).collect();
    assert!(links.len() > 8);
    for link in links {
        let link = link.replace("&amp;", "&");
        let path = link.split('#').next().expect("a path");
        assert_eq!(server.get(path).status, 200, "{link}");
    }
    // The best line says who moves, and who wins in the end: the last to move, or the other.
    for (path, opening, end) in [
        (
            "/p/0*3/line",
            "and wins: the first player hurries",
            "the second player cannot move, and the first wins",
        ),
        (
            "/p/0*2/line",
            "and loses: the second player hurries",
            "the first player cannot move, and the second wins",
        ),
        (
            "/p/0/line?play=misere",
            "and wins: the first player hurries",
            "the first player cannot move, and wins",
        ),
        (
            "/p/0*2/line?play=misere",
            "and loses: the second player hurries",
            "the second player cannot move, and wins",
        ),
        ("/p/0*12/line", "It is not known which move", "is to move now."),
    ] {
        let page = server.get(path).body;
        for part in [opening, end] {
            assert!(page.contains(part), "{path}: no `{part}` in {page}");
        }
    }
    // Other texts of the same position lead to its page.
    let other = server.get("/p/0.0.BA~BA");
    assert_eq!((other.status, other.header("location")), (303, Some("/p/0*2.ab~ab")));
    let form = server.get("/go?position=4&play=misere");
    assert_eq!(form.header("location"), Some("/p/0*4?play=misere"));
}

#[test]
fn every_site_may_read_and_nobody_may_write() {
    let server = Server::start(Limits::default());
    let said = server.ask("GET /v1/positions/2", "origin: https://elsewhere.example\r\n");
    assert_eq!(said.header("access-control-allow-origin"), Some("*"));
    let said = server.ask("OPTIONS /v1/positions/2", "origin: https://elsewhere.example\r\n");
    assert_eq!(
        (said.status, said.header("access-control-allow-methods")),
        (204, Some("get, head, options"))
    );
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let said = server.ask(&format!("{method} /p/0*2"), "content-length: 0\r\n");
        assert_eq!((said.status, said.header("allow")), (405, Some("get, head, options")));
    }
}

#[test]
fn a_thousand_malformed_requests_change_nothing() {
    let server = Server::start(Limits::default());
    let mut random = fastrand::Rng::with_seed(20_261_123);
    let parts = [
        "v1",
        "positions",
        "moves",
        "line",
        "picture.svg",
        "p",
        "go",
        "about",
        "assets",
        "healthz",
        "%",
        "%00",
        "%ff%fe",
        "..",
        "",
        "0*4",
        "0*2.AB~AB",
        "AB|BA",
        "0*99999",
        "1a1a+22",
        "}]!",
        "1,2;3/4",
        "\u{1F300}",
        "?",
        "??play=",
        "?play=misere",
        "?limit=9999999999999999999",
        "?cursor=18446744073709551615",
        "&",
        "=",
        "#",
        "'\"<>",
        "*",
        "0*0",
        "ABCD|AB|CD",
        "0.0.0.0.AB|AB.CDE|FEDC|F",
        "~~~~",
        "++++",
        "!!",
        "-1",
        "m(13)Z(26)",
    ];
    let words = ["GET", "HEAD", "POST", "OPTIONS", "G\u{0}T", "", "get", "BREW", "TRACE"];
    for number in 0..1_000 {
        let count = random.usize(0..7);
        let mut path: String =
            (0..count).map(|_| format!("/{}", parts[random.usize(0..parts.len())])).collect();
        if random.u8(..) < 40 {
            path = path
                .chars()
                .map(|c| if random.u8(..) < 30 { random.char(..) } else { c })
                .collect();
        }
        let method = if random.u8(..) < 200 { "GET" } else { words[random.usize(0..words.len())] };
        let headers = match random.u8(0..8) {
            0 => "content-length: 99999\r\n".to_owned(),
            1 => format!("x: {}\r\n", "y".repeat(random.usize(0..40_000))),
            2 => "transfer-encoding: chunked\r\n\r\nzz".to_owned(),
            3 => "if-none-match: \u{ff}\u{0}\r\n".to_owned(),
            _ => String::new(),
        };
        let text =
            format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n");
        let said = server.send(text.as_bytes());
        let status = said.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok());
        // What is no HTTP may be hung up on; all else has an answer, and no bug.
        assert!(status.is_none_or(|status| status < 500), "{number}: {text:?}: {said}");
        if status.is_some_and(|status| status >= 400) && said.contains("problem+json") {
            assert!(said.contains("\"remedy\":\"") || method == "HEAD", "{text:?}: {said}");
        }
    }
    assert_eq!(server.get("/healthz").body, "ok\n");
}

#[test]
fn who_is_slow_or_greedy_does_not_keep_others_out() {
    let limits = Limits { of_one: 8, quiet: Duration::from_millis(300), ..Limits::default() };
    let server = Server::start(limits);
    let silent: Vec<_> = (0..8).map(|_| server.connect()).collect();
    // The ninth is turned away at once, and let in when the silent ones were told to go.
    assert_eq!(server.send(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"), "");
    for mut stream in silent {
        let mut said = Vec::new();
        let _ = stream.read_to_end(&mut said);
    }
    // It counts them as gone a moment after they have heard of it.
    let ask = b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let said = (0..1_000).map(|_| server.send(ask)).find(|said| !said.is_empty());
    assert!(said.is_some_and(|said| said.starts_with("HTTP/1.1 200")));
    let long = format!("/v1/positions/{}", "0".repeat(5_000));
    assert_eq!(server.get(&long).problem()["status"], 414);
}

/// The first address on a page that begins like this.
fn link<'a>(page: &'a str, begins: &str) -> Option<&'a str> {
    page.split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .find(|l| l.starts_with(begins))
}

/// Reads the record of a finished game of 4 spots that Sprig began.
fn is_a_game_that_sprig_wins(text: &str) {
    assert!(text.starts_with("4+ (Sprig, Visitor) ") && text.ends_with(" I\n"), "{text}");
    let record = &sprig_records::parse(text).expect(text)[0];
    let replayed = sprig_records::replay(record, sprig_records::Dialect::Strict).expect(text);
    assert!(replayed.over && record.moves.len() % 2 == 1, "{text}");
}

#[test]
fn a_game_is_played_to_its_end_and_moves_can_be_taken_back() {
    let server = Server::start(Limits::default());
    assert!(server.get("/play").body.contains("Who begins"));
    // Four spots are a win for who begins; Sprig begins, and wins whatever is answered.
    for turn in 0..4 {
        let mut path = "/play?start=4&first=sprig".to_owned();
        let mut before = None;
        loop {
            let said = server.get(&path);
            if said.status == 303 {
                path = said.location().expect("Sprig moves").to_owned();
                continue;
            }
            assert_eq!(said.status, 200, "{path}: {}", said.body);
            if said.body.contains("Sprig has won") {
                let record = link(&said.body, "/play/record?").expect("it can be kept");
                is_a_game_that_sprig_wins(&server.get(&record.replace("&amp;", "&")).body);
                break;
            }
            assert!(said.body.contains("Your move"), "{path}");
            // Taking back leads to where the visitor was before.
            let back = link(&said.body, "/play?start=").filter(|_| said.body.contains("Take back"));
            if let (Some(back), Some(before)) = (back, &before) {
                assert_eq!(&back.replace("&amp;", "&"), before);
            }
            let choices: Vec<&str> = said.body.split("class=\"card\" href=\"").skip(1).collect();
            let chosen = choices[turn * 7 % choices.len()].split('"').next().expect("an address");
            before = Some(path);
            path = chosen.replace("&amp;", "&");
        }
    }
    // A number is a number of spots, and no position is taken for one.
    for (path, to) in [
        ("/play?start=1&first=sprig", "/play?start=0&"),
        ("/play?start=0&first=sprig", "/play?start=0&"),
        ("/go?position=0", "/p/0"),
        ("/play?start=2&first=sprig", "/play?start=0*2&"),
        ("/play?start=22.%7D%5D!&first=sprig", "/play?start=22.%7D%5D!&"),
        ("/go?position=2", "/p/0*2"),
    ] {
        let said = server.get(path);
        assert!(said.location().is_some_and(|there| there.starts_with(to)), "{path}: {}", said.raw);
    }
    let page = server.get("/p/22").body;
    assert!(link(&page, "/play?start=22.%7D%5D!").is_some(), "{page}");
    for (path, part) in [
        ("/play?start=4&moves=999", "begin again"),
        ("/play?start=4&moves=x", "begin again"),
        ("/play?start=AX", "notation"),
        ("/play?start=4&first=nobody", "you, sprig"),
        ("/play/record", "is missing"),
    ] {
        let said = server.get(path);
        assert_eq!(said.status, 400, "{path}");
        assert!(said.body.contains(part), "{path}: {}", said.body);
    }
    // Only games from fresh spots have a record.
    let said = server.get("/play/record?start=0*2.AB|AB&moves=0");
    assert_eq!(said.status, 404, "{}", said.body);
    assert!(said.body.contains("begin a game with a number of spots"), "{}", said.body);
}

#[test]
fn a_curve_that_is_drawn_is_the_move_that_it_looks_like() {
    let server = Server::start(Limits::default());
    let svg = server.get("/v1/positions/0*2/picture.svg").body;
    let circle = |part: &str| {
        let value = |name: &str| {
            let rest = part.split(&format!("{name}=\"")).nth(1).expect("a circle");
            rest.split('"').next().expect("a number").parse::<f64>().expect("a number")
        };
        (value("cx"), value("cy"))
    };
    // The lands stand where their groups are moved to.
    let moved = svg.matches("translate(").count();
    assert!(moved >= 2, "{svg}");
    let offsets = svg.split("translate(").skip(1).take(2).map(|rest| {
        let (x, y) = rest.split(')').next().and_then(|t| t.split_once(' ')).expect("two numbers");
        (x.parse::<f64>().expect("a number"), y.parse::<f64>().expect("a number"))
    });
    let (dx, dy) = offsets.fold((0.0, 0.0), |(x, y), (dx, dy)| (x + dx, y + dy));
    let spots: Vec<_> = svg.split("<circle").skip(1).map(circle).collect();
    let at = |spot: usize| format!("{},{}", spots[spot].0 + dx, spots[spot].1 + dy);
    let path = format!("/v1/positions/0*2/stroke?points={};{}", at(0), at(1));
    let stroke = server.json(&path);
    assert_eq!((&stroke["child"], &stroke["move"]), (&"1a1a".into(), &"[0]-[0]".into()));
    let nowhere = format!("/v1/positions/0*2/stroke?points={};-999,-999", at(0));
    let problem = server.get(&nowhere).problem();
    assert_eq!(problem["status"], 422);
    assert!(problem["detail"].as_str().is_some_and(|d| d.contains("end at a spot")), "{problem}");
}

#[test]
fn many_positions_are_answered_a_line_each() {
    let server = Server::start(Limits::default());
    let post = |path: &str, body: &str| {
        let headers = format!("content-length: {}\r\n\r\n{body}", body.len());
        server.ask(&format!("POST {path}"), &headers)
    };
    let said = post("/v1/positions:batch", "3\n\n 0*2.AB|AB\nAX\n0*4\n");
    assert_eq!((said.status, said.header("content-type")), (200, Some("application/jsonl")));
    let lines: Vec<Value> =
        said.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], server.json("/v1/positions/3"));
    assert_eq!(lines[1]["canonical"], "0*2.AB|AB");
    assert_eq!((&lines[2]["position"], &lines[2]["problem"]["column"]), (&"AX".into(), &1.into()));
    assert_eq!(lines[3], server.json("/v1/positions/0*4"));
    let document = server.json("/v1/openapi.json");
    let schema = &document["components"]["schemas"]["BatchLine"];
    for line in &lines {
        check(&document, schema, line, "a line of a batch");
    }
    assert_eq!(post("/v1/positions:batch?play=misere", "3").status, 200);
    for (path, body, status) in [
        ("/v1/positions:batch", "0\n".repeat(1_001), 413),
        ("/v1/positions:batch", "0".repeat(300_000), 413),
        ("/v1/positions:batch?play=x", "0".to_owned(), 400),
    ] {
        assert_eq!(post(path, &body).problem()["status"], status);
    }
    let said = server.get("/v1/positions:batch");
    assert_eq!(
        (said.problem()["status"].as_u64(), said.header("allow")),
        (Some(405), Some("post, options"))
    );
}
