//! The worker pulls jobs, solves them on every core, and reports facts as they are proved.
//! `docs/cluster.md` tells the life of a job.
//!
//! [`agent`] decides, in pure code; the driver acts; the search runs on threads of its own and
//! never waits for the network.

pub mod agent;
mod driver;
mod error;
mod follow;
mod ground;
mod link;
mod misere;
mod outbox;
mod pulse;
mod search;
mod solver;

use std::sync::Arc;
use std::time::Duration;

use sprig_proto::Access;
use sprig_search::Limits;
use tokio::sync::watch;

pub use error::Error;
pub use ground::Ground;
pub use pulse::{Pulse, Reading};

/// How to run a worker.
#[derive(Clone, Debug)]
pub struct Config {
    /// Addresses of coordinators, like `http://127.0.0.1:7425`, at least one: while one is away the
    /// next is tried, so that a worker finds the one that leads.
    pub coordinators: Vec<String>,
    /// Addresses of copies that tell it the facts of others. While none does, the coordinator
    /// itself tells them.
    pub copies: Vec<String>,
    /// How to get in there.
    pub access: Access,
    /// Name of the worker, for people.
    pub name: String,
    /// Memory and threads of its search.
    pub limits: Limits,
    /// Where the worker notes how it is doing.
    pub pulse: Arc<Pulse>,
    /// How long it may take to finish.
    pub notice: Duration,
}

/// How long a worker may take to finish, unless its configuration says otherwise. Systems that stop
/// machines give 20 s and more.
pub const NOTICE: Duration = Duration::from_secs(19);

/// What the owner of a worker wants of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shutdown {
    /// Work on.
    Run,
    /// Hand the lease back, deliver every report, then end.
    Finish,
    /// End at once. What is not acknowledged is lost; it can be proved again.
    Drop,
}

/// A worker, which asks for jobs until it is told to end.
#[derive(Debug)]
pub struct Worker;

impl Worker {
    /// Runs until `shutdown` says otherwise (a dropped sender means [`Shutdown::Drop`]). While the
    /// coordinator cannot be reached it goes on with what it has and tries again for ever.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn run(config: Config, shutdown: watch::Receiver<Shutdown>) -> Result<(), Error> {
        Self::on(Ground::real(), config, shutdown).await
    }

    /// Runs in another environment.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn on(
        ground: Ground,
        config: Config,
        shutdown: watch::Receiver<Shutdown>,
    ) -> Result<(), Error> {
        driver::Driver::new(ground, config)?.run(shutdown).await
    }
}
