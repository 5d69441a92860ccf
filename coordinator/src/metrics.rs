//! Counters for Prometheus, and whether the coordinator can be used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use sprig_domain::JobState;
use sprig_proto::{Build, ClusterStatus};
use tokio::sync::{mpsc, oneshot};

use crate::driver::Inbound;
use crate::machine::Reply;
use crate::trust::Audited;

/// How long the driver may take to reply before the coordinator counts as not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// Watches a running coordinator from outside. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Watcher {
    pub(crate) inbox: mpsc::Sender<Inbound>,
    pub(crate) audited: Arc<Audited>,
}

impl Watcher {
    /// Whether it takes in work: it replies, and is neither suspended nor stopping.
    pub async fn is_ready(&self) -> bool {
        self.status().await.is_some_and(|status| !status.suspended)
    }

    /// Its counters as text that Prometheus reads; none if it does not reply.
    pub async fn metrics(&self) -> Option<String> {
        let status = self.status().await?;
        let registry = registry(&status, &self.audited);
        let mut text = String::new();
        // Writing to a string cannot fail.
        text::encode(&mut text, &registry).ok()?;
        Some(text)
    }

    /// Whether a job waits for its answer; none if it does not reply. Paused ones wait for a person and do not count.
    pub async fn has_jobs(&self) -> Option<bool> {
        let status = self.status().await?;
        Some(status.jobs.iter().any(|job| job.state == JobState::Running))
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
}

fn registry(status: &ClusterStatus, audited: &Audited) -> Registry {
    let mut registry = Registry::with_prefix("sprig_coordinator");
    let build = Info::new([("id", Build::here().id)]);
    registry.register("build", "The program", build);
    let busy = status.workers.iter().filter(|worker| worker.job.is_some()).count();
    let waiting = status.jobs.iter().filter(|job| job.waiting.is_some()).count();
    for (name, help, value) in [
        ("facts", "Facts that were ever taken in", status.facts as usize),
        ("workers", "Workers that are connected", status.workers.len()),
        ("workers_busy", "Workers that hold a lease", busy),
        ("jobs_waiting", "Jobs that nobody works for", waiting),
        ("jobs_running", "Jobs that are not answered yet", status.jobs.len()),
    ] {
        registry.register(name, help, ConstGauge::new(value as i64));
    }
    let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    for (name, help, value) in [
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
    registry
}
