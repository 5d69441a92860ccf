//! One hunt: a job in work, and random things that happen to those who work on it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sprig_domain::{Conclusion, JobId, JobState};
use sprig_proto::Client;
use tokio::time::sleep;

use crate::check::{self, Checked};
use crate::cluster::{Cluster, Plan, Signal, Trust};
use crate::disk;
use crate::proxy::Way;
use crate::usage::{Of, processor};

/// What to do.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The program.
    pub sprig: PathBuf,
    /// What is to be solved.
    pub position: String,
    /// Worker processes.
    pub workers: usize,
    /// How many times something is killed while the job runs.
    pub kills: u32,
    /// Longest pause between two deeds, in seconds.
    pub pause: f64,
    /// Also stop processes, break networks and end workers in good order.
    pub everything: bool,
    /// The control: after every death of the coordinator its disk has lost what it wrote last.
    pub lying_disk: bool,
    /// Check the database against a search that knows nothing, which takes as long as solving alone.
    pub alone: bool,
    /// Decides what happens in which order. The processes themselves are not repeatable.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct HuntReport {
    /// What the database holds.
    pub checked: Checked,
    /// Kills of workers that hit the running job.
    pub workers_killed: u32,
    /// Kills of the coordinator that hit the running job.
    pub coordinators_killed: u32,
    /// Other deeds.
    pub others: u32,
    /// Acknowledgements, also of facts that somebody else had proved before.
    pub acknowledgements: u64,
    /// Processor time of all workers and coordinators, in seconds.
    pub cpu: f64,
    /// Seconds until the answer.
    pub seconds: f64,
    /// Expansions of the workers that live at the end.
    pub expansions: u64,
    /// Processor time of the coordinator that lives at the end, in seconds.
    pub coordinator_cpu: f64,
}

/// How long a job may take with nothing happening to it any more.
const PATIENCE: Duration = Duration::from_secs(1_800);

impl Hunt {
    /// Hunts, and checks what is left.
    ///
    /// # Errors
    /// What was violated.
    pub async fn run(&self) -> anyhow::Result<HuntReport> {
        let folder = tempfile::tempdir()?;
        let db = folder.path().join("db");
        let before = children_cpu();
        // Facts that a lying disk has lost leave others without support: a coordinator that checks would find that first.
        let trust = if self.lying_disk { Trust::Believe } else { Trust::Check };
        let plan = Plan::of_target(&self.sprig, self.workers, trust);
        let cluster = Cluster::start(plan, &db).await?;
        let heard = cluster.heard.clone();
        let result = self.chase(cluster, &db).await;
        let (mut report, job) =
            result.with_context(|| format!("the processes said:\n{}", heard.latest()))?;
        report.cpu = children_cpu() - before;
        report.acknowledgements = heard.times();
        ensure!(heard.contradictions().is_empty(), "contradictions: {:?}", heard.contradictions());
        let JobState::Done(Conclusion { outcome, .. }) = job else {
            bail!("the job ended as {job:?}")
        };
        let (goal, facts) = (check::outcome_of(&self.position)?, heard.facts());
        let alone = self.alone;
        let check = move || check::database(&db, &goal, outcome, &facts, alone);
        report.checked = tokio::task::spawn_blocking(check).await??;
        Ok(report)
    }

    async fn chase(
        &self,
        mut cluster: Cluster,
        db: &Path,
    ) -> anyhow::Result<(HuntReport, JobState)> {
        let begun = Instant::now();
        let mut rng = SmallRng::seed_from_u64(self.seed);
        let goal = check::outcome_of(&self.position)?;
        let job = cluster.client().await?.submit(goal, 0).await?.id;
        let mut report = HuntReport::none();
        cluster.at_work(Duration::from_secs(60)).await?;
        while report.workers_killed + report.coordinators_killed < self.kills {
            sleep(Duration::from_secs_f64(rng.random_range(0.1..self.pause))).await;
            if self.state(&cluster, job).await?.is_final() {
                let HuntReport {
                    workers_killed: workers, coordinators_killed: coordinators, ..
                } = report;
                ensure!(
                    workers > 0 && coordinators > 0,
                    "{} was solved after kills of {workers} workers and {coordinators} coordinators; hunt something harder",
                    self.position
                );
                break;
            }
            self.strike(&mut cluster, db, &mut rng, &mut report).await?;
        }
        let state = self.end_of(&cluster, job).await?;
        report.seconds = begun.elapsed().as_secs_f64();
        let workers = cluster.status().await?.workers;
        report.expansions = workers.iter().map(|worker| worker.figures.expansions).sum();
        report.coordinator_cpu = cluster.coordinator_cpu();
        cluster.stop().await?;
        Ok((report, state))
    }

