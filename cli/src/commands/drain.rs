//! `sprig drain`: takes all work back, so that a cluster can be maintained.

use std::process::ExitCode;

use clap::Args;

use super::status::Cluster;
use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  sprig drain            workers hand their work back and wait; nothing is lost
  sprig drain --end      they go on where they were";

/// Take all work back and grant none, until `--end`
///
/// Jobs stay as they are and can be submitted. A coordinator that is restarted grants again.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Drain {
    /// Grant work again
    #[arg(long)]
    end: bool,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

impl Drain {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let status = self.coordinator.connect().await?.drain(!self.end).await?;
            output::answer(&self.format, &Cluster::from(status))
        })
    }
}
