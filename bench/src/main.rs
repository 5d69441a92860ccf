//! What developers need besides `sprig bench`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use sprig_bench::{Job, Question, count_instructions, serve};
use sprig_engine::{CanonicalPosition, Position};

/// What developers need besides `sprig bench`: counts of instructions, and the table of start numbers.
#[derive(Parser)]
#[command(name = "sprig-bench")]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Count the instructions of solves with callgrind
    Count(Count),
    /// Gather what searches teach about lands, into the table that ships with the program
    Train(Train),
    /// Draw many random lands, check every picture, and say what that cost
    Pictures(Pictures),
    /// Render the tables and charts of the pages from bench/runs
    Pages(Pages),
    /// Play random games, draw every move as a curve, read it back, and say what that cost
    Curves(Curves),
    /// Pin and ban the first options of positions, one at a time, and say what that saves or costs
    Wishes(Wishes),
    /// Solve what standard input says, as the process that is measured
    #[command(hide = true)]
    Serve,
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
struct Pictures {
    /// How many lands
    #[arg(default_value = "2000")]
    lands: usize,
    /// The seed of the walks that lead to them
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Write the figures to this file, as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw this many lands on one sheet instead, and write it to --output as SVG
    #[arg(long, value_name = "LANDS", requires = "output")]
    sheet: Option<usize>,
}

#[derive(Args)]
struct Pages {
    /// Change nothing; fail when a page is not what the data say
    #[arg(long)]
    check: bool,
    /// The root of the repository
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

#[derive(Args)]
struct Curves {
    /// How many games
    #[arg(default_value = "200")]
    games: usize,
    /// The seed of the games
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Write the figures to this file, as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Args)]
struct Wishes {
    /// Numbers of spots
    #[arg(default_values = ["12", "14", "16", "17", "23", "29"])]
    spots: Vec<usize>,
    /// How many options
    #[arg(long, default_value = "12")]
    options: usize,
    /// Write the figures to this file, as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
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
        Task::Count(count) => count.run(),
        Task::Train(train) => train.run(),
        Task::Pictures(pictures) => pictures.run(),
        Task::Pages(pages) => pages.run(),
        Task::Curves(curves) => curves.run(),
        Task::Wishes(wishes) => wishes.run(),
        Task::Serve => Ok(serve()?),
    }
}

impl Pages {
    fn run(self) -> anyhow::Result<()> {
        let mut stale = Vec::new();
        for page in sprig_bench::pages::pages(&self.root)? {
            if page.is == page.shall {
                continue;
            }
            if !self.check {
                std::fs::write(&page.path, &page.shall)
                    .with_context(|| format!("cannot write {}", page.path.display()))?;
            }
            println!("{}", page.path.display());
            stale.push(page.path);
        }
        anyhow::ensure!(
            !self.check || stale.is_empty(),
            "these pages are not of today's data; `sprig-bench pages` renders them"
        );
        Ok(())
    }
}

impl Pictures {
    fn run(self) -> anyhow::Result<()> {
        if let (Some(count), Some(file)) = (self.sheet, &self.output) {
            let sheet = sprig_bench::sheet(count, self.seed)?;
            return std::fs::write(file, sheet)
                .with_context(|| format!("cannot write {}", file.display()));
        }
        let seen = sprig_bench::pictures(self.lands, self.seed);
        tell(&seen, self.output.as_deref())?;
        anyhow::ensure!(
            seen.failed.is_empty() && seen.crossings == 0 && seen.read_back == seen.lands,
            "not every land was drawn and read back"
        );
        Ok(())
    }
}

impl Curves {
    fn run(self) -> anyhow::Result<()> {
        let seen = sprig_bench::curves(self.games, self.seed);
        tell(&seen, self.output.as_deref())?;
        anyhow::ensure!(
            seen.missing.is_empty() && seen.misread.is_empty(),
            "not every move was drawn and read back"
        );
        Ok(())
    }
}

impl Wishes {
    fn run(self) -> anyhow::Result<()> {
        let start = |&spots: &usize| CanonicalPosition::of(&Position::start(spots));
        let solved = self.spots.iter().map(start).map(|it| sprig_bench::wishes(&it, self.options));
        let solved = solved.collect::<Result<Vec<_>, _>>().map_err(anyhow::Error::msg)?;
        tell(&solved, self.output.as_deref())
    }
}

/// Prints figures, and writes them to a file.
fn tell(figures: &impl serde::Serialize, file: Option<&Path>) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(figures)? + "\n";
    print!("{text}");
    let Some(file) = file else { return Ok(()) };
    std::fs::write(file, &text).with_context(|| format!("cannot write {}", file.display()))
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
                memory: None,
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

/// Starts this program again as a measuring process.
fn launcher() -> anyhow::Result<impl Fn() -> Command> {
    let program = std::env::current_exe().context("cannot find this program to start it again")?;
    Ok(move || {
        let mut command = Command::new(&program);
        command.arg("serve");
        command
    })
}
