//! Storms of kills over many short jobs of both plays.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::cluster::{Plan, Signal, Trust};
use crate::heard::Heard;
use crate::journal::Journal;
use crate::prove::Prover;
use crate::siege::{Siege, all_there, certified};
use crate::start::Start;

/// A run.
#[derive(Debug)]
pub struct Storms {
    /// The program.
    pub sprig: PathBuf,
    /// Kills in all.
    pub kills: u64,
    /// Longest pause between two kills.
    pub pause: Duration,
    /// Spots of the jobs of normal play.
    pub normal: std::ops::RangeInclusive<usize>,
    /// Spots of those of misère play.
    pub misere: std::ops::RangeInclusive<usize>,
    /// Decides which processes are killed when.
    pub seed: u64,
    /// Where the rounds are kept.
    pub journal: Option<PathBuf>,
    /// How long a job may take once no process is killed any more.
    pub patience: Duration,
}

/// What came of the jobs of one database.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Storm {
    /// What was solved.
    pub starts: Vec<Start>,
    /// Workers.
    pub workers: usize,
    /// Kills of workers before the last answer.
    pub workers_killed: u64,
    /// Kills of the coordinator before the last answer.
    pub coordinators_killed: u64,
    /// Facts that were acknowledged, all of them there.
    pub acknowledged: usize,
    /// Seconds until the last answer.
    pub seconds: f64,
    /// What must not be.
    pub violations: Vec<String>,
}

/// All of them together.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// Databases.
    pub rounds: usize,
    /// Jobs, and of these in misère play.
    pub jobs: usize,
    /// Jobs of misère play.
    pub misere: usize,
    /// Kills of workers.
    pub workers_killed: u64,
    /// Kills of coordinators.
    pub coordinators_killed: u64,
    /// Facts that were acknowledged.
    pub acknowledged: usize,
    /// Certificates that the oracle accepted in this call.
    pub verified: usize,
    /// What must not be.
    pub violations: Vec<String>,
}

/// Kills in one round: a job must also come to its end.
const MOST: u64 = 12;

impl Storms {
    /// Kills processes until there were enough kills; `told` hears of each round.
    ///
    /// # Errors
    /// When a process cannot be started. Violations stand in the summary.
    pub async fn run(&self, told: impl Fn(u64, &Storm)) -> anyhow::Result<Summary> {
        let mut journal = Journal::open(self.journal.as_deref(), self.seed)?;
        let mut prover = Prover::new(&self.sprig)?;
        let kills = |storms: &[Storm]| {
            storms.iter().map(|s| s.workers_killed + s.coordinators_killed).sum::<u64>()
        };
        while kills(&journal.rounds) < self.kills {
            let left = self.kills - kills(&journal.rounds);
            let dice = SmallRng::seed_from_u64(journal.dice());
            let storm = self.storm(dice, left.min(MOST), &mut prover).await?;
            told(journal.next(), &storm);
            journal.push(storm)?;
        }
        let mut summary = Summary::of(&journal.rounds);
        match prover.verify().await {
            Ok(verified) => summary.verified = verified,
            Err(error) => summary.violations.push(format!("{error:#}")),
        }
        Ok(summary)
    }

    async fn storm(
        &self,
        mut dice: SmallRng,
        kills: u64,
        prover: &mut Prover,
    ) -> anyhow::Result<Storm> {
        let first = Start::random(&mut dice, self.normal.clone(), self.misere.clone());
        let mut starts = vec![first];
        if first.misere {
            // The jobs are short, and several share their base.
            let others = self.misere.clone().map(|spots| Start { spots, misere: true });
            starts.extend(others.filter(|&start| start != first));
        }
        let mut storm = Storm {
            starts,
            workers: dice.random_range(1..=3),
            workers_killed: 0,
            coordinators_killed: 0,
            acknowledged: 0,
            seconds: 0.0,
            violations: Vec::new(),
        };
        let folder = tempfile::tempdir()?;
        let plan = Plan::of_target(&self.sprig, storm.workers, Trust::Check);
        let siege = Siege::begin(plan, folder.path(), &storm.starts).await?;
        let (heard, begun) = (siege.cluster.heard.clone(), Instant::now());
        let result = self.rage(siege, &mut dice, kills, &mut storm).await;
        storm.seconds = begun.elapsed().as_secs_f64();
        let judged = match result {
            Ok(()) => judge(&mut storm, &heard, folder.path(), prover).await,
            result => result,
        };
        if let Err(error) = judged {
            let (kept, said) = (folder.keep(), heard.latest());
            storm.violations.push(format!("{error:#} ({})\n{said}", kept.display()));
        }
        Ok(storm)
    }

    async fn rage(
        &self,
        mut siege: Siege,
        dice: &mut SmallRng,
        kills: u64,
        storm: &mut Storm,
    ) -> anyhow::Result<()> {
        let longest = self.pause.as_secs_f64();
        while storm.workers_killed + storm.coordinators_killed < kills {
            sleep(Duration::from_secs_f64(dice.random_range(0.0..longest))).await;
            if siege.is_over().await? {
                break;
            }
            let (cluster, rest) = (&mut siege.cluster, dice.random_range(0.0..longest / 2.0));
            if dice.random_bool(0.5) {
                storm.coordinators_killed += 1;
                cluster.signal_coordinator(Signal::Kill)?;
                sleep(Duration::from_secs_f64(rest)).await;
                cluster.restart().await?;
                // One coordinator in four lives for less than a tenth of a second: it is killed
                // while it opens its database.
                let killed = storm.workers_killed + storm.coordinators_killed;
                if killed < kills && dice.random_bool(0.25) {
                    sleep(Duration::from_secs_f64(dice.random_range(0.0..0.1))).await;
                    storm.coordinators_killed += 1;
                    cluster.signal_coordinator(Signal::Kill)?;
                    cluster.restart().await?;
                }
            } else {
                storm.workers_killed += 1;
                let hand = dice.random_range(0..cluster.hands.len());
                cluster.signal(hand, Signal::Kill)?;
                sleep(Duration::from_secs_f64(rest)).await;
                cluster.replace(hand).await?;
            }
        }
        siege.end(self.patience).await
    }
}

async fn judge(
    storm: &mut Storm,
    heard: &Heard,
    folder: &Path,
    prover: &mut Prover,
) -> anyhow::Result<()> {
    storm.acknowledged = all_there(folder, heard).await.context("after the storm")?;
    certified(prover, &storm.starts, folder).await
}

impl Summary {
    fn of(storms: &[Storm]) -> Self {
        let mut summary = Self { rounds: storms.len(), ..Self::default() };
        for (number, storm) in storms.iter().enumerate() {
            summary.jobs += storm.starts.len();
            summary.misere += storm.starts.iter().filter(|start| start.misere).count();
            summary.workers_killed += storm.workers_killed;
            summary.coordinators_killed += storm.coordinators_killed;
            summary.acknowledged += storm.acknowledged;
            let told = |violation: &String| format!("round {number}: {violation}");
            summary.violations.extend(storm.violations.iter().map(told));
        }
        summary
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kills = self.workers_killed + self.coordinators_killed;
        write!(
            f,
            "kills                {kills:>8}: {} of workers, {} of coordinators\n\
             jobs                 {:>8}: {} of misère play, in {} databases\n\
             acknowledged facts   {:>8}\n\
             verified in this call{:>8} certificates\n\
             violations           {:>8}",
            self.workers_killed,
            self.coordinators_killed,
            self.jobs,
            self.misere,
            self.rounds,
            self.acknowledged,
            self.verified,
            self.violations.len(),
        )
    }
}
