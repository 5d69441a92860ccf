//! A reader and workers at full malice on one core, the coordinator and an honest worker on another: what the attack costs them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use sprig_domain::{Conclusion, JobState, Play};
use sprig_engine::{CanonicalPosition, Position};
use sprig_proto::{Client, ClusterStatus};
use tokio::process::{Child, Command};
use tokio::time::{interval, sleep, timeout};

use crate::cluster::{Cluster, Plan, Trust, name_of};
use crate::liars::Lie;
use crate::start::Start;
use crate::tokens::Tokens;
use crate::usage::{Of, processor};

/// The measurement.
#[derive(Debug)]
pub struct Malice {
    /// The program.
    pub sprig: PathBuf,
    /// How long the attack lasts.
    pub time: Duration,
    /// The cores of the honest ones, and of the attackers.
    pub cores: [usize; 2],
    /// Decides what attackers do.
    pub seed: u64,
    /// Spots of the first jobs; they go on from there.
    pub from: usize,
}

/// What the honest ones have needed.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Bill {
    /// Spots of the jobs that were answered, all rightly.
    pub jobs: Vec<usize>,
    /// Expansions of the honest worker.
    pub expansions: u64,
    /// Its processor time, in seconds.
    pub worker_cpu: f64,
    /// Processor time of the coordinator.
    pub coordinator_cpu: f64,
    /// The same by thread.
    pub threads: BTreeMap<String, f64>,
    /// Seconds by the clock.
    pub seconds: f64,
    /// How soon another client was told what is known of a position.
    pub queries: Waits,
    /// How soon it was told what goes on.
    pub statuses: Waits,
    /// Load of the machine when it ended.
    pub load: String,
}

/// How soon calls were answered.
#[derive(Serialize, Clone, Copy, Debug, Default)]
pub struct Waits {
    /// How many.
    pub calls: usize,
    /// Of these, how many took longer than a second.
    pub late: usize,
    /// How long 99 % of them took at most, in milliseconds.
    pub p99: f64,
    /// How long the last of them took.
    pub longest: f64,
}

/// What another client sees.
#[derive(Debug, Default)]
struct Seen {
    queries: Vec<Duration>,
    statuses: Vec<Duration>,
    /// Expansions of the honest worker in all, and by its counter, which begins anew when it has to forget.
    expansions: u64,
    counter: u64,
}

/// With and without attack.
#[derive(Serialize, Clone, Debug)]
pub struct Comparison {
    /// With.
    pub attacked: Bill,
    /// Without: the same jobs.
    pub alone: Bill,
    /// Processor time of the coordinator under attack for as long, without the honest worker and its jobs, in seconds.
    pub attack: f64,
}

/// What an attack may cost.
pub const BOUND: f64 = 1.3;

/// Spots of the last job: no attack that is measured lasts until its end.
const TO: usize = 53;

/// How long another client may wait.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it asks.
const PAUSE: Duration = Duration::from_millis(250);

/// Accounts of the attackers' workers: one for each kind of lie.
pub fn accounts() -> Vec<String> {
    (0..Lie::ALL.len()).map(|number| format!("liar-{number}")).collect()
}

impl Malice {
    /// Measures with attackers for the whole time, then the same jobs without.
    ///
    /// # Errors
    /// When an answer is wrong, a job fails, the honest worker is sent away, or a process cannot be started.
    pub async fn run(&self) -> anyhow::Result<Comparison> {
        let attacked = self.measure(None).await?;
        let alone = self.measure(Some(&attacked.jobs)).await?;
        let attack = self.besiege(attacked.seconds).await?;
        Ok(Comparison { attacked, alone, attack })
    }

    /// A coordinator that checks, without a worker yet.
    async fn start(&self, folder: &Path) -> anyhow::Result<Cluster> {
        let names: Vec<String> = accounts().into_iter().chain([name_of(0)]).collect();
        let tokens = Tokens::make(&self.sprig, folder, &names).await?;
        let mut plan = Plan::of_target(&self.sprig, 0, Trust::Check);
        (plan.hunted, plan.core, plan.tokens) = (false, Some(self.cores[0]), Some(tokens));
        Cluster::start(plan, &folder.join("db")).await
    }

    /// What an attack of these seconds costs a coordinator that works for nobody else.
    async fn besiege(&self, seconds: f64) -> anyhow::Result<f64> {
        let folder = tempfile::tempdir()?;
        let cluster = self.start(folder.path()).await?;
        let _attacker = self.attack(&cluster.url(), folder.path()).await?;
        let seen = RefCell::new(Seen::default());
        tokio::select! {
            () = sleep(Duration::from_secs_f64(seconds)) => {}
            () = probe(cluster.client().await?, &seen) => bail!("the prober has ended"),
        }
        let spent = cluster.coordinator_cpu();
        cluster.stop().await?;
        Ok(spent)
    }

