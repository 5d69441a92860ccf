//! How much sooner several workers are done than one, and what they cost their coordinator.
//!
//! A lap is one position, one number of workers, an empty database or a copy of one. The clock stops
//! when no worker has a lease any more: then the search is over, and what follows is the check of
//! its answer.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use sprig_domain::{Conclusion, JobState, Outcome};

use crate::check;
use crate::cluster::{Cluster, Plan, Trust};
use crate::damage::copy_files;

/// A race.
#[derive(Clone, Debug)]
pub struct Race {
    /// The program.
    pub sprig: PathBuf,
    /// Memory of a worker.
    pub memory: String,
    /// Whether the coordinator checks what it is told.
    pub trust: Trust,
    /// Whether a player who cannot move wins.
    pub misere: bool,
    /// What each lap begins with; nothing if there is none.
    pub known: Option<Known>,
}

/// What was known before a race.
#[derive(Clone, Debug)]
pub struct Known {
    /// The database, which no other program uses meanwhile.
    pub db: PathBuf,
    /// The key that sealed its facts.
    pub seal_key: PathBuf,
}

/// What a lap has shown. Times are in seconds.
#[derive(Clone, Debug)]
pub struct Lap {
    /// What was solved.
    pub position: String,
    /// The answer.
    pub outcome: Outcome,
    /// From the goal to the end of the search.
    pub searching: f64,
    /// From there to the answer.
    pub checking: f64,
    /// Expansions of each worker.
    pub expansions: Vec<u64>,
    /// Processor time of each worker during the search.
    pub worker_cpu: Vec<f64>,
    /// Processor time of the coordinator during the search.
    pub coordinator_cpu: f64,
    /// Processor time of the coordinator for the check of the answer.
    pub checking_cpu: f64,
    /// Facts in the database.
    pub facts: u64,
}

/// The head of a table of laps.
pub const HEADER: &str = "\
| position | workers | answer | s, search | s, check | expansions of each | CPU s of each | coordinator, CPU s while they search | % of a core | CPU s of the check | facts |
| --- | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: |";

impl fmt::Display for Lap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: Vec<String>| items.join(", ");
        write!(
            f,
            "| {} | {} | {} | {:.1} | {:.1} | {} | {} | {:.2} | {:.1} | {:.1} | {} |",
            self.position,
            self.expansions.len(),
            if self.outcome == Outcome::Win { "win" } else { "loss" },
            self.searching,
            self.checking,
            list(self.expansions.iter().map(u64::to_string).collect()),
            list(self.worker_cpu.iter().map(|cpu| format!("{cpu:.1}")).collect()),
            self.coordinator_cpu,
            100.0 * self.coordinator_cpu / self.searching,
            self.checking_cpu,
            self.facts,
        )
    }
}

/// Pause between two looks at whether the search is over.
const LOOK: Duration = Duration::from_millis(200);
/// How long a search may take.
const PATIENCE: Duration = Duration::from_secs(3_600);

impl Race {
    /// Solves `position` with `workers` workers.
    ///
    /// # Errors
    /// When a process cannot be started, or the job does not end well.
    pub async fn lap(&self, position: &str, workers: usize) -> anyhow::Result<Lap> {
        let goal = if self.misere {
            check::misere_outcome_of(position)?
        } else {
            check::outcome_of(position)?
        };
        let folder = tempfile::tempdir()?;
        let (db, seal_key) = (folder.path().join("db"), folder.path().join("seal.key"));
        if let Some(known) = &self.known {
            copy_files(&known.db, &db).with_context(|| known.db.display().to_string())?;
            std::fs::copy(&known.seal_key, &seal_key)
                .with_context(|| known.seal_key.display().to_string())?;
        }
        let plan = Plan::of_target(&self.sprig, workers, self.trust);
        let plan = Plan { memory: self.memory.clone(), hunted: false, ..plan };
        let cluster = Cluster::start(plan, &db).await?;
        let mut client = cluster.client().await?;
        while client.status().await?.workers.len() < workers {
            tokio::time::sleep(LOOK).await;
        }
        let (cpu_before, coordinator_before) = (cluster.worker_cpu(), cluster.coordinator_cpu());
        let begun = Instant::now();
        let job = client.submit(goal, 0).await?.id;
        cluster.at_work(Duration::from_secs(10)).await?;
        let status = loop {
            let status = client.status().await?;
            if status.workers.iter().all(|worker| worker.job.is_none()) {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                bail!("{position} is not solved after {PATIENCE:?}");
            }
            tokio::time::sleep(LOOK).await;
        };
        let searching = begun.elapsed().as_secs_f64();
        let coordinator_searched = cluster.coordinator_cpu();
        let worker_cpu = cluster.worker_cpu().iter().zip(cpu_before).map(|(b, a)| b - a).collect();
        let mut jobs = client.watch(job).await?;
        let outcome = loop {
            match jobs.next().await?.context("a job has an end")?.state {
                JobState::Done(Conclusion { outcome, .. }) => break outcome,
                JobState::Running => {}
                state => bail!("the job ended as {state:?}"),
            }
        };
        let lap = Lap {
            position: position.to_owned(),
            outcome,
            searching,
            checking: begun.elapsed().as_secs_f64() - searching,
            expansions: status.workers.iter().map(|worker| worker.figures.expansions).collect(),
            worker_cpu,
            coordinator_cpu: coordinator_searched - coordinator_before,
            checking_cpu: cluster.coordinator_cpu() - coordinator_searched,
            facts: client.status().await?.facts,
        };
        cluster.stop().await?;
        Ok(lap)
    }
}
