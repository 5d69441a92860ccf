//! Real workers that divide a job among them, and a liar that owns parts of it.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use sprig_coordinator::{Config, Coordinator, Protection, Settings, Trust};
use sprig_domain::{Figures, Goal, JobState, LandNimber, Outcome, Question, Verdict};
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::{Answer, Client, FromWorker, Grant, Job, Pull, ToWorker};
use sprig_search::{Limits, Observer, Solver};
use sprig_store::{Secret, Store};
use sprig_worker::{Shutdown, Worker};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::common::{Puppet, at_work, worker};

const LIMITS: Limits = Limits { memory: 256 << 20, threads: 1 };

fn outcome_of(spots: usize) -> Goal {
    Goal::normal(CanonicalPosition::of(&Position::start(spots)), Question::OUTCOME)
}

/// A coordinator that divides small jobs, too.
async fn start(trust: Trust) -> (Coordinator, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a directory");
    let config = Config {
        listen: "127.0.0.1:0".parse().expect("an address"),
        store: Arc::new(Store::open(dir.path(), &Secret::random()).expect("a database")),
        protection: Protection::default(),
        trust,
    };
    let settings = Settings { leaf: NonZeroU64::new(100), ..Settings::default() };
    (Coordinator::start_with(config, settings).await.expect("it starts"), dir)
}

/// Honest workers, and the way to end them.
struct Hands {
    url: String,
    shutdown: watch::Sender<Shutdown>,
    tasks: JoinSet<()>,
}

impl Hands {
    fn of(coordinator: &Coordinator) -> Self {
        let url = coordinator.url();
        Self { url, shutdown: watch::Sender::new(Shutdown::Run), tasks: JoinSet::new() }
    }

    fn hire(&mut self, name: &str) {
        let config = worker(&self.url, name, LIMITS);
        let wanted = self.shutdown.subscribe();
        self.tasks.spawn(async { Worker::run(config, wanted).await.expect("a good end") });
    }

    async fn end(mut self) {
        self.shutdown.send_replace(Shutdown::Drop);
        self.tasks.shutdown().await;
    }
}

async fn end_of(client: &mut Client, job: &Job) -> Job {
    let mut last = job.clone();
    let watched = async {
        let mut jobs = client.watch(job.id).await.expect("watched");
        while let Some(job) = jobs.next().await.expect("told") {
            last = job;
        }
    };
    timeout(Duration::from_secs(120), watched).await.expect("it ends");
    last
}

fn outcome(job: &Job) -> Outcome {
    let JobState::Done(conclusion) = &job.state else { panic!("{job:?}") };
    conclusion.outcome
}

/// The outcome, and the expansions of a search that is alone.
fn alone(spots: usize) -> (Outcome, u64) {
    struct Silent;
    impl Observer<LandNimber> for Silent {
        fn stop(&self) -> bool {
            false
        }
        fn proved(&self, _: LandNimber) {}
    }
    let (solver, goal) = (Solver::new(LIMITS), outcome_of(spots));
    let verdict = solver.solve(goal.position(), goal.question(), u64::MAX, &Silent);
    let conclusion = goal.conclusion(verdict.expect("it is solved")).expect("an answer");
    (conclusion.outcome, solver.figures().expansions)
}

#[tokio::test(flavor = "multi_thread")]
async fn three_workers_divide_a_job_and_come_to_its_answer() {
    const SPOTS: usize = 20;
    let (coordinator, _dir) = start(Trust::Checked).await;
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let mut hands = Hands::of(&coordinator);
    ["ada", "ben", "cleo"].into_iter().for_each(|name| hands.hire(name));
    let job = client.submit(outcome_of(SPOTS), 0).await.expect("submitted");
    // One of them is seen at a part of the goal, and another at the goal itself.
    let (mut parts, mut wholes) = (0, 0);
    while parts == 0 || wholes == 0 {
        let sight = client.look(job.id, None, 1).await.expect("the job is not over yet");
        assert!(!sight.job.state.is_final(), "it ended before anybody had a part of it");
        let at_goal = |goal: &Goal| *goal == outcome_of(SPOTS);
        parts += sight.lookers.iter().filter(|looker| !at_goal(&looker.goal)).count();
        wholes += sight.lookers.iter().filter(|looker| at_goal(&looker.goal)).count();
    }
    let last = end_of(&mut client, &job).await;
    assert_eq!(outcome(&last), alone(SPOTS).0);
    hands.end().await;
    coordinator.shutdown().await.expect("a good end");
}

/// Calls every leaf won as soon as it gets it, and does nothing for the whole goal. Ends with its
/// task. Counts its lies.
async fn lie(url: String, lies: watch::Sender<u32>) {
    let mut puppet = Puppet::join(url, 13).await;
    let answer = |Grant { lease, .. }, verdict| {
        let figures = Figures::default();
        Some(Answer { lease, verdict: Ok(verdict), figures })
    };
    let pull = |answer| FromWorker::Pull(Pull { answer, more: true });
    puppet.say(pull(None));
    let mut held = None;
    while let Ok(message) = puppet.hear().await {
        match message {
            ToWorker::Grant(grant) if grant.expansions.is_some() => {
                lies.send_modify(|lies| *lies += 1);
                puppet.say(pull(answer(grant, Verdict::Win)));
            }
            ToWorker::Grant(grant) => held = Some(grant),
            ToWorker::Revoke(_) => {
                let open = Verdict::Open { proof: 1, disproof: 1 };
                let answer = held.take().and_then(|grant| answer(grant, open));
                puppet.say(pull(answer));
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_that_owns_leaves_does_not_hold_up_the_search_of_the_whole_goal() {
    let (mut beside, mut without) = (0, 0);
    let lies = watch::Sender::new(0);
    for spots in [16, 17, 18, 20] {
        let (truth, effort) =
            tokio::task::spawn_blocking(move || alone(spots)).await.expect("no panic");
        // Its word counts from the first on.
        let (coordinator, _dir) = start(Trust::Believed).await;
        let mut client = Client::connect(&coordinator.url()).await.expect("connected");
        let mut hands = Hands::of(&coordinator);
        hands.hire("first");
        let job = client.submit(outcome_of(spots), 0).await.expect("submitted");
        at_work(&mut client, 1).await;
        hands.hire("second");
        hands.tasks.spawn(lie(coordinator.url(), lies.clone()));
        let last = end_of(&mut client, &job).await;
        assert_eq!(outcome(&last), truth);
        let status = client.status().await.expect("it answers");
        let first = status.workers.iter().find(|worker| worker.name == "first").expect("it works");
        beside += first.figures.expansions;
        without += effort;
        hands.end().await;
        coordinator.shutdown().await.expect("a good end");
    }
    assert!(*lies.borrow() > 20, "{} lies", *lies.borrow());
    assert!(10 * beside <= 12 * without, "{beside} expansions, {without} alone");
}
