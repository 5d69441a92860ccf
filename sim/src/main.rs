//! Simulates clusters.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sprig_chaos::start::Start;
use sprig_coordinator::Trust;
use sprig_sim::cluster::{Report, Scenario, Violation, run};
use sprig_sim::model::{self, Costs, Design};
use sprig_sim::race::Race;
use sprig_sim::summary::Summary;
use sprig_sim::truth;

const EXAMPLES: &str = "\
Examples:
  sprig-sim cluster --seed 17 --log        one cluster again, with all that everybody said
  sprig-sim cluster --seeds 5000           the next 5000
  sprig-sim cluster --seeds 20 --lying-disk    a control, which must fail
  sprig-sim cluster --seeds 20 --believe       another one: lies are believed
  sprig-sim costs                          what things cost on this machine
  sprig-sim scale --svg scale.svg          efficiency for 2 to 10,000 workers
  sprig-sim race 22 28 --workers 1,2,4     how much sooner several searches are done than one";

/// Simulate clusters: whole ones with faults, or how large ones would scale
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
    /// Measure what the model of scale is fed with, on this machine
    Costs {
        /// Spots of the position that is searched as the example
        #[arg(long, default_value = "20")]
        spots: usize,
    },
    /// Predict how efficient large clusters are, and what holds them up
    Scale(Scale),
    /// Let real searches work on the same goal in turns, and tell each other facts after each
    Race(Lanes),
}

#[derive(Args)]
struct Lanes {
    /// Spots of the start positions
    #[arg(required = true)]
    spots: Vec<usize>,
    /// How many search at the same time
    #[arg(long, default_value = "1,2,4", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    workers: Vec<u32>,
    /// Expansions of each before it hears from the others
    #[arg(long, default_value = "1000", value_parser = clap::value_parser!(u64).range(1..))]
    slice: u64,
    /// Memory of each, in MB
    #[arg(long, default_value = "1024", value_parser = clap::value_parser!(u32).range(32..1_000_000))]
    memory: u32,
}

#[derive(Args)]
struct Scale {
    /// Measure the costs on this machine first, instead of the figures of docs/scale.md
    #[arg(long)]
    measure: bool,
    /// Share of its facts that a worker proves in vain for each second that it does not know what another knows
    #[arg(long, default_value = "0.0005")]
    overlap: f64,
    /// Seed of the model
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Draw the curves into this file
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Efficiencies of real runs, to draw as dots: WORKERS=EFFICIENCY
    #[arg(long, value_parser = run_of, value_name = "N=E")]
    run: Vec<(usize, f64)>,
}

/// `4=0.83`.
fn run_of(text: &str) -> Result<(usize, f64), String> {
    let parts = text.split_once('=').and_then(|(n, e)| Some((n.parse().ok()?, e.parse().ok()?)));
    parts.ok_or_else(|| format!("`{text}` is not like 4=0.83"))
}

#[derive(Args)]
struct Clusters {
    /// The first seed
    #[arg(long, default_value = "0")]
    seed: u64,
    /// How many seeds
    #[arg(long, default_value = "1")]
    seeds: u64,
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
    /// Print what everybody logs
    #[arg(long)]
    log: bool,
    /// Write what came of all seeds to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print what came of one seed as JSON
    #[arg(long, hide = true)]
    report: bool,
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
        Task::Cluster(clusters) => cluster(&clusters),
        Task::Costs { spots } => said(Costs::measure(spots).map(|costs| println!("{costs:#?}"))),
        Task::Scale(task) => said(scale(&task)),
        Task::Race(lanes) => said(race(&lanes)),
    }
}

