//! Runs of many rounds, which can be cut anywhere and go on where they ended.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::{Args, ValueEnum};
use sprig_chaos::attack::attack;
use sprig_chaos::liars::Liars;
use sprig_chaos::malice::Malice;
use sprig_chaos::power::{Disk, PowerCuts};
use sprig_chaos::promote::Promote;
use sprig_chaos::storm::Storms;

use crate::program;

#[derive(Args)]
struct Run {
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
    /// Seed of what happens when and to whom
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Append a line of JSON per round to this file; a later call with the same file and seed goes on where it ended
    #[arg(long)]
    journal: Option<PathBuf>,
    /// Seconds after which a job is stuck that nothing happens to any more
    #[arg(long, default_value = "600")]
    patience: u64,
}

/// Exit code 0 says that there was no violation.
fn verdict(violations: &[String]) -> anyhow::Result<()> {
    for violation in violations {
        eprintln!("{violation}");
    }
    ensure!(violations.is_empty(), "{} violations", violations.len());
    Ok(())
}

const PROMOTE: &str = "\
Example:
  sprig-chaos promote --rounds 5 > promotions.json         what came of each round";

#[derive(Args)]
#[command(after_help = PROMOTE)]
pub struct Promotions {
    /// Promotions
    #[arg(long, default_value = "5")]
    rounds: u64,
    /// The job of each round: a start position of normal play with so many spots, at most 34
    #[arg(long, default_value = "34")]
    spots: usize,
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
    /// Seed of what happens when and to whom
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Seconds after which a job is stuck that nothing happens to any more
    #[arg(long, default_value = "600")]
    patience: u64,
}

impl Promotions {
    pub async fn run(self) -> anyhow::Result<()> {
        let patience = Duration::from_secs(self.patience);
        let promote = Promote {
            sprig: program(self.sprig)?,
            rounds: self.rounds,
            spots: self.spots,
            pause: Duration::from_secs(3),
            seed: self.seed,
            patience,
        };
        let rounds = promote.run(|round| eprintln!("{round}")).await?;
        println!("{}", serde_json::to_string_pretty(&rounds)?);
        let violations: Vec<_> = rounds.into_iter().flat_map(|round| round.violations).collect();
        verdict(&violations)
    }
}

const LIARS: &str = "\
Example:
  sprig-chaos liars --rounds 20 --journal liars.jsonl      then --rounds 40: another 20";

#[derive(Args)]
#[command(after_help = LIARS)]
pub struct Rounds {
    /// Clusters in all, those of the journal included
    #[arg(long, default_value = "200")]
    rounds: u64,
    #[command(flatten)]
    run: Run,
}

impl Rounds {
    pub async fn run(self) -> anyhow::Result<()> {
        let Run { sprig, seed, journal, patience } = self.run;
        let patience = Duration::from_secs(patience);
        let liars = Liars { sprig: program(sprig)?, rounds: self.rounds, seed, journal, patience };
        let summary = liars
            .run(|number, round| {
                let starts: Vec<String> = round.starts.iter().map(ToString::to_string).collect();
                println!(
                    "{number:4}  {:<24} {} honest, liars {:?}: {} words, {} banned, {:.0} s{}",
                    starts.join(", "),
                    round.honest,
                    round.liars,
                    round.words,
                    round.banned.len(),
                    round.seconds,
                    if round.violations.is_empty() { "" } else { "  VIOLATION" },
                );
            })
            .await?;
        println!("{summary}");
        verdict(&summary.violations)
    }
}

const KILLS: &str = "\
Example:
  sprig-chaos storms --kills 20 --journal storms.jsonl     then --kills 40: another 20";

#[derive(Args)]
#[command(after_help = KILLS)]
pub struct Kills {
    /// Kills in all, those of the journal included
    #[arg(long, default_value = "200")]
    kills: u64,
    /// Longest pause between two kills, in seconds
    #[arg(long, default_value = "2")]
    pause: f64,
    /// Jobs of normal play: start positions from .. to so many spots
    #[arg(long, default_value = "24-32", value_parser = spots)]
    normal: Spots,
    /// Jobs of misère play; up to 11 they rest on the base of five spots, which is verified in seconds
    #[arg(long, default_value = "9-11", value_parser = spots)]
    misere: Spots,
    #[command(flatten)]
    run: Run,
}

/// From .. to.
#[derive(Clone, Copy)]
struct Spots(usize, usize);

fn spots(text: &str) -> Result<Spots, String> {
    let both = text.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    both.filter(|(from, to)| (1..=*to).contains(from))
        .map(|(from, to)| Spots(from, to))
        .ok_or_else(|| "write it like 9-11".to_owned())
}

