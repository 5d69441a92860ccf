//! `sprig status`: what goes on in a cluster.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_proto::{ClusterStatus, Job, JobState, WorkerStatus};
use sprig_search::Question;

use super::submit::state;
use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Answer, Format};
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig status                                       the coordinator on this machine
  sprig status --coordinator http://10.0.0.1:7425 --json";

/// Show the workers and jobs of a cluster
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Status {
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Cluster {
    build: String,
    facts: u64,
    workers: Vec<WorkerRow>,
    jobs: Vec<JobRow>,
}

#[derive(Serialize)]
struct WorkerRow {
    id: String,
    name: String,
    build: String,
    threads: u32,
    job: Option<u64>,
    expansions: u64,
    facts: u64,
}

#[derive(Serialize)]
struct JobRow {
    id: u64,
    position: String,
    question: String,
    state: String,
    outcome: Option<String>,
    nimber: Option<u8>,
    expansions: u64,
    facts: u64,
    proof: u32,
    disproof: u32,
    workers: u32,
    seconds: f64,
}

impl From<WorkerStatus> for WorkerRow {
    fn from(worker: WorkerStatus) -> Self {
        let WorkerStatus { id, name, build, threads, job, figures } = worker;
        let (expansions, facts) = (figures.expansions, figures.facts);
        Self {
            id: id.to_string(),
            name,
            build,
            threads,
            job: job.map(|job| job.0),
            expansions,
            facts,
        }
    }
}

impl From<Job> for JobRow {
    fn from(job: Job) -> Self {
        let conclusion = match job.state {
            JobState::Done(conclusion) => Some(conclusion),
            _ => None,
        };
        Self {
            id: job.id.0,
            position: job.goal.position.to_string(),
            question: match job.goal.question {
                Question::Nimber => "nimber".to_owned(),
                Question::Outcome { heap } if heap.get() == 0 => "outcome".to_owned(),
                Question::Outcome { heap } => format!("outcome with heap {heap}"),
            },
            state: state(&job),
            outcome: conclusion.map(|c| c.outcome.to_string()),
            nimber: conclusion.and_then(|c| c.nimber).map(|nimber| nimber.get()),
            expansions: job.figures.expansions,
            facts: job.figures.facts,
            proof: job.figures.proof,
            disproof: job.figures.disproof,
            workers: job.workers,
            seconds: (job.seconds * 1000.0).round() / 1000.0,
        }
    }
}

impl From<ClusterStatus> for Cluster {
    fn from(status: ClusterStatus) -> Self {
        Self {
            build: status.build.id,
            facts: status.facts,
            workers: status.workers.into_iter().map(Into::into).collect(),
            jobs: status.jobs.into_iter().map(Into::into).collect(),
        }
    }
}

impl Answer for Cluster {
    fn text(&self) -> String {
        let workers = self.workers.iter().map(|w| {
            let job = w.job.map_or_else(|| "-".to_owned(), |job| job.to_string());
            [
                w.name.clone(),
                w.threads.to_string(),
                job,
                w.expansions.to_string(),
                w.facts.to_string(),
                w.build.clone(),
            ]
        });
        let jobs = self.jobs.iter().map(|j| {
            let answer = match (&j.outcome, j.nimber) {
                (Some(outcome), Some(nimber)) => format!("{outcome}, nimber {nimber}"),
                (Some(outcome), None) => outcome.clone(),
                (None, _) => j.state.clone(),
            };
            [
                j.id.to_string(),
                j.position.clone(),
                j.question.clone(),
                answer,
                j.expansions.to_string(),
                j.facts.to_string(),
                format!("{}/{}", j.proof, j.disproof),
                j.workers.to_string(),
                format!("{:.1}", j.seconds),
            ]
        });
        format!(
            "{}\n{}\n{}",
            self.line(),
            table(["WORKER", "THREADS", "JOB", "EXPANSIONS", "FACTS", "BUILD"], workers),
            table(
                [
                    "JOB",
                    "POSITION",
                    "ASKED",
                    "STATE",
                    "EXPANSIONS",
                    "FACTS",
                    "PN/DN",
                    "WORKERS",
                    "SECONDS"
                ],
                jobs
            ),
        )
    }

    fn line(&self) -> String {
        format!("{}: {} facts, {} workers\n", self.build, self.facts, self.workers.len())
    }
}

impl Status {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let status = self.coordinator.connect().await?.status().await?;
            output::answer(&self.format, &Cluster::from(status))
        })
    }
}