fn race(lanes: &Lanes) -> Result<(), String> {
    let memory = (lanes.memory as usize) << 20;
    for &spots in &lanes.spots {
        let goal = truth::outcome_of(spots);
        let mut first = None;
        for &workers in &lanes.workers {
            let finish = Race { workers, slice: lanes.slice, memory }.run(&goal)?;
            let busiest = finish.busiest() as f64;
            let faster = *first.get_or_insert(busiest) / busiest;
            println!("0*{spots}, {finish}; {faster:.2} times as fast as the first");
        }
    }
    Ok(())
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

fn scale(task: &Scale) -> Result<(), String> {
    let costs = if task.measure { Costs::measure(20)? } else { Costs::MEASURED };
    let sizes = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000, 2_000, 5_000, 10_000];
    let mut curves = Vec::new();
    for design in [model::ALL, model::CHOOSY, model::RELAYED] {
        let Design { name, .. } = design;
        println!("{name}\n  workers  efficiency   delay  bottleneck");
        let predict = |workers| model::predict(&costs, &design, workers, task.overlap, task.seed);
        let curve: Vec<_> = sizes.into_iter().map(predict).collect();
        for p in &curve {
            let (efficiency, bottleneck) = (100.0 * p.efficiency, p.bottleneck());
            println!("  {:>7}  {efficiency:>8.1} %  {:>5.2} s  {bottleneck}", p.workers, p.delay);
        }
        curves.push((name, curve));
    }
    if let Some(path) = &task.svg {
        std::fs::write(path, model::draw(&curves, &task.run))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

fn cluster(clusters: &Clusters) -> ExitCode {
    if clusters.seeds == 1 && clusters.json.is_none() {
        return one(clusters);
    }
    let begun = Instant::now();
    let summary = Summary::of(clusters.seed, clusters.seeds, |seed| alone(clusters, seed));
    let (seeds, failed) = (clusters.seeds, summary.failed.len());
    println!("{seeds} seeds, {failed} failed, {:.1} s", begun.elapsed().as_secs_f64());
    if let Some(path) = &clusters.json
        && let Err(error) = std::fs::write(path, summary.to_json())
    {
        eprintln!("sprig-sim: cannot write {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one seed in a process of its own, as whoever runs it again will: the order in which the connections of a crashed host
/// break depends on how many tasks its process has had before.
fn alone(clusters: &Clusters, seed: u64) -> Result<Report, String> {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = std::process::Command::new(program);
    command.args(["cluster", "--report", "--seed", &seed.to_string()]);
    if let Some(spots) = clusters.spots {
        command.args(["--spots", &spots.to_string()]);
    }
    if let Some(play) = clusters.play {
        command.args(["--play", if play == Rules::Misere { "misere" } else { "normal" }]);
    }
    let Clusters { honest, believe, lying_disk, .. } = *clusters;
    let flags = [(honest, "--honest"), (believe, "--believe"), (lying_disk, "--lying-disk")];
    command.args(flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag));
    let output = command.output().expect("a program that runs can be started again");
    let text = |bytes| String::from_utf8_lossy(bytes).trim().to_owned();
    if !output.status.success() {
        let reason = text(&output.stderr);
        println!("{reason}");
        return Err(reason);
    }
    let report: Report = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    println!("{report}");
    Ok(report)
}

fn one(clusters: &Clusters) -> ExitCode {
    let &Clusters { seed, honest, believe, lying_disk, log, .. } = clusters;
    let misere = clusters.play.map_or(seed % 2 == 1, |play| play == Rules::Misere);
    let turn = (seed / 2) as usize;
    let spots = if misere { 7 + turn % 4 } else { 8 + turn % 5 };
    let start = Start { spots: clusters.spots.map_or(spots, usize::from), misere };
    let trust = if believe { Trust::Believed } else { Trust::Checked };
    let ran = run(&Scenario { seed, start, trust, liars: !honest, lying_disk, log });
    said(match ran {
        Ok(report) if clusters.report => {
            println!("{}", serde_json::to_string(&report).expect("names and numbers"));
            Ok(())
        }
        Ok(report) => {
            println!("{}{report}", report.log);
            Ok(())
        }
        Err(Violation { what, log }) => {
            print!("{log}");
            Err(what)
        }
    })
}