    /// Does these jobs; none: under attack, as many as the time allows.
    async fn measure(&self, jobs: Option<&[usize]>) -> anyhow::Result<Bill> {
        let folder = tempfile::tempdir()?;
        let mut cluster = self.start(folder.path()).await?;
        let heard = cluster.heard.clone();
        let mut client = cluster.client().await?;
        let _attacker = match jobs {
            None => Some(self.attack(&cluster.url(), folder.path()).await?),
            Some(_) => None,
        };
        cluster.hire().await?;
        let seen = RefCell::new(Seen::default());
        let begun = Instant::now();
        let mut bill = tokio::select! {
            bill = self.work(&cluster, jobs, &seen) => bill?,
            () = probe(cluster.client().await?, &seen) => bail!("the prober has ended"),
        };
        ensure!(
            !bill.jobs.is_empty(),
            "no job was answered in {:?}\n{}",
            self.time,
            heard.latest()
        );
        bill.seconds = begun.elapsed().as_secs_f64();
        let bans = client.status().await?.bans;
        let is_honest = bans.iter().find(|ban| ban.proved && ban.name == name_of(0));
        ensure!(is_honest.is_none(), "the honest worker is banned: {is_honest:?}");
        let deserters = cluster.deserters();
        ensure!(deserters.is_empty(), "{deserters:?} ended:\n{}", heard.latest());
        let seen = seen.into_inner();
        (bill.queries, bill.statuses) = (Waits::of(seen.queries), Waits::of(seen.statuses));
        bill.load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned();
        cluster.stop().await?;
        Ok(bill)
    }

    async fn work(
        &self,
        cluster: &Cluster,
        jobs: Option<&[usize]>,
        seen: &RefCell<Seen>,
    ) -> anyhow::Result<Bill> {
        let (mut bill, begun) = (Bill::default(), Instant::now());
        let mut client = cluster.client().await?;
        let endless = (self.from..=TO).filter(|&spots| is_cheap(spots));
        let wanted: Vec<usize> = jobs.map_or_else(|| endless.collect(), <[usize]>::to_vec);
        for spots in wanted {
            let left = self.time.saturating_sub(begun.elapsed());
            let patience = if jobs.is_some() { 10 * self.time } else { left };
            let start = Start { spots, misere: false };
            let Ok(answered) = timeout(patience, answered(&mut client, start)).await else { break };
            answered.with_context(|| format!("{start}\n{}", cluster.heard.latest()))?;
            bill.jobs.push(spots);
            let status = client.status().await?;
            seen.borrow_mut().note(&status);
            bill.expansions = seen.borrow().expansions;
            bill.worker_cpu = cluster.worker_cpu()[0];
            bill.coordinator_cpu = cluster.coordinator_cpu();
            bill.threads = threads(cluster.coordinator_id());
        }
        Ok(bill)
    }

    /// Attackers in a process of their own, on their core.
    async fn attack(&self, url: &str, tokens: &Path) -> anyhow::Result<Child> {
        let mut command = Command::new("taskset");
        command.args(["-c", &self.cores[1].to_string()]).arg(std::env::current_exe()?);
        command.args(["attack", url, "--seed", &self.seed.to_string(), "--tokens"]).arg(tokens);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let attacker = command.spawn().context("cannot start taskset (Debian: util-linux)")?;
        // What it knows, it has found out before it begins.
        sleep(Duration::from_secs(2)).await;
        Ok(attacker)
    }
}

/// Whether one worker finds out in a minute or two who wins. The others would never end under attack.
fn is_cheap(spots: usize) -> bool {
    if spots < 30 { ![21, 27].contains(&spots) } else { matches!(spots % 6, 4 | 5) }
}

async fn answered(client: &mut Client, start: Start) -> anyhow::Result<()> {
    let job = client.submit(start.goal(), 0).await?;
    let mut watched = client.watch(job.id).await?;
    while let Some(job) = watched.next().await? {
        match job.state {
            JobState::Done(Conclusion { outcome, .. }) => {
                ensure!(outcome == start.outcome(), "WRONG: {outcome}");
                return Ok(());
            }
            state if state.is_final() => bail!("it ended as {state:?}"),
            _ => {}
        }
    }
    bail!("it was no longer told, and had not ended")
}

