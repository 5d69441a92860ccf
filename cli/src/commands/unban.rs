//! `sprig unban`: lifts a ban, so that the banned name can work again.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::{BanRow, plural};

use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Answer, Format};
use crate::rows;

const EXAMPLES: &str = "\
Examples:
  sprig workers                  shows who is banned, and why
  sprig unban node-7             node-7 may work again, also after a restart";

/// Let a banned worker work again
///
/// What was withdrawn stays withdrawn. Find out first why it was wrong: a broken machine is banned
/// again.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Unban {
    /// The name that is banned, as `sprig workers` shows it
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Lifted {
    /// The bans that were lifted.
    lifted: Vec<BanRow>,
}

impl Answer for Lifted {
    fn text(&self) -> String {
        rows::bans(&self.lifted)
    }

    fn line(&self) -> String {
        format!("{} lifted", plural(self.lifted.len(), "ban"))
    }
}

impl Unban {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let lifted = self.coordinator.connect().await?.unban(&self.name).await?;
            let lifted = lifted.into_iter().map(Into::into).collect();
            output::answer(&self.format, &Lifted { lifted })
        })
    }
}
