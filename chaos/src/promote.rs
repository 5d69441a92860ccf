//! Promotions: a coordinator is killed under load, its synchronous follower takes its place, and
//! the old one comes back.

use std::fmt;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use serde_json::Value;
use sprig_domain::{Conclusion, JobId, JobState};
use sprig_store::{Kind, Reader, Secret};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::check;
use crate::cluster::{Cluster, Plan, Signal, Trust, send};
use crate::prove::seal_key;
use crate::start::Start;

/// A run.
#[derive(Debug)]
pub struct Promote {
    /// The program.
    pub sprig: PathBuf,
    /// Promotions.
    pub rounds: u64,
    /// Spots of the job of each round.
    pub spots: usize,
    /// Longest time that the coordinator works before it is killed.
    pub pause: Duration,
    /// Decides which processes are killed when.
    pub seed: u64,
    /// How long a job may take once all processes are left alone.
    pub patience: Duration,
}

/// What came of one promotion.
#[derive(Serialize, Clone, Debug, Default)]
pub struct Round {
    /// What was solved.
    pub job: String,
    /// Workers.
    pub workers: usize,
    /// Whether the follower was killed, too, and not stopped in good order.
    pub follower_killed: bool,
    /// Facts that were acknowledged before the coordinator was killed.
    pub acknowledged_before: usize,
    /// Facts that were acknowledged in all, each of them there.
    pub acknowledged: usize,
    /// Facts that the killed coordinator had on disk and its follower had not: none of them was
    /// acknowledged.
    pub unconfirmed: u64,
    /// Seconds from the kill to the promotion, which would be the decision of a person.
    pub away: f64,
    /// Seconds from the start of the new coordinator until all workers were at work.
    pub back: f64,
    /// Facts in the new database when the job was answered.
    pub facts: u64,
    /// Facts of the old database that were new there, when it was handed in.
    pub handed_in: u64,
    /// Seconds until the answer.
    pub seconds: f64,
    /// What must not be.
    pub violations: Vec<String>,
}

/// How long a process may take to start or to end.
const SOON: Duration = Duration::from_secs(60);

impl Promote {
    /// Runs the promotions; `told` hears of each round.
    ///
    /// # Errors
    /// When a process cannot be started. Violations stand in the rounds.
    pub async fn run(&self, told: impl Fn(&Round)) -> anyhow::Result<Vec<Round>> {
        let mut rounds = Vec::new();
        for number in 0..self.rounds {
            let dice = SmallRng::seed_from_u64(self.seed.wrapping_mul(1_000_003) + number);
            let round = self.round(dice).await?;
            told(&round);
            rounds.push(round);
        }
        Ok(rounds)
    }

    async fn round(&self, mut dice: SmallRng) -> anyhow::Result<Round> {
        let start = Start { spots: self.spots, misere: false };
        let mut round = Round {
            job: start.to_string(),
            workers: dice.random_range(2..=3),
            follower_killed: dice.random_bool(0.5),
            ..Round::default()
        };
        let folder = tempfile::tempdir()?;
        let places = Places::new(folder.path())?;
        let peer = format!("http://{}", places.new_address);
        let mut plan = Plan::of_target(&self.sprig, round.workers, Trust::Check);
        plan.arguments = ["--sync-followers", "1", "--peer", &peer].map(String::from).to_vec();
        plan.elsewhere = Some(places.new_address);
        let cluster = Cluster::start(plan, &places.old).await?;
        let (heard, begun) = (cluster.heard.clone(), Instant::now());
        let result = self.succession(cluster, &places, start, &mut dice, &mut round).await;
        round.seconds = begun.elapsed().as_secs_f64();
        if let Err(error) = result {
            let (kept, said) = (folder.keep(), heard.latest());
            round.violations.push(format!("{error:#} ({})\n{said}", kept.display()));
        }
        Ok(round)
    }

    async fn succession(
        &self,
        mut cluster: Cluster,
        places: &Places,
        start: Start,
        dice: &mut SmallRng,
        round: &mut Round,
    ) -> anyhow::Result<()> {
        let (url, copy) = (cluster.url(), text(&places.new));
        let follower = cluster.beside(
            "follower",
            &["follow", "--coordinator", &url, "--db", &copy, "--name", "copy"],
        )?;
        let job = cluster.client().await?.submit(start.goal(), 0).await?.id;
        cluster.at_work(SOON).await?;
        sleep(self.pause.mul_f64(dice.random_range(0.1..1.0))).await;
        let status = cluster.status().await?;
        ensure!(status.followers.len() == 1, "the follower is not there: {status:?}");

        // The coordinator is gone, in the middle of its work; perhaps its follower, too.
        cluster.signal_coordinator(Signal::Kill)?;
        let killed = Instant::now();
        cluster.coordinator_ended().await?;
        let end = if round.follower_killed { Signal::Kill } else { Signal::Terminate };
        ended(follower, end).await?;
        let heard = cluster.heard.clone();
        let before = heard.facts();
        round.acknowledged_before = before.len();
        ensure!(!before.is_empty(), "nothing was acknowledged before the kill: hunt later");
        let lost = gone(&places.new, before).await?;
        ensure!(
            lost.is_empty(),
            "{} acknowledged facts are not on the follower: {}",
            lost.len(),
            lost[0]
        );
        round.unconfirmed = facts(&places.old)?.saturating_sub(facts(&places.new)?);

        self.sprig(places, &["promote", "--db", &copy, "--json"]).await?;
        round.away = killed.elapsed().as_secs_f64();
        cluster.moved(&places.new, places.new_address, Vec::new()).await?;
        round.back = back(&cluster, job).await?.as_secs_f64();
        // The old one comes back in the middle of this, and is shut out.
        let peer = cluster.url();
        let db = text(&places.old);
        let listen = ["coordinator", "--listen", "127.0.0.1:0", "--db", &db, "--peer", &peer];
        let mut old = cluster.beside("old coordinator", &listen)?;
        let code = timeout(SOON, old.wait()).await.context("the old coordinator leads on")??.code();
        ensure!(code == Some(1), "the old coordinator was to be refused and ended with {code:?}");
        // The old coordinator knows by now that it was succeeded, whatever it is asked.
        let mut old = cluster.beside("old coordinator, alone", &listen[..5])?;
        let code = timeout(SOON, old.wait()).await.context("it leads again")??.code();
        ensure!(code == Some(1), "it was to be refused again and ended with {code:?}");

        self.answered(&cluster, job, start).await?;
        let heard = cluster.stop().await?;
        let contradictions = heard.contradictions();
        ensure!(contradictions.is_empty(), "acknowledged with two values: {contradictions:?}");
        let acknowledged = heard.facts();
        round.acknowledged = acknowledged.len();
        let lost = gone(&places.new, acknowledged).await?;
        ensure!(lost.is_empty(), "{} acknowledged facts are lost: {}", lost.len(), lost[0]);
        round.facts = facts(&places.new)?;

        // What the old one alone had, through the auditor.
        let merged = self.sprig(places, &["merge", &copy, &text(&places.old), "--json"]).await?;
        round.handed_in = merged["nimbers"].as_u64().context("nimbers")?;
        ensure!(merged["refuted"] == 0, "the old one has handed in what is false: {merged}");
        let (key, old, new) = (secret(places)?, places.old.clone(), places.new.clone());
        let missing = tokio::task::spawn_blocking(move || missing(&old, &new, &key)).await??;
        ensure!(missing == 0, "{missing} facts of the old database were not handed in");
        Ok(())
    }

