//! `sprig bench`: measures how fast a machine is.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, ensure};
use clap::Args;
use sprig_bench::plot::{self, Series};
use sprig_bench::{Plan, Question, Record, Report, Run, peers};

use crate::draft;
use crate::measure::measure;
use crate::memory;
use crate::output::{self, Format};

/// The start positions by which Sprig is compared with other solvers.
const SUITE: [u32; 5] = [12, 14, 16, 17, 23];

const EXAMPLES: &str = "\
Examples:
  sprig bench                                     the suite, on one thread: half a minute on a busy machine
  sprig bench 18 20 29 --threads 1,2 --repeat 3   two threads against one, in turns
  sprig bench --cumulative --nimber               one database for all spots up to 40 that are not too hard
  sprig bench 27 41 --threads 2 --seconds 600     leaves open what takes longer
  sprig bench --json > here.json
  sprig bench --plot here.svg --beside here.json  draws this run, an earlier one, and other solvers

CPU seconds are those of whole processes, start-up and database included; peak MB is the most memory that one of them ever
had. On a busy machine trust the counts (expansions, children) before the times.";

/// Measure what solving costs on this machine
///
/// Solves positions, each in a process of its own that does what `sprig solve` does with a temporary database, and prints a
/// table with CPU seconds, expansions, memory, and how many times faster that is than other solvers.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Bench {
    /// Numbers of spots, or positions [default: 12 14 16 17 23; with --cumulative: 2 to 26, 28, 29, 34, 35, 40]
    positions: Vec<String>,
    /// Find nimbers instead of outcomes
    #[arg(long)]
    nimber: bool,
    /// Solve all positions in one process with one database, in their order
    #[arg(long)]
    cumulative: bool,
    /// Threads; several numbers are measured in turns
    #[arg(long, value_name = "T", value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Vec<u16>,
    /// Most memory for each process, as in 512M or 4G [default: as `sprig solve`]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse)]
    memory: Option<usize>,
    /// Leave a position open after S seconds
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// Measure everything K times, and show medians
    #[arg(long, value_name = "K", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,
    /// What the measurement is called [default: the version]
    #[arg(long)]
    label: Option<String>,
    /// Draw CPU seconds by spots into this file, beside those of other solvers
    #[arg(long, value_name = "SVG")]
    plot: Option<PathBuf>,
    /// Draw these earlier results of `sprig bench --json`, too
    #[arg(long, value_name = "JSON", requires = "plot")]
    beside: Vec<PathBuf>,
    /// Only show what would be measured
    #[arg(long)]
    list: bool,
    /// Be the process that is measured
    #[arg(long, hide = true)]
    measure: bool,
    #[command(flatten)]
    format: Format,
}

impl Bench {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.measure {
            measure()?;
            return Ok(ExitCode::SUCCESS);
        }
        let earlier = self.beside.iter().map(|path| read(path)).collect::<anyhow::Result<_>>()?;
        let label = self.label.clone();
        let label = label.unwrap_or_else(|| format!("sprig {}", env!("CARGO_PKG_VERSION")));
        let mut report = Report::new(label, self.plan());
        if self.list {
            return self.list(&report);
        }
        let program = std::env::current_exe().context("cannot find this program")?;
        let launch = || {
            let mut command = Command::new(&program);
            command.args(["bench", "--measure"]);
            command
        };
        let all = report.records.len() * usize::from(self.repeat);
        let mut done = 0;
        let result = report.measure(launch, |record, run| {
            done += 1;
            remark!("sprig: {done} of {all}: {}", line(record, run));
        });
        // What was measured before an error is worth printing.
        let measured = report.records.iter().any(|record| !record.runs.is_empty());
        if measured && self.format.json {
            output::print(output::json(&report)?)?;
        } else if measured {
            output::print(report.to_string())?;
        }
        if let Some(path) = &self.plot {
            draw(path, &report, earlier)?;
        }
        result?;
        Ok(ExitCode::SUCCESS)
    }

    fn plan(&self) -> Plan {
        let default = || -> Vec<u32> {
            if self.cumulative {
                (2..=26).chain([28, 29, 34, 35, 40]).collect()
            } else {
                SUITE.into()
            }
        };
        let positions = if self.positions.is_empty() {
            default().iter().map(u32::to_string).collect()
        } else {
            self.positions.clone()
        };
        Plan {
            positions,
            question: if self.nimber { Question::Nimber } else { Question::Outcome },
            cumulative: self.cumulative,
            threads: self.threads.iter().map(|&threads| threads.into()).collect(),
            memory: self.memory,
            seconds: self.seconds,
            repeats: self.repeat.into(),
        }
    }

    /// Shows what would be measured.
    fn list(&self, report: &Report) -> anyhow::Result<ExitCode> {
        if self.format.json {
            output::print(output::json(&report.plan)?)?;
        } else {
            let line = |record: &Record| subject(record) + "\n";
            output::print(report.records.iter().map(line).collect::<String>())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn subject(Record { position, threads, .. }: &Record) -> String {
    format!("{position} on {threads} thread{}", if *threads == 1 { "" } else { "s" })
}

fn line(record: &Record, run: &Run) -> String {
    format!("{}: {} in {:.2} CPU s", subject(record), run.answer, run.cpu_seconds)
}

fn draw(path: &Path, report: &Report, earlier: Vec<Report>) -> anyhow::Result<()> {
    let mut series: Vec<Series> = peers::peers().into_iter().map(Series::from).collect();
    series.extend(earlier.iter().chain([report]).map(Series::from));
    let source = "Peers: bench/peers.json.";
    draft::write(path, plot::svg(&series, source).as_bytes())
        .context("give --plot a file in a folder that is there")
}

fn read(path: &Path) -> anyhow::Result<Report> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let report: Report = serde_json::from_reader(file)
        .with_context(|| format!("{} is no result of `sprig bench --json`", path.display()))?;
    ensure!(!report.records.is_empty(), "{} holds no measurement", path.display());
    Ok(report)
}
