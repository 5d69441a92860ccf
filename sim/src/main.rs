//! Simulates clusters.

mod promotions;
mod seeds;

use std::num::{NonZeroU32, NonZeroU64};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sprig_chaos::check;
use sprig_chaos::start::Start;
use sprig_coordinator::Trust;
use sprig_domain::Goal;
use sprig_sim::cluster::{Report, Scenario, run};
use sprig_sim::costs::Costs;
use sprig_sim::race::{Race, Scheme, finish};
use sprig_sim::summary::Summary;

use promotions::Promotions;
use seeds::{Ran, Seeds};

const EXAMPLES: &str = "\
Examples:
  sprig-sim cluster --seed 17 --log        one cluster again, with all that everybody said
  sprig-sim cluster --seeds 5000           the next 5000
  sprig-sim cluster --seeds 20 --lying-disk    a control, which must fail
  sprig-sim cluster --seeds 20 --believe       another one: lies are believed
  sprig-sim promote --seeds 100            a coordinator is lost, its follower promoted, the old one comes back
  sprig-sim promote --seeds 20 --unsynced  a control: nothing waits for the follower
  sprig-sim costs                          what things cost on this machine
  sprig-sim race '0*28' --workers 1,4,16   how much sooner several workers are done than one
  sprig-sim race '0*28' --workers 1,64 --factor 26 --seeds 3 --json
                                           the same, three times, with delays of a job 26 times as large";

/// Simulate clusters: small ones with faults, or how much sooner large ones are done
#[derive(Parser)]
#[command(name = "sprig-sim", after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run real coordinators and workers over a simulated network with faults
    Cluster(Clusters),
    /// Lose a coordinator, promote its follower, and let the old one come back
    Promote(Promotions),
    /// Measure on this machine what a race counts
    Costs {
        /// The position that is searched as the example
        #[arg(long, default_value = EXAMPLE)]
        position: String,
        /// Print one object of JSON
        #[arg(long)]
        json: bool,
    },
    /// Let clusters of real searches solve the same positions in virtual time
    Race(Lanes),
}

#[derive(Args)]
struct Lanes {
    /// Positions of normal play, like `0*28`
    #[arg(required = true)]
    positions: Vec<String>,
    /// Sizes of the clusters; all are compared with the first
    #[arg(long, default_value = "1,2,4", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096))]
    workers: Vec<u32>,
    /// What keeps workers out of each other's way
    #[arg(long, default_value = "facts")]
    scheme: Schemes,
    /// Expansions that a worker spends on a leaf, where leaves are owned
    #[arg(long, default_value = "8000")]
    budget: NonZeroU64,
    /// The most workers that share the job, as for `sprig coordinator`; 0: no bound
    #[arg(long, default_value = "64", value_name = "N")]
    job_workers: u32,
    /// Threads of each worker; with more than one a race cannot be repeated exactly
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// What a message takes on the network, on average, in milliseconds
    #[arg(long, default_value = "0.2", value_name = "MS", value_parser = at_least_0)]
    latency: f64,
    /// For how many expansions and facts each one stands: a small job with delays as many times shorter stands for a large one
    #[arg(long, default_value = "1", value_name = "F", value_parser = at_least_1)]
    factor: f64,
    /// Scatters latencies: another seed is another race
    #[arg(long, default_value = "1", value_name = "S")]
    seed: u64,
    /// How many seeds, beginning with that one
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Memory of all searches together, in MB; none takes more than 2048. The last column says how often tables were full
    #[arg(long, default_value = "8192", value_parser = clap::value_parser!(u32).range(32..1_000_000))]
    memory: u32,
    /// Cores that all workers share [default: one for each thread]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    cores: Option<u32>,
    /// Cores of the coordinator
    #[arg(long, default_value = "2", value_parser = clap::value_parser!(u32).range(1..=1024))]
    coordinator_cores: u32,
    /// Measure the costs on this machine first, instead of taking those of docs/scale.md
    #[arg(long)]
    measure: bool,
    /// Print one object of JSON
    #[arg(long)]
    json: bool,
}

/// What keeps workers out of each other's way.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Schemes {
    /// Noise: each searches the whole goal in an order of its own, as two workers do
    Facts,
    /// All but the first own leaves of the top of the goal, as in real clusters of three and more
    Owned,
}

/// A number that is not negative.
fn at_least_0(text: &str) -> Result<f64, String> {
    at_least(text, 0.0)
}

/// A number from 1 on.
fn at_least_1(text: &str) -> Result<f64, String> {
    at_least(text, 1.0)
}

fn at_least(text: &str, least: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (least..=1e6).contains(number));
    number.ok_or_else(|| format!("`{text}` is not a number from {least} to 1000000"))
}

#[derive(Args)]
struct Clusters {
    #[command(flatten)]
    seeds: Seeds,
    /// Spots of the position [default: 8 to 12, in misère play 7 to 10, by the seed]
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=16))]
    spots: Option<u8>,
    /// The play [default: by the seed, misère play where it is odd]
    #[arg(long)]
    play: Option<Rules>,
    /// All workers are honest
    #[arg(long)]
    honest: bool,
    /// The coordinator believes what it is told; where somebody lies, that is a control
    #[arg(long)]
    believe: bool,
    /// Control: the coordinator's disk loses what was written last, so runs must fail
    #[arg(long)]
    lying_disk: bool,
}

