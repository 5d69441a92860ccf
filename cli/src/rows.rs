//! Jobs and workers, as `status`, `jobs`, `workers` and `top` show them.

use serde::Serialize;
use sprig_domain::{JobState, Play, Question};
use sprig_proto::{Ban, Job, WorkerStatus};

use crate::date;
use crate::failure::escaped;
use crate::table::table;

/// A worker as commands show it.
#[derive(Serialize)]
pub struct WorkerRow {
    id: String,
    name: String,
    build: String,
    threads: u32,
    job: Option<u64>,
    expansions: u64,
    facts: u64,
}

/// A job as commands show it.
#[derive(Serialize)]
pub struct JobRow {
    id: u64,
    position: String,
    question: String,
    priority: i32,
    state: String,
    outcome: Option<String>,
    nimber: Option<u8>,
    expansions: u64,
    facts: u64,
    proof: u32,
    disproof: u32,
    workers: u32,
    seconds: f64,
    /// Why nobody works for it, if it is running and nobody does.
    waiting: Option<String>,
}

/// Somebody who is banned, as commands show it.
#[derive(Serialize)]
pub struct BanRow {
    name: String,
    proved: bool,
    /// Milliseconds of Unix time.
    time: u64,
    reason: String,
    claim: Option<String>,
}

impl From<Ban> for BanRow {
    fn from(ban: Ban) -> Self {
        let Ban { name, proved, time, reason, claim } = ban;
        Self { name, proved, time, reason, claim }
    }
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
        let conclusion = job.state.conclusion();
        Self {
            id: job.id.0,
            position: job.goal.position().to_string(),
            question: match (job.goal.play(), job.goal.question()) {
                (Play::Misere, _) => "misere outcome".to_owned(),
                (Play::Normal, Question::Nimber) => "nimber".to_owned(),
                (Play::Normal, Question::OUTCOME) => "outcome".to_owned(),
                (Play::Normal, Question::Outcome { heap }) => format!("outcome with heap {heap}"),
            },
            priority: job.priority,
            state: state(&job),
            outcome: conclusion.map(|c| c.outcome.to_string()),
            nimber: conclusion.and_then(|c| c.nimber).map(|nimber| nimber.get()),
            expansions: job.figures.expansions,
            facts: job.figures.facts,
            proof: job.figures.proof,
            disproof: job.figures.disproof,
            workers: job.workers,
            seconds: (job.seconds * 1000.0).round() / 1000.0,
            waiting: job.waiting.as_ref().map(ToString::to_string),
        }
    }
}

impl JobRow {
    /// The job on one line.
    pub fn line(&self) -> String {
        format!("job {} {}, priority {}", self.id, escaped(&self.state), self.priority)
    }
}

/// Where a job stands, in a word; for a failure with its reason.
pub fn state(job: &Job) -> String {
    match &job.state {
        JobState::Running => if job.waiting.is_some() { "waiting" } else { "running" }.to_owned(),
        JobState::Paused => "paused".to_owned(),
        JobState::Done(_) => "done".to_owned(),
        JobState::Cancelled => "cancelled".to_owned(),
        JobState::Failed(reason) => format!("failed: {reason}"),
    }
}

/// Workers for people.
pub fn workers(workers: &[WorkerRow]) -> String {
    let rows = workers.iter().map(|w| {
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
    let heading = ["WORKER", "THREADS", "JOB", "EXPANSIONS", "FACTS", "BUILD"];
    table(heading, &["BUILD", "FACTS", "THREADS"], rows)
}

/// Bans for people; nothing if there are none.
pub fn bans(bans: &[BanRow]) -> String {
    let rows = bans.iter().map(|ban| {
        let proved = if ban.proved { "proved" } else { "free" };
        let why = match &ban.claim {
            Some(claim) => format!("{claim}; {}", ban.reason),
            None => ban.reason.clone(),
        };
        [ban.name.clone(), proved.to_owned(), date::utc(ban.time), why]
    });
    if bans.is_empty() {
        String::new()
    } else {
        table(["BANNED", "NAME IS", "SINCE", "WHY"], &[], rows)
    }
}

/// Jobs for people. The facts of ended jobs and their numbers are not kept.
pub fn jobs(jobs: &[JobRow]) -> String {
    let rows = jobs.iter().map(|j| {
        let answer = match (&j.outcome, j.nimber) {
            (Some(outcome), Some(nimber)) => format!("{outcome}, nimber {nimber}"),
            (Some(outcome), None) => outcome.clone(),
            (None, _) => "-".to_owned(),
        };
        let open = j.proof > 0 || j.disproof > 0;
        let if_open = |text: String| if open { text } else { "-".to_owned() };
        [
            j.id.to_string(),
            j.position.clone(),
            j.question.clone(),
            j.priority.to_string(),
            j.waiting.clone().unwrap_or_else(|| j.state.clone()),
            answer,
            j.expansions.to_string(),
            if_open(j.facts.to_string()),
            if_open(format!("{}/{}", j.proof, j.disproof)),
            j.workers.to_string(),
            format!("{:.1}", j.seconds),
        ]
    });
    let heading = [
        "JOB",
        "POSITION",
        "ASKED",
        "PRIORITY",
        "STATE",
        "ANSWER",
        "EXPANSIONS",
        "FACTS",
        "PN/DN",
        "WORKERS",
        "SECONDS",
    ];
    table(heading, &["PN/DN", "FACTS", "PRIORITY", "SECONDS", "WORKERS", "EXPANSIONS"], rows)
}
