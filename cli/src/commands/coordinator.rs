//! `sprig coordinator`: the process that owns the database and leases the work.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use sprig_coordinator::{Config, Coordinator, Trust};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::database::Database;
use crate::health;
use crate::protection::ProtectionFiles;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig coordinator --db facts                                 on 127.0.0.1:7425
  sprig coordinator --db facts --listen 10.0.0.1:7425 \\
        --tls-cert tls/coordinator.pem --tls-key tls/coordinator.key --tls-client-ca tls/ca.pem
                                         certificates are made by `sprig certs`
  sprig coordinator --db facts --tokens tokens
                                         tokens are made by `sprig token`";

/// Run a coordinator: it owns the database and leases the work to workers
///
/// SIGHUP has it read the files of tokens and certificates again: who is no longer in them is let
/// go at once. Runs until Ctrl-C or SIGTERM, then commits what it has and ends. Restarted on the
/// same database it goes on with the unfinished jobs.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Coordinate {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7425")]
    listen: String,
    /// Folder of the database; it is made where there is none
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Believe what workers claim: all of them are ours. Answers come at once, and are as good as the worst worker
    #[arg(long)]
    believe_workers: bool,
    /// Show /healthz, /readyz and /metrics (Prometheus) there, by plain HTTP
    #[arg(long, value_name = "ADDR", env = "SPRIG_METRICS")]
    metrics: Option<String>,
    #[command(flatten)]
    protection: ProtectionFiles,
}

impl Coordinate {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let listen = self.address()?;
        let protection = self.protection.read()?;
        self.protection.check(listen, &protection)?;
        let trust = if self.believe_workers { Trust::Believed } else { Trust::Checked };
        let database = Database::open_or_create(Some(&self.db), usize::MAX)?;
        Builder::new_multi_thread().enable_all().build()?.block_on(async {
            let mut stop = Stop::listen()?;
            let mut reload = signal(SignalKind::hangup())?;
            let store = database.store.clone();
            let mut coordinator =
                Coordinator::start(Config { listen, store, protection, trust }).await?;
            eprintln!(
                "sprig: coordinator at {}, database {}",
                coordinator.url(),
                self.db.display()
            );
            if let Some(address) = &self.metrics {
                health::serve(address, coordinator.watcher()).await?;
            }
            loop {
                tokio::select! {
                    () = stop.requested() => break coordinator.shutdown().await?,
                    error = coordinator.failure() => return Err(error.into()),
                    _ = reload.recv() => self.protection.reload(&coordinator),
                }
            }
            eprintln!(
                "sprig: coordinator stopped; all that it acknowledged is in {}",
                self.db.display()
            );
            Ok(ExitCode::SUCCESS)
        })
    }

    fn address(&self) -> anyhow::Result<SocketAddr> {
        let mut addresses = self.listen.to_socket_addrs().into_iter().flatten();
        addresses.next().with_context(|| {
            format!(
                "`{}` is not an address to listen on; write it like 127.0.0.1:7425",
                self.listen
            )
        })
    }
}
