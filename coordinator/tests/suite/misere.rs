//! Misère play over real gRPC: workers that share what they find, and one that lies.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::Node;
use sprig_domain::{
    Fact, Figures, Game, Goal, JobState, Outcome, Outcome as End, Play, Question, Verdict,
};
use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
use sprig_misere::{Limits, Observer, Search};
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Access, Answer, Build, Client, FromWorker, Grant, Hello, Job, Pull, Report, ToWorker, WorkerId,
};
use sprig_store::{Kind, NO_JOB, Secret, Status, Store, Value};
use sprig_trees::Base;
use sprig_worker::{Shutdown, Worker};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::UnboundedReceiverStream;

const LIMITS: Limits = Limits { memory: 256 << 20, threads: 1 };

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn misere(text: &str) -> Goal {
    Goal::misere(position(text))
}

fn done(outcome: Outcome) -> JobState {
    JobState::Done(outcome.into())
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
    (Arc::new(Store::open(dir.path(), &Secret::new([7; Secret::BYTES])).expect("a database")), dir)
}

/// A worker task, and the way to end it.
struct Hand(watch::Sender<Shutdown>, JoinHandle<Result<(), sprig_worker::Error>>);

impl Hand {
    fn hire(url: &str, name: &str) -> Self {
        let (shutdown, wanted) = watch::channel(Shutdown::Run);
        let config = sprig_worker::Config {
            coordinators: vec![url.into()],
            copies: Vec::new(),
            access: Access::default(),
            name: name.into(),
            limits: LIMITS,
            pulse: Arc::default(),
            notice: sprig_worker::NOTICE,
        };
        Self(shutdown, tokio::spawn(Worker::run(config, wanted)))
    }

    /// Waits for the end of the job. Fails if the worker ends before.
    async fn work_until(&mut self, client: &mut Client, goal: Goal) -> Job {
        tokio::select! {
            job = result(client, goal) => job,
            ended = &mut self.1 => panic!("the worker has ended: {ended:?}"),
        }
    }

    async fn finish(self) {
        self.0.send_replace(Shutdown::Finish);
        self.1.await.expect("no panic").expect("a good end");
    }
}

async fn result(client: &mut Client, goal: impl Into<Goal>) -> Job {
    let job = client.submit(goal, 0).await.expect("submitted");
    let mut jobs = client.watch(job.id).await.expect("watched");
    let mut last = job;
    while let Some(job) = jobs.next().await.expect("told") {
        last = job;
    }
    last
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_answer_from_shared_facts_and_all_is_verified() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let url = coordinator.url();
    let mut client = Client::connect(&url).await.expect("connected");
    let first = Hand::hire(&url, "first");
    let job = result(&mut client, misere("0*8")).await;
    assert_eq!(job.state, done(Outcome::Loss));
    assert!(job.figures.expansions > 0 && job.figures.facts > 1_000, "{job:?}");
    let lost = Node::new(position("0*8"), false, []).encode();
    let stored = store.fact(Kind::Loss, &lost).expect("read").expect("reported");
    assert_eq!(stored.fact.status, Status::Verified);
    let lands = store.counts().expect("read").of(Kind::Rct);
    first.finish().await;

    // The next worker begins with the trees of the first, and with its lost nodes; normal play goes
    // on beside it.
    let second = Hand::hire(&url, "second");
    let normal = Goal::normal(position("0*8"), Question::OUTCOME);
    assert!(result(&mut client, normal).await.state.is_final());
    assert_eq!(result(&mut client, misere("0*10")).await.state, done(Outcome::Win));
    assert_eq!(store.counts().expect("read").of(Kind::Rct), lands);
    second.finish().await;

    // The answers are known now, so no worker is needed: by a lost node, by a lost option, by a
    // tree, by the trees of a sum.
    for (text, outcome) in [
        ("0*8", Outcome::Loss),
        ("0*10", Outcome::Win),
        ("0*5", Outcome::Win),
        ("0*2+0*2", Outcome::Loss),
    ] {
        assert_eq!(result(&mut client, misere(text)).await.state, done(outcome), "{text}");
        let known = client.query(&position(text), Play::Misere).await.expect("known");
        assert_eq!(known.outcome, Some(outcome), "{text}");
        assert_eq!(known.winning.is_empty(), outcome == Outcome::Loss, "{text}");
    }
    let known = client.query(&position("0*3"), Play::Misere).await.expect("known");
    assert_eq!(known.lands[0].tree, store.rct(position("0*3").lands()[0].key()).expect("read"));
    assert!(store.history(NO_JOB).expect("read").is_empty(), "nobody was suspected");
    coordinator.shutdown().await.expect("a good end");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_answer_together() {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let url = coordinator.url();
    let hands = [Hand::hire(&url, "one"), Hand::hire(&url, "two")];
    let mut client = Client::connect(&url).await.expect("connected");
    assert_eq!(result(&mut client, misere("0*11")).await.state, done(Outcome::Win));
    assert_eq!(result(&mut client, misere("0*9")).await.state, done(Outcome::Loss));
    assert!(store.history(NO_JOB).expect("read").is_empty(), "nobody was suspected");
    for hand in hands {
        hand.finish().await;
    }
    coordinator.shutdown().await.expect("a good end");
}

#[derive(Default)]
struct Recorder(Mutex<Vec<Fact>>);

impl Observer<Node> for Recorder {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, node: Node) {
        self.0.lock().expect("no thread panics").push(Fact::Loss(node));
    }
}

