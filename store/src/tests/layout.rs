//! The worked example of `docs/store-format.md` is what a store writes.

use std::time::Duration;

use rocksdb::IteratorMode;
use sprig_domain::{Goal, JobId, JobState, Outcome, Question, Terms, Wish, WishEnd, WishKind};
use sprig_domain::{Node, TreeKey};

use super::*;
use crate::tables::FAMILIES;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Every record as `family: key -> value`.
fn records(store: &Store) -> Vec<String> {
    let lines = FAMILIES.into_iter().flat_map(|family| {
        let entries = store.open.db.iterator_cf(store.family(family), IteratorMode::Start);
        entries.map(move |entry| {
            let (key, value) = entry.unwrap();
            format!("{family}: {} -> {}", hex(&key), hex(&value))
        })
    });
    lines.collect()
}

#[test]
fn the_example_in_the_document_is_what_is_written() {
    let land = |text: &str| {
        let position = sprig_engine::notation::read(text).unwrap();
        let position = sprig_engine::CanonicalPosition::of(&position);
        assert_eq!(position.lands().len(), 1);
        position
    };
    let key = |text: &str| land(text).lands()[0].key().to_vec();
    let source = Source { worker: "w1".into(), build: "0.1.0".into() };
    let provenance =
        Provenance { source, job: Some(JobId(1)), time: UnixMillis(1_767_225_600_000) };
    let heap_2 = trees::heap_2();
    let contribution = Contribution {
        provenance,
        facts: vec![
            claimed(&key("0*3"), 1),
            verified(&key("0*2.AB|AB"), 2),
            Fact::tree(heap_2, [TreeKey::ZERO, TreeKey::ZERO.plus_one()]),
            Fact::rct(&key("0*3"), TreeKey::ZERO.plus_one()),
            Fact::loss(&Node::new(land("0*9"), true, [heap_2]).encode()),
        ],
        exclusions: vec![Exclusion {
            game: sprig_domain::Game::Sprouts,
            land: key("0*4").into(),
            values: 0b101,
            status: Status::Claimed,
        }],
    };
    let goal = Goal::normal(land("0*3"), Question::Nimber);
    let terms = Terms {
        owner: "ada".into(),
        label: "to 62".into(),
        in_turn: true,
        budget: Some(Duration::from_secs(7200)),
        deadline: Some(1_767_225_600_000),
    };
    let wish = Wish {
        number: 1,
        kind: WishKind::Pin,
        at: Goal::normal(land("0*2"), Question::OUTCOME),
        by: "ada".into(),
        made: 1_767_225_600_000,
        until: None,
        expansions: 300,
        end: Some(WishEnd::Decided(Outcome::Loss)),
    };
    let job = Job {
        id: JobId(1),
        goal,
        priority: 0,
        submitted: UnixMillis(1_767_225_600_000),
        state: JobState::Running,
        ended: None,
        expansions: 300,
        seconds: 0.5,
        terms,
        core_seconds: 0.5,
        wishes: vec![wish],
    };
    let event =
        Event { time: UnixMillis(1_767_225_600_000), kind: EventKind::Leased, detail: "w1".into() };
    let store = Store::in_memory_of(&ours()).unwrap();
    store
        .commit(&Batch {
            contributions: vec![contribution],
            jobs: vec![job],
            events: vec![(JobId(1), event)],
        })
        .unwrap();
    let person = Person { proved: true, name: "n7".into() };
    let state = BanState::Banned { reason: "lied".into(), claim: None };
    let ban = BanRecord { person, time: UnixMillis(1_767_225_600_000), state };
    store.record_bans(&[ban]).unwrap();
    let document = include_str!("../../../docs/store-format.md");
    let absent = records(&store).into_iter().filter(|line| !document.lines().any(|l| l == line));
    let absent: Vec<String> = absent.collect();
    assert!(absent.is_empty(), "not in docs/store-format.md:\n{}", absent.join("\n"));
}
