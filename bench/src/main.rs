//! Measures what solving costs.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use sprig_bench::plot::{self, Series};
use sprig_bench::{Job, Plan, Question, Report, count_instructions, peers, serve};

/// Measures what solving costs.
#[derive(Parser)]
#[command(name = "sprig-bench")]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Solve positions, each in a fresh process, and print a table
    Suite(Suite),
    /// Count the instructions of solves with callgrind
    Count(Count),
    /// Draw reports of `suite`, SPOTS and the feasibility study
    Plot(Plot),
    /// Gather what searches teach about lands, into the table that ships with the program
    Train(Train),
    /// Solve what standard input says, as one process of the others
    #[command(hide = true)]
    Serve,
}

#[derive(Args)]
struct Suite {
    /// Numbers of spots, or positions
    #[arg(default_values = ["12", "14", "16", "17", "23"])]
    positions: Vec<String>,
    /// Find nimbers instead of outcomes
    #[arg(long)]
    nimber: bool,
    /// Solve all positions with one solver, in their order
    #[arg(long)]
    cumulative: bool,
    /// Threads; several numbers are measured in turns
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Memory for the tables, in MB
    #[arg(long, default_value = "8000")]
    memory: usize,
    /// Leave a position open after so many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Measure everything so many times, and print medians
    #[arg(long, default_value = "1")]
    repeat: usize,
    /// What is measured [default: the commit of the working directory]
    #[arg(long)]
    label: Option<String>,
    /// Write the report to this file
    #[arg(long)]
    json: Option<PathBuf>,
}

#[derive(Args)]
struct Count {
    /// Numbers of spots, or positions
    #[arg(default_values = ["9", "11"])]
    positions: Vec<String>,
    /// Leave the profile of the last position here, for callgrind_annotate
    #[arg(long)]
    profile: Option<PathBuf>,
}

#[derive(Args)]
struct Plot {
    /// Reports of `suite --json`
    reports: Vec<PathBuf>,
    /// The drawing
    #[arg(long, default_value = "bench.svg")]
    svg: PathBuf,
}

#[derive(Args)]
struct Train {
    /// Numbers of spots of the start positions to learn from
    #[arg(default_values = ["5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"])]
    spots: Vec<usize>,
    /// The table
    #[arg(long, default_value = "search/src/prior/sprouts.bin")]
    table: PathBuf,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Task::Suite(suite) => suite.run(),
        Task::Count(count) => count.run(),
        Task::Plot(plot) => plot.run(),
        Task::Train(train) => train.run(),
        Task::Serve => Ok(serve()?),
    }
}

impl Suite {
    fn run(self) -> anyhow::Result<()> {
        let plan = Plan {
            positions: self.positions,
            question: if self.nimber { Question::Nimber } else { Question::Outcome },
            cumulative: self.cumulative,
            threads: self.threads,
            memory: self.memory.saturating_mul(1 << 20),
            seconds: self.seconds,
            repeats: self.repeat,
        };
        let launch = launcher()?;
        let mut report = Report::new(self.label.unwrap_or_else(commit), plan);
        let result = report.measure(launch, |record, run| {
            let (position, threads) = (&record.position, record.threads);
            eprintln!("{position} on {threads}: {} after {:.2} CPU s", run.answer, run.cpu_seconds);
        });
        // What was measured before an error is worth keeping.
        print!("{report}");
        if let Some(path) = &self.json {
            let file =
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            serde_json::to_writer_pretty(file, &report)?;
        }
        Ok(result?)
    }
}

impl Train {
    fn run(self) -> anyhow::Result<()> {
        let table = sprig_bench::train(&self.spots, 8 << 30)?;
        println!("{} bytes", table.len());
        std::fs::write(&self.table, table)
            .with_context(|| format!("cannot write {}", self.table.display()))
    }
}

impl Count {
    fn run(self) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let profile = self.profile.unwrap_or_else(|| folder.path().join("callgrind.out"));
        let launch = launcher()?;
        println!("| n | instructions | children | per child | expansions |");
        println!("| --: | --: | --: | --: | --: |");
        for position in self.positions {
            let job = Job {
                positions: vec![position.clone()],
                question: Question::Outcome,
                threads: 1,
                memory: 8 << 30,
                seconds: None,
            };
            let counted = count_instructions(&job, &launch(), &profile)?;
            let (total, run) = (counted.total, &counted.run);
            let (children, expansions) = (run.children, run.expansions);
            println!(
                "| {position} | {total} | {children} | {:.0} | {expansions} |",
                counted.per_child()
            );
        }
        Ok(())
    }
}

impl Plot {
    fn run(self) -> anyhow::Result<()> {
        let mut series: Vec<Series> = peers::peers().into_iter().map(Series::from).collect();
        for path in &self.reports {
            series.push(Series::from(&read(path)?));
        }
        let path = self.svg.display();
        std::fs::write(&self.svg, plot::svg(&series))
            .with_context(|| format!("cannot write {path}"))
    }
}

fn read(path: &Path) -> anyhow::Result<Report> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_reader(file).with_context(|| format!("{} is no report", path.display()))
}

/// Starts this program again as a measuring process.
fn launcher() -> anyhow::Result<impl Fn() -> Command> {
    let program = std::env::current_exe().context("cannot find this program to start it again")?;
    Ok(move || {
        let mut command = Command::new(&program);
        command.arg("serve");
        command
    })
}

/// The commit of the working directory, if there is one.
fn commit() -> String {
    let git = Command::new("git").args(["describe", "--always", "--dirty"]).output();
    let name = git.ok().filter(|git| git.status.success()).map(|git| git.stdout);
    let name = name.and_then(|name| String::from_utf8(name).ok());
    name.map_or_else(|| "unnamed".into(), |name| name.trim().to_owned())
}
