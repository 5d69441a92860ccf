//! Jobs, workers and bans, as commands and `/v1` show them. The names of fields are the keys of the
//! JSON objects.

use serde::Serialize;
use sprig_domain::{Game, Goal, JobState, Play, Question};
use sprig_proto::{Ban, Job, WorkerStatus};

/// A worker.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct WorkerRow {
    /// A fingerprint of its identity.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its program.
    pub build: String,
    /// Threads it searches with.
    pub threads: u32,
    /// The job it works for; none while it waits.
    pub job: Option<u64>,
    /// Expansions since it started.
    pub expansions: u64,
    /// Facts that it has proved since.
    pub facts: u64,
}

/// A job, as far as it has come.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct JobRow {
    /// Its number.
    pub id: u64,
    /// The canonical form of what was asked about.
    pub position: String,
    /// What was asked, in words.
    pub question: String,
    /// Jobs of higher priority go first.
    pub priority: i32,
    /// Where it stands, in a word; for a failure with its reason.
    pub state: String,
    /// The answer.
    pub outcome: Option<String>,
    /// The nimber, where it was asked for.
    pub nimber: Option<u8>,
    /// Work done for it by all workers.
    pub expansions: u64,
    /// Facts that they proved. Of ended jobs this is not kept.
    pub facts: u64,
    /// Proof number of the goal, while it is open.
    pub proof: u32,
    /// Disproof number of the goal, while it is open.
    pub disproof: u32,
    /// Workers that hold a lease of it now.
    pub workers: u32,
    /// Working time in seconds.
    pub seconds: f64,
    /// Why no worker is on it, if it is running.
    pub waiting: Option<String>,
    /// The same in a word: `worker`, `ahead`, `drained`, `gave-up`, `behind`, `unable`, `share`,
    /// `budget`, `deadline` or `checking`.
    pub reason: Option<String>,
    /// Who has submitted it.
    pub owner: Option<String>,
    /// What its owner calls it, together with others.
    pub label: Option<String>,
    /// Whether it belongs to a campaign, and waits for the smaller jobs with its label.
    pub in_turn: bool,
    /// Core time that it has taken, in seconds.
    pub core_seconds: f64,
    /// Core time that it may take, in seconds; none: as much as it needs.
    pub budget: Option<f64>,
    /// When it stops, in milliseconds of Unix time; none: when it is answered.
    pub deadline: Option<u64>,
}

/// A worker or account that is banned.
#[derive(Serialize, Clone, Debug, schemars::JsonSchema)]
pub struct BanRow {
    /// The name.
    pub name: String,
    /// Whether the name was proved, by a token or certificate.
    pub proved: bool,
    /// Since when, in milliseconds of Unix time.
    pub time: u64,
    /// Why.
    pub reason: String,
    /// The claim that was found out, if it was one.
    pub claim: Option<String>,
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
        Self {
            id: id.to_string(),
            name,
            build,
            threads,
            job: job.map(|job| job.0),
            expansions: figures.expansions,
            facts: figures.facts,
        }
    }
}

impl JobRow {
    /// Whether nothing happens to it any more.
    pub fn has_ended(&self) -> bool {
        !["running", "waiting", "paused"].contains(&self.state.as_str())
    }
}

impl From<Job> for JobRow {
    fn from(job: Job) -> Self {
        let conclusion = job.state.conclusion();
        Self {
            id: job.id.0,
            position: job.goal.position().to_string(),
            question: question(&job.goal),
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
            reason: job.waiting.as_ref().map(|waiting| waiting.word().to_owned()),
            owner: said(job.terms.owner),
            label: said(job.terms.label),
            in_turn: job.terms.in_turn,
            core_seconds: (job.core_seconds * 1000.0).round() / 1000.0,
            budget: job.terms.budget.map(|budget| budget.as_secs_f64()),
            deadline: job.terms.deadline,
        }
    }
}

/// A text, if it says something.
fn said(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// What a goal asks, in words.
fn question(goal: &Goal) -> String {
    let asked = match (goal.play(), goal.question()) {
        (Play::Misere, _) => "misere outcome".to_owned(),
        (Play::Normal, Question::Nimber) => "nimber".to_owned(),
        (Play::Normal, Question::OUTCOME) => "outcome".to_owned(),
        (Play::Normal, Question::Outcome { heap }) => format!("outcome with heap {heap}"),
    };
    match goal.game() {
        Game::Sprouts => asked,
        other => format!("{other}, {asked}"),
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