/// Asks for ever, like any other client; notes how long each answer takes.
async fn probe(mut client: Client, seen: &RefCell<Seen>) {
    let small = CanonicalPosition::of(&Position::start(5));
    let mut beat = interval(PAUSE);
    loop {
        beat.tick().await;
        let begun = Instant::now();
        let known = client.query(&small, Play::Normal).await.is_ok();
        seen.borrow_mut().queries.push(if known { begun.elapsed() } else { Duration::MAX });
        let begun = Instant::now();
        let told = client.status().await;
        let time = if told.is_ok() { begun.elapsed() } else { Duration::MAX };
        seen.borrow_mut().statuses.push(time);
        if let Ok(status) = told {
            seen.borrow_mut().note(&status);
        }
    }
}

impl Seen {
    fn note(&mut self, status: &ClusterStatus) {
        // The name that was proved stands last.
        let honest = status.workers.iter().find(|worker| worker.name.ends_with(&name_of(0)));
        if let Some(worker) = honest {
            let now = worker.figures.expansions;
            self.expansions += if now < self.counter { now } else { now - self.counter };
            self.counter = now;
        }
    }
}

impl Waits {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let of = |share: f64| {
            let at = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
            times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        let late = times.iter().filter(|&&time| time > PATIENCE).count();
        Self { calls: times.len(), late, p99: of(0.99), longest: of(1.0) }
    }
}

/// Processor time of each thread of a process, by name, in seconds.
fn threads(process: Option<u32>) -> BTreeMap<String, f64> {
    let mut times = BTreeMap::new();
    let process = process.unwrap_or_default();
    let tasks = std::fs::read_dir(format!("/proc/{process}/task"));
    for task in tasks.into_iter().flatten().flatten() {
        let name = std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        let thread = format!("{process}/task/{}", task.file_name().display());
        *times.entry(name.trim().to_owned()).or_insert(0.0) += processor(&thread, Of::Itself);
    }
    times
}

impl Comparison {
    /// Processor time of the coordinator under attack that is not spent on attackers, in seconds.
    #[must_use]
    pub fn for_the_worker(&self) -> f64 {
        (self.attacked.coordinator_cpu - self.attack).max(0.0)
    }

    /// What must not be.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        let Self { attacked, alone, .. } = self;
        let mut violations = Vec::new();
        let mut compare = |what: &str, attacked: f64, alone: f64| {
            let ratio = attacked / alone.max(0.01);
            if ratio > BOUND {
                violations.push(format!("{what}: {ratio:.2} times those without attack"));
            }
        };
        compare("expansions", attacked.expansions as f64, alone.expansions as f64);
        compare("CPU seconds of the worker", attacked.worker_cpu, alone.worker_cpu);
        let for_it = "CPU seconds of the coordinator for the worker";
        compare(for_it, self.for_the_worker(), alone.coordinator_cpu);
        for (what, waits) in [("queries", attacked.queries), ("statuses", attacked.statuses)] {
            let Waits { calls, late, .. } = waits;
            if late > 0 {
                violations.push(format!("{late} of {calls} {what} took longer than a second"));
            }
        }
        violations
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { attacked, alone, attack } = self;
        let mut row = |what: &str, of: fn(&Bill) -> f64| {
            let (attacked, alone) = (of(attacked), of(alone));
            writeln!(f, "{what:32} {alone:>12.2} {attacked:>12.2} {:>7.2}", attacked / alone)
        };
        row("jobs", |bill| bill.jobs.len() as f64)?;
        row("expansions", |bill| bill.expansions as f64)?;
        row("CPU seconds of the worker", |bill| bill.worker_cpu)?;
        row("CPU seconds of the coordinator", |bill| bill.coordinator_cpu)?;
        row("seconds", |bill| bill.seconds)?;
        writeln!(
            f,
            "{:32} {:>12} {attack:>12.2}",
            "CPU seconds of the coordinator, attackers alone", ""
        )?;
        let both = [
            ("queries", alone.queries, attacked.queries),
            ("statuses", alone.statuses, attacked.statuses),
        ];
        for (what, alone, attacked) in both {
            let mut row = |what: String, alone: f64, attacked: f64| {
                writeln!(f, "{what:32} {alone:>12.0} {attacked:>12.0}")
            };
            row(what.to_owned(), alone.calls as f64, attacked.calls as f64)?;
            row(format!("{what} after a second"), alone.late as f64, attacked.late as f64)?;
            row(format!("99 % of {what} within (ms)"), alone.p99, attacked.p99)?;
            row(format!("all {what} within (ms)"), alone.longest, attacked.longest)?;
        }
        write!(f, "load at the end: {}; attacked {}", alone.load, attacked.load)
    }
}
