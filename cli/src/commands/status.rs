//! `sprig status`: the state of a cluster.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::{BanRow, JobRow, WorkerRow, plural, with_verb};
use sprig_proto::{ClusterStatus, FollowerStatus};

use crate::connect::{self, CoordinatorUrl};
use crate::failure::escaped;
use crate::output::{self, Answer, Format};
use crate::rows;

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

/// A cluster as commands show it.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Cluster {
    build: String,
    facts: u64,
    /// Whether nothing is granted.
    drained: bool,
    /// Whether every claim is being looked at.
    suspended: bool,
    /// The connected workers.
    workers: Vec<WorkerRow>,
    jobs: Vec<JobRow>,
    /// The latest bans.
    bans: Vec<BanRow>,
    /// How many promotions there were.
    reign: u64,
    /// The connected followers.
    followers: Vec<FollowerRow>,
    /// The number of followers that must have what is acknowledged.
    sync_followers: u32,
    /// Nothing is acknowledged until there are as many.
    withheld: bool,
}

/// A follower as commands show it.
#[derive(Serialize, schemars::JsonSchema)]
pub struct FollowerRow {
    name: String,
    build: String,
    facts: u64,
    /// Facts that it lacks.
    behind: u64,
}

impl From<FollowerStatus> for FollowerRow {
    fn from(FollowerStatus { name, build, facts, behind }: FollowerStatus) -> Self {
        Self { name, build, facts, behind }
    }
}

impl From<ClusterStatus> for Cluster {
    fn from(status: ClusterStatus) -> Self {
        Self {
            build: status.build.id,
            facts: status.facts,
            drained: status.drained,
            suspended: status.suspended,
            workers: status.workers.into_iter().map(Into::into).collect(),
            jobs: status.jobs.into_iter().map(Into::into).collect(),
            bans: status.bans.into_iter().map(Into::into).collect(),
            reign: status.reign.map_or(0, |reign| reign.number),
            followers: status.followers.into_iter().map(Into::into).collect(),
            sync_followers: status.sync_followers,
            withheld: status.withheld,
        }
    }
}

impl Answer for Cluster {
    fn text(&self) -> String {
        let (workers, jobs) = (rows::workers(&self.workers), rows::jobs(&self.jobs));
        let bans = rows::bans(&self.bans);
        format!("{}{}\n{workers}{bans}\n{jobs}", self.line(), self.followers())
    }

    fn line(&self) -> String {
        let drained = if self.drained { ", drained" } else { "" };
        let suspended =
            if self.suspended { ", suspended: every claim is being looked at" } else { "" };
        let build = escaped(&self.build);
        let (facts, workers) = (plural(self.facts, "fact"), plural(self.workers.len(), "worker"));
        format!("{build}: {facts}, {workers}{drained}{suspended}\n")
    }
}

impl Cluster {
    /// Leaves out as many jobs as `fewer` says, but not the first, `open` ones.
    pub fn show_jobs(&mut self, open: usize, fewer: usize) {
        self.jobs.truncate(self.jobs.len().saturating_sub(fewer).max(open));
    }

    /// The followers, if there are any or any are required.
    fn followers(&self) -> String {
        let follower = |row: &FollowerRow| {
            let facts = plural(row.facts, "fact");
            format!("follower {}: {facts}, {} behind\n", escaped(&row.name), row.behind)
        };
        let mut text: String = self.followers.iter().map(follower).collect();
        if self.followers.len() < self.sync_followers as usize || self.withheld {
            text += &format!(
                "nothing is acknowledged: {} of {} there (`sprig follow`)\n",
                self.followers.len(),
                with_verb(self.sync_followers, "follower", ["is", "are"])
            );
        }
        text
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