    async fn answered(&self, cluster: &Cluster, job: JobId, start: Start) -> anyhow::Result<()> {
        let mut watched = cluster.client().await?.watch(job).await?;
        let answer = async {
            while let Some(job) = watched.next().await? {
                if job.state.is_final() {
                    return Ok(job.state);
                }
            }
            bail!("{start} was no longer told, and had not ended")
        };
        let state = timeout(self.patience, answer).await.context("no answer")??;
        let JobState::Done(Conclusion { outcome, .. }) = state else {
            bail!("{start} ended as {state:?}")
        };
        ensure!(outcome == start.outcome(), "{start}: WRONG, {outcome}");
        Ok(())
    }

    /// Runs the program to its end. Returns what it says as JSON.
    async fn sprig(&self, places: &Places, arguments: &[&str]) -> anyhow::Result<Value> {
        let mut command = Command::new(&self.sprig);
        command.args(arguments).env("SPRIG_SEAL_KEY", seal_key(&places.folder));
        let output = command.stdin(Stdio::null()).kill_on_drop(true).output().await?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // A merge ends with code 1 when claims are left, which is no failure.
        let json = serde_json::from_slice(&output.stdout);
        json.with_context(|| format!("{arguments:?} ended with {}: {said}", output.status))
    }
}

/// Where everything is.
struct Places {
    folder: PathBuf,
    old: PathBuf,
    new: PathBuf,
    new_address: SocketAddr,
}

impl Places {
    fn new(folder: &Path) -> anyhow::Result<Self> {
        let [old, new] = ["old", "new"].map(|name| folder.join(name));
        let new_address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        Ok(Self { folder: folder.to_owned(), old, new, new_address })
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn secret(places: &Places) -> anyhow::Result<Secret> {
    crate::prove::secret(&places.folder)
}

/// Waits until all workers are at work for the new coordinator, or have done what there was to do.
async fn back(cluster: &Cluster, job: JobId) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let mut seen = String::new();
    while begun.elapsed() < SOON {
        if let Ok(status) = cluster.status().await {
            let at_work = status.workers.iter().filter(|worker| worker.job.is_some()).count();
            let is_over = status.jobs.iter().any(|j| j.id == job && j.state.is_final());
            if at_work == cluster.hands.len() || is_over {
                return Ok(begun.elapsed());
            }
            seen = format!("{status:?}");
        }
        sleep(Duration::from_millis(20)).await;
    }
    bail!("not everybody is at work after {SOON:?}: {seen}")
}

/// Ends a process.
async fn ended(mut child: Child, signal: Signal) -> anyhow::Result<()> {
    send(&child, signal)?;
    timeout(SOON, child.wait()).await.context("the follower does not end")??;
    Ok(())
}

async fn gone(db: &Path, acknowledged: Vec<(String, u8)>) -> anyhow::Result<Vec<String>> {
    let db = db.to_owned();
    tokio::task::spawn_blocking(move || check::lost(&db, &acknowledged)).await?
}

fn facts(db: &Path) -> anyhow::Result<u64> {
    Ok(Reader::open(db, &Secret::random())?.counts()?.total())
}

/// Nimbers that the old database has and the new one does not.
fn missing(old: &Path, new: &Path, key: &Secret) -> anyhow::Result<usize> {
    let (old, new) = (Reader::open(old, key)?, Reader::open(new, key)?);
    let mut missing = 0;
    for stored in old.facts(Kind::Nimber) {
        missing += usize::from(new.nimber(&stored?.fact.subject)?.is_none());
    }
    Ok(missing)
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} workers: {} facts acknowledged before the kill, {} in all, {} only on the old disk; all at \
             work {:.1} s after the promotion; {} handed in; {:.0} s{}",
            self.job,
            self.workers,
            self.acknowledged_before,
            self.acknowledged,
            self.unconfirmed,
            self.back,
            self.handed_in,
            self.seconds,
            if self.violations.is_empty() { "" } else { "  VIOLATION" },
        )
    }
}