    async fn strike(
        &self,
        cluster: &mut Cluster,
        db: &Path,
        rng: &mut SmallRng,
        report: &mut HuntReport,
    ) -> anyhow::Result<()> {
        let hand = rng.random_range(0..self.workers);
        let kinds = if self.everything { 12 } else { 6 };
        let kind = match (report.coordinators_killed, report.workers_killed) {
            // One of each first, however soon the job is solved.
            (0, _) => 0,
            (_, 0) => 2,
            _ => rng.random_range(0..kinds),
        };
        match kind {
            0..2 => {
                report.coordinators_killed += 1;
                cluster.signal_coordinator(Signal::Kill)?;
                if self.lying_disk {
                    cluster.coordinator_ended().await?;
                    disk::forget_the_latest(db)?;
                }
                sleep(Duration::from_secs_f64(rng.random_range(0.0..2.0))).await;
                cluster.restart().await?;
                return Ok(());
            }
            2..6 => {
                report.workers_killed += 1;
                cluster.signal(hand, Signal::Kill)?;
                sleep(Duration::from_secs_f64(rng.random_range(0.0..1.0))).await;
                cluster.replace(hand).await?;
                return Ok(());
            }
            6 => {
                cluster.signal(hand, Signal::Terminate)?;
                let code = cluster.wait(hand, Duration::from_secs(20)).await?;
                ensure!(code == Some(0), "worker {hand} was to end and ended with {code:?}");
                cluster.replace(hand).await?;
            }
            7 => {
                cluster.signal_coordinator(Signal::Terminate)?;
                let code = cluster.coordinator_ended().await?;
                ensure!(code == Some(0), "the coordinator was to end and ended with {code:?}");
                cluster.restart().await?;
            }
            8 => {
                cluster.signal(hand, Signal::Stop)?;
                sleep(Duration::from_secs_f64(rng.random_range(0.1..5.0))).await;
                cluster.signal(hand, Signal::Continue)?;
            }
            9 => {
                cluster.signal_coordinator(Signal::Stop)?;
                sleep(Duration::from_secs_f64(rng.random_range(0.1..5.0))).await;
                cluster.signal_coordinator(Signal::Continue)?;
            }
            10 => self.obstruct(cluster, hand, rng, Way::Cut).await,
            _ => {
                let ways = [Way::Stalled, Way::HalfStalled, Way::Slow(Duration::from_millis(300))];
                let way = ways[rng.random_range(0..ways.len())];
                self.obstruct(cluster, hand, rng, way).await;
            }
        }
        report.others += 1;
        Ok(())
    }

    async fn obstruct(&self, cluster: &Cluster, hand: usize, rng: &mut SmallRng, way: Way) {
        cluster.hands[hand].proxy.set(way);
        sleep(Duration::from_secs_f64(rng.random_range(0.1..8.0))).await;
        cluster.hands[hand].proxy.set(Way::Open);
    }

    /// The state of the job, from whichever coordinator runs.
    async fn state(&self, cluster: &Cluster, job: JobId) -> anyhow::Result<JobState> {
        let mut jobs = cluster.client().await?.watch(job).await?;
        Ok(jobs.next().await?.context("a job has a state")?.state)
    }

    async fn end_of(&self, cluster: &Cluster, job: JobId) -> anyhow::Result<JobState> {
        let watched = async {
            let mut client: Client = cluster.client().await?;
            let mut jobs = client.watch(job).await?;
            while let Some(job) = jobs.next().await? {
                if job.state.is_final() {
                    return Ok(job.state);
                }
            }
            bail!("the job was no longer told, and had not ended")
        };
        tokio::time::timeout(PATIENCE, watched).await.context("the job does not end")?
    }
}

impl HuntReport {
    fn none() -> Self {
        Self {
            checked: Checked { facts: 0, acknowledged: 0 },
            workers_killed: 0,
            coordinators_killed: 0,
            others: 0,
            acknowledgements: 0,
            cpu: 0.0,
            seconds: 0.0,
            expansions: 0,
            coordinator_cpu: 0.0,
        }
    }
}

/// Processor time of all processes that were started here and have ended, in seconds.
fn children_cpu() -> f64 {
    processor("self", Of::Children)
}
