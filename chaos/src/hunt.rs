//! One hunt: jobs in work, and random things that happen to those who work on them.

use std::fs;
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
use crate::disk::{self, SmallDisk};
use crate::proxy::Way;
use crate::usage::{Of, processor};

/// What to do.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The program.
    pub sprig: PathBuf,
    /// What is to be solved.
    pub positions: Vec<String>,
    /// Worker processes.
    pub workers: usize,
    /// When it ends although not all is solved, and what is open is left so. `None`: it waits for
    /// all.
    pub most: Option<Duration>,
    /// How many times something is killed while a job runs.
    pub kills: u32,
    /// Longest pause between two deeds, in seconds.
    pub pause: f64,
    /// Also stop processes, break networks and end workers in good order.
    pub everything: bool,
    /// Once, after half of the kills, the coordinator's disk is full for a while. Needs the rights of root.
    pub full_disk: bool,
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
    /// Kills of workers that hit a running job.
    pub workers_killed: u32,
    /// Kills of the coordinator that hit a running job.
    pub coordinators_killed: u32,
    /// Other deeds.
    pub others: u32,
    /// Whether the disk was full for a while.
    pub was_full: bool,
    /// Acknowledgements, also of facts that somebody else had proved before.
    pub acknowledgements: u64,
    /// Processor time of all workers and coordinators, in seconds.
    pub cpu: f64,
    /// Jobs that were solved.
    pub solved: usize,
    /// Seconds until the last answer, or until it was to end.
    pub seconds: f64,
    /// Expansions of the workers that live at the end.
    pub expansions: u64,
    /// Processor time of the coordinator that lives at the end, in seconds.
    pub coordinator_cpu: f64,
}

/// How long a job may take with nothing happening to it any more.
const PATIENCE: Duration = Duration::from_secs(1_800);
/// The notice that clouds give: who was told to end has ended by then.
const NOTICE: Duration = Duration::from_secs(30);
/// The size of a disk that runs full, in MiB, the room that is left on it then, in bytes, and how
/// soon the coordinator must have noticed.
const DISK: u32 = 512;
const ROOM: u64 = 1 << 18;
const FULL: Duration = Duration::from_secs(180);

impl Hunt {
    /// Hunts, and checks what is left.
    ///
    /// # Errors
    /// What was violated.
    pub async fn run(&self) -> anyhow::Result<HuntReport> {
        let folder = tempfile::tempdir()?;
        let disk = self.full_disk.then(|| SmallDisk::mount(folder.path(), DISK)).transpose()?;
        let db = folder.path().join("db");
        let before = children_cpu();
        // Facts that a lying disk has lost leave others without support: a coordinator that checks would find that first.
        let trust = if self.lying_disk { Trust::Believe } else { Trust::Check };
        let plan = Plan::of_target(&self.sprig, self.workers, trust);
        let cluster = Cluster::start(plan, &db).await?;
        let heard = cluster.heard.clone();
        let result = self.chase(cluster, &db, disk.as_ref()).await;
        let (mut report, ends) =
            result.with_context(|| format!("the processes said:\n{}", heard.latest()))?;
        report.cpu = children_cpu() - before;
        report.acknowledgements = heard.times();
        ensure!(heard.contradictions().is_empty(), "contradictions: {:?}", heard.contradictions());
        let mut goals = Vec::new();
        for (position, end) in self.positions.iter().zip(ends) {
            match end {
                JobState::Done(Conclusion { outcome, .. }) => {
                    goals.push((check::outcome_of(position)?, outcome));
                }
                end if self.most.is_some() && !end.is_final() => {}
                end => bail!("the job of {position} ended as {end:?}"),
            }
        }
        report.solved = goals.len();
        let (facts, alone) = (heard.facts(), self.alone);
        let check = move || check::database(&db, &goals, &facts, alone);
        report.checked = tokio::task::spawn_blocking(check).await??;
        Ok(report)
    }

