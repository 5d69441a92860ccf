//! Counters for Prometheus, and whether the coordinator can be used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use sprig_domain::JobState;
use sprig_proto::{Build, ClusterStatus, Job, Waiting};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::backlog::Backlog;
use crate::driver::Inbound;
use crate::machine::Reply;
use crate::trust::Audited;
use crate::waits::Waits;

/// Upper bounds of the buckets of commits, in seconds: from a disk that does not sync to one that
/// stands still.
const COMMITS: [f64; 10] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 1.0, 10.0];

/// What the database has taken in, for those that watch.
#[derive(Debug)]
pub(crate) struct Taken {
    /// Seconds that each commit took.
    pub(crate) commits: Histogram,
    /// Facts in reports.
    pub(crate) reported: AtomicU64,
    /// Facts in reports that were not known.
    pub(crate) new: AtomicU64,
}

impl Default for Taken {
    fn default() -> Self {
        let (reported, new) = (AtomicU64::default(), AtomicU64::default());
        Self { commits: Histogram::new(COMMITS), reported, new }
    }
}

/// How long the driver may take to reply before the coordinator counts as not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Watches a running coordinator from outside. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Watcher {
    pub(crate) inbox: mpsc::Sender<Inbound>,
    pub(crate) audited: Arc<Audited>,
    pub(crate) taken: Arc<Taken>,
    pub(crate) backlog: Arc<Backlog>,
    pub(crate) waits: Arc<Waits>,
}

/// Whether a job has spent what it was given, so that it waits for a person.
fn is_spent(job: &Job) -> bool {
    job.waiting.as_ref().is_some_and(Waiting::is_spent)
}

/// Whether workers can bring a job nearer to its answer.
fn wants_answer(job: &Job) -> bool {
    job.state == JobState::Running && !is_spent(job)
}

impl Watcher {
    /// Whether it takes in work: it replies, and is neither suspended nor stopping.
    pub async fn is_ready(&self) -> bool {
        self.status().await.is_some_and(|status| !status.suspended)
    }

    /// Whether it replies. Suspended it does, and takes in no work.
    pub async fn is_alive(&self) -> bool {
        self.status().await.is_some()
    }

    /// Registers its counters. Returns `false` if it does not reply.
    pub async fn register(&self, registry: &mut Registry) -> bool {
        let Some(status) = self.status().await else { return false };
        self.describe(&status, registry.sub_registry_with_prefix("sprig_coordinator"));
        true
    }

    /// Whether a job waits for its answer; `None` if the coordinator does not reply. Paused ones,
    /// and those that have spent what they were given, wait for a person and do not count.
    pub async fn has_jobs(&self) -> Option<bool> {
        let status = self.status().await?;
        Some(status.jobs.iter().any(wants_answer))
    }

    async fn status(&self) -> Option<ClusterStatus> {
        let (reply, answer) = oneshot::channel();
        let ask = async {
            self.inbox.send(Inbound::Status(reply)).await.ok()?;
            answer.await.ok()
        };
        match tokio::time::timeout(PATIENCE, ask).await {
            Ok(Some(Reply::Status(status))) => Some(status),
            _ => None,
        }
    }

    fn describe(&self, status: &ClusterStatus, registry: &mut Registry) {
        let Self { audited, taken, backlog, waits, .. } = self;
        let build = Info::new([("id", Build::here().id)]);
        registry.register("build", "The program", build);
        let busy = status.workers.iter().filter(|worker| worker.job.is_some()).count();
        let wants_worker = |job: &&Job| job.waiting.as_ref().is_some_and(|why| !why.is_held());
        let waiting = status.jobs.iter().filter(wants_worker).count();
        let count =
            |is_one: &dyn Fn(&Job) -> bool| status.jobs.iter().filter(|job| is_one(job)).count();
        let wanted = status.sync_followers as usize;
        let behind = status.followers.iter().map(|follower| follower.behind).max().unwrap_or(0);
        let behind = usize::try_from(behind).unwrap_or(usize::MAX);
        for (name, help, value) in [
            ("facts", "Facts that were ever taken in", status.facts as usize),
            ("workers", "Workers that are connected", status.workers.len()),
            ("workers_busy", "Workers that hold a lease", busy),
            ("jobs_waiting", "Jobs that wait for a worker", waiting),
            ("jobs_running", "Jobs that want an answer", count(&wants_answer)),
            ("jobs_spent", "Jobs that have spent their budget or time", count(&is_spent)),
            (
                "jobs_paused",
                "Jobs that a person has paused",
                count(&|job| job.state == JobState::Paused),
            ),
            ("drained", "Whether nothing is granted", status.drained.into()),
            ("suspended", "Whether every claim is being looked at", status.suspended.into()),
            ("followers", "Followers that are connected", status.followers.len()),
            ("followers_wanted", "Followers that must have what is acknowledged", wanted),
            ("followers_behind", "Facts that the last follower lacks", behind),
            (
                "withheld",
                "Whether nothing is acknowledged for want of them",
                status.withheld.into(),
            ),
            ("orders_waiting", "Orders that wait for the database", backlog.waiting()),
        ] {
            registry.register(name, help, ConstGauge::new(value as i64));
        }
        let oldest = waits.longest(&status.jobs, Instant::now());
        let help = "Time that the oldest job without a worker has waited for one";
        let oldest = ConstGauge::new(oldest.as_secs_f64());
        registry.register_with_unit("oldest_wait", help, Unit::Seconds, oldest);
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for (name, help, value) in [
            ("facts_reported", "Facts in reports of workers", load(&taken.reported)),
            ("facts_new", "Facts in reports that were not known", load(&taken.new)),
            ("claims_sampled", "Claims that a sample fell on", load(&audited.sampled)),
            ("claims_verified", "Claims that were verified", load(&audited.verified)),
            ("claims_withdrawn", "Claims that were withdrawn", load(&audited.withdrawn)),
        ] {
            registry.register(name, help, ConstCounter::new(value));
        }
        for (name, help, counter) in [
            ("sampling_seconds", "Time spent on samples of claims", &audited.sampling),
            ("proving_seconds", "Time spent on showing answers", &audited.proving),
        ] {
            registry.register(name, help, ConstCounter::new(load(counter) as f64 / 1e6));
        }
        let help = "Time that a synced commit of the database takes";
        registry.register_with_unit("commit", help, Unit::Seconds, taken.commits.clone());
        let reasons = Family::<Vec<(String, String)>, Gauge>::default();
        for word in Waiting::WORDS {
            let has_word = |job: &&Job| job.waiting.as_ref().is_some_and(|why| why.word() == word);
            let count = status.jobs.iter().filter(has_word).count();
            let label = vec![("reason".to_owned(), word.to_owned())];
            reasons.get_or_create(&label).set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        let help = "Jobs that nobody works for, by the reason";
        registry.register("jobs_waiting_for", help, reasons);
        let expansions = Family::<Vec<(String, String)>, Gauge>::default();
        for worker in &status.workers {
            let label = vec![("worker".to_owned(), worker.name.clone())];
            let count = i64::try_from(worker.figures.expansions).unwrap_or(i64::MAX);
            expansions.get_or_create(&label).set(count);
        }
        registry.register(
            "worker_expansions",
            "Expansions of each worker since it started",
            expansions,
        );
    }
}
