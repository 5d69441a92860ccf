//! A whole cluster inside one process: the same coordinator, workers, gRPC and store as on many machines, on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZero;

use anyhow::Context;
use sprig_coordinator::Coordinator;
use sprig_proto::{Client, Job};
use sprig_search::{Figures, Goal, Limits};
use sprig_worker::{Shutdown, Worker};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::database::Database;
use crate::failure::{Failure, Interrupted};
use crate::prove::prove;
use crate::solved::{Show, Solved};
use crate::stop::Stop;

/// The cluster.
pub struct Embedded {
    /// Coordinator, workers and client are tasks on its threads; the searches have threads of their own.
    runtime: Runtime,
    stop: Stop,
    client: Client,
    coordinator: Coordinator,
    workers: JoinSet<Result<(), sprig_worker::Error>>,
    shutdown: watch::Sender<Shutdown>,
    database: Database,
}

impl Embedded {
    /// Starts `workers` workers, each within `limits`, and a coordinator on `database`.
    ///
    /// # Errors
    /// When the coordinator cannot start.
    pub fn start(
        database: Database,
        workers: NonZero<u16>,
        limits: Limits,
    ) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (shutdown, wish) = watch::channel(Shutdown::Run);
        let guard = runtime.enter();
        let stop = Stop::listen()?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let config = sprig_coordinator::Config { listen, store: database.store.clone() };
        let coordinator = runtime.block_on(Coordinator::start(config))?;
        let url = coordinator.url();
        let workers = (1..=workers.get())
            .map(|number| sprig_worker::Config {
                coordinator: url.clone(),
                name: format!("inside {number}"),
                limits,
            })
            .map(|config| Worker::run(config, wish.clone()))
            .collect();
        let client = runtime.block_on(Client::connect(&url))?;
        drop(guard);
        Ok(Self { runtime, stop, client, coordinator, workers, shutdown, database })
    }

    /// Proves `goal`.
    ///
    /// # Errors
    /// As [`prove()`], and when the coordinator or a worker fails.
    pub fn prove(&mut self, typed: &str, goal: Goal, show: Show) -> Result<Solved, Failure> {
        let Self { runtime, stop, client, coordinator, workers, database, .. } = self;
        runtime.block_on(async {
            tokio::select! {
                biased;
                answer = prove_or_cancel(client, stop, typed, goal, show) => answer.map_err(|failure| match failure {
                    Failure::Interrupted(job) => interrupted(&job, database).into(),
                    failure => failure,
                }),
                error = coordinator.failure() => Err(error.into()),
                Some(end) = workers.join_next() => {
                    end.context("a worker broke down")?.context("a worker failed")?;
                    Err(anyhow::anyhow!("a worker ended early").into())
                }
            }
        })
    }

    /// Ends everything: workers deliver what they have proved, the coordinator commits it.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn stop(self) -> anyhow::Result<()> {
        let Self { runtime, client, coordinator, mut workers, shutdown, database, .. } = self;
        drop(client);
        runtime.block_on(async {
            shutdown.send_replace(Shutdown::Finish);
            while let Some(end) = workers.join_next().await {
                end.context("a worker broke down")??;
            }
            anyhow::Ok(coordinator.shutdown().await?)
        })?;
        drop(runtime);
        drop(database);
        Ok(())
    }
}

/// A job of this process must not outlive it in the database.
async fn prove_or_cancel(
    client: &mut Client,
    stop: &mut Stop,
    typed: &str,
    goal: Goal,
    show: Show,
) -> Result<Solved, Failure> {
    match prove(client, stop, typed, goal, show).await {
        Err(Failure::Interrupted(job)) => {
            Err(Failure::Interrupted(Box::new(client.cancel(job.id).await?)))
        }
        answer => answer,
    }
}

fn interrupted(job: &Job, database: &Database) -> Interrupted {
    let Figures { expansions, facts, .. } = job.figures;
    Interrupted(format!("{facts} facts in {expansions} expansions; {}", database.fate()))
}