/// Who wins who cannot move.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// The other player
    Normal,
    /// Who cannot move
    Misere,
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Task::Cluster(clusters) => said(clusters.run()),
        Task::Promote(promotions) => said(promotions.run()),
        Task::Costs { position, json } => said(costs(&position, json)),
        Task::Race(lanes) => said(race(&lanes)),
    }
}

fn costs(position: &str, json: bool) -> Result<(), String> {
    let costs = Costs::measure(&outcome_of(position)?)?;
    if json {
        println!("{}", serde_json::json!(costs));
    } else {
        println!("{costs}");
    }
    Ok(())
}

fn race(lanes: &Lanes) -> Result<(), String> {
    let goals = lanes.positions.iter().map(|position| outcome_of(position));
    let goals = goals.collect::<Result<Vec<_>, _>>()?;
    let costs =
        if lanes.measure { Costs::measure(&outcome_of(EXAMPLE)?)? } else { Costs::MEASURED };
    if !lanes.json {
        println!("{costs}");
        println!("delays divided by {}, latency {} ms\n", lanes.factor, lanes.latency);
        println!("{}", finish::HEADER);
    }
    let mut laps = Vec::new();
    for (position, goal) in lanes.positions.iter().zip(&goals) {
        for seed in (0..lanes.seeds).map(|next| lanes.seed.wrapping_add(next)) {
            let mut first = None;
            for &workers in &lanes.workers {
                let finish = lanes.race(workers, seed, costs).run(goal);
                let finish =
                    finish.map_err(|error| format!("{position}, {workers} workers: {error}"))?;
                let lap = finish.lap(
                    position,
                    lanes.scheme().name(),
                    seed,
                    first.as_ref().unwrap_or(&finish),
                );
                first.get_or_insert(finish);
                if lanes.json {
                    eprintln!("{lap}")
                } else {
                    println!("{lap}")
                }
                laps.push(lap);
            }
        }
    }
    if lanes.json {
        let Lanes { threads, latency, factor, coordinator_cores, cores, .. } = *lanes;
        let settings = serde_json::json!({
            "latency_ms": latency, "factor": factor, "threads": threads, "cores": cores,
            "coordinator_cores": coordinator_cores, "costs": costs, "laps": laps,
        });
        println!("{settings}");
    }
    Ok(())
}

impl Lanes {
    fn scheme(&self) -> Scheme {
        match self.scheme {
            Schemes::Facts => Scheme::Facts,
            Schemes::Owned => Scheme::Owned { budget: self.budget },
        }
    }

    fn race(&self, workers: u32, seed: u64, costs: Costs) -> Race {
        let memory = (self.memory as usize / workers as usize).min(2048) << 20;
        Race {
            scheme: self.scheme(),
            workers,
            most_workers: NonZeroU32::new(self.job_workers),
            threads: self.threads.into(),
            latency: Duration::from_secs_f64(self.latency / 1e3),
            factor: self.factor,
            seed,
            memory,
            cores: self.cores,
            coordinator_cores: self.coordinator_cores,
            costs,
        }
    }
}

/// The position that is searched to measure what things cost.
const EXAMPLE: &str = "0*34";

fn outcome_of(position: &str) -> Result<Goal, String> {
    check::outcome_of(position).map_err(|error| format!("`{position}`: {error:#}"))
}

fn said(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sprig-sim: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Clusters {
    fn run(&self) -> Result<(), String> {
        if self.seeds.is_one() {
            return self.seeds.tell(run(&self.scenario()), |report| &report.log);
        }
        self.seeds.run(&self.options(), |ran: Ran<Report>| Summary::of(ran))
    }

    /// The options with which another process runs one of the seeds.
    fn options(&self) -> Vec<String> {
        let mut options = vec!["cluster".to_owned()];
        if let Some(spots) = self.spots {
            options.extend(["--spots".to_owned(), spots.to_string()]);
        }
        if let Some(play) = self.play {
            let play = if play == Rules::Misere { "misere" } else { "normal" };
            options.extend(["--play", play].map(str::to_owned));
        }
        let &Self { honest, believe, lying_disk, .. } = self;
        let flags = [(honest, "--honest"), (believe, "--believe"), (lying_disk, "--lying-disk")];
        options.extend(flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag.to_owned()));
        options
    }

    /// The scenario of the first seed.
    fn scenario(&self) -> Scenario {
        let &Self { seeds: Seeds { first: seed, log, .. }, honest, believe, lying_disk, .. } = self;
        let misere = self.play.map_or(seed % 2 == 1, |play| play == Rules::Misere);
        let turn = (seed / 2) as usize;
        let spots = if misere { 7 + turn % 4 } else { 8 + turn % 5 };
        let start = Start { spots: self.spots.map_or(spots, usize::from), misere };
        let trust = if believe { Trust::Believed } else { Trust::Checked };
        Scenario { seed, start, trust, liars: !honest, lying_disk, log }
    }
}
