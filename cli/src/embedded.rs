//! A whole cluster inside one process: the same coordinator, workers, gRPC and store as on many
//! machines, on loopback.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZero;
use std::path::Path;
use std::pin::pin;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use sprig_ask::plural;
use sprig_coordinator::access::{Tokens, hash_of};
use sprig_coordinator::{Coordinator, Protection, Trust};
use sprig_domain::{Figures, Goal};
use sprig_proto::{Access, Client, Job, JobOrder, Token};
use sprig_search::Limits;
use sprig_store::{Reader, Secret};
use sprig_worker::{Shutdown, Worker};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::database::Database;
use crate::failure::{Failure, Interrupted};
use crate::memory::Bounds;
use crate::prove::prove;
use crate::solved::{Show, Solved};
use crate::stop::Stop;

/// How long a coordinator that has closed the connection may take to say why.
const REASON: Duration = Duration::from_secs(1);

/// A cluster inside this process.
pub struct Embedded {
    /// Coordinator, workers and client are tasks on the threads of this runtime. The searches have
    /// threads of their own.
    runtime: Runtime,
    stop: Stop,
    client: Client,
    coordinator: Coordinator,
    workers: JoinSet<Result<(), sprig_worker::Error>>,
    shutdown: watch::Sender<Shutdown>,
    database: Database,
}

impl Embedded {
    /// A cluster on the database in `folder`, which is made if it is not there, or on a temporary
    /// database.
    ///
    /// # Errors
    /// Those of [`Database::open_to_answer`] and [`Self::start`].
    pub fn open(
        folder: Option<&Path>,
        workers: NonZero<u16>,
        bounds: &Bounds,
    ) -> anyhow::Result<Self> {
        let memory = bounds.of_database(workers);
        let database = Database::open_to_answer(folder, memory)?;
        Self::start(database, workers, || bounds.of_one(workers, memory))
    }

    /// Starts a coordinator on `database` and `workers` workers. The `limits` of each worker are
    /// asked for last, when the rest of the process has its memory.
    ///
    /// # Errors
    /// When the coordinator cannot start, and those of `limits`.
    pub fn start(
        database: Database,
        workers: NonZero<u16>,
        limits: impl FnOnce() -> anyhow::Result<Limits>,
    ) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (shutdown, wish) = watch::channel(Shutdown::Run);
        let guard = runtime.enter();
        let stop = Stop::listen()?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let (tokens, access) = door()?;
        let config = sprig_coordinator::Config {
            listen,
            store: database.store.clone(),
            protection: Protection { tokens: Some(tokens), ..Protection::default() },
            trust: Trust::Own,
        };
        let coordinator = runtime.block_on(Coordinator::start(config))?;
        let url = coordinator.url();
        let limits = limits()?;
        let workers = (1..=workers.get())
            .map(|number| sprig_worker::Config {
                coordinators: vec![url.clone()],
                copies: Vec::new(),
                access: access.clone(),
                name: format!("inside {number}"),
                limits,
                pulse: Arc::default(),
                notice: sprig_worker::NOTICE,
            })
            .map(|config| Worker::run(config, wish.clone()))
            .collect();
        let client = runtime.block_on(Client::connect_with(&url, &access))?;
        drop(guard);
        Ok(Self { runtime, stop, client, coordinator, workers, shutdown, database })
    }

    /// Sets a time at which proofs are given up.
    pub fn stop_at(&mut self, deadline: Option<Instant>) {
        self.stop.at(deadline);
    }

    /// The facts that are known so far.
    pub fn store(&self) -> &Reader {
        &self.database.store
    }

    /// Proves `goal`.
    ///
    /// # Errors
    /// As [`prove()`], and when the coordinator or a worker fails.
    pub fn prove(
        &mut self,
        typed: &str,
        goal: impl Into<Goal>,
        show: Show,
    ) -> Result<Solved, Failure> {
        let goal = goal.into();
        let Self { runtime, stop, client, coordinator, workers, database, .. } = self;
        runtime.block_on(async {
            tokio::select! {
                biased;
                error = coordinator.failure() => Err(error.into()),
                Some(end) = workers.join_next() => {
                    end.context("a worker broke down")?.context("a worker failed")?;
                    Err(anyhow::anyhow!("a worker ended early").into())
                }
                answer = prove_or_cancel(client, stop, typed, goal, show) => match answer {
                    Err(Failure::Interrupted(job)) => Err(interrupted(&job, database).into()),
                    // A coordinator that fails closes the connection first, and gives its reason
                    // after that.
                    Err(Failure::Everything(lost)) => {
                        match timeout(REASON, coordinator.failure()).await {
                            Ok(error) => Err(error.into()),
                            Err(_) => Err(lost.into()),
                        }
                    }
                    answer => answer,
                },
            }
        })
    }

    /// Runs another program to its end, and gives what it said. When a person wants this process to
    /// stop, the program is told to end as well; then, and if that was before this call, there is
    /// no answer.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn run(&mut self, command: Command) -> io::Result<Option<Output>> {
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let Self { runtime, stop, .. } = self;
        runtime.block_on(async {
            let child = command.spawn()?;
            let number = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
            let mut ended = pin!(child.wait_with_output());
            loop {
                tokio::select! {
                    biased;
                    is_signal = stop.requested_or_over() => if is_signal {
                        // It may have ended by itself, or by the same signal.
                        let _ = number.map(|number| kill_process(number, Signal::TERM));
                        ended.await?;
                        return Ok(None);
                    },
                    output = &mut ended => return output.map(Some),
                }
            }
        })
    }

    /// Ends the cluster. With [`Shutdown::Finish`] workers deliver what they have proved and the
    /// coordinator commits it, unless a person is impatient.
    ///
    /// # Errors
    /// When the cluster cannot be ended properly.
    pub fn end(self, how: Shutdown) -> anyhow::Result<()> {
        let Self { runtime, mut stop, client, coordinator, mut workers, shutdown, database } = self;
        drop(client);
        runtime.block_on(async {
            shutdown.send_replace(how);
            loop {
                tokio::select! {
                    end = workers.join_next() => match end {
                        Some(end) => end.context("a worker broke down")??,
                        None => break,
                    },
                    () = stop.requested() => { shutdown.send_replace(Shutdown::Drop); }
                }
            }
            anyhow::Ok(coordinator.shutdown().await?)
        })?;
        drop(runtime);
        drop(database);
        Ok(())
    }
}

/// A token that only this process knows. The coordinator believes its workers, and other processes
/// on the machine can reach its port.
fn door() -> anyhow::Result<(Tokens, Access)> {
    let token: String = Secret::random().bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let tokens = Tokens::parse(&format!("admin self {}", hash_of(&token)))?;
    let access = Access { token: Some(Token::new(&token)?), ..Access::default() };
    Ok((tokens, access))
}

/// Proves a goal, or cancels its job. A job of this process must not outlive the process in the
/// database.
async fn prove_or_cancel(
    client: &mut Client,
    stop: &mut Stop,
    typed: &str,
    goal: Goal,
    show: Show,
) -> Result<Solved, Failure> {
    match prove(client, stop, typed, goal, show).await {
        Err(Failure::Interrupted(job)) => {
            Err(Failure::Interrupted(Box::new(client.order(job.id, JobOrder::Cancel).await?)))
        }
        answer => answer,
    }
}

fn interrupted(job: &Job, database: &Database) -> Interrupted {
    let Figures { expansions, facts, .. } = job.figures;
    let (facts, work) = (plural(facts, "fact"), plural(expansions, "expansion"));
    let message = format!("{facts} in {work}; {}", database.fate());
    Interrupted { message, figures: job.figures }
}
