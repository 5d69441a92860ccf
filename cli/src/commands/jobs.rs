//! `sprig jobs`: the jobs of a cluster, ended ones included.

use std::collections::HashMap;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::{JobRow, plural};
use sprig_domain::JobId;
use sprig_proto::{Client, Job};

use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Answer, Format};
use crate::rows;
use crate::terms::{Chosen, unknown};

const EXAMPLES: &str = "\
Examples:
  sprig jobs                     the latest jobs, the latest first
  sprig jobs --before 120        the page before job 120
  sprig jobs --label 'campaign 2..62'    those of a campaign
  sprig jobs --owner ada --limit 500 --json";

/// Show jobs of all times, the latest first
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Jobs {
    /// Only jobs with smaller numbers
    #[arg(long, value_name = "JOB", value_parser = clap::value_parser!(u64).range(1..))]
    before: Option<u64>,
    /// Most jobs to show
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Page {
    jobs: Vec<JobRow>,
    /// Where the next page begins; none: there are no older jobs.
    before: Option<u64>,
    /// The options that select these jobs.
    #[serde(skip)]
    selected: String,
}

impl Answer for Page {
    fn text(&self) -> String {
        let Self { jobs, before, selected } = self;
        let older = |job| format!("older jobs: sprig jobs{selected} --before {job}\n");
        rows::jobs(jobs) + &before.map(older).unwrap_or_default()
    }

    fn line(&self) -> String {
        plural(self.jobs.len(), "job")
    }
}

/// The jobs of a page, those in work as the coordinator sees them now. A page has them as they were last told to who
/// waits for them.
async fn as_they_stand(client: &mut Client, mut page: Vec<Job>) -> anyhow::Result<Vec<Job>> {
    if page.iter().any(|job| !job.state.is_final()) {
        let now = client.status().await?.jobs.into_iter();
        let now: HashMap<_, _> = now.map(|job| (job.id, job)).collect();
        for job in &mut page {
            if let Some(now) = now.get(&job.id) {
                job.clone_from(now);
            }
        }
    }
    Ok(page)
}

impl Jobs {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let mut client = self.coordinator.connect().await?;
            let selection = self.chosen.selection();
            let before = self.before.map(JobId);
            let page = client.selected(&selection, before, self.limit).await?;
            if page.is_empty() && before.is_none() && !self.chosen.is_all() {
                return Err(unknown(&selection));
            }
            let before = match page.last() {
                Some(last) if !client.selected(&selection, Some(last.id), 1).await?.is_empty() => {
                    Some(last.id.0)
                }
                _ => None,
            };
            let jobs = as_they_stand(&mut client, page).await?;
            let jobs = jobs.into_iter().map(JobRow::from).collect();
            let selected = self.chosen.options();
            output::answer(&self.format, &Page { jobs, before, selected })
        })
    }
}
