//! The work in all: statistics, jobs, workers.

use serde::Serialize;
use sprig_ask::{BanRow, JobRow, WorkerRow};
use sprig_domain::JobId;
use sprig_engine::Watched;
use sprig_proto::{Client, ClientError, ClusterStatus, Job, Selection};
use sprig_store::{Counts, Event, Kind as FactKind, StoreError};

use crate::explorer::Explorer;
use crate::problem::{Kind, Problem};
use crate::replica::Snapshot;
use crate::source::{Source, broken};
use crate::target::{encode, shown};

/// `/v1/statistics`.
#[derive(Serialize)]
pub(crate) struct Statistics {
    source: &'static str,
    /// Facts in all, claims included.
    pub(crate) facts: u64,
    /// None where a coordinator is asked, as it tells only the sum.
    pub(crate) verified: Option<ByKind>,
    pub(crate) claimed: Option<ByKind>,
    /// How many workers are connected. None where a database is read.
    workers: Option<usize>,
    drained: Option<bool>,
    suspended: Option<bool>,
}

/// Facts of each kind.
#[derive(Serialize)]
pub(crate) struct ByKind {
    pub(crate) nimbers: u64,
    pub(crate) trees: u64,
    pub(crate) rcts: u64,
    pub(crate) losses: u64,
}

/// `/v1/jobs`.
#[derive(Serialize)]
pub(crate) struct JobsOf {
    jobs: Vec<JobRow>,
    /// The address of the page of older jobs.
    next: Option<String>,
}

/// `/v1/jobs/{job}`.
#[derive(Serialize)]
pub(crate) struct OfJob {
    #[serde(flatten)]
    job: JobRow,
    /// What happened to the job, in order. None where a coordinator is asked.
    history: Option<Vec<Happened>>,
}

/// Something that happened to a job.
#[derive(Serialize)]
struct Happened {
    unix_millis: u64,
    event: &'static str,
    detail: String,
}

/// `/v1/workers`.
#[derive(Serialize)]
pub(crate) struct WorkersOf {
    /// None where a database is read, as no worker connects to one.
    workers: Option<Vec<WorkerRow>>,
    bans: Option<Vec<BanRow>>,
}

