//! Workers that lie, over real gRPC and beside honest ones: none of their lies is left when the
//! answer is there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::{Figures, Game, Goal, JobState, LandNimber, Outcome, Play, Question, Verdict};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Access, Answer, Build, Client, FromWorker, Grant, Hello, LeaseId, Pull, Report, ToWorker,
    WorkerId, wire,
};
use sprig_search::{Limits, Observer, Solver};
use sprig_store::{Kind, NO_JOB, Secret, Status, Store, Value};
use sprig_worker::{Shutdown, Worker};
use tokio::sync::{Notify, mpsc, watch};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::Streaming;

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn outcome_of(text: &str) -> Goal {
    Goal::normal(position(text), Question::OUTCOME)
}

async fn start() -> (Coordinator, Arc<Store>, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    let store =
        Arc::new(Store::open(dir.path(), &Secret::new([7; Secret::BYTES])).expect("a database"));
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("an address"),
        store: Arc::clone(&store),
        protection: Protection::default(),
        trust: Trust::Checked,
    };
    (Coordinator::start(config).await.expect("it starts"), store, dir)
}

/// Which facts a liar changes, and what it says of its leases.
#[derive(Clone, Copy)]
enum Lie {
    /// One fact in `of`.
    Fact { of: u64 },
    /// No fact; every verdict.
    Verdict,
}

#[derive(Default)]
struct Recorder(Mutex<Vec<LandNimber>>);

impl Observer<LandNimber> for Recorder {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, fact: LandNimber) {
        self.0.lock().expect("no thread panics").push(fact);
    }
}

