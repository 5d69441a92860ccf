//! `sprig-sim promote`.

use clap::Args;
use serde::Serialize;
use sprig_sim::promotion::{Report, Scenario, run};

use crate::seeds::{Ran, Seeds};

#[derive(Args)]
pub struct Promotions {
    #[command(flatten)]
    seeds: Seeds,
    /// Control: nothing waits for the follower, so what it lacks is lost and runs must fail
    #[arg(long)]
    unsynced: bool,
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
    pub fn run(&self) -> Result<(), String> {
        let &Self { ref seeds, unsynced } = self;
        if seeds.is_one() {
            let ran = run(&Scenario { seed: seeds.first, unsynced, log: seeds.log });
            return seeds.tell(ran, |report| &report.log);
        }
        let control = unsynced.then_some("--unsynced");
        let options: Vec<_> = ["promote"].into_iter().chain(control).map(str::to_owned).collect();
        seeds.run(&options, |ran: Ran<Report>| {
            let (mut failed, mut passed) = (Vec::new(), Vec::new());
            for (_, report) in ran {
                match report {
                    Ok(report) => passed.push(report),
                    Err(reason) => failed.push(reason),
                }
            }
            Summary { first: seeds.first, seeds: seeds.count, unsynced, failed, passed }
        })
    }
}
