//! Runs of one seed, or of many on all cores: what the simulations of this program have in common.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sprig_sim::cluster::Violation;

#[derive(Args)]
pub struct Seeds {
    /// The first seed
    #[arg(long = "seed", value_name = "SEED", default_value = "0")]
    pub first: u64,
    /// How many seeds
    #[arg(
        long = "seeds",
        value_name = "SEEDS",
        default_value = "1",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub count: u64,
    /// Print what everybody logs
    #[arg(long)]
    pub log: bool,
    /// Write what came of all seeds to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print what came of one seed as JSON
    #[arg(long, hide = true)]
    report: bool,
}

/// What came of each seed: a report, or what was violated.
pub type Ran<R> = Vec<(u64, Result<R, String>)>;

impl Seeds {
    /// Whether the only seed is run here, and not in a process of its own.
    pub fn is_one(&self) -> bool {
        self.count == 1 && self.json.is_none()
    }

    /// Prints what came of the only seed, with its log if there is one.
    pub fn tell<R: Serialize + Display>(
        &self,
        ran: Result<R, Violation>,
        log: impl Fn(&R) -> &str,
    ) -> Result<(), String> {
        match ran {
            Ok(report) if self.report => {
                println!("{}", serde_json::to_string(&report).expect("names and numbers"));
                Ok(())
            }
            Ok(report) => {
                println!("{}{report}", log(&report));
                Ok(())
            }
            Err(Violation { what, log }) => {
                print!("{log}");
                Err(what)
            }
        }
    }

    /// Runs all seeds by the command of this program with these options, and writes a summary of
    /// what came of them, if that is wanted.
    pub fn run<R: DeserializeOwned + Display + Send, S: Serialize>(
        &self,
        options: &[String],
        sum: impl FnOnce(Ran<R>) -> S,
    ) -> Result<(), String> {
        let begun = Instant::now();
        let ran = self.on_all_cores(options);
        let failed = ran.iter().filter(|(_, report)| report.is_err()).count();
        let seconds = begun.elapsed().as_secs_f64();
        println!("{} seeds, {failed} failed, {seconds:.1} s", self.count);
        if let Some(path) = &self.json {
            let text = serde_json::to_string_pretty(&sum(ran)).expect("names and numbers");
            let written = std::fs::write(path, text + "\n");
            written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} failed", self.count)) }
    }

    fn on_all_cores<R: DeserializeOwned + Display + Send>(&self, options: &[String]) -> Ran<R> {
        let (next, ran) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.count {
                    return;
                }
                let seed = self.first.wrapping_add(number);
                let report = alone(options, seed);
                match &report {
                    Ok(report) => println!("{report}"),
                    Err(reason) => println!("{reason}"),
                }
                ran.lock().unwrap_or_else(PoisonError::into_inner).push((seed, report));
            }
        };
        std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
        let mut ran = ran.into_inner().unwrap_or_else(PoisonError::into_inner);
        ran.sort_unstable_by_key(|&(seed, _)| seed);
        ran
    }
}

/// Runs one seed in a process of its own. A person who runs it again does so, too, and the order in
/// which the connections of a crashed host break depends on how many tasks its process has had.
fn alone<R: DeserializeOwned>(options: &[String], seed: u64) -> Result<R, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(options).args(["--report", "--seed", &seed.to_string()]);
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
