//! Nothing that a peer says keeps a coordinator at work for good, over real gRPC.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_proto::wire::clients_client::ClientsClient;
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Access, Build, Client, FromWorker, Hello, JobState, Outcome, Play, Report, ToWorker, WorkerId,
    wire,
};
use sprig_search::{Fact, Figures, Goal, Limits, Question};
use sprig_store::{
    Batch, Contribution, EventKind, NO_JOB, Provenance, Secret, Source, Store, UnixMillis,
};
use sprig_worker::{Shutdown, Worker};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Status, Streaming};

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

/// A region with so many boundaries of several spots, no two alike. With 20 there are over ten million ways to divide it, each of
/// which has as many replies; with 10 some fifty thousand.
fn of_boundaries(count: usize) -> CanonicalPosition {
    let boundary = |i: usize| format!("{}{}", "1".repeat(i % 5), "2".repeat(2 + i / 5));
    position(&(0..count).map(boundary).collect::<Vec<_>>().join("."))
}

fn poison(count: usize) -> Fact {
    Fact { land: of_boundaries(count).lands()[0].clone(), nimber: Nimber::ZERO }
}

async fn start(store: &Arc<Store>) -> Coordinator {
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("an address"),
        store: Arc::clone(store),
        protection: Protection::default(),
        trust: Trust::Checked,
    };
    Coordinator::start(config).await.expect("it starts")
}

fn database() -> (Arc<Store>, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    (Arc::new(Store::open(dir.path(), &Secret::random()).expect("a database")), dir)
}

/// A worker whose every word is chosen by the test.
struct Puppet {
    out: mpsc::UnboundedSender<wire::FromWorker>,
    incoming: Streaming<wire::ToWorker>,
}

impl Puppet {
    async fn join(url: String, name: &str) -> Self {
        let mut calls = WorkersClient::connect(url).await.expect("a connection");
        let (out, outgoing) = mpsc::unbounded_channel();
        let hello = Hello {
            build: Build::here(),
            name: name.into(),
            worker: WorkerId(name.len() as u64),
            threads: 1,
            holding: None,
            figures: Figures::default(),
        };
        out.send(FromWorker::Hello(hello).into()).expect("open");
        let session = calls.work(UnboundedReceiverStream::new(outgoing)).await;
        let mut puppet = Self { out, incoming: session.expect("a session").into_inner() };
        assert!(matches!(puppet.hear().await, Ok(ToWorker::Welcome(_))));
        puppet
    }

    fn say(&self, facts: Vec<Fact>) {
        let facts = facts.into_iter().map(Into::into).collect();
        self.out.send(FromWorker::Report(Report { sequence: 0, facts }).into()).expect("open");
    }

    async fn report(&mut self, facts: Vec<Fact>) -> Result<ToWorker, Status> {
        self.say(facts);
        self.hear().await
    }

    async fn hear(&mut self) -> Result<ToWorker, Status> {
        let message = self.incoming.message().await?.ok_or_else(|| Status::ok("closed"))?;
        Ok(ToWorker::try_from(message).expect("well formed"))
    }
}

/// Has an honest worker find out who wins `text`.
async fn solved(url: &str, text: &str) -> Outcome {
    let (_shutdown, wanted) = watch::channel(Shutdown::Run);
    let config = sprig_worker::Config {
        coordinator: url.into(),
        access: Access::default(),
        name: "honest".into(),
        limits: Limits { memory: 256 << 20, threads: 1 },
        pulse: Arc::default(),
    };
    let worker = tokio::spawn(Worker::run(config, wanted));
    let mut client = Client::connect(url).await.expect("connected");
    let goal =
        Goal { position: position(text), question: Question::Outcome { heap: Nimber::ZERO } };
    let job = client.submit(goal, 0).await.expect("submitted");
    let mut jobs = client.watch(job.id).await.expect("watched");
    let mut last = None;
    while let Some(job) = jobs.next().await.expect("told") {
        last = Some(job.state);
    }
    worker.abort();
    let Some(JobState::Done(conclusion)) = last else { panic!("{last:?}") };
    conclusion.outcome
}

