//! `sprig coordinator`: the process that owns the database and leases the work.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use sprig_coordinator::{Config, Coordinator};
use tokio::runtime::Builder;

use crate::database::Database;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig coordinator --db facts                                 on 127.0.0.1:7425
  sprig coordinator --listen 10.0.0.1:7425 --insecure --db facts";

/// Run a coordinator: it owns the database, splits the work and leases it to workers
///
/// Runs until Ctrl-C or SIGTERM, then commits what it has and ends. Restarted on the same database it goes on with
/// the unfinished jobs.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Coordinate {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7425")]
    listen: String,
    /// Folder of the database; it is made where there is none
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Listen off loopback although nothing is encrypted and anybody may submit work and report facts
    #[arg(long)]
    insecure: bool,
}

impl Coordinate {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let listen = self.address()?;
        let database = Database::open_or_create(Some(&self.db))?;
        Builder::new_multi_thread().enable_all().build()?.block_on(async {
            let mut stop = Stop::listen()?;
            let store = database.store.clone();
            let mut coordinator = Coordinator::start(Config { listen, store }).await?;
            eprintln!(
                "sprig: coordinator at {}, database {}",
                coordinator.url(),
                self.db.display()
            );
            tokio::select! {
                () = stop.requested() => coordinator.shutdown().await?,
                error = coordinator.failure() => return Err(error.into()),
            }
            eprintln!(
                "sprig: coordinator stopped; all that it acknowledged is in {}",
                self.db.display()
            );
            Ok(ExitCode::SUCCESS)
        })
    }

    fn address(&self) -> anyhow::Result<SocketAddr> {
        let address = self
            .listen
            .to_socket_addrs()
            .ok()
            .and_then(|mut addresses| addresses.next())
            .with_context(|| {
                format!(
                    "`{}` is not an address to listen on; write it like 127.0.0.1:7425",
                    self.listen
                )
            })?;
        ensure!(
            self.insecure || address.ip().is_loopback(),
            "{address} can be reached from other machines and nothing is protected yet; listen on 127.0.0.1, or say --insecure if the network is yours"
        );
        Ok(address)
    }
}
