//! Certificates that the server makes, checked by the oracle.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::sync::atomic::AtomicBool;

use crate::common::Server;
use flate2::Compression;
use flate2::write::GzEncoder;
use sprig_certificate::Claim;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position, mex};
use sprig_gateway::Limits;
use sprig_oracle::proof::alone;
use sprig_store::{Batch, Contribution, Fact, Provenance, Source, Status, UnixMillis};
use sprig_verify::{Bases, Certificate, Manner};

/// The certificate at an address, every step of it checked.
fn checked(server: &Server, path: &str) -> Certificate {
    let said = server.bytes(path);
    let certificate =
        Certificate::read(Cursor::new(said)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let manner = Manner { crew: &alone, large_base: false, stop: &AtomicBool::new(false) };
    let checked = certificate.check(&mut Bases::default(), &manner, |_| {});
    checked.unwrap_or_else(|e| panic!("{path}: {e}"));
    certificate
}

#[test]
fn who_wins_is_proved_to_whoever_asks() {
    let server = Server::start(Limits::default());
    // By Applegate, Jacobson and Sleator, 1991: normal play, and misère play.
    let (win, loss) = (Claim::Win, Claim::Loss);
    for (spots, normal, misere) in [(1, loss, win), (2, loss, loss), (3, win, loss), (4, win, loss)]
    {
        let path = format!("/v1/positions/0*{spots}/certificate");
        assert_eq!(checked(&server, &path).header.claim, normal, "{spots}");
        let misere_path = format!("{path}?play=misere");
        assert_eq!(checked(&server, &misere_path).header.claim, misere, "{spots}");
    }
    // It is about the canonical form, whatever was typed.
    let sum = checked(&server, "/v1/positions/0.BA~BA%2B2/certificate");
    assert_eq!(sum.header.position.to_string(), "0.AB|AB");
}

#[test]
fn text_and_file_say_the_same() {
    let server = Server::start(Limits::default());
    let text = server.get("/v1/positions/3/certificate?form=text");
    assert_eq!(text.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(
        text.body.starts_with("sprig certificate 1\ngame sprouts\nplay normal\nposition 0*3\n")
    );
    let file = server.get("/v1/positions/3/certificate");
    assert_eq!(file.header("content-type"), Some("application/gzip"));
    let name = file.header("content-disposition");
    assert_eq!(name, Some("attachment; filename=\"normal-0-3.cert\""));
    // It is made once, and not sent twice.
    let tag = file.header("etag").expect("a tag");
    let again = server.ask("GET /v1/positions/3/certificate", &format!("if-none-match: {tag}\r\n"));
    assert_eq!(again.status, 304);
}

#[test]
fn what_is_not_proved_has_no_certificate() {
    let server = Server::start(Limits::default());
    for (path, status, part) in [
        ("/v1/positions/0*12/certificate", 404, "no proof"),
        ("/v1/positions/0*12/certificate?play=misere", 404, "no proof"),
        ("/v1/positions/3/certificate?form=pdf", 400, "pdf"),
        ("/v1/positions/3/certificate?limit=1", 400, "limit"),
        ("/v1/positions/AX/certificate", 400, "AX"),
    ] {
        let problem = server.get(path).problem();
        assert_eq!(problem["status"], status, "{path}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|d| d.contains(part)), "{path}: {problem}");
    }
    let page = server.get("/p/0*12");
    assert!(!page.body.contains("certificate"), "there is no link to what is not there");
    assert_eq!(server.get("/p/0*12/certificate").status, 404);
}

/// The nimber of a position by the rules alone; those of all lands that come up are kept.
fn nimber(position: &CanonicalPosition, known: &mut BTreeMap<CanonicalLand, Nimber>) -> Nimber {
    let mut of_land = |land: &CanonicalLand| {
        if let Some(&found) = known.get(land) {
            return found;
        }
        let alone = CanonicalPosition::from_lands([land.clone()]);
        let children = alone.children().expect("few");
        let options: Vec<Nimber> = children.iter().map(|child| nimber(child, known)).collect();
        let found = mex(options).expect("small");
        known.insert(land.clone(), found);
        found
    };
    position.lands().iter().fold(Nimber::ZERO, |sum, land| sum.nim_sum(of_land(land)))
}

#[test]
fn a_coordinator_tells_what_proofs_are_made_of() {
    let five = CanonicalPosition::of(&Position::start(5));
    let mut known = BTreeMap::new();
    assert_eq!(nimber(&five, &mut known).get(), 1, "Applegate, Jacobson and Sleator, 1991");
    let fact = |(land, nimber): (&CanonicalLand, &Nimber)| Fact {
        status: Status::Verified,
        ..Fact::nimber(land.key(), *nimber)
    };
    let facts: Vec<Fact> = known.iter().map(fact).collect();
    let provenance = Provenance {
        source: Source { worker: "beech".into(), build: "sprig 1".into() },
        job: None,
        time: UnixMillis(1),
    };
    let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
    let cluster =
        Server::on_cluster_with(&Batch { contributions: vec![contribution], ..Batch::default() });
    let certificate = checked(&cluster, "/v1/positions/5/certificate");
    assert_eq!(certificate.header.claim, Claim::Win);
    assert!(certificate.header.facts > 0, "plain recursion does not do it");
    assert!(cluster.get("/p/0*5").body.contains("/p/0*5/certificate"));
    assert_eq!(cluster.get("/v1/positions/0*12/certificate").problem()["status"], 404);
    assert_eq!(
        checked(&cluster, "/v1/positions/3/certificate?play=misere").header.claim,
        Claim::Loss
    );
}

#[test]
fn the_page_of_a_proof_and_workers_alone_may_run_webassembly() {
    let server = Server::start(Limits::default());
    let policy = |path: &str| {
        let said = server.get(path);
        assert_eq!(said.status, 200, "{path}");
        said.header("content-security-policy").map(str::to_owned).unwrap_or_default()
    };
    for path in ["/p/0*3/certificate", "/assets/verifier.js", "/assets/board.js"] {
        assert!(policy(path).contains("script-src 'self' 'wasm-unsafe-eval';"), "{path}");
    }
    for path in ["/", "/p/0*3", "/p/0*3/line", "/play?start=3", "/play", "/work", "/about"] {
        assert!(!policy(path).contains("wasm"), "{path}");
    }
    assert!(server.get("/p/0*3").body.contains("/p/0*3/certificate"));
    for (path, words) in [
        ("/p/!/certificate", "No move is left, so nothing has to be proved."),
        ("/p/0+0/certificate", "Equal lands cancel each other"),
    ] {
        let page = server.get(path).body;
        assert!(page.contains(words) && !page.contains("its base"), "{path}: {page}");
    }
    let page = server.get("/p/0*3/certificate").body;
    for part in ["data-file=\"/v1/positions/0*3/certificate\"", "data-by-itself", "form=text"] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
}

#[test]
fn what_runs_in_browsers_is_what_its_recipe_says_and_small() {
    let server = Server::start(Limits::default());
    for (name, recipe) in [
        ("verify.wasm", include_str!("../../assets/verify.wasm.json")),
        ("sketch.wasm", include_str!("../../assets/sketch.wasm.json")),
    ] {
        let code = server.bytes(&format!("/assets/{name}"));
        assert!(code.starts_with(b"\0asm"));
        let recipe: serde_json::Value = serde_json::from_str(recipe).expect("JSON");
        assert_eq!((&recipe["file"], &recipe["bytes"]), (&name.into(), &code.len().into()));
        let hash = ring::digest::digest(&ring::digest::SHA256, &code);
        let hash: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(recipe["sha256"], hash);
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&code).expect("memory takes it");
        let packed = packed.finish().expect("memory takes it").len();
        assert!(code.len() <= 700_000 && packed <= 260_000, "{name}: {} {packed}", code.len());
    }
}
