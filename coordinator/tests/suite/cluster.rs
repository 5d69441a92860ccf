//! A real cluster in one process: real gRPC on loopback, a real database, the real search.

use std::sync::Arc;

use sprig_coordinator::{Config, Coordinator, Protection, Trust, knowledge};
use sprig_domain::{Conclusion, Goal, JobState, Outcome, Play, Question};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_proto::{Access, Client, Job, JobOrder};
use sprig_search::Limits;
use sprig_store::{Batch, Contribution, Fact, Provenance, Secret, Source, Store, UnixMillis};
use sprig_worker::{Shutdown, Worker};
use tokio::sync::watch;
use tokio::task::JoinHandle;

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn outcome_of(text: &str) -> Goal {
    Goal::normal(position(text), Question::OUTCOME)
}

fn nimber_of(text: &str) -> Goal {
    Goal::normal(position(text), Question::Nimber)
}

/// A database, and the directory that it goes with.
fn database() -> (Arc<Store>, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    (Arc::new(Store::open(dir.path(), &Secret::new([7; Secret::BYTES])).expect("a database")), dir)
}

async fn start(store: &Arc<Store>) -> Coordinator {
    let listen = "127.0.0.1:0".parse().expect("an address");
    Coordinator::start(Config {
        listen,
        store: Arc::clone(store),
        protection: Protection::default(),
        trust: Trust::Checked,
    })
    .await
    .expect("it starts")
}

/// A worker task, and the way to end it.
struct Hand {
    shutdown: watch::Sender<Shutdown>,
    task: JoinHandle<Result<(), sprig_worker::Error>>,
}

impl Hand {
    fn hire(url: &str, name: &str) -> Self {
        let (shutdown, wanted) = watch::channel(Shutdown::Run);
        let config = sprig_worker::Config {
            coordinators: vec![url.into()],
            copies: Vec::new(),
            access: Access::default(),
            name: name.into(),
            limits: Limits { memory: 256 << 20, threads: 1 },
            pulse: Arc::default(),
            notice: sprig_worker::NOTICE,
        };
        Self { shutdown, task: tokio::spawn(Worker::run(config, wanted)) }
    }

    async fn finish(self) {
        self.shutdown.send_replace(Shutdown::Finish);
        self.task.await.expect("no panic").expect("a good end");
    }

    /// Like kill -9: the connection breaks in the middle of a message.
    async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }
}

async fn result(client: &mut Client, goal: Goal) -> Job {
    let job = client.submit(goal, 0).await.expect("submitted");
    let mut jobs = client.watch(job.id).await.expect("watched");
    let mut last = job;
    while let Some(job) = jobs.next().await.expect("told") {
        last = job;
    }
    assert!(last.state.is_final(), "{last:?}");
    last
}

fn win() -> JobState {
    JobState::Done(Conclusion { outcome: Outcome::Win, nimber: None })
}

fn loss() -> JobState {
    JobState::Done(Conclusion { outcome: Outcome::Loss, nimber: Some(Nimber::ZERO) })
}

#[tokio::test]
async fn one_worker_answers_and_the_database_remembers() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let hand = Hand::hire(&coordinator.url(), "one");
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");

    let job = result(&mut client, outcome_of("0*8")).await;
    assert_eq!(job.state, loss());
    assert!(job.figures.expansions > 0 && job.figures.facts > 0, "{job:?}");
    let job = result(&mut client, outcome_of("0*9")).await;
    assert_eq!(job.state, win());

    // The answers are known now, so no worker is needed: 0*9 by its result, 0*8 by a fact, their
    // sum by both.
    hand.finish().await;
    assert_eq!(result(&mut client, outcome_of("0*9")).await.figures.expansions, 0);
    let nimber = result(&mut client, nimber_of("0*8")).await;
    assert_eq!(nimber.state, loss());
    assert_eq!(result(&mut client, outcome_of("0*8+0*9")).await.state, win());

    let known = client.query(&position("0*9"), Play::Normal).await.expect("known");
    assert_eq!(known.outcome, Some(Outcome::Win));
    assert!(!known.winning.is_empty());
    assert_eq!(
        known,
        knowledge(&store, &position("0*9"), Play::Normal, Trust::Believed, &Arc::default())
            .expect("known")
    );
    let status = client.status().await.expect("status");
    assert_eq!(status.facts, store.next_sequence().0);
    assert_eq!((status.workers.len(), status.jobs.len()), (0, 5));
    coordinator.shutdown().await.expect("a good end");
}

/// Waits until the job has this many expansions behind it, so that what follows hits it in the
/// middle.
async fn underway(client: &mut Client, job: &Job, expansions: u64) {
    let mut jobs = client.watch(job.id).await.expect("watched");
    while let Some(job) = jobs.next().await.expect("told") {
        assert!(!job.state.is_final(), "it ended too soon to be disturbed: {job:?}");
        if job.figures.expansions >= expansions {
            return;
        }
    }
}

