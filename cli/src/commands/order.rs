//! `sprig pause`, `sprig resume`, `sprig cancel`, `sprig priority`, `sprig budget`, `sprig
//! deadline`: orders about a job, or about all jobs with a label.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use sprig_ask::{JobRow, with_verb};
use sprig_domain::JobId;
use sprig_proto::{Client, ClientError, Job, JobOrder};

use crate::connect::{self, CoordinatorUrl};
use crate::date;
use crate::duration::some_time;
use crate::failure::Usage;
use crate::output::{self, Answer, Format};
use crate::rows;
use crate::terms::{Chosen, jobs_of};

pub const PAUSE: &str = "\
Examples:
  sprig pause 7          its workers go to other jobs; what is proved stays
  sprig resume 7         and back
  sprig pause --label 'campaign 2..62'";

pub const RESUME: &str = "\
Examples:
  sprig resume 7         after `sprig pause 7`";

pub const CANCEL: &str = "\
Examples:
  sprig cancel 7         ends it without an answer; its facts stay in the database
  sprig cancel --label 'campaign 2..62'";

const PRIORITY: &str = "\
Examples:
  sprig priority 7 10    all workers go to job 7 before those of lower priority
  sprig priority 7 -1    job 7 is for when nothing else is to be done";

const BUDGET: &str = "\
Examples:
  sprig budget 7 8h      job 7 may take eight hours of cores in all
  sprig budget 7 none    as much as it needs
  sprig budget --label 'campaign 2..62' 4h";

const DEADLINE: &str = "\
Examples:
  sprig deadline 7 12h                   job 7 goes on for twelve hours
  sprig deadline 7 2026-12-01T18:00      until then, UTC
  sprig deadline 7 none                  until it is answered";

/// A job of a coordinator, or all that have a label.
#[derive(Args)]
#[command(allow_missing_positional = true)]
pub struct OfJob {
    /// Number of the job; `sprig status` lists them
    #[arg(value_name = "JOB", conflicts_with_all = ["label", "owner"])]
    job: Option<u64>,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

/// Change the priority of a job
#[derive(Args)]
#[command(after_help = PRIORITY, allow_missing_positional = true, allow_negative_numbers = true)]
pub struct Prioritize {
    #[command(flatten)]
    job: OfJob,
    /// Jobs of higher priority go first; jobs of equal priority share the workers
    #[arg(value_name = "N", required = true, allow_negative_numbers = true)]
    priority: i32,
}

/// Change the core time that a job may take
///
/// It is the time for which workers hold leases of the job, times their threads. A job that has
/// spent it waits.
#[derive(Args)]
#[command(after_help = BUDGET, allow_missing_positional = true)]
pub struct Allot {
    #[command(flatten)]
    job: OfJob,
    /// In all, with what it has taken, as in 90s, 30m or 2h; `none`: as much as it needs
    #[arg(value_name = "TIME", required = true, value_parser = or_none(some_time))]
    budget: Limit<Duration>,
}

/// Change the time at which a job stops
#[derive(Args)]
#[command(after_help = DEADLINE, allow_missing_positional = true)]
pub struct Postpone {
    #[command(flatten)]
    job: OfJob,
    /// A time from now, as in 8h, or a date of UTC, as in 2026-12-01T18:00; `none`: when it is
    /// answered
    #[arg(value_name = "TIME", required = true, value_parser = or_none(date::coming))]
    deadline: Limit<u64>,
}

/// A limit, or no limit.
#[derive(Clone, Copy)]
struct Limit<T>(Option<T>);

/// Reads a limit, or `none`.
fn or_none<T>(
    read: impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<Limit<T>, String> + Clone + Send + Sync + 'static {
    move |text| if text == "none" { Ok(Limit(None)) } else { read(text).map(|it| Limit(Some(it))) }
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Ordered(JobRow);

impl Answer for Ordered {
    fn line(&self) -> String {
        rows::line(&self.0)
    }
}

impl OfJob {
    /// Gives the order. Prints the state of the job, once the order is on disk.
    pub fn run(self, order: JobOrder) -> anyhow::Result<ExitCode> {
        if self.job.is_none() && self.chosen.is_all() {
            return Err(Usage("say which job: its number, or --label TEXT".to_owned()).into());
        }
        connect::runtime()?.block_on(async {
            let mut client = self.coordinator.connect().await?;
            if let Some(job) = self.job {
                let job = client.order(JobId(job), order).await?;
                return output::answer(&self.format, &Ordered(JobRow::from(job)));
            }
            let mut code = ExitCode::SUCCESS;
            for job in self.open(&mut client).await? {
                match client.order(job.id, order.clone()).await {
                    Ok(job) => {
                        output::answer(&self.format, &Ordered(JobRow::from(job)))?;
                    }
                    // One may have ended meanwhile. The others are meant as well.
                    Err(error @ ClientError::Refused(_)) => {
                        remark!("sprig: job {}: {error}", job.id);
                        code = ExitCode::FAILURE;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(code)
        })
    }

    /// The jobs that are meant and have not ended, the latest first. So no job of a campaign begins
    /// while the campaign is cancelled.
    async fn open(&self, client: &mut Client) -> anyhow::Result<Vec<Job>> {
        let mut jobs = jobs_of(client, &self.chosen.selection()).await?;
        let all = jobs.len();
        jobs.retain(|job| !job.state.is_final());
        if jobs.is_empty() {
            let ended = with_verb(all, "job", ["has", "have"]);
            remark!("sprig: {ended} ended; nothing is left to do");
        }
        Ok(jobs)
    }
}

impl Prioritize {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.job.run(JobOrder::Priority(self.priority))
    }
}

impl Allot {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.job.run(JobOrder::Budget(self.budget.0))
    }
}

impl Postpone {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.job.run(JobOrder::Deadline(self.deadline.0))
    }
}