impl Kills {
    pub async fn run(self) -> anyhow::Result<()> {
        let Run { sprig, seed, journal, patience } = self.run;
        let storms = Storms {
            sprig: program(sprig)?,
            kills: self.kills,
            pause: Duration::from_secs_f64(self.pause),
            normal: self.normal.0..=self.normal.1,
            misere: self.misere.0..=self.misere.1,
            seed,
            journal,
            patience: Duration::from_secs(patience),
        };
        let summary = storms
            .run(|number, storm| {
                let starts: Vec<String> = storm.starts.iter().map(ToString::to_string).collect();
                println!(
                    "{number:4}  {:<36} {} + {} kills, {} acknowledged, {:.0} s{}",
                    starts.join(", "),
                    storm.workers_killed,
                    storm.coordinators_killed,
                    storm.acknowledged,
                    storm.seconds,
                    if storm.violations.is_empty() { "" } else { "  VIOLATION" },
                );
            })
            .await?;
        println!("{summary}");
        verdict(&summary.violations)
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum DiskKind {
    /// It syncs what it is told to sync
    Honest,
    /// A control: it does not sync logs of writes
    Forgets,
    /// A control: it syncs nothing
    Lies,
}

const CUTS: &str = "\
Needs a C compiler, for the library that keeps what was synced.

Example:
  sprig-chaos power-cuts --cuts 10 --journal cuts.jsonl    then --cuts 20: another 10";

#[derive(Args)]
#[command(after_help = CUTS)]
pub struct Cuts {
    /// Cuts in all, those of the journal included
    #[arg(long, default_value = "100")]
    cuts: u64,
    /// What the disk does; with a control the loss must be found out
    #[arg(long, default_value = "honest")]
    disk: DiskKind,
    /// Longest time that a coordinator runs before its cut, in seconds
    #[arg(long, default_value = "5")]
    pause: f64,
    /// Jobs of normal play: start positions from .. to so many spots
    #[arg(long, default_value = "20-30", value_parser = spots)]
    normal: Spots,
    /// Jobs of misère play
    #[arg(long, default_value = "9-11", value_parser = spots)]
    misere: Spots,
    #[command(flatten)]
    run: Run,
}

impl Cuts {
    pub async fn run(self) -> anyhow::Result<()> {
        let Run { sprig, seed, journal, patience } = self.run;
        let cuts = PowerCuts {
            sprig: program(sprig)?,
            cuts: self.cuts,
            disk: match self.disk {
                DiskKind::Honest => Disk::Honest,
                DiskKind::Forgets => Disk::Forgets,
                DiskKind::Lies => Disk::Lies,
            },
            pause: Duration::from_secs_f64(self.pause),
            normal: self.normal.0..=self.normal.1,
            misere: self.misere.0..=self.misere.1,
            seed,
            journal,
            patience: Duration::from_secs(patience),
        };
        let summary = cuts
            .run(|number, outage| {
                println!(
                    "{number:4}  {:<14} {} cuts, {} acknowledged before them, {} bytes gone, {:.0} s{}{}",
                    outage.starts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
                    outage.cuts,
                    outage.acknowledged_at_cuts,
                    outage.bytes_gone,
                    outage.seconds,
                    outage.found_out.as_deref().map(|how| format!(": {how}")).unwrap_or_default(),
                    if outage.violations.is_empty() { "" } else { "  VIOLATION" },
                );
            })
            .await?;
        println!("{summary}");
        verdict(&summary.violations)
    }
}

const MINUTES: &str = "\
The machine must have nothing else to do: seconds by the clock are compared with a second.

Example:
  sprig-chaos malice --minutes 10 --cores 0,1";

#[derive(Args)]
#[command(after_help = MINUTES)]
pub struct Minutes {
    /// How long the attack lasts; then the same work is done without it
    #[arg(long, default_value = "10")]
    minutes: f64,
    /// The core of the coordinator and its honest worker, and that of the attackers
    #[arg(long, default_value = "0,1", value_delimiter = ',', num_args = 1..)]
    cores: Vec<usize>,
    /// Spots of the first job; they go on from there
    #[arg(long, default_value = "14")]
    from: usize,
    /// The program [default: the one beside this program]
    #[arg(long)]
    sprig: Option<PathBuf>,
    /// Seed of what attackers do
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Print one line of JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Minutes {
    pub async fn run(self) -> anyhow::Result<()> {
        let cores = self.cores.as_slice().try_into();
        let malice = Malice {
            sprig: program(self.sprig)?,
            time: Duration::from_secs_f64(60.0 * self.minutes),
            cores: cores.map_err(|_| anyhow::anyhow!("--cores takes two numbers, as in 0,1"))?,
            seed: self.seed,
            from: self.from,
        };
        let compared = malice.run().await?;
        if self.json {
            println!("{}", serde_json::to_string(&compared)?);
        } else {
            println!("{:32} {:>12} {:>12} {:>7}", "", "alone", "attacked", "ratio");
            println!("{compared}");
        }
        verdict(&compared.violations())
    }
}

#[derive(Args)]
pub struct Target {
    /// The coordinator
    url: String,
    /// The folder with tokens of workers and of a reader
    #[arg(long)]
    tokens: PathBuf,
    /// Seed of what attackers do
    #[arg(long)]
    seed: u64,
}

impl Target {
    pub async fn run(self) -> anyhow::Result<()> {
        attack(&self.url, &self.tokens, self.seed).await
    }
}
