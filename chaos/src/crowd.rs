//! A crowd of simulated workers on one real coordinator: how long they wait for a lease, and what that costs.
//!
//! Idle workers hold a session and follow the facts. Busy ones pull a lease, report true facts and progress for as long as a
//! lease lasts, hand it back with the budget spent, and pull the next. They search nothing, so that many fit on one machine;
//! the coordinator does all that it does for real ones.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sprig_domain::{Figures, Game, LandNimber, Ruleset, Verdict};
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Acknowledge, Answer, Build, Client, FromWorker, Grant, Hello, LeaseId, Pull, Report, ToWorker,
    WorkerId, wire,
};
use sprig_search::{Limits, Observer, Solver};
use sprig_store::{Reader, Secret};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;

use crate::check;
use crate::usage::{Of, processor, resident};

/// Facts a busy worker reports in a second.
const FACTS: f64 = 20.0;
/// Expansions it claims to have made in a second.
const EXPANSIONS: f64 = 20_000.0;
/// How often it reports, unless the coordinator wants it less often.
const PROGRESS: Duration = Duration::from_millis(100);
/// How long nobody may wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A crowd.
pub struct Crowd {
    /// Workers that only listen.
    pub idle: usize,
    /// Workers that take leases.
    pub busy: usize,
    /// How long it is measured.
    pub time: Duration,
    /// How long a busy worker keeps a lease.
    pub lease: Duration,
    /// The job; it must be too large to be answered by what the workers report.
    pub position: String,
    /// A database whose facts are reported, each once, in the order in which they came there. Without
    /// one, a few are reported again and again.
    pub facts: Option<PathBuf>,
}

/// What was measured.
pub struct Measured {
    /// From each pull to its grant, in ascending order.
    pub waits: Vec<Duration>,
    /// Processor time of the coordinator in cores.
    pub cores: f64,
    /// Memory of the coordinator in bytes.
    pub memory: u64,
    /// Facts that were reported in a second.
    pub facts: f64,
}

impl Measured {
    /// The wait that only a share of `rest` exceeds.
    pub fn quantile(&self, rest: f64) -> Duration {
        let place = (self.waits.len() as f64 * (1.0 - rest)) as usize;
        self.waits[place.min(self.waits.len() - 1)]
    }
}

/// What the busy ones share.
struct Shared {
    url: String,
    facts: Vec<LandNimber>,
    /// How many have been reported. Each follows from those before it.
    told: AtomicUsize,
    /// Whether they are reported again when all have been.
    again: bool,
    lease: Duration,
    /// Set while it is measured.
    waits: Mutex<Option<Vec<Duration>>>,
    reported: AtomicU64,
}

