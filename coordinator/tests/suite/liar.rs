//! A worker that lies about where to look, as workers of an older build could: that costs the
//! honest ones nothing.

use std::sync::Arc;
use std::time::Duration;

use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::{Figures, Game, Goal, LandNimber, Question};
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::{Build, Client, Hello, Job, WorkerId, wire};
use sprig_search::{Limits, Noise, Observer, Solver};
use sprig_store::{Secret, Store};
use sprig_worker::{Shutdown, Worker};
use tokio::sync::{mpsc, watch};
use tokio::time::{interval, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::codegen::http::uri::PathAndQuery;

use crate::common::{at_work, worker};

const LIMITS: Limits = Limits { memory: 256 << 20, threads: 1 };

/// What a worker says, with the fields that the message once had.
#[derive(Clone, PartialEq, prost::Message)]
struct Said {
    #[prost(message, optional, tag = "1")]
    hello: Option<wire::Hello>,
    #[prost(message, optional, tag = "3")]
    pull: Option<wire::Pull>,
    #[prost(message, optional, tag = "4")]
    progress: Option<Progress>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Progress {
    #[prost(message, optional, tag = "1")]
    lease: Option<wire::LeaseId>,
    #[prost(message, optional, tag = "2")]
    figures: Option<wire::Figures>,
    #[prost(message, repeated, tag = "3")]
    places: Vec<Couple>,
    #[prost(message, repeated, tag = "4")]
    notes: Vec<Note>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Couple {
    #[prost(bytes = "vec", tag = "1")]
    land: Vec<u8>,
    #[prost(uint32, tag = "2")]
    heap: u32,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Note {
    #[prost(message, optional, tag = "1")]
    couple: Option<Couple>,
    #[prost(uint32, tag = "2")]
    proof: u32,
    #[prost(uint32, tag = "3")]
    disproof: u32,
}

fn position(spots: usize) -> CanonicalPosition {
    CanonicalPosition::of(&Position::start(spots))
}

fn outcome_of(spots: usize) -> Goal {
    Goal::normal(position(spots), Question::OUTCOME)
}

/// Lies that the goal and all its options look like losses that are far away, with twenty searches
/// at work in each.
fn lies(spots: usize) -> (Vec<Couple>, Vec<Note>) {
    let goal = position(spots);
    let children = goal.children().expect("a small position");
    let lands = children.iter().chain([&goal]).flat_map(CanonicalPosition::lands);
    let couples =
        lands.flat_map(|land| (0..3).map(|heap| Couple { land: land.key().to_vec(), heap }));
    let couples: Vec<Couple> = couples.take(50).collect();
    let note =
        |couple: &Couple| Note { couple: Some(couple.clone()), proof: 1, disproof: (1 << 30) - 1 };
    let notes = couples.iter().map(note).collect();
    (couples.iter().flat_map(|couple| std::iter::repeat_n(couple.clone(), 20)).collect(), notes)
}

/// Takes a lease and lies ten times a second; ends with its task.
async fn lie(url: String, spots: usize) {
    let channel = tonic::transport::Endpoint::from_shared(url).expect("an address");
    let mut calls = tonic::client::Grpc::new(channel.connect().await.expect("a connection"));
    calls.ready().await.expect("ready");
    let (out, outgoing) = mpsc::unbounded_channel();
    let say = |said: Said| drop(out.send(said));
    let hello = Hello {
        build: Build::here(),
        name: "liar".into(),
        worker: WorkerId(13),
        threads: 1,
        holding: None,
        figures: Figures::default(),
        games: vec![Game::Sprouts],
        reign: None,
        looks: false,
    };
    say(Said { hello: Some(hello.into()), ..Said::default() });
    let path = PathAndQuery::from_static("/sprig.v1.Workers/Work");
    let codec = tonic_prost::ProstCodec::<Said, wire::ToWorker>::default();
    let outgoing = tonic::Request::new(UnboundedReceiverStream::new(outgoing));
    let session = calls.streaming(outgoing, path, codec).await.expect("a session");
    let mut session = session.into_inner();
    say(Said { pull: Some(wire::Pull { answer: None, more: true }), ..Said::default() });
    let (places, notes) = lies(spots);
    let (mut lease, mut beat) = (None, interval(Duration::from_millis(100)));
    loop {
        tokio::select! {
            message = session.message() => match message.expect("nobody sends the liar away") {
                Some(wire::ToWorker { message: Some(wire::to_worker::Message::Grant(grant)) }) => lease = grant.lease,
                Some(_) => {}
                None => return,
            },
            _ = beat.tick() => if let Some(lease) = lease {
                let (places, notes) = (places.clone(), notes.clone());
                let figures = Some(Figures::default().into());
                let progress = Progress { lease: Some(lease), figures, places, notes };
                say(Said { progress: Some(progress), ..Said::default() });
            },
        }
    }
}

/// Solves a goal with an honest worker and a liar, one of which gets the first lease, as chosen.
/// Returns the expansions of the honest one.
async fn beside_a_liar(spots: usize, liar_first: bool) -> u64 {
    let dir = tempfile::tempdir().expect("a directory");
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("an address"),
        store: Arc::new(Store::open(dir.path(), &Secret::random()).expect("a database")),
        protection: Protection::default(),
        trust: Trust::Checked,
    };
    let coordinator = Coordinator::start(config).await.expect("it starts");
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let job = client.submit(outcome_of(spots), 0).await.expect("submitted");
    let (shutdown, wanted) = watch::channel(Shutdown::Run);
    let honest = Worker::run(worker(&coordinator.url(), "honest", LIMITS), wanted);
    let mut hands = tokio::task::JoinSet::new();
    let liar = lie(coordinator.url(), spots);
    if liar_first {
        hands.spawn(liar);
        at_work(&mut client, 1).await;
        hands.spawn(async { honest.await.expect("a good end") });
    } else {
        hands.spawn(async { honest.await.expect("a good end") });
        at_work(&mut client, 1).await;
        hands.spawn(liar);
    }
    at_work(&mut client, 2).await;
    let mut jobs = client.watch(job.id).await.expect("watched");
    let mut last: Job = job;
    while let Some(job) = jobs.next().await.expect("told") {
        last = job;
    }
    assert!(last.state.is_final(), "{last:?}");
    let workers = client.status().await.expect("it answers").workers;
    let names: Vec<&str> = workers.iter().map(|worker| worker.name.as_str()).collect();
    assert!(names.contains(&"honest") && names.contains(&"liar"), "nobody was banned: {names:?}");
    shutdown.send_replace(Shutdown::Drop);
    hands.shutdown().await;
    coordinator.shutdown().await.expect("it ends");
    last.figures.expansions
}

/// Expansions of a search that is alone.
fn alone(spots: usize, noise: Noise) -> u64 {
    struct Silent;
    impl Observer<LandNimber> for Silent {
        fn stop(&self) -> bool {
            false
        }
        fn proved(&self, _: LandNimber) {}
    }
    let solver = Solver::new(LIMITS);
    solver.differ(noise);
    solver
        .solve(outcome_of(spots).position(), Question::OUTCOME, u64::MAX, &Silent)
        .expect("it is solved");
    solver.figures().expansions
}

#[tokio::test(flavor = "multi_thread")]
async fn lying_about_where_to_look_costs_honest_workers_nothing() {
    for spots in 14..=18 {
        let alone = tokio::task::spawn_blocking(move || alone(spots, Noise::NONE));
        let beside = timeout(Duration::from_secs(120), beside_a_liar(spots, false)).await;
        let (beside, alone) = (beside.expect("it is solved"), alone.await.expect("no panic"));
        assert!(10 * beside <= 11 * alone, "0*{spots}: {beside} expansions, {alone} alone");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_that_comes_first_costs_no_more_than_one_that_does_nothing() {
    for spots in [14, 16, 17] {
        let alone = tokio::task::spawn_blocking(move || alone(spots, Noise(1)));
        let beside = timeout(Duration::from_secs(120), beside_a_liar(spots, true)).await;
        let (beside, alone) = (beside.expect("it is solved"), alone.await.expect("no panic"));
        assert!(10 * beside <= 11 * alone, "0*{spots}: {beside} expansions, {alone} alone");
    }
}
