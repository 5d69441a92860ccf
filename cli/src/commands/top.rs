//! `sprig top`: the state of a cluster, updated live.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use sprig_ask::SightRow;
use sprig_domain::JobId;
use sprig_proto::ClusterStatus;
use tokio::time::Instant;

use super::status::Cluster;
use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Answer};
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig top                                          Ctrl-C ends it
  sprig top --search 7                               and what the searches of job 7 see
  sprig top --coordinator http://10.0.0.1:7425 --every 5";

/// Shows the terminal's other screen without a cursor, so that the first one stays as it was.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
/// Shows the first screen and the cursor again.
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";
/// Moves to the upper left corner.
const HOME: &str = "\x1b[H";
/// Clears to the end of the line, and begins the next one.
const CLEAR_LINE: &str = "\x1b[K\n";
/// Clears to the end of the screen.
const CLEAR_REST: &str = "\x1b[J";

/// Watch a cluster live: workers, jobs and how fast they get on
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Top {
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,
    /// Show what the searches of this job see, below the cluster
    #[arg(long, value_name = "JOB")]
    search: Option<u64>,
}

/// Options of a goal that are shown.
const OPTIONS: u32 = 8;

/// The expansions of each worker at an earlier look.
struct Look {
    time: Instant,
    expansions: HashMap<u64, u64>,
}

impl Look {
    fn at(status: &ClusterStatus) -> Self {
        let expansions = status.workers.iter().map(|w| (w.id.0, w.figures.expansions)).collect();
        Self { time: Instant::now(), expansions }
    }

    /// The expansions a second of all workers together since `earlier`.
    fn rate(&self, earlier: &Self) -> f64 {
        let seconds = (self.time - earlier.time).as_secs_f64().max(f64::EPSILON);
        let more = self.expansions.iter().map(|(worker, now)| {
            now.saturating_sub(*earlier.expansions.get(worker).unwrap_or(now))
        });
        more.sum::<u64>() as f64 / seconds
    }
}

/// Restores the terminal, however the command ends.
struct Screen;

impl Screen {
    fn enter() -> anyhow::Result<Self> {
        output::print(ENTER)?;
        Ok(Self)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone, it need not be restored.
        let _ = output::print(LEAVE);
    }
}

impl Top {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        ensure!(
            std::io::stdout().is_terminal(),
            "`sprig top` draws on a terminal and standard output is none; programs use `sprig status --json`"
        );
        connect::runtime()?.block_on(async {
            let mut stop = Stop::listen()?;
            let mut client = self.coordinator.connect().await?;
            let screen = Screen::enter()?;
            let mut earlier = None;
            loop {
                let status = client.status().await?;
                let look = Look::at(&status);
                let rate = earlier.as_ref().map_or(0.0, |earlier| look.rate(earlier));
                earlier = Some(look);
                let sight = match self.search {
                    Some(job) => {
                        client.look(JobId(job), None, OPTIONS).await.map(SightRow::from)?.text()
                    }
                    None => String::new(),
                };
                draw(&self.coordinator.url, rate, &Cluster::from(status), &sight)?;
                tokio::select! {
                    () = stop.requested() => break,
                    () = tokio::time::sleep(Duration::from_secs(self.every)) => {}
                }
            }
            drop(screen);
            Ok(ExitCode::SUCCESS)
        })
    }
}

fn draw(url: &str, rate: f64, cluster: &Cluster, sight: &str) -> anyhow::Result<()> {
    let cluster = cluster.text();
    let text = format!("{url}  {rate:.0} expansions/s  (Ctrl-C ends)\n\n{cluster}\n{sight}");
    let screen = text.lines().fold(HOME.to_owned(), |screen, line| screen + line + CLEAR_LINE);
    output::print(screen + CLEAR_REST)
}
