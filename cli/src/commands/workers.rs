//! `sprig workers`: the connected workers, and what each does.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::{BanRow, WorkerRow, plural};

use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Answer, Format};
use crate::rows;

const EXAMPLES: &str = "\
Examples:
  sprig workers                                      of the coordinator on this machine
  sprig workers --coordinator http://10.0.0.1:7425 --json";

/// Show the workers of a cluster, and who is banned
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Workers {
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Crew {
    /// The connected workers.
    workers: Vec<WorkerRow>,
    /// The latest bans.
    bans: Vec<BanRow>,
}

impl Answer for Crew {
    fn text(&self) -> String {
        rows::workers(&self.workers) + &rows::bans(&self.bans)
    }

    fn line(&self) -> String {
        plural(self.workers.len(), "worker")
    }
}

impl Workers {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let status = self.coordinator.connect().await?.status().await?;
            let workers = status.workers.into_iter().map(Into::into).collect();
            let bans = status.bans.into_iter().map(Into::into).collect();
            output::answer(&self.format, &Crew { workers, bans })
        })
    }
}
