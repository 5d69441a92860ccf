//! A coordinator and workers as processes.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use sprig_domain::JobId;
use sprig_proto::{Access, Client, ClusterStatus};
use tokio::process::{Child, Command};

use crate::heard::Heard;
use crate::proxy::Proxy;
use crate::tokens::Tokens;
use crate::usage::{Of, processor};

/// Its number in Linux.
const SIGTERM: i32 = 15;

/// A signal, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// At once, and nobody can object.
    Kill,
    /// Please.
    Terminate,
    /// Not another step.
    Stop,
    /// Go on.
    Continue,
}

/// A worker process and its way to the coordinator.
#[derive(Debug)]
pub struct Hand {
    name: String,
    child: Child,
    /// Its way.
    pub proxy: Proxy,
}

/// Whether the coordinator checks what workers claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trust {
    /// It does, and withdraws what does not hold.
    Check,
    /// It does not.
    Believe,
}

/// What runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program.
    pub sprig: PathBuf,
    /// Worker processes, of one thread each.
    pub workers: usize,
    /// Their memory, as `sprig worker --memory` takes it.
    pub memory: String,
    /// Whether the coordinator checks.
    pub trust: Trust,
    /// Whether workers log what they hear, and have ways that can be obstructed. That costs processor time.
    pub hunted: bool,
    /// Who comes in by token; none: everybody comes in.
    pub tokens: Option<Tokens>,
    /// What the coordinator finds in its environment.
    pub environment: Vec<(String, PathBuf)>,
    /// The core on which all run; none: any.
    pub core: Option<usize>,
    /// Further arguments of the coordinator.
    pub arguments: Vec<String>,
    /// Further addresses at which workers look for a coordinator.
    pub elsewhere: Option<SocketAddr>,
}

impl Plan {
    /// A cluster with this many workers, to be attacked.
    #[must_use]
    pub fn of_target(sprig: &Path, workers: usize, trust: Trust) -> Self {
        let (sprig, memory) = (sprig.to_owned(), "512M".into());
        let (tokens, environment, core) = (None, Vec::new(), None);
        let (arguments, elsewhere) = (Vec::new(), None);
        Self {
            sprig,
            workers,
            memory,
            trust,
            hunted: true,
            tokens,
            environment,
            core,
            arguments,
            elsewhere,
        }
    }

    /// The program, on its core.
    fn program(&self) -> Command {
        let Some(core) = self.core else { return Command::new(&self.sprig) };
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string()]).arg(&self.sprig);
        command
    }
}

/// The name of a worker.
#[must_use]
pub fn name_of(hand: usize) -> String {
    format!("worker-{hand}")
}

/// Everything that runs.
#[derive(Debug)]
pub struct Cluster {
    plan: Plan,
    db: PathBuf,
    address: SocketAddr,
    coordinator: Child,
    /// The workers.
    pub hands: Vec<Hand>,
    /// What they have heard.
    pub heard: Heard,
}