fn banned(store: &Store) -> Vec<String> {
    let events = store.history(NO_JOB).expect("read").into_iter();
    events.filter(|event| event.kind == EventKind::Banned).map(|event| event.detail).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_nothing_can_check_is_refused_and_answers_go_on() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let mut puppet = Puppet::join(coordinator.url(), "poisoner").await;
    let refused = puppet.report(vec![poison(20)]).await.expect_err("it is refused");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("can be checked"), "{}", refused.message());
    assert!(refused.message().contains("20 boundaries"), "{}", refused.message());
    assert_eq!(solved(&coordinator.url(), "0*8").await, Outcome::Loss);
    let begun = Instant::now();
    coordinator.shutdown().await.expect("it ends");
    assert!(begun.elapsed() < Duration::from_secs(9));
}

/// A claim that can just be listed: its replies are far too many.
#[tokio::test(flavor = "multi_thread")]
async fn a_dear_claim_is_taken_and_holds_nobody_up() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let mut puppet = Puppet::join(coordinator.url(), "spendthrift").await;
    let taken = puppet.report(vec![poison(10)]).await;
    assert!(matches!(taken, Ok(ToWorker::Acknowledge(_))), "{taken:?}");
    assert_eq!(solved(&coordinator.url(), "0*7").await, Outcome::Loss);
    assert_eq!(banned(&store), [""; 0]);
    let begun = Instant::now();
    coordinator.shutdown().await.expect("it ends");
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_holds_such_a_claim_answers_and_gets_rid_of_it() {
    let (store, _dir) = database();
    let facts = vec![sprig_store::Fact::nimber(poison(20).land.key(), Nimber::ZERO)];
    let source = Source { worker: "poisoner".into(), build: "old".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(1) };
    let contribution = Contribution { provenance, facts, exclusions: Vec::new() };
    let batch = Batch { contributions: vec![contribution], ..Batch::default() };
    store.commit(&batch).expect("written");

    let coordinator = start(&store).await;
    assert_eq!(solved(&coordinator.url(), "0*7").await, Outcome::Loss);
    // A liar has every claim looked at.
    let puppet = Puppet::join(coordinator.url(), "liar").await;
    let lie = Fact {
        land: position("0*2.AB|AB.12").lands()[0].clone(),
        nimber: Nimber::new(9).expect("in range"),
    };
    puppet.say(vec![lie]);
    let begun = Instant::now();
    while store.nimber(poison(20).land.key()).expect("read").is_some() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it is still there");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(solved(&coordinator.url(), "0*8").await, Outcome::Loss);
    let banned = banned(&store);
    assert!(banned.iter().all(|detail| !detail.contains("poisoner")), "{banned:?}");
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_that_were_given_up_leave_nothing_behind() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let client = Client::connect(&coordinator.url()).await.expect("connected");
    let calls = ClientsClient::connect(coordinator.url()).await.expect("a connection");
    for count in [20, 10] {
        let (asked, patience) = (of_boundaries(count), Duration::from_millis(150));
        let queries = (0..40).map(|_| {
            let (mut calls, play) = (calls.clone(), wire::Play::Normal.into());
            let inquiry = wire::Inquiry { position: Some((&asked).into()), play };
            tokio::spawn(async move { tokio::time::timeout(patience, calls.query(inquiry)).await })
        });
        let queries: Vec<_> = queries.collect();
        let begun = Instant::now();
        client.clone().status().await.expect("status");
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        for query in queries {
            if let Ok(answer) = query.await.expect("no panic") {
                let refused = answer.expect_err("nothing is known");
                assert!(count == 20 && refused.message().contains("20 boundaries"), "{refused}");
            }
        }
        // Whatever was at work has ended: a query has its turn at once.
        let begun = Instant::now();
        client.clone().query(&position("0*5"), Play::Normal).await.expect("an answer");
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    }
    let begun = Instant::now();
    coordinator.shutdown().await.expect("it ends");
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
}
