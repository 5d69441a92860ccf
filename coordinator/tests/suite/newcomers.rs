//! The claims of a new worker, and which workers are told of them.

use std::sync::Mutex;
use std::time::Duration;

use crate::common::{Puppet, hello, position, start};
use sprig_domain::{Fact, LandNimber, Question, Ruleset};
use sprig_engine::Nimber;
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{Client, FactBatch, FromWorker, Report, ToWorker, wire};
use sprig_search::{Limits, Observer, Solver};

/// What a search for the nimber of a position proves, in the order in which it does.
fn proved(text: &str) -> Vec<Fact> {
    struct Recorder(Mutex<Vec<Fact>>);
    impl Observer<LandNimber> for Recorder {
        fn stop(&self) -> bool {
            false
        }
        fn proved(&self, fact: LandNimber) {
            self.0.lock().expect("no thread panics").push(fact.into());
        }
    }
    let solver = Solver::new(Limits { memory: 64 << 20, threads: 1 });
    let recorder = Recorder(Mutex::default());
    solver.solve(&position(text), Question::Nimber, u64::MAX, &recorder).expect("solved");
    recorder.0.into_inner().expect("no thread panics")
}

#[tokio::test]
async fn what_a_newcomer_claims_is_told_when_its_first_claims_are_shown() {
    let (coordinator, _store, _dir) = start().await;
    let mut newcomer = Puppet::join(coordinator.url(), 1).await;
    let facts = proved("0*8");
    let (first, others) = facts.split_at(8);
    newcomer.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: first.to_vec(),
    }));
    assert!(matches!(newcomer.hear().await, Ok(ToWorker::Acknowledge(_))));

    let mut calls = WorkersClient::connect(coordinator.url()).await.expect("a connection");
    let request = wire::FactsRequest {
        worker: 2,
        ruleset: Some(Ruleset::NORMAL.into()),
        ..Default::default()
    };
    let mut told = calls.facts(request).await.expect("a stream").into_inner();
    let batch = told.message().await.expect("told").expect("a batch");
    assert_eq!((batch.facts.len(), batch.next), (0, 8), "they wait, and nobody waits for them");

    newcomer.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 1,
        facts: others.to_vec(),
    }));
    let mut heard = Vec::new();
    while heard.len() < facts.len() {
        let batch = told.message().await.expect("told").expect("a batch");
        heard.extend(FactBatch::try_from(batch).expect("facts").facts);
    }
    for fact in &facts {
        assert!(heard.contains(fact), "{fact} was told late, or at once");
    }
    coordinator.shutdown().await.expect("it ends");
}

/// Says false things after these true ones, until it is banned. Returns how often honest workers
/// are told then that claims were withdrawn.
async fn withdrawals_after(truths: &[Fact]) -> u64 {
    let (coordinator, _store, _dir) = start().await;
    let url = coordinator.url();
    let withdrawals = async || {
        let hello = FromWorker::Hello(hello(1)).into();
        let mut puppet = Puppet::connect(url.clone(), hello).await.expect("a session");
        let Ok(ToWorker::Welcome(welcome)) = puppet.hear().await else { panic!("no welcome") };
        welcome.withdrawals
    };
    assert_eq!(withdrawals().await, 0);
    let liar = Puppet::join(url.clone(), 2).await;
    if !truths.is_empty() {
        liar.say(FromWorker::Report(Report {
            game: sprig_domain::Game::Sprouts,
            sequence: 0,
            facts: truths.to_vec(),
        }));
        let mut calls = WorkersClient::connect(url.clone()).await.expect("a connection");
        let request = wire::FactsRequest {
            worker: 1,
            ruleset: Some(Ruleset::NORMAL.into()),
            ..Default::default()
        };
        let mut told = calls.facts(request).await.expect("a stream").into_inner();
        while told.message().await.expect("told").expect("a batch").facts.is_empty() {}
    }
    let known: Vec<_> = truths.iter().collect();
    let lie = |fact: &Fact| {
        let Fact::Nimber(fact) = fact else { unreachable!("of normal play") };
        let nimber = Nimber::new(u64::from(fact.nimber.get() ^ 1)).expect("in range");
        LandNimber { nimber, ..fact.clone() }.into()
    };
    let all = proved("0*9");
    let facts = all.iter().filter(|fact| !known.contains(fact)).take(60).map(lie).collect();
    liar.say(FromWorker::Report(Report { game: sprig_domain::Game::Sprouts, sequence: 1, facts }));
    let mut client = Client::connect(&url).await.expect("connected");
    while client.status().await.expect("a status").bans.is_empty() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let told = withdrawals().await;
    coordinator.shutdown().await.expect("it ends");
    told
}

#[tokio::test]
async fn nobody_forgets_anything_for_a_liar_that_nobody_was_told_of() {
    assert_eq!(withdrawals_after(&[]).await, 0);
    assert_eq!(withdrawals_after(&proved("0*8")).await, 1, "others may have believed this one");
}
