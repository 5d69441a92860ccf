//! `sprig coordinator`: the process that owns the database and leases the work.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use sprig_coordinator::{Config, Coordinator, Settings, Trust};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tracing::warn;

use crate::database::Database;
use crate::health;
use crate::leave::{Leave, WORK_IS_LEFT};
use crate::notify;
use crate::peers::Peers;
use crate::protection::{self, ProtectionFiles, listen_address};
use crate::stop::Stop;
use crate::switch::switch;
use crate::trace::say;

/// How long blocked threads may delay the end of the process.
const END: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  sprig coordinator --db facts                                 on 127.0.0.1:7425
  sprig coordinator --db facts --listen 10.0.0.1:7425 \\
        --tls-cert tls/coordinator.pem --tls-key tls/coordinator.key --tls-client-ca tls/ca.pem
                                         certificates are made by `sprig certs`
  sprig coordinator --db facts --tokens tokens
                                         tokens are made by `sprig token`
  sprig coordinator --db facts --sync-followers 1 --peer http://10.0.0.2:7425
                                         with a follower there that can take its place
  sprig coordinator --db facts --exit-when-idle=10m
                                         in a batch job";

/// Run a coordinator: it owns the database and leases the work to workers
///
/// SIGHUP has it read the files of tokens and certificates again: who is no longer in them is let
/// go at once. Runs until Ctrl-C or SIGTERM, then commits what it has and ends. Restarted on the
/// same database it goes on with the unfinished jobs. Exit code 75: its time was over and jobs were left, or a part of it
/// stood still.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Coordinate {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", env = "SPRIG_LISTEN", default_value = "127.0.0.1:7425")]
    listen: String,
    /// Folder of the database; it is made where there is none
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    /// Believe what workers claim: all of them are ours. Answers come at once, and are as good as the worst worker
    #[arg(long, env = "SPRIG_BELIEVE_WORKERS", value_parser = switch)]
    believe_workers: bool,
    /// Show /healthz, /readyz and /metrics (Prometheus) there, by plain HTTP
    #[arg(long, value_name = "ADDR", env = "SPRIG_METRICS")]
    metrics: Option<String>,
    /// End the process, with exit code 75, when a part of it stands still for this many seconds: its supervisor starts it again
    #[arg(long, value_name = "S", env = "SPRIG_PATIENCE", default_value = "900")]
    patience: NonZero<u64>,
    /// Acknowledge only what N followers (`sprig follow`) have on disk, too: then nothing acknowledged
    /// is lost with this disk. Without its followers the cluster waits
    #[arg(long, value_name = "N", env = "SPRIG_SYNC_FOLLOWERS", default_value = "0")]
    sync_followers: usize,
    /// Where three workers or more share a job, each but one searches parts of it, for N expansions of each
    /// thread at a time; 0: all search the whole position, each in an order of its own
    #[arg(long, value_name = "N", env = "SPRIG_LEAF", default_value = "8000")]
    leaf: u64,
    /// The most workers that share a job: with hundreds, what they tell each other takes longer than what it saves. Others
    /// are there for other jobs; 0: no bound
    #[arg(long, value_name = "N", env = "SPRIG_JOB_WORKERS", default_value = "64")]
    job_workers: u32,
    #[command(flatten)]
    peers: Peers,
    #[command(flatten)]
    leave: Leave,
    #[command(flatten)]
    protection: ProtectionFiles,
}

impl Coordinate {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let listen = listen_address(&self.listen)?;
        let protection = self.protection.read()?;
        self.protection.check(listen, &protection)?;
        // No database is made for a coordinator that cannot listen.
        if !self.db.exists() {
            protection::is_free(listen)?;
        }
        let trust = if self.believe_workers { Trust::Believed } else { Trust::Checked };
        let database = Database::open_to_lead(&self.db)?;
        let peers = self.peers.read()?;
        let patience = Duration::from_secs(self.patience.get());
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let ended = runtime.block_on(async {
            let mut stop = Stop::listen_as_service()?;
            stop.at(self.leave.deadline());
            let mut reload = signal(SignalKind::hangup())?;
            let store = database.store.clone();
            let reign = store.succession()?.reign;
            match peers.ask(&reign).await {
                Some(by) if store.vouches(&by) => store.succeeded(&by)?,
                Some(by) => warn!(%by, "a promotion is not believed: it was not made with the seal key of this coordinator"),
                None => {}
            }
            if let Err(succeeded) = store.may_lead() {
                peers.hand_in(&store).await?;
                return Err(succeeded.into());
            }
            protection::uses(&protection);
            let config = Config { listen, store: store.clone(), protection, trust };
            let (sync_followers, leaf) = (self.sync_followers, NonZero::new(self.leaf));
            let most_workers = NonZero::new(self.job_workers);
            let settings = Settings { patience, sync_followers, leaf, most_workers };
            let mut coordinator = Coordinator::start_with(config, settings).await?;
            say(&format!("coordinator at {}, database {}", coordinator.url(), self.db.display()));
            if let Some(address) = &self.metrics {
                let (process, folder) = (coordinator.watcher(), self.db.clone());
                health::serve(address, health::WithDatabase { process, folder }).await?;
            }
            notify::ready();
            let (watcher, asked) = (coordinator.watcher(), coordinator.watcher());
            let _alive = notify::keep_alive(move || {
                let asked = asked.clone();
                async move { asked.is_alive().await }
            });
            let mut idle = self.leave.idle();
            let promoted = peers.watch(&reign);
            tokio::pin!(promoted);
            let mut is_heard = false;
            let code = loop {
                tokio::select! {
                    is_told = stop.requested_or_over() => {
                        let is_left = !is_told && watcher.has_jobs().await != Some(false);
                        break if is_left { WORK_IS_LEFT } else { 0 };
                    }
                    () = idle.look() => {
                        // A coordinator that does not reply may have jobs, so it is not idle.
                        if idle.is_over(watcher.has_jobs().await != Some(false)) {
                            say("no jobs left");
                            break 0;
                        }
                    }
                    error = coordinator.failure() => {
                        if store.may_lead().is_err() {
                            peers.hand_in(&store).await?;
                        }
                        return Err(error.into());
                    }
                    by = &mut promoted, if !is_heard => {
                        // The coordinator ends if it believes that another leads in its place.
                        coordinator.hear_of(by).await;
                        is_heard = true;
                    }
                    _ = reload.recv() => self.protection.reload(|new| coordinator.reload(new)),
                }
            };
            notify::stopping();
            coordinator.shutdown().await?;
            say(&format!(
                "coordinator stopped; all that it acknowledged is in {}",
                self.db.display()
            ));
            Ok(ExitCode::from(code))
        });
        // Blocked threads do not stop the process from ending. What was acknowledged is on disk.
        runtime.shutdown_timeout(END);
        ended
    }
}