impl Explorer {
    /// Asks the source of the gateway: the database, or the coordinator.
    pub(crate) async fn ask<T: Send + 'static, F: Future<Output = Result<T, ClientError>>>(
        &self,
        of_database: impl FnOnce(&Snapshot, &Watched) -> Result<T, Problem> + Send + 'static,
        of_cluster: impl FnOnce(Client) -> F + Send + 'static,
    ) -> Result<T, Problem> {
        match &self.source {
            Source::Database(replica) => {
                let snapshot = replica.now();
                self.work(move |watched| of_database(&snapshot, &watched)).await
            }
            Source::Cluster(client, _) => self.hear(client, of_cluster).await,
        }
    }

    pub(crate) async fn statistics(&self) -> Result<Statistics, Problem> {
        let of_database = |snapshot: &Snapshot, _: &Watched| {
            let worth = snapshot.worth;
            Ok(Statistics {
                source: "database",
                facts: worth.verified.total() + worth.claimed.total(),
                verified: Some(worth.verified.into()),
                claimed: Some(worth.claimed.into()),
                workers: None,
                drained: None,
                suspended: None,
            })
        };
        let of_cluster = async |mut client: Client| {
            let status = client.status().await?;
            Ok(Statistics {
                source: "cluster",
                facts: status.facts,
                verified: None,
                claimed: None,
                workers: Some(status.workers.len()),
                drained: Some(status.drained),
                suspended: Some(status.suspended),
            })
        };
        self.ask(of_database, of_cluster).await
    }

    /// The latest of the selected jobs that are older than job `before`, the latest first.
    pub(crate) async fn jobs(
        &self,
        selection: &Selection,
        before: JobId,
        limit: usize,
    ) -> Result<Vec<Job>, Problem> {
        let wanted = selection.clone();
        let of_database = move |snapshot: &Snapshot, _: &Watched| {
            let jobs = snapshot.reader.jobs_before(before, limit, |job| wanted.has(&job.terms));
            Ok(jobs.map_err(|e| broken(&e))?.iter().map(sprig_coordinator::told).collect())
        };
        let wanted = selection.clone();
        let of_cluster = async move |mut client: Client| {
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            let is_last = before == JobId(u64::MAX);
            client.selected(&wanted, (!is_last).then_some(before), limit).await
        };
        self.ask(of_database, of_cluster).await
    }

    /// A job and its history. A coordinator tells no history.
    pub(crate) async fn job(&self, id: JobId) -> Result<(Job, Option<Vec<Event>>), Problem> {
        let of_database = move |snapshot: &Snapshot, _: &Watched| {
            let read = || {
                let Some(job) = snapshot.reader.job(id)? else { return Ok(None) };
                Ok(Some((sprig_coordinator::told(&job), Some(snapshot.reader.history(id)?))))
            };
            read().map_err(|error: StoreError| broken(&error))
        };
        let of_cluster = async move |mut client: Client| {
            let found = client.jobs(id.0.checked_add(1).map(JobId), 1).await?;
            Ok(found.into_iter().find(|job| job.id == id).map(|job| (job, None)))
        };
        let found = self.ask(of_database, of_cluster).await?;
        found.ok_or_else(|| no_job(&format!("there is no job {}", id.0)))
    }

    /// The state of the cluster. None where a database is read.
    pub(crate) async fn status(&self) -> Result<Option<ClusterStatus>, Problem> {
        let of_cluster = async |mut client: Client| Ok(Some(client.status().await?));
        self.ask(|_: &Snapshot, _: &Watched| Ok(None), of_cluster).await
    }

    pub(crate) async fn workers(&self) -> Result<WorkersOf, Problem> {
        let of_database = |_: &Snapshot, _: &Watched| Ok(WorkersOf { workers: None, bans: None });
        let of_cluster = async |mut client: Client| {
            let ClusterStatus { workers, bans, .. } = client.status().await?;
            Ok(WorkersOf {
                workers: Some(workers.into_iter().map(WorkerRow::from).collect()),
                bans: Some(bans.into_iter().map(BanRow::from).collect()),
            })
        };
        self.ask(of_database, of_cluster).await
    }
}

/// The number of a job, read from an address.
pub(crate) fn number(text: &str) -> Result<JobId, Problem> {
    text.parse().map(JobId).map_err(|_| no_job(&format!("`{}` is no number of a job", shown(text))))
}

pub(crate) fn no_job(detail: &str) -> Problem {
    Problem::new(Kind::NotFound, detail, "`/work` shows the latest jobs, `/v1/jobs` lists them all")
}

/// The parameters that select these jobs, for an address.
pub(crate) fn parameters(selection: &Selection) -> impl Iterator<Item = (&'static str, String)> {
    let said = [("owner", &selection.owner), ("label", &selection.label)];
    let said = said.into_iter().filter(|(_, value)| !value.is_empty());
    said.map(|(name, value)| (name, encode(value).replace('+', "%2B")))
}

impl OfJob {
    pub(crate) fn new(job: Job, history: Option<Vec<Event>>) -> Self {
        let history = history.map(|events| events.into_iter().map(Happened::from).collect());
        Self { job: job.into(), history }
    }
}

impl JobsOf {
    /// A page of at most `limit` of the jobs that are selected.
    pub(crate) fn new(jobs: Vec<Job>, selection: &Selection, limit: usize) -> Self {
        let last = jobs.last().filter(|last| jobs.len() == limit && last.id.0 > 1);
        let next = last.map(|last| {
            let selected = parameters(selection).map(|(name, value)| format!("&{name}={value}"));
            let selected = selected.collect::<String>();
            format!("/v1/jobs?limit={limit}&before={}{selected}", last.id.0)
        });
        Self { jobs: jobs.into_iter().map(JobRow::from).collect(), next }
    }
}

impl From<Counts> for ByKind {
    fn from(counts: Counts) -> Self {
        Self {
            nimbers: counts.of(FactKind::Nimber),
            trees: counts.of(FactKind::Tree),
            rcts: counts.of(FactKind::Rct),
            losses: counts.of(FactKind::Loss),
        }
    }
}

impl From<Event> for Happened {
    fn from(event: Event) -> Self {
        let Event { time, kind, detail } = event;
        Self { unix_millis: time.0, event: kind.name(), detail }
    }
}