/// A worker that searches like any other and then says something else. Ends when it is sent away.
async fn lying(url: String, lie: Lie, lies: Arc<AtomicU64>, begun: Arc<Notify>) {
    let mut calls = WorkersClient::connect(url).await.expect("a connection");
    let (out, outgoing) = mpsc::unbounded_channel();
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
    let say = |message: FromWorker| drop(out.send(message.into()));
    say(FromWorker::Hello(hello));
    let Ok(session) = calls.work(UnboundedReceiverStream::new(outgoing)).await else { return };
    let mut session = session.into_inner();
    say(FromWorker::Pull(Pull { answer: None, more: true }));
    let solver = Arc::new(Solver::new(Limits { memory: 256 << 20, threads: 1 }));
    let mut sequence = 0;
    while let Ok(Some(message)) = session.message().await {
        let Ok(ToWorker::Grant(grant)) = ToWorker::try_from(message) else { continue };
        let Grant { lease, goal, expansions, .. } = grant;
        if goal.play() == Play::Misere {
            continue;
        }
        let (searching, recorder) = (Arc::clone(&solver), Arc::new(Recorder::default()));
        let found = Arc::clone(&recorder);
        let search = move || {
            let budget = expansions.unwrap_or(u64::MAX);
            searching
                .solve(goal.position(), goal.question(), budget, &*found)
                .expect("it can be worked on")
        };
        let mut verdict = tokio::task::spawn_blocking(search).await.expect("no panic");
        let mut facts = std::mem::take(&mut *recorder.0.lock().expect("no thread panics"));
        match lie {
            Lie::Fact { of } => {
                for (number, fact) in (1..).zip(&mut facts) {
                    if number % of == 0 {
                        let wrong = u64::from(fact.nimber.get() ^ 1);
                        fact.nimber = Nimber::new(wrong).expect("in range");
                        lies.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
            Lie::Verdict => {
                lies.fetch_add(1, Ordering::Relaxed);
                verdict = match verdict {
                    Verdict::Loss => Verdict::Win,
                    Verdict::Win => Verdict::Loss,
                    other => other,
                };
            }
        }
        begun.notify_one();
        for facts in facts.chunks(100) {
            let facts = facts.iter().cloned().map(Into::into).collect();
            say(FromWorker::Report(Report { game: Game::Sprouts, sequence, facts }));
            sequence += 1;
        }
        let figures = solver.figures();
        let answer = Some(Answer { lease, verdict: Ok(verdict), figures });
        say(FromWorker::Pull(Pull { answer, more: true }));
    }
}

fn honest(url: &str) -> (watch::Sender<Shutdown>, tokio::task::JoinHandle<()>) {
    let (shutdown, wanted) = watch::channel(Shutdown::Run);
    let config = sprig_worker::Config {
        coordinators: vec![url.into()],
        copies: Vec::new(),
        access: Access::default(),
        name: "honest".into(),
        limits: Limits { memory: 256 << 20, threads: 1 },
        pulse: Arc::default(),
        notice: sprig_worker::NOTICE,
    };
    let task = async move { Worker::run(config, wanted).await.expect("it is never sent away") };
    (shutdown, tokio::spawn(task))
}

/// The facts of the database that are false, found out by searching for each anew.
fn wrong(store: &Store) -> BTreeMap<String, Nimber> {
    let solver = Solver::new(Limits { memory: 256 << 20, threads: 1 });
    let mut wrong = BTreeMap::new();
    for stored in store.facts(Kind::Nimber) {
        let fact = stored.expect("read").fact;
        let Value::Nimber(nimber) = fact.value else { panic!("{fact:?}") };
        let land = CanonicalLand::from_key(&fact.subject).expect("a land");
        let position = CanonicalPosition::from_lands([land.clone()]);
        let found = solver
            .solve(&position, Question::Nimber, u64::MAX, &Recorder::default())
            .expect("solved");
        if found != Verdict::Nimber(nimber) {
            wrong.insert(land.to_string(), nimber);
        }
    }
    wrong
}

/// Has a liar work alone on a job until it lies and an honest worker join it, and looks at what is
/// left in the end.
async fn none_is_left(text: &str, outcome: Outcome, lie: Lie) {
    let (coordinator, store, _dir) = start().await;
    let url = coordinator.url();
    let mut client = Client::connect(&url).await.expect("connected");
    let lies = Arc::new(AtomicU64::new(0));
    let begun = Arc::new(Notify::new());
    let liar = tokio::spawn(lying(url.clone(), lie, Arc::clone(&lies), Arc::clone(&begun)));
    let job = client.submit(outcome_of(text), 0).await.expect("submitted");
    begun.notified().await;
    let (shutdown, worker) = honest(&url);
    let mut jobs = client.watch(job.id).await.expect("watched");
    let mut last = None;
    while let Some(job) = jobs.next().await.expect("told") {
        last = Some(job.state);
    }
    let Some(JobState::Done(conclusion)) = last else { panic!("{last:?}") };
    assert_eq!(conclusion.outcome, outcome);
    assert!(lies.load(Ordering::Relaxed) > 0, "nobody has lied");
    shutdown.send_replace(Shutdown::Finish);
    worker.await.expect("it ends well");
    liar.abort();
    coordinator.shutdown().await.expect("it ends");

    assert_eq!(wrong(&store), BTreeMap::new());
    let banned: Vec<String> =
        store.bans().expect("read").into_iter().map(|ban| ban.person.name).collect();
    assert!(banned.iter().all(|name| name == "liar"), "{banned:?}");
    // A false verdict that comes after a true one is not looked at.
    let at_least = usize::from(matches!(lie, Lie::Fact { .. }));
    assert!((at_least..=1).contains(&banned.len()), "{banned:?}");
    let verified = store.facts(Kind::Nimber).filter(|stored| {
        stored.as_ref().is_ok_and(|stored| stored.fact.status == Status::Verified)
    });
    assert!(verified.count() > 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lie_in_a_hundred_is_found() {
    none_is_left("0*12", Outcome::Loss, Lie::Fact { of: 100 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lie_in_ten_is_found() {
    none_is_left("0*11", Outcome::Win, Lie::Fact { of: 10 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lie_in_two_is_found() {
    none_is_left("0*11", Outcome::Win, Lie::Fact { of: 2 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_a_lie_is_not_given() {
    none_is_left("0*9", Outcome::Win, Lie::Verdict).await;
}

/// A worker whose every message is chosen by the test.
struct Puppet {
    out: mpsc::UnboundedSender<wire::FromWorker>,
    incoming: Streaming<wire::ToWorker>,
}

impl Puppet {
    /// A puppet that asks for work at once.
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
        let puppet = Self { out, incoming: session.expect("a session").into_inner() };
        puppet.pull(None);
        puppet
    }

    fn pull(&self, answer: Option<(LeaseId, Verdict)>) {
        let figures = Figures::default();
        let answer = answer.map(|(lease, verdict)| Answer { lease, verdict: Ok(verdict), figures });
        let pull = FromWorker::Pull(Pull { answer, more: true });
        self.out.send(pull.into()).expect("open");
    }

    /// The next lease. The error says why the session has ended.
    async fn lease(&mut self) -> Result<LeaseId, tonic::Status> {
        loop {
            let message = self.incoming.message().await?.expect("it is not closed without a word");
            match ToWorker::try_from(message).expect("well formed") {
                ToWorker::Grant(Grant { lease, .. }) => return Ok(lease),
                ToWorker::Revoke(lease) => {
                    self.pull(Some((lease, Verdict::Open { proof: 1, disproof: 1 })));
                }
                _ => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_that_shows_nothing_sends_away_who_says_it_and_nobody_else() {
    for goal in [outcome_of("0*9"), Goal::misere(position("0*9"))] {
        let (coordinator, store, _dir) = start().await;
        let mut client = Client::connect(&coordinator.url()).await.expect("connected");
        client.submit(goal, 0).await.expect("submitted");
        let mut witness = Puppet::join(coordinator.url(), "witness").await;
        let first = witness.lease().await.expect("work");
        let mut liar = Puppet::join(coordinator.url(), "liar").await;
        let lease = liar.lease().await.expect("work");
        liar.pull(Some((lease, Verdict::Loss)));
        let sent_away = liar.lease().await.expect_err("it is sent away");
        assert_eq!(sent_away.code(), tonic::Code::PermissionDenied, "{sent_away}");
        assert!(sent_away.message().contains("does not follow"), "{sent_away}");
        // The other worker goes on in the same session, with the same run of the coordinator.
        let again = witness.lease().await.expect("nobody else is sent away");
        assert!(again.epoch == first.epoch && again.number > first.number, "{again:?}");
        let refused = Puppet::join(coordinator.url(), "liar").await.lease().await;
        assert_eq!(refused.expect_err("it is banned").code(), tonic::Code::PermissionDenied);
        coordinator.shutdown().await.expect("it ends");
        let banned: Vec<String> =
            store.bans().expect("read").into_iter().map(|ban| ban.person.name).collect();
        assert_eq!(banned, ["liar"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hangs_up_after_a_verdict_that_shows_nothing_is_kept_out() {
    let (coordinator, store, _dir) = start().await;
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    client.submit(outcome_of("0*9"), 0).await.expect("submitted");
    // What is said last may be lost with the connection.
    let refused = loop {
        let mut liar = Puppet::join(coordinator.url(), "liar").await;
        match liar.lease().await {
            Ok(lease) => liar.pull(Some((lease, Verdict::Loss))),
            Err(refused) => break refused,
        }
    };
    assert!(refused.message().contains("does not follow"), "{refused}");
    coordinator.shutdown().await.expect("it ends");
    let banned: Vec<String> =
        store.bans().expect("read").into_iter().map(|ban| ban.person.name).collect();
    assert_eq!(banned, ["liar"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_an_answer_rests_on_is_verified() {
    let (coordinator, store, _dir) = start().await;
    let (shutdown, worker) = honest(&coordinator.url());
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let job = client.submit(outcome_of("0*8"), 0).await.expect("submitted");
    let mut jobs = client.watch(job.id).await.expect("watched");
    while jobs.next().await.expect("told").is_some() {}
    let known = store.verified_nimber(position("0*8").lands()[0].key()).expect("read");
    assert_eq!(known, Some(Nimber::ZERO));
    assert_eq!(store.history(NO_JOB).expect("read"), []);
    shutdown.send_replace(Shutdown::Finish);
    worker.await.expect("it ends well");
}
