//! What a copy tells workers, over real connections.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prost::Message;
use sprig_coordinator::{Copies, Protection};
use sprig_domain::{Game, JobId, Play, Ruleset};
use sprig_engine::Nimber;
use sprig_proto::wire::copies_client::CopiesClient;
use sprig_proto::wire::fact::Fact as Any;
use sprig_proto::{limits, wire};
use sprig_store::{
    Batch, Contribution, Fact, Following, Kind, News, Provenance, Replica, Secret, Source, Store,
    UnixMillis,
};
use tokio::sync::watch;
use tonic::{Code, Status};

const SECRET: [u8; Secret::BYTES] = [7; Secret::BYTES];

fn commit(store: &Store, numbers: std::ops::Range<u64>) {
    let fact = |n: u64| Fact::nimber(&n.to_be_bytes(), Nimber::new(n % 64).expect("in range"));
    let source = Source { worker: "ada".into(), build: "a test".into() };
    let provenance = Provenance { source, job: Some(JobId(1)), time: UnixMillis(1) };
    let facts = numbers.map(fact).collect();
    let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
    let batch = Batch { contributions: vec![contribution], ..Batch::default() };
    store.commit(&batch).expect("written");
}

fn copied(store: &Store, dir: &Path) -> Replica {
    let (database, url) = (store.identity().expect("it has one"), "nowhere".to_owned());
    let reign = store.succession().expect("it has one").reign;
    let following = Following { database, position: 0, url };
    let secret = Secret::new(SECRET);
    let mut copy = Replica::begin(dir, &secret, reign, following).expect("begun");
    let position = store.whole(1 << 20, |changes| copy.apply(&changes, 0).is_ok());
    copy.apply(&[], position.expect("read").expect("not broken off")).expect("written");
    copy.whole(&secret).expect("whole")
}

fn catch_up(store: &Store, copy: &mut Replica) {
    let after = |copy: &Replica| copy.following().position;
    while let News::Changes { changes, position } =
        store.news(after(copy), 1 << 20, Duration::ZERO).expect("read")
    {
        copy.apply(&changes, position).expect("written");
    }
}

/// The numbers of the lands that the copy tells.
async fn told(url: &str, request: wire::CopyRequest) -> Result<Vec<u64>, Status> {
    let mut copy = CopiesClient::connect(url.to_owned()).await.expect("a connection");
    let mut batches = copy.facts(request).await?.into_inner();
    let mut told = Vec::new();
    while let Some(batch) = batches.message().await? {
        assert!(batch.facts.len() <= limits::FACTS);
        for fact in batch.facts {
            let fact = wire::Fact::decode(fact).expect("a fact");
            let Some(Any::Nimber(fact)) = fact.fact else { panic!("no nimber") };
            told.push(u64::from_be_bytes(fact.land[..].try_into().expect("eight bytes")));
        }
    }
    Ok(told)
}

#[tokio::test]
async fn a_copy_tells_what_was_asked_for_once_it_has_come_so_far() {
    let dir = tempfile::tempdir().expect("a directory");
    let secret = Secret::new(SECRET);
    let store = Store::open_to_lead(&dir.path().join("db"), &secret).expect("a database");
    commit(&store, 0..3_000);
    let mut copy = copied(&store, &dir.path().join("copy"));
    let (held, seen) = watch::channel(Some(copy.held()));
    let count = Arc::<AtomicU64>::default();
    let listen = ([127, 0, 0, 1], 0).into();
    let copies = Copies::start(listen, Protection::default(), seen, Arc::clone(&count)).await;
    let copies = copies.expect("it listens");
    let url = copies.url();
    let ruleset = Ruleset::default();
    let asked = |position, stretches: &[(u64, u64)]| wire::CopyRequest {
        database: store.identity().expect("it has one"),
        position,
        stretches: stretches.iter().map(|&(start, end)| wire::Stretch { start, end }).collect(),
        ruleset: Some(ruleset.into()),
    };
    let now = store.position();
    let all = told(&url, asked(now, &[(0, 2_500), (2_990, 3_000)])).await.expect("told");
    assert_eq!(all, (0..2_500).chain(2_990..3_000).collect::<Vec<_>>());
    assert_eq!(count.load(Ordering::Relaxed), 2_510);
    // Empty, turned round and beyond the end: there is nothing.
    let nothing = told(&url, asked(now, &[(5, 5), (9, 3), (3_000, u64::MAX)])).await;
    assert_eq!(nothing.expect("told"), []);
    let misere = Ruleset { play: Play::Misere, ..ruleset };
    let other = wire::CopyRequest { ruleset: Some(misere.into()), ..asked(now, &[(0, 9)]) };
    assert_eq!(told(&url, other).await.expect("told"), []);

    // Something is withdrawn and something comes: the copy tells nothing until it has both.
    let gone = |n: u64| (Game::Sprouts, Kind::Nimber, n.to_be_bytes().into());
    assert_eq!(store.withdraw(&[gone(7), gone(8)], &[], &[]).expect("written"), 2);
    commit(&store, 3_000..3_002);
    let request = asked(store.position(), &[(6, 10), (3_000, 3_002)]);
    let waits = tokio::spawn({
        let (url, request) = (url.clone(), request.clone());
        async move { told(&url, request).await }
    });
    let late = told(&url, request).await.expect_err("the copy lags");
    assert_eq!(late.code(), Code::Unavailable, "{late}");
    assert!(late.message().contains("lacks"), "{late}");
    assert_eq!(waits.await.expect("no panic").expect_err("it lags").code(), Code::Unavailable);
    let request = asked(store.position(), &[(6, 10), (3_000, 3_002)]);
    let waits = tokio::spawn({
        let url = url.clone();
        async move { told(&url, request).await }
    });
    tokio::task::yield_now().await;
    catch_up(&store, &mut copy);
    held.send_replace(Some(copy.held()));
    assert_eq!(waits.await.expect("no panic").expect("told"), [6, 9, 3_000, 3_001]);

    // Whoever asks for what is not there yet keeps it from nobody.
    let beyond = told(&url, asked(store.position(), &[(3_002, u64::MAX)])).await;
    assert_eq!(beyond.expect("told"), []);
    commit(&store, 3_002..3_004);
    catch_up(&store, &mut copy);
    held.send_replace(Some(copy.held()));
    let come = told(&url, asked(store.position(), &[(3_002, 3_004)])).await;
    assert_eq!(come.expect("told"), [3_002, 3_003]);

    // What makes no sense, and another database.
    let flood = vec![(0, 1); limits::STRETCHES + 1];
    let no_ruleset = wire::CopyRequest { ruleset: None, ..asked(0, &[]) };
    let elsewhere = wire::CopyRequest { database: 1, ..asked(0, &[(0, 9)]) };
    for (request, code) in [
        (asked(0, &flood), Code::InvalidArgument),
        (no_ruleset, Code::InvalidArgument),
        (elsewhere, Code::FailedPrecondition),
    ] {
        assert_eq!(told(&url, request).await.expect_err("refused").code(), code);
    }
    // The copy can be closed once nobody reads it.
    held.send_replace(None);
    assert!(!copy.is_read());
}
