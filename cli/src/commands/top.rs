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
use terminal_size::{Height, terminal_size_of};
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

/// Shows the terminal's other screen without a cursor, so that the first one stays as it was. Lines that are too long
/// are cut off.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/// Shows the first screen and the cursor again.
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
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

/// Stands where lines are left out.
const MORE: &str = "..";

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
                let head =
                    format!("{}  {rate:.0} expansions/s  (Ctrl-C ends)", self.coordinator.url);
                draw(&frame(&head, status, &sight, height()))?;
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

/// Lines of the terminal.
fn height() -> usize {
    terminal_size_of(std::io::stdout()).map_or(usize::MAX, |(_, Height(lines))| lines.into())
}

/// What is drawn, in fewer than `height` lines. Where there is little room, jobs that have ended are left out, and then
/// what comes last.
fn frame(head: &str, mut status: ClusterStatus, sight: &str, height: usize) -> String {
    status.jobs.sort_by_key(|job| job.state.is_final());
    let open = status.jobs.iter().filter(|job| !job.state.is_final()).count();
    let mut cluster = Cluster::from(status);
    let whole = |cluster: &Cluster| format!("{head}\n\n{}\n{sight}", cluster.text());
    let (most, lines) = (height.saturating_sub(1), whole(&cluster).lines().count());
    cluster.show_jobs(open, lines.saturating_sub(most));
    let text = whole(&cluster);
    let mut shown: Vec<&str> = text.lines().take(most).collect();
    if text.lines().count() > most
        && let Some(last) = shown.last_mut()
    {
        *last = MORE;
    }
    shown.join("\n")
}

fn draw(text: &str) -> anyhow::Result<()> {
    let screen = text.lines().fold(HOME.to_owned(), |screen, line| screen + line + CLEAR_LINE);
    output::print(screen + CLEAR_REST)
}

#[cfg(test)]
mod tests {
    use sprig_domain::{Conclusion, Goal, JobState, Outcome, Question, Terms};
    use sprig_engine::{CanonicalPosition, Position};
    use sprig_proto::{Build, Job, Submission};

    use super::*;

    /// The status of a cluster in which jobs have ended before and after one that runs.
    fn status(ended: u64) -> ClusterStatus {
        let goal = Goal::normal(CanonicalPosition::of(&Position::start(9)), Question::OUTCOME);
        let done = JobState::Done(Conclusion::from(Outcome::Win));
        let job = |id, state| {
            let (goal, terms) = (goal.clone(), Terms::default());
            let submission = Submission { goal, priority: 0, terms };
            Job { state, ..Job::submitted(JobId(id), submission) }
        };
        let jobs = (1..=ended).map(|id| job(id, done.clone()));
        let jobs = jobs.chain([job(99, JobState::Running)]).collect();
        ClusterStatus {
            build: Build::here(),
            facts: 0,
            drained: false,
            suspended: false,
            workers: Vec::new(),
            jobs,
            bans: Vec::new(),
            followers: Vec::new(),
            sync_followers: 0,
            withheld: false,
            reign: None,
        }
    }

    #[test]
    fn what_runs_is_seen_on_a_small_screen() {
        let text = frame("head", status(50), "sight", 20);
        assert!(text.lines().count() < 20, "{text}");
        assert!(text.starts_with("head\n"), "{text}");
        assert!(text.contains("\n99 ") && text.ends_with("sight"), "{text}");
        let all = frame("head", status(50), "sight", usize::MAX);
        assert!(all.contains("\n50 ") && all.contains("\n99 "), "{all}");
        assert_eq!(frame("head", status(3), "sight", 3).lines().count(), 2);
    }
}
