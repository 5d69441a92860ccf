//! Nothing that a peer says keeps a coordinator at work for good, over real gRPC.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::{Figures, Game, Goal, JobState, LandNimber, Outcome, Play, Question, Ruleset};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_proto::wire::clients_client::ClientsClient;
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{Access, Build, Client, FromWorker, Hello, Report, ToWorker, WorkerId, wire};
use sprig_search::Limits;
use sprig_store::{Batch, Contribution, Provenance, Secret, Source, Store, UnixMillis};
use sprig_worker::{Shutdown, Worker};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Status, Streaming};

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

/// A region with `count` boundaries of several spots, no two alike. With 20 there are over ten
/// million ways to divide it, each of which has as many replies; with 10 some fifty thousand.
fn of_boundaries(count: usize) -> CanonicalPosition {
    let boundary = |i: usize| format!("{}{}", "1".repeat(i % 5), "2".repeat(2 + i / 5));
    position(&(0..count).map(boundary).collect::<Vec<_>>().join("."))
}

fn poison(count: usize) -> LandNimber {
    LandNimber { land: of_boundaries(count).lands()[0].clone(), nimber: Nimber::ZERO }
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

/// A worker whose every message is chosen by the test.
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
            games: vec![Game::Sprouts],
            reign: None,
            looks: false,
        };
        out.send(FromWorker::Hello(hello).into()).expect("open");
        let session = calls.work(UnboundedReceiverStream::new(outgoing)).await;
        let mut puppet = Self { out, incoming: session.expect("a session").into_inner() };
        assert!(matches!(puppet.hear().await, Ok(ToWorker::Welcome(_))));
        puppet
    }

    fn say(&self, facts: Vec<LandNimber>) {
        let facts = facts.into_iter().map(Into::into).collect();
        self.out
            .send(FromWorker::Report(Report { game: Game::Sprouts, sequence: 0, facts }).into())
            .expect("open");
    }

    async fn report(&mut self, facts: Vec<LandNimber>) -> Result<ToWorker, Status> {
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
        coordinators: vec![url.into()],
        copies: Vec::new(),
        access: Access::default(),
        name: "honest".into(),
        limits: Limits { memory: 256 << 20, threads: 1 },
        pulse: Arc::default(),
        notice: sprig_worker::NOTICE,
    };
    let worker = tokio::spawn(Worker::run(config, wanted));
    let mut client = Client::connect(url).await.expect("connected");
    let goal = Goal::normal(position(text), Question::OUTCOME);
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

/// The names that are banned.
fn banned(store: &Store) -> Vec<String> {
    store.bans().expect("read").into_iter().map(|ban| ban.person.name).collect()
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

/// A ring of regions: letters of spots that all stand on one boundary in two regions. Each of its
/// moves is easily listed, and a search of it never ends.
fn ring(letters: u8) -> LandNimber {
    let boundary = || 7..7 + letters;
    let key: Vec<u8> = boundary().chain([6]).chain(boundary()).collect();
    LandNimber { land: CanonicalLand::from_key(&key).expect("a land"), nimber: Nimber::ZERO }
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_that_are_dear_to_compute_again_hold_nobody_up() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let mut puppet = Puppet::join(coordinator.url(), "spendthrift").await;
    let taken = puppet.report((80..100).map(ring).collect()).await;
    assert!(matches!(taken, Ok(ToWorker::Acknowledge(_))), "{taken:?}");
    // A sample of them is looked at a second time after two seconds.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let begun = Instant::now();
    assert_eq!(solved(&coordinator.url(), "0*7").await, Outcome::Loss);
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    // A lie has every claim looked at; meanwhile every client can ask how the cluster is.
    let lie = LandNimber {
        land: position("0*2.AB|AB.12").lands()[0].clone(),
        nimber: Nimber::new(9).expect("in range"),
    };
    Puppet::join(coordinator.url(), "liar").await.say(vec![lie]);
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        let asked = Instant::now();
        client.status().await.expect("status");
        assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let begun = Instant::now();
    assert_eq!(solved(&coordinator.url(), "0*8").await, Outcome::Loss);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(banned(&store).iter().all(|name| name != "honest"));
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_that_are_long_to_read_hold_nobody_up() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let calls = ClientsClient::connect(coordinator.url()).await.expect("a connection");
    let ask = |count| {
        let (mut calls, land) = (calls.clone(), ring(112).land.key().to_vec());
        let position = Some(wire::Position { lands: vec![land; count], text: String::new() });
        let ruleset = Some(Ruleset::NORMAL.into());
        async move { calls.query(wire::Inquiry { position, ruleset }).await }
    };
    let refused = ask(1_024).await.expect_err("it is too long");
    assert_eq!(refused.code(), Code::InvalidArgument);
    let queries: Vec<_> = (0..20).map(|_| tokio::spawn(ask(70))).collect();
    for _ in 0..10 {
        let asked = Instant::now();
        client.status().await.expect("status");
        assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    queries.into_iter().for_each(|query| query.abort());
    coordinator.shutdown().await.expect("it ends");
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
    let lie = LandNimber {
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
            let (mut calls, inquiry) = (calls.clone(), wire::Inquiry::of(&asked, Play::Normal));
            tokio::spawn(async move { tokio::time::timeout(patience, calls.query(inquiry)).await })
        });
        let queries: Vec<_> = queries.collect();
        let begun = Instant::now();
        client.clone().status().await.expect("status");
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        for query in queries {
            // A fast machine can look at ten boundaries within the patience of the caller, and
            // finds nothing known of them.
            match query.await.expect("no panic") {
                Ok(Err(refused)) => {
                    assert!(
                        count == 20 && refused.message().contains("20 boundaries"),
                        "{refused}"
                    );
                }
                Ok(Ok(_)) => assert_eq!(count, 10, "twenty are refused"),
                Err(_) => {}
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