#[tokio::test]
async fn two_workers_answer_together() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let url = coordinator.url();
    let hands = [Hand::hire(&url, "one"), Hand::hire(&url, "two")];
    let mut client = Client::connect(&url).await.expect("connected");
    let job = client.submit(outcome_of("0*14"), 0).await.expect("submitted");
    underway(&mut client, &job, 1).await;
    let status = client.status().await.expect("status");
    assert_eq!(status.workers.len(), 2);
    assert_eq!(result(&mut client, outcome_of("0*14")).await.state, loss());
    for hand in hands {
        hand.finish().await;
    }
    coordinator.shutdown().await.expect("a good end");
}

#[tokio::test]
async fn a_killed_worker_costs_nothing_but_time() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let url = coordinator.url();
    let victim = Hand::hire(&url, "victim");
    let mut client = Client::connect(&url).await.expect("connected");
    let job = client.submit(outcome_of("0*14"), 0).await.expect("submitted");
    underway(&mut client, &job, 2_000).await;
    victim.kill().await;
    let saved = store.next_sequence();
    assert!(saved.0 > 0, "what it had proved is on disk");

    let heir = Hand::hire(&url, "heir");
    assert_eq!(result(&mut client, outcome_of("0*14")).await.state, loss());
    assert!(store.next_sequence() > saved);
    heir.finish().await;
    coordinator.shutdown().await.expect("a good end");
}

#[tokio::test]
async fn a_restarted_coordinator_goes_on() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let address = coordinator.local_addr();
    let hand = Hand::hire(&coordinator.url(), "faithful");
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let job = client.submit(outcome_of("0*14"), 0).await.expect("submitted");
    underway(&mut client, &job, 2_000).await;
    coordinator.shutdown().await.expect("a good end");

    // The worker finds the new run by itself, and the job is not submitted again.
    let config = Config {
        listen: address,
        store: Arc::clone(&store),
        protection: Protection::default(),
        trust: Trust::Checked,
    };
    let coordinator = Coordinator::start(config).await.expect("it starts");
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let mut jobs = client.watch(job.id).await.expect("watched");
    let mut last = None;
    while let Some(job) = jobs.next().await.expect("told") {
        last = Some(job);
    }
    assert_eq!(last.expect("told").state, loss());
    hand.finish().await;
    coordinator.shutdown().await.expect("a good end");
}

#[tokio::test]
async fn a_cancelled_job_ends_and_the_worker_takes_the_next() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let hand = Hand::hire(&coordinator.url(), "one");
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let job = client.submit(outcome_of("0*27"), 0).await.expect("submitted");
    underway(&mut client, &job, 1).await;
    assert_eq!(
        client.order(job.id, JobOrder::Cancel).await.expect("cancelled").state,
        JobState::Cancelled
    );
    assert_eq!(
        client.order(job.id, JobOrder::Cancel).await.expect("ended").state,
        JobState::Cancelled
    );
    assert_eq!(result(&mut client, outcome_of("0*8")).await.state, loss());
    hand.finish().await;
    coordinator.shutdown().await.expect("a good end");
}

/// A database whose facts cannot be read fails its coordinator, which then ends like any other.
#[tokio::test]
async fn what_has_failed_can_be_ended() {
    let (store, dir) = database();
    let source = Source { worker: "ada".into(), build: "none".into() };
    let provenance = Provenance { source, job: None, time: UnixMillis(0) };
    let facts = vec![Fact::nimber(position("0*9").lands()[0].key(), Nimber::ZERO)];
    let contributions = vec![Contribution { provenance, facts, exclusions: vec![] }];
    store.commit(&Batch { contributions, ..Batch::default() }).expect("written");
    drop(store);
    let mut failures = 0;
    let files =
        std::fs::read_dir(dir.path()).expect("there").map(|file| file.expect("there").path());
    let tables: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|e| e == "sst")).collect();
    for damaged in tables {
        let copy = tempfile::tempdir().expect("a directory");
        for file in std::fs::read_dir(dir.path()).expect("there").map(|file| file.expect("there")) {
            let mut bytes = std::fs::read(file.path()).expect("read");
            if file.path() == damaged {
                bytes[20] ^= 1;
            }
            std::fs::write(copy.path().join(file.file_name()), bytes).expect("written");
        }
        // Some tables are read when a database is opened or a coordinator starts.
        let store = Store::open(copy.path(), &Secret::new([7; Secret::BYTES]));
        let Ok(store) = store.map(Arc::new) else { continue };
        let listen = "127.0.0.1:0".parse().expect("an address");
        let (protection, trust) = (Protection::default(), Trust::Own);
        let config = Config { listen, store, protection, trust };
        let Ok(mut coordinator) = Coordinator::start(config).await else { continue };
        let mut client = Client::connect(&coordinator.url()).await.expect("connected");
        let submitted = client.submit(outcome_of("0*9"), 0).await;
        if submitted.is_err() {
            coordinator.failure().await;
            coordinator.shutdown().await.expect("the failure was told");
            failures += 1;
        }
    }
    assert!(failures > 0, "no table was read for the answer");
}
