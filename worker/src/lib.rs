//! Pulls jobs, solves them on every core, reports facts as they are proved. See `docs/cluster.md`.

use sprig_search::Limits;
use tokio::sync::watch;

/// How to run a worker.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address of the coordinator, like `http://127.0.0.1:7425`.
    pub coordinator: String,
    /// Name of the worker, for people.
    pub name: String,
    /// Memory and threads of its search.
    pub limits: Limits,
}

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

/// Why a worker has ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not an address.
    #[error("`{url}` is not the address of a coordinator: write it like http://127.0.0.1:7425")]
    Address {
        /// What was given.
        url: String,
    },
}

/// Asks for jobs until it is told to end.
#[derive(Debug)]
pub struct Worker;

impl Worker {
    /// Runs until `shutdown` says otherwise (a dropped sender means [`Shutdown::Drop`]). While the coordinator cannot
    /// be reached it goes on with what it has and tries again for ever.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn run(_config: Config, _shutdown: watch::Receiver<Shutdown>) -> Result<(), Error> {
        unimplemented!()
    }
}
