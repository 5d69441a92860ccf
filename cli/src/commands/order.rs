//! `sprig pause`, `sprig resume`, `sprig cancel`, `sprig priority`: what people may order about a job.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::JobRow;
use sprig_domain::JobId;
use sprig_proto::JobOrder;

use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Answer, Format};
use crate::rows;

pub const PAUSE: &str = "\
Examples:
  sprig pause 7          its workers go to other jobs; what is proved stays
  sprig resume 7         and back";

pub const RESUME: &str = "\
Examples:
  sprig resume 7         after `sprig pause 7`";

pub const CANCEL: &str = "\
Examples:
  sprig cancel 7         ends it without an answer; its facts stay in the database";

const PRIORITY: &str = "\
Examples:
  sprig priority 7 10    all workers go to job 7 before those of lower priority
  sprig priority 7 -1    job 7 is for when nothing else is to be done";

/// A job of a coordinator.
#[derive(Args)]
pub struct OfJob {
    /// Number of the job; `sprig status` lists them
    #[arg(value_name = "JOB")]
    job: u64,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

/// Change the priority of a job
#[derive(Args)]
#[command(after_help = PRIORITY)]
pub struct Prioritize {
    #[command(flatten)]
    job: OfJob,
    /// Jobs of higher priority go first; jobs of equal priority share the workers
    #[arg(value_name = "N", allow_negative_numbers = true)]
    priority: i32,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Ordered(JobRow);

impl Answer for Ordered {
    fn line(&self) -> String {
        rows::line(&self.0)
    }
}

impl OfJob {
    /// Gives the order and prints how the job stands when it is on disk.
    pub fn run(self, order: JobOrder) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let mut client = self.coordinator.connect().await?;
            let job = client.order(JobId(self.job), order).await?;
            output::answer(&self.format, &Ordered(JobRow::from(job)))
        })
    }
}

impl Prioritize {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.job.run(JobOrder::Priority(self.priority))
    }
}
