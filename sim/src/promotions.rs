//! `sprig-sim promote`.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use sprig_sim::promotion::{Report, Scenario, run};

#[derive(Args)]
pub struct Promotions {
    /// The first seed
    #[arg(long, default_value = "0")]
    seed: u64,
    /// How many seeds
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Control: nothing waits for the follower, so what it lacks is lost and runs must fail
    #[arg(long)]
    unsynced: bool,
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

/// All seeds together.
#[derive(Serialize)]
struct Summary {
    first: u64,
    seeds: u64,
    unsynced: bool,
    /// What was violated.
    failed: Vec<String>,
    passed: Vec<Report>,
}

impl Promotions {
    pub fn run(&self) -> ExitCode {
        let done = if self.seeds == 1 && self.json.is_none() { self.one() } else { self.all() };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("sprig-sim: {error}");
                ExitCode::FAILURE
            }
        }
    }

    fn one(&self) -> Result<(), String> {
        let &Self { seed, unsynced, log, .. } = self;
        match run(&Scenario { seed, unsynced, log }) {
            Ok(report) if self.report => {
                println!("{}", serde_json::to_string(&report).expect("names and numbers"));
                Ok(())
            }
            Ok(report) => {
                println!("{}{report}", report.log);
                Ok(())
            }
            Err(violation) => {
                print!("{}", violation.log);
                Err(violation.what)
            }
        }
    }

    fn all(&self) -> Result<(), String> {
        let begun = Instant::now();
        let (mut failed, mut passed) = (Vec::new(), Vec::new());
        for seed in (0..self.seeds).map(|next| self.seed.wrapping_add(next)) {
            match self.alone(seed) {
                Ok(report) => {
                    println!("{report}");
                    passed.push(report);
                }
                Err(reason) => {
                    println!("{reason}");
                    failed.push(reason);
                }
            }
        }
        let (seeds, lost) = (self.seeds, failed.len());
        println!("{seeds} promotions, {lost} failed, {:.1} s", begun.elapsed().as_secs_f64());
        if let Some(path) = &self.json {
            let (first, unsynced) = (self.seed, self.unsynced);
            let summary = Summary { first, seeds, unsynced, failed, passed };
            let text = serde_json::to_string_pretty(&summary).expect("names and numbers");
            let written = std::fs::write(path, text + "\n");
            written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        if lost == 0 { Ok(()) } else { Err(format!("{lost} of {seeds} failed")) }
    }

    /// Runs a seed in a process of its own, as whoever runs it again will.
    fn alone(&self, seed: u64) -> Result<Report, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(["promote", "--report", "--seed", &seed.to_string()]);
        command.args(self.unsynced.then_some("--unsynced"));
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
    }
}