    async fn chase(
        &self,
        mut cluster: Cluster,
        db: &Path,
        disk: Option<&SmallDisk>,
    ) -> anyhow::Result<(HuntReport, Vec<JobState>)> {
        let begun = Instant::now();
        let mut rng = SmallRng::seed_from_u64(self.seed);
        let mut jobs = Vec::new();
        for position in &self.positions {
            let goal = check::outcome_of(position)?;
            jobs.push(cluster.client().await?.submit(goal, 0).await?.id);
        }
        let mut report = HuntReport::none();
        cluster.at_work(Duration::from_secs(60)).await?;
        while report.kills() < self.kills && self.most.is_none_or(|most| begun.elapsed() < most) {
            sleep(Duration::from_secs_f64(rng.random_range(0.1..self.pause))).await;
            if cluster.have_ended(jobs.iter().copied()).await? {
                ensure!(
                    report.workers_killed > 0 && report.coordinators_killed > 0,
                    "{} solved after kills of {} workers and {} coordinators; hunt something harder",
                    self.positions.join(" "),
                    report.workers_killed,
                    report.coordinators_killed,
                );
                break;
            }
            match disk {
                Some(disk) if !report.was_full && report.kills() >= self.kills / 2 => {
                    Self::fill(&mut cluster, disk, &mut rng).await?;
                    report.was_full = true;
                }
                _ => self.strike(&mut cluster, db, &mut rng, &mut report).await?,
            }
        }
        ensure!(report.was_full || disk.is_none(), "the disk was to be full, and all was solved");
        let mut ends = Vec::new();
        for job in jobs {
            ends.push(self.end_of(&cluster, job, begun).await?);
        }
        report.seconds = begun.elapsed().as_secs_f64();
        let workers = cluster.status().await?.workers;
        report.expansions = workers.iter().map(|worker| worker.figures.expansions).sum();
        report.coordinator_cpu = cluster.coordinator_cpu();
        cluster.stop().await?;
        Ok((report, ends))
    }

    /// The coordinator is killed, comes back on a disk that is nearly full, must end when it cannot
    /// write, and comes back when somebody has made room. A coordinator that runs on would write
    /// into what its log has set aside, for minutes.
    async fn fill(
        cluster: &mut Cluster,
        disk: &SmallDisk,
        rng: &mut SmallRng,
    ) -> anyhow::Result<()> {
        cluster.signal_coordinator(Signal::Kill)?;
        cluster.coordinator_ended().await?;
        let ballast = disk.fill(ROOM)?;
        cluster.restart().await?;
        let code = tokio::time::timeout(FULL, cluster.coordinator_ended()).await;
        let code = code.context(
            "the coordinator runs on although its disk is full; if all was solved, hunt something harder",
        )??;
        ensure!(code == Some(1), "the disk was full, and the coordinator ended with {code:?}");
        sleep(Duration::from_secs_f64(rng.random_range(0.0..10.0))).await;
        fs::remove_file(ballast)?;
        cluster.restart().await
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
                let code = cluster.wait(hand, NOTICE).await?;
                ensure!(code == Some(0), "worker {hand} was to end and ended with {code:?}");
                cluster.replace(hand).await?;
            }
            7 => {
                cluster.signal_coordinator(Signal::Terminate)?;
                let code = tokio::time::timeout(NOTICE, cluster.coordinator_ended()).await;
                let code = code.context("the coordinator was to end, and did not")??;
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

    /// How a job has ended, or how it stands when the hunt is to end.
    async fn end_of(
        &self,
        cluster: &Cluster,
        job: JobId,
        begun: Instant,
    ) -> anyhow::Result<JobState> {
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
        let left = self.most.map_or(PATIENCE, |most| most.saturating_sub(begun.elapsed()));
        match tokio::time::timeout(left, watched).await {
            Ok(ended) => ended,
            Err(_) if self.most.is_some() => {
                let mut jobs = cluster.client().await?.watch(job).await?;
                Ok(jobs.next().await?.context("a job has a state")?.state)
            }
            Err(_) => bail!("job {job} does not end"),
        }
    }
}

impl HuntReport {
    /// Kills of anybody.
    fn kills(&self) -> u32 {
        self.workers_killed + self.coordinators_killed
    }

    fn none() -> Self {
        Self {
            checked: Checked { facts: 0, acknowledged: 0 },
            workers_killed: 0,
            coordinators_killed: 0,
            others: 0,
            was_full: false,
            solved: 0,
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
