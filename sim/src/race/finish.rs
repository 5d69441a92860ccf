//! How a race has ended, in figures.

use serde::Serialize;
use sprig_domain::Outcome;

use super::{Tally, Toil};

/// How a race has ended. Times are virtual.
#[derive(Clone, PartialEq, Debug)]
pub struct Finish {
    /// The answer.
    pub outcome: Outcome,
    /// How many workers have searched.
    pub workers: u32,
    /// From the goal to the end of the job on disk.
    pub seconds: f64,
    /// Expansions of each search.
    pub expansions: Vec<u64>,
    /// Children that all workers have generated.
    pub children: u64,
    /// Times that tables were full.
    pub collections: u64,
    /// Bytes of the largest search.
    pub bytes: u64,
    /// How each worker has spent its time.
    pub toil: Vec<Toil>,
    /// Lands whose nimber was proved.
    pub facts: usize,
    /// How many of them more than one worker has proved.
    pub repeated: usize,
    /// What the coordinator has done.
    pub coordinator: Tally,
}

/// A race beside the one that it is compared with. One line of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct Lap {
    /// What was solved.
    pub position: String,
    /// What workers share, and how.
    pub scheme: &'static str,
    /// The seed.
    pub seed: u64,
    /// How many workers have searched.
    pub workers: u32,
    /// The answer.
    pub outcome: &'static str,
    /// Seconds by the virtual clock.
    pub seconds: f64,
    /// The speed-up over the first race, by the virtual clock.
    pub speed_up: f64,
    /// Expansions of the busiest worker.
    pub busiest: u64,
    /// The speed-up by the expansions of the busiest worker, over that of the first race.
    pub speed_up_by_busiest: f64,
    /// Expansions of all workers.
    pub expansions: u64,
    /// Expansions of the first race divided by those of all workers.
    pub useful: f64,
    /// Lands whose nimber was proved.
    pub facts: usize,
    /// Share of them that more than one worker has proved.
    pub proved_twice: f64,
    /// Facts of others that a worker took in, on average.
    pub lessons: f64,
    /// Share of the workers' time that taking them in took.
    pub learning: f64,
    /// Cores that the coordinator was busy with.
    pub coordinator: f64,
    /// Megabytes that came to the coordinator.
    pub megabytes_in: f64,
    /// Megabytes that the coordinator sent.
    pub megabytes_out: f64,
    /// Megabytes of the largest search.
    pub memory: f64,
    /// Times that tables were full.
    pub collections: u64,
}

/// The head of a table of laps.
pub const HEADER: &str = "\
| position | scheme | seed | workers | s | speed-up | busiest | by it | useful | facts | twice | learning | coordinator | MB in | MB out | full |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |";

impl Finish {
    /// Expansions of the busiest search.
    pub fn busiest(&self) -> u64 {
        self.expansions.iter().copied().max().unwrap_or(0)
    }

    /// Expansions of all searches.
    pub fn all(&self) -> u64 {
        self.expansions.iter().sum()
    }

    /// This race of `position` beside the `first`.
    pub fn lap(&self, position: &str, scheme: &'static str, seed: u64, first: &Self) -> Lap {
        let workers = f64::from(self.workers);
        let sum = |part: fn(&Toil) -> f64| self.toil.iter().map(part).sum::<f64>();
        let (searched, learned) = (sum(|toil| toil.searched), sum(|toil| toil.learned));
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        Lap {
            position: position.to_owned(),
            scheme,
            seed,
            workers: self.workers,
            outcome: if self.outcome == Outcome::Win { "win" } else { "loss" },
            seconds: self.seconds,
            speed_up: first.seconds / self.seconds,
            busiest: self.busiest(),
            speed_up_by_busiest: first.busiest() as f64 / self.busiest() as f64,
            expansions: self.all(),
            useful: first.all() as f64 / self.all() as f64,
            facts: self.facts,
            proved_twice: self.repeated as f64 / self.facts.max(1) as f64,
            lessons: sum(|toil| toil.lessons as f64) / workers,
            learning: learned / (searched + learned),
            coordinator: self.coordinator.busy / self.seconds,
            megabytes_in: megabytes(self.coordinator.bytes_in),
            megabytes_out: megabytes(self.coordinator.bytes_out),
            memory: megabytes(self.bytes),
            collections: self.collections,
        }
    }
}

impl std::fmt::Display for Lap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        write!(
            f,
            "| {} | {} | {} | {} | {:.1} | {:.2} | {} | {:.2} | {} | {} | {} | {} | {:.2} | {:.1} | {:.1} | {} |",
            self.position,
            self.scheme,
            self.seed,
            self.workers,
            self.seconds,
            self.speed_up,
            self.busiest,
            self.speed_up_by_busiest,
            percent(self.useful),
            self.facts,
            percent(self.proved_twice),
            percent(self.learning),
            self.coordinator,
            self.megabytes_in,
            self.megabytes_out,
            self.collections,
        )
    }
}