impl Crowd {
    /// Starts a coordinator of `sprig`, lets the crowd in, and measures.
    ///
    /// # Errors
    /// When anything does not go as it should.
    pub async fn run(&self, sprig: &Path) -> anyhow::Result<Measured> {
        let folder = tempfile::tempdir()?;
        let (coordinator, url) = coordinator(sprig, folder.path()).await?;
        let facts = match &self.facts {
            Some(db) => check::nimbers(&Reader::open(db, &Secret::random())?)?,
            None => true_facts(),
        };
        ensure!(!facts.is_empty(), "there is nothing to report");
        Client::connect(&url).await?.submit(check::outcome_of(&self.position)?, 0).await?;
        let shared = Arc::new(Shared {
            url,
            facts,
            told: AtomicUsize::new(0),
            again: self.facts.is_none(),
            lease: self.lease,
            waits: Mutex::new(None),
            reported: AtomicU64::new(0),
        });
        let mut workers = JoinSet::new();
        for number in 0..self.idle + self.busy {
            let session = timeout(PATIENCE, join(&shared.url, number as u64)).await??;
            let shared = Arc::clone(&shared);
            let busy = number >= self.idle;
            workers.spawn(async move {
                if busy {
                    work(session, number as u64, &shared).await
                } else {
                    listen(session).await
                }
            });
        }
        // Until all have had their first lease.
        sleep(2 * self.lease).await;
        let pid = coordinator.id().context("the coordinator has ended")?;
        let (before, begun) = (processor(&pid.to_string(), Of::Itself), Instant::now());
        shared.reported.store(0, Ordering::Relaxed);
        *shared.waits.lock().expect("no panic") = Some(Vec::new());
        tokio::select! {
            () = sleep(self.time) => {}
            Some(ended) = workers.join_next() => {
                ended??;
                bail!("a worker was sent away");
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        let cores = (processor(&pid.to_string(), Of::Itself) - before) / seconds;
        let mut waits = shared.waits.lock().expect("no panic").take().unwrap_or_default();
        ensure!(!waits.is_empty(), "nobody got a lease");
        waits.sort_unstable();
        let facts = shared.reported.load(Ordering::Relaxed) as f64 / seconds;
        Ok(Measured { waits, cores, memory: resident(pid)?, facts })
    }
}

/// A coordinator process that ends with this program, and its address.
async fn coordinator(sprig: &Path, folder: &Path) -> anyhow::Result<(Child, String)> {
    let mut child = Command::new(sprig)
        .args(["coordinator", "--listen", "127.0.0.1:0", "--db"])
        .arg(folder.join("db"))
        .env("SPRIG_SEAL_KEY", folder.join("seal.key"))
        .env("SPRIG_LOG", "warn")
        // All that are busy share one job.
        .env("SPRIG_JOB_WORKERS", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", sprig.display()))?;
    let mut lines = BufReader::new(child.stderr.take().context("a pipe")?).lines();
    while let Some(line) = lines.next_line().await? {
        let url = line.strip_prefix("sprig: coordinator at ").and_then(|l| l.split(',').next());
        if let Some(url) = url.map(str::to_owned) {
            tokio::spawn(async move {
                while let Ok(Some(line)) = lines.next_line().await {
                    eprintln!("{line}");
                }
            });
            return Ok((child, url));
        }
    }
    bail!("the coordinator has ended")
}

struct Recorder(Mutex<Vec<LandNimber>>);

impl Observer<LandNimber> for Recorder {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, fact: LandNimber) {
        self.0.lock().expect("no panic").push(fact);
    }
}

/// Facts that are so, in an order in which each follows from those before it.
fn true_facts() -> Vec<LandNimber> {
    let recorder = Recorder(Mutex::default());
    let solver = Solver::new(Limits { memory: 256 << 20, threads: 1 });
    for spots in ["0*14", "0*15", "0*16"] {
        if let Ok(goal) = check::outcome_of(spots) {
            let _ = solver.solve(goal.position(), goal.question(), u64::MAX, &recorder);
        }
    }
    recorder.0.into_inner().expect("no panic")
}

/// A session that has been welcomed.
struct Session {
    out: mpsc::UnboundedSender<wire::FromWorker>,
    incoming: tonic::Streaming<wire::ToWorker>,
    facts: tonic::Streaming<wire::FactBatch>,
}

impl Session {
    fn say(&self, message: FromWorker) -> anyhow::Result<()> {
        self.out.send(message.into()).context("the session has ended")
    }

    async fn hear(&mut self) -> anyhow::Result<ToWorker> {
        let message = self.incoming.message().await?.context("the session has ended")?;
        Ok(ToWorker::try_from(message)?)
    }
}

async fn join(url: &str, number: u64) -> anyhow::Result<Session> {
    let mut calls = WorkersClient::connect(url.to_owned()).await?;
    let (out, outgoing) = mpsc::unbounded_channel();
    let hello = Hello {
        build: Build::here(),
        name: format!("crowd-{number}"),
        worker: WorkerId(number + 1),
        threads: 1,
        holding: None,
        figures: Figures::default(),
        games: vec![Game::Sprouts],
        reign: None,
        looks: false,
    };
    out.send(FromWorker::Hello(hello).into())?;
    let mut session = calls.clone();
    let incoming = session.work(UnboundedReceiverStream::new(outgoing)).await?.into_inner();
    let request = wire::FactsRequest {
        worker: number + 1,
        ruleset: Some(Ruleset::NORMAL.into()),
        ..Default::default()
    };
    let facts = calls.facts(request).await?.into_inner();
    let mut session = Session { out, incoming, facts };
    match session.hear().await? {
        ToWorker::Welcome(_) => Ok(session),
        other => bail!("not welcomed: {other:?}"),
    }
}

async fn listen(session: Session) -> anyhow::Result<()> {
    let Session { out: _out, mut incoming, mut facts } = session;
    loop {
        tokio::select! {
            message = incoming.message() => drop(message?.context("the session has ended")?),
            batch = facts.message() => drop(batch?.context("the facts have ended")?),
        }
    }
}

/// A busy worker.
struct Busy<'a> {
    session: Session,
    shared: &'a Shared,
    figures: Figures,
    sequence: u64,
    reported_at: Instant,
    /// How long it gathers.
    gathers: Duration,
}

impl Busy<'_> {
    /// Tells what it has done since it last did.
    fn report(&mut self, lease: LeaseId) -> anyhow::Result<()> {
        let seconds =
            std::mem::replace(&mut self.reported_at, Instant::now()).elapsed().as_secs_f64();
        let count = (seconds * FACTS).round() as usize;
        self.figures.expansions += (seconds * EXPANSIONS) as u64;
        self.session.say(FromWorker::Progress { lease, figures: self.figures })?;
        let Shared { facts, told, again, .. } = self.shared;
        let next = told.fetch_add(count, Ordering::Relaxed);
        ensure!(*again || next + count <= facts.len(), "the database has too few facts");
        let told = (next..next + count).map(|at| facts[at % facts.len()].clone().into());
        let report = Report { game: Game::Sprouts, sequence: self.sequence, facts: told.collect() };
        self.session.say(FromWorker::Report(report))?;
        self.sequence += 1;
        self.shared.reported.fetch_add(count as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Searches for as long as the lease is kept.
    async fn keep(&mut self, lease: LeaseId, end: Instant) -> anyhow::Result<()> {
        loop {
            tokio::select! {
                () = sleep_until((self.reported_at + self.gathers).min(end)) => {
                    self.report(lease)?;
                    if Instant::now() >= end {
                        return Ok(());
                    }
                }
                message = self.session.incoming.message() => {
                    match ToWorker::try_from(message?.context("the session has ended")?)? {
                        ToWorker::Acknowledge(Acknowledge { gather, .. }) => self.gathers = gather.max(PROGRESS),
                        ToWorker::Revoke(_) => return Ok(()),
                        _ => {}
                    }
                }
                batch = self.session.facts.message() => drop(batch?.context("the facts have ended")?),
            }
        }
    }
}

async fn work(session: Session, number: u64, shared: &Shared) -> anyhow::Result<()> {
    let mut dice = SmallRng::seed_from_u64(number);
    let (figures, sequence, reported_at, gathers) =
        (Figures::default(), 0, Instant::now(), PROGRESS);
    let mut busy = Busy { session, shared, figures, sequence, reported_at, gathers };
    let mut answer = None;
    loop {
        let pulled = Instant::now();
        busy.session.say(FromWorker::Pull(Pull { answer: answer.take(), more: true }))?;
        let Grant { lease, .. } = granted(&mut busy.session).await?;
        if let Some(waits) = shared.waits.lock().expect("no panic").as_mut() {
            waits.push(pulled.elapsed());
        }
        busy.keep(lease, pulled + shared.lease.mul_f64(dice.random_range(0.5..1.5))).await?;
        let numbers = Verdict::Open {
            proof: dice.random_range(1..1000),
            disproof: dice.random_range(1..1000),
        };
        answer = Some(Answer { lease, verdict: Ok(numbers), figures: busy.figures });
    }
}

async fn granted(session: &mut Session) -> anyhow::Result<Grant> {
    loop {
        tokio::select! {
            message = session.incoming.message() => {
                let message = message?.context("the session has ended")?;
                if let ToWorker::Grant(grant) = ToWorker::try_from(message)? {
                    return Ok(grant);
                }
            }
            batch = session.facts.message() => drop(batch?.context("the facts have ended")?),
        }
    }
}
