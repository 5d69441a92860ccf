//! Writes the first inputs of every target: `seeds CORPUS`. Canonical keys are rare among bytes; a fuzzer that starts
//! from none finds none.

// Compiled with the same flags as the targets, so what counts coverage must be there.
extern crate libfuzzer_sys;

use std::fs;
use std::path::Path;
use std::time::Duration;

use prost::Message;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_domain::TreeKey;
use sprig_proto::{Acknowledge, Answer, Build, FactBatch, FromWorker, Grant, Hello, LeaseId, Pull, Report, ToWorker, Welcome, WorkerId, wire};
use sprig_search::{Noise};
use sprig_domain::{Fact, Figures, Game, Goal, JobId, Question, Verdict};

const TEXTS: [&str; 14] = [
    "0*3",
    "0*2.AB|AB",
    "0.1a1a.AB|AB",
    "0*3+0.A|0.A",
    "!",
    "1abcde2edcba.2",
    "ABC|ABD|CE|DE",
    "0.0.0.0.2.}]!",
    "0.0.AB.}AB.}]!",
    "5,1,3,2,4/5,4,1/6,2,3/6,3,1,4,2",
    "2ab2ba",
    "0*5@1",
    "m(3)m(3)",
    "0*62",
];

const NORMAL: &[u8] = include_bytes!("../../certificates/normal/3.cert");
const MISERE: &[u8] = include_bytes!("../../certificates/misere/7.cert");

fn main() -> std::io::Result<()> {
    let corpus = std::env::args().nth(1).unwrap_or_else(|| "fuzz/corpus".into());
    let write = |target: &str, name: String, bytes: &[u8]| {
        let folder = Path::new(&corpus).join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)
    };
    for (i, text) in TEXTS.iter().enumerate() {
        write("notation", format!("seed-{i}"), text.as_bytes())?;
    }
    let lands = lands();
    for (i, land) in lands.iter().enumerate() {
        write("keys", format!("seed-{i}"), land.key())?;
        let text = land.to_string();
        write("notation", format!("land-{i}"), text.as_bytes())?;
    }
    for (i, (kind, message)) in messages(&lands).into_iter().enumerate() {
        write("messages", format!("seed-{i}"), &[&[kind][..], &message].concat())?;
    }
    // A log record with two facts, a goal, and the smallest of the other kinds.
    let rules = [1, 0, 0];
    let key = lands[0].key();
    let counted = [&[key.len() as u8][..], key].concat();
    let log = [&[1, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 5, 0, 0, 0][..], &counted].concat();
    write("records", "log".into(), &log)?;
    write("records", "goal".into(), &[&[2][..], &rules, &[0, 0, 1], &counted].concat())?;
    write("records", "fact".into(), &[0, 0, 65, 200, 1])?;
    write("records", "rct".into(), &[&[0, 2, 0, 7][..], &[9; 16]].concat())?;
    write("records", "event".into(), &[4, 2, 9, 2, b'a', b'b'])?;
    write("records", "excluded".into(), &[5, 3, 0, 0, 9])?;
    write("records", "source".into(), &[6, 1, b'w', 1, b'b'])?;
    for (name, file) in [("normal", NORMAL), ("misere", MISERE)] {
        write("certificates", name.into(), file)?;
    }
    Ok(())
}

/// The lands of a small tree.
fn lands() -> Vec<CanonicalLand> {
    let mut lands = Vec::new();
    let mut positions = vec![CanonicalPosition::of(&Position::start(4))];
    while let Some(position) = positions.pop().filter(|_| lands.len() < 300) {
        for land in position.lands() {
            if !lands.contains(land) {
                lands.push(land.clone());
                positions.extend(land.children().into_iter().flatten());
            }
        }
    }
    lands
}

fn messages(lands: &[CanonicalLand]) -> Vec<(u8, Vec<u8>)> {
    let nimber = Nimber::new(1).expect("small");
    let fact = |land: &CanonicalLand| sprig_domain::LandNimber { land: land.clone(), nimber }.into();
    let mut facts: Vec<Fact> = lands.iter().take(5).map(fact).collect();
    let (tree, land) = (TreeKey::ZERO, lands[0].clone());
    facts.push(Fact::Tree { tree, options: Vec::new() });
    facts.push(Fact::Rct { land, tree });
    let position = CanonicalPosition::from_lands(lands.iter().take(3).cloned());
    let question = Question::Outcome { heap: nimber };
    let goal = Goal::normal(position.clone(), question);
    let lease = LeaseId { epoch: 7, number: 9 };
    let figures = Figures::default();
    let hello = Hello {
        build: Build::here(),
        name: "a".into(),
        worker: WorkerId(3),
        threads: 2,
        holding: Some(lease),
        looks: true,
        figures,
        games: vec![Game::Sprouts],
        reign: None,
    };
    let answer = Answer { lease, verdict: Ok(Verdict::Nimber(nimber)), figures };
    let from = |message: FromWorker| (0, wire::FromWorker::from(message).encode_to_vec());
    let to = |message: ToWorker| (1, wire::ToWorker::from(message).encode_to_vec());
    vec![
        from(FromWorker::Hello(hello)),
        from(FromWorker::Report(Report { game: Game::Sprouts, sequence: 5, facts: facts.clone() })),
        from(FromWorker::Pull(Pull { answer: Some(answer), more: true })),
        from(FromWorker::Progress { lease, figures }),
        to(ToWorker::Welcome(Welcome {
            build: Build::here(),
            epoch: 1,
            database: 2,
            facts: 3,
            withdrawals: 0,
            reign: None,
        })),
        to(ToWorker::Grant(Grant {
            lease,
            goal: goal.clone(),
            expansions: Some(10),
            facts: 3,
            noise: Noise(1),
            avoid: Vec::new(),
            job: Some(JobId(3)),
        })),
        to(ToWorker::Revoke(lease)),
        to(ToWorker::Acknowledge(Acknowledge { reports: vec![1, 2], gather: Duration::from_millis(40) })),
        (2, wire::FactBatch::from(FactBatch {
                game: Game::Sprouts,
                facts,
                next: 9,
                stretches: vec![2..5],
                position: 7,
            }).encode_to_vec()),
        (3, wire::Goal::from(goal).encode_to_vec()),
        (7, wire::Build::from(Build::here()).encode_to_vec()),
        (10, wire::Position::from(&position).encode_to_vec()),
    ]
}