impl Cluster {
    /// Starts a coordinator on `db`, and workers.
    ///
    /// # Errors
    /// When a process cannot be started.
    pub async fn start(plan: Plan, db: &Path) -> anyhow::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let heard = Heard::default();
        let coordinator = coordinator(&plan, db, address, &heard)?;
        let (workers, db) = (plan.workers, db.to_owned());
        let mut cluster = Self { plan, db, address, coordinator, hands: Vec::new(), heard };
        for _ in 0..workers {
            cluster.hire().await?;
        }
        Ok(cluster)
    }

    /// Starts a further worker.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn hire(&mut self) -> anyhow::Result<()> {
        let proxy = Proxy::start(self.address).await?;
        let name = name_of(self.hands.len());
        let child = self.worker(&name, &proxy)?;
        self.hands.push(Hand { name, child, proxy });
        Ok(())
    }

    /// Names of workers that have ended, although nobody told them to.
    pub fn deserters(&mut self) -> Vec<String> {
        let ended = |hand: &mut Hand| !matches!(hand.child.try_wait(), Ok(None));
        self.hands.iter_mut().filter_map(|hand| ended(hand).then(|| hand.name.clone())).collect()
    }

    fn worker(&self, name: &str, proxy: &Proxy) -> anyhow::Result<Child> {
        let hunted = self.plan.hunted;
        let mut url = format!("http://{}", if hunted { proxy.address } else { self.address });
        if let Some(elsewhere) = self.plan.elsewhere {
            url += &format!(",http://{elsewhere}");
        }
        let mut command = self.plan.program();
        command.args(["worker", "--coordinator", &url, "--threads", "1", "--name", name]);
        command.args(["--memory", &self.plan.memory]);
        if hunted {
            command.env("SPRIG_LOG", "info,sprig_worker=trace");
        }
        if let Some(tokens) = &self.plan.tokens {
            command.arg("--token-file").arg(tokens.of(name));
        }
        spawn(command, name, &self.heard)
    }

    /// The address of the coordinator.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A connection of a client.
    ///
    /// # Errors
    /// When nobody answers for ten seconds.
    pub async fn client(&self) -> anyhow::Result<Client> {
        let access = self.plan.tokens.as_ref().map_or(Ok(Access::default()), Tokens::client)?;
        Ok(Client::connect_with(&self.url(), &access).await?)
    }

    /// Sends a signal to the coordinator.
    ///
    /// # Errors
    /// When it is gone.
    pub fn signal_coordinator(&self, signal: Signal) -> anyhow::Result<()> {
        send(&self.coordinator, signal)
    }

    /// Sends a signal to a worker.
    ///
    /// # Errors
    /// When it is gone.
    pub fn signal(&self, hand: usize, signal: Signal) -> anyhow::Result<()> {
        send(&self.hands[hand].child, signal)
    }

    /// Waits until a worker that was told to end has ended; its exit code, none for a signal.
    ///
    /// # Errors
    /// When it does not end within this time.
    pub async fn wait(&mut self, hand: usize, time: Duration) -> anyhow::Result<Option<i32>> {
        Ok(self.end_of(hand, time).await?.code())
    }

    async fn end_of(&mut self, hand: usize, time: Duration) -> anyhow::Result<ExitStatus> {
        let hand = &mut self.hands[hand];
        let ended = tokio::time::timeout(time, hand.child.wait()).await;
        Ok(ended.with_context(|| format!("{} did not end within {time:?}", hand.name))??)
    }

    /// Starts a worker in the place of one that has ended. It knows nothing.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn replace(&mut self, hand: usize) -> anyhow::Result<()> {
        self.hands[hand].child.wait().await?;
        let child = self.worker(&self.hands[hand].name, &self.hands[hand].proxy)?;
        self.hands[hand].child = child;
        Ok(())
    }

    /// Waits for the end of the coordinator; its exit code, none for a signal.
    ///
    /// # Errors
    /// When the system fails.
    pub async fn coordinator_ended(&mut self) -> anyhow::Result<Option<i32>> {
        Ok(self.coordinator.wait().await?.code())
    }

    /// Starts the coordinator again on the same database.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        self.coordinator.wait().await?;
        self.coordinator = coordinator(&self.plan, &self.db, self.address, &self.heard)?;
        Ok(())
    }

    /// Starts a coordinator with these arguments on another database, at another address, in the place of one that has ended.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn moved(
        &mut self,
        db: &Path,
        address: SocketAddr,
        arguments: Vec<String>,
    ) -> anyhow::Result<()> {
        self.coordinator.wait().await?;
        (self.db, self.address, self.plan.arguments) = (db.to_owned(), address, arguments);
        self.coordinator = coordinator(&self.plan, &self.db, self.address, &self.heard)?;
        Ok(())
    }

    /// Starts a process of the program beside them, whose log is heard.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn beside(&self, name: &str, arguments: &[&str]) -> anyhow::Result<Child> {
        let mut command = self.plan.program();
        command.args(arguments).env("SPRIG_SEAL_KEY", self.db.with_file_name("seal.key"));
        spawn(command, name, &self.heard)
    }

    /// Waits until every worker holds a lease; how long that took.
    ///
    /// # Errors
    /// When it takes longer than `patience`.
    pub async fn at_work(&self, patience: Duration) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        loop {
            if let Ok(Some(status)) = self.status().await.map(|s| self.is_at_work(&s).then_some(s))
            {
                drop(status);
                return Ok(begun.elapsed());
            }
            if begun.elapsed() > patience {
                bail!("not everybody is at work after {patience:?}: {:?}", self.status().await);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn is_at_work(&self, status: &ClusterStatus) -> bool {
        status.workers.iter().filter(|worker| worker.job.is_some()).count() == self.hands.len()
    }

    /// Whether all these jobs have ended, says whichever coordinator runs.
    ///
    /// # Errors
    /// When a job is no longer there.
    pub async fn have_ended(&self, jobs: impl IntoIterator<Item = JobId>) -> anyhow::Result<bool> {
        let mut client = self.client().await?;
        for job in jobs {
            let mut watched = client.watch(job).await.with_context(|| format!("job {job}"))?;
            if !watched.next().await?.context("a job has a state")?.state.is_final() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What goes on.
    ///
    /// # Errors
    /// When nobody answers.
    pub async fn status(&self) -> anyhow::Result<ClusterStatus> {
        Ok(self.client().await?.status().await?)
    }

    /// The process of the coordinator, while it runs.
    pub fn coordinator_id(&self) -> Option<u32> {
        self.coordinator.id()
    }

    /// Processor time of the coordinator so far, in seconds.
    pub fn coordinator_cpu(&self) -> f64 {
        self.coordinator.id().map_or(0.0, |pid| processor(&pid.to_string(), Of::Itself))
    }

    /// Processor time of each worker so far, in seconds.
    pub fn worker_cpu(&self) -> Vec<f64> {
        let cpu = |hand: &Hand| {
            hand.child.id().map_or(0.0, |pid| processor(&pid.to_string(), Of::Itself))
        };
        self.hands.iter().map(cpu).collect()
    }

    /// Ends everybody in good order: the workers, then the coordinator.
    ///
    /// # Errors
    /// When somebody does not end, or not well.
    pub async fn stop(mut self) -> anyhow::Result<Heard> {
        for hand in 0..self.hands.len() {
            self.signal(hand, Signal::Terminate)?;
        }
        for hand in 0..self.hands.len() {
            let status = self.end_of(hand, Duration::from_secs(20)).await?;
            // One that has just been started does not listen to signals yet: then SIGTERM itself ends it.
            let is_well = status.success() || status.signal() == Some(SIGTERM);
            anyhow::ensure!(is_well, "worker {hand} ended with {status}");
        }
        self.signal_coordinator(Signal::Terminate)?;
        let code = self.coordinator_ended().await?;
        let latest = self.heard.latest();
        anyhow::ensure!(code == Some(0), "the coordinator ended with {code:?}:\n{latest}");
        Ok(self.heard)
    }
}

fn coordinator(
    plan: &Plan,
    db: &Path,
    address: SocketAddr,
    heard: &Heard,
) -> anyhow::Result<Child> {
    let mut command = plan.program();
    command.envs(plan.environment.iter().map(|(name, value)| (name, value)));
    command.args(["coordinator", "--listen", &address.to_string(), "--db"]).arg(db);
    command.args(&plan.arguments);
    command.env("SPRIG_SEAL_KEY", db.with_file_name("seal.key"));
    if plan.trust == Trust::Believe {
        command.arg("--believe-workers");
    }
    if let Some(tokens) = &plan.tokens {
        command.arg("--tokens").arg(tokens.file());
    }
    spawn(command, "coordinator", heard)
}

fn spawn(mut command: Command, name: &str, heard: &Heard) -> anyhow::Result<Child> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let log = child.stderr.take().context("a pipe")?;
    tokio::spawn(heard.clone().listen(name.to_owned(), log));
    Ok(child)
}

/// Sends a signal to a process.
pub(crate) fn send(child: &Child, signal: Signal) -> anyhow::Result<()> {
    let pid = child.id().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed()));
    let signal = match signal {
        Signal::Kill => rustix::process::Signal::KILL,
        Signal::Terminate => rustix::process::Signal::TERM,
        Signal::Stop => rustix::process::Signal::STOP,
        Signal::Continue => rustix::process::Signal::CONT,
    };
    Ok(rustix::process::kill_process(pid.context("it has ended")?, signal)?)
}