fn small_base() -> Base {
    let mut base = Base::default();
    let built = base.build(&position("0*5"), NonZero::<usize>::MIN, |_| ControlFlow::Continue(()));
    built.expect("it is small");
    base
}

/// What an honest worker would report of a position.
fn found(position: &CanonicalPosition) -> Vec<Fact> {
    let base = small_base();
    let forest = base.forest();
    let trees = forest.trees().map(|tree| {
        let options = forest.option_keys(tree);
        Fact::Tree { tree: forest.key(tree), options }
    });
    let lands = base.facts().map(|(land, tree)| Fact::Rct { land, tree: forest.key(tree) });
    let mut facts: Vec<Fact> = trees.chain(lands).collect();
    let recorder = Recorder::default();
    Search::new(&base, LIMITS).solve(position, &recorder).expect("solved");
    facts.append(&mut recorder.0.into_inner().expect("no thread panics"));
    facts
}

/// A false fact made of this one: beside 1, what is lost is won.
fn falsified(fact: &Fact) -> Option<Fact> {
    match fact {
        Fact::Rct { land, tree } => Some(Fact::Rct { land: land.clone(), tree: tree.plus_one() }),
        Fact::Loss(node) => {
            let trees = node.trees().iter().copied();
            Some(Fact::Loss(Node::new(node.lands().clone(), !node.one(), trees)))
        }
        // A tree that does not have its key is no message.
        Fact::Tree { .. } | Fact::Nimber(_) => None,
    }
}

/// A worker that changes one lost node in `losses` and one land in `lands` that it reports (0:
/// none). Ends when it is sent away.
async fn lying(url: String, lands: usize, losses: usize, begun: Arc<tokio::sync::Notify>) {
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
    while let Ok(Some(message)) = session.message().await {
        let Ok(ToWorker::Grant(grant)) = ToWorker::try_from(message) else { continue };
        let Grant { lease, goal, .. } = grant;
        let mut facts = found(goal.position());
        for (number, fact) in (1usize..).zip(&mut facts) {
            let of = if matches!(fact, Fact::Loss(_)) { losses } else { lands };
            if of > 0 && number.is_multiple_of(of) {
                *fact = falsified(fact).unwrap_or_else(|| fact.clone());
            }
        }
        for (sequence, facts) in (0..).zip(facts.chunks(500)) {
            say(FromWorker::Report(Report {
                game: Game::Sprouts,
                sequence,
                facts: facts.to_vec(),
            }));
        }
        begun.notify_one();
        let verdict = Ok(Verdict::Loss);
        let answer = Some(Answer { lease, verdict, figures: Figures::default() });
        say(FromWorker::Pull(Pull { answer, more: true }));
    }
}

/// The facts of the database that are false, found out by searching for each anew.
fn wrong(store: &Store) -> Vec<String> {
    let mut base = small_base();
    let search = Search::new(&base, LIMITS);
    let mut wrong = Vec::new();
    for kind in [Kind::Rct, Kind::Loss] {
        for stored in store.facts(kind) {
            let fact = stored.expect("read").fact;
            let holds = match fact.value {
                Value::Rct(key) => {
                    let land = CanonicalLand::from_reduced(&fact.subject);
                    let tree = base.forest().find(key).expect("a tree of the base");
                    base.follows(&land, tree).expect("small") == Some(true)
                }
                _ => {
                    let node = Node::decode(&fact.subject).expect("a node");
                    let outcome = search.settle(&node, &Recorder::default()).expect("solved");
                    outcome == Some(End::Loss)
                }
            };
            if !holds {
                wrong.push(format!("{fact:?}"));
            }
        }
    }
    wrong
}

/// Has a liar begin alone with a job and an honest worker join it, and looks at what is left in the
/// end.
async fn none_is_left(lands: usize, losses: usize) {
    let (store, _dir) = database();
    let coordinator = start(&store).await;
    let url = coordinator.url();
    let mut client = Client::connect(&url).await.expect("connected");
    let begun = Arc::new(tokio::sync::Notify::new());
    let liar = tokio::spawn(lying(url.clone(), lands, losses, Arc::clone(&begun)));
    client.submit(misere("0*8"), 0).await.expect("submitted");
    begun.notified().await;
    let mut honest = Hand::hire(&url, "honest");
    let job = honest.work_until(&mut client, misere("0*8")).await;
    assert_eq!(job.state, done(Outcome::Loss), "{:?}", store.history(NO_JOB));
    honest.finish().await;
    liar.abort();
    coordinator.shutdown().await.expect("a good end");

    assert_eq!(wrong(&store), [""; 0]);
    let banned: Vec<String> =
        store.bans().expect("read").into_iter().map(|ban| ban.person.name).collect();
    assert_eq!(banned, ["liar"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_node_in_ten_that_is_won_is_found() {
    none_is_left(0, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_land_in_ten_with_another_tree_is_found() {
    none_is_left(10, 0).await;
}
