//! `sprig follow`: a copy of a coordinator's database, on another machine.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use sprig_ask::{plural, with_verb};
use sprig_coordinator::Copies;
use sprig_follower::{Config, Pulse, follow};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::connect::{CoordinatorUrls, machine};
use crate::health;
use crate::notify;
use crate::protection::{self, CopyListens};
use crate::seal;
use crate::stop::Stop;
use crate::trace::say;

/// Pause between two messages about progress, while the copy is behind.
const WORD: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  sprig follow --db copy                                   the coordinator on this machine
  sprig follow --coordinator https://10.0.0.1:7425 --db copy --tls-ca ca.pem --token-file copy.token
                                         a token of the role `follower` is made by `sprig token`
  sprig follow --db copy --listen 127.0.0.1:7426           and tell facts to workers, which are started with
                                         --copies http://127.0.0.1:7426
  sprig explore --db copy                beside it: what is known, in a browser
  sprig promote --db copy                when the coordinator is gone, and this was stopped";

/// Keep a copy of a coordinator's database, as it is written
///
/// The copy is read by any command, also while it grows (`sprig query`, `sprig explore`); nothing else writes to it. It goes on
/// where it stopped, whatever ended it. Facts come with the seals they have: bring the coordinator's seal key, or they
/// are claims here. With --listen it tells facts to workers, so that the coordinator need not send all of them to each; SIGHUP
/// has it read its files of tokens and certificates again. With several addresses, the next is tried while one is away. Runs until Ctrl-C or SIGTERM.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Follow {
    #[command(flatten)]
    coordinators: CoordinatorUrls,
    /// Folder of the copy; it is made where there is none
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    /// Name of the follower in `sprig status` [default: the machine's]
    #[arg(long, env = "SPRIG_NAME")]
    name: Option<String>,
    /// Show /healthz, /readyz and /metrics (Prometheus) there, by plain HTTP
    #[arg(long, value_name = "ADDR", env = "SPRIG_METRICS")]
    metrics: Option<String>,
    #[command(flatten)]
    listens: CopyListens,
}

impl Follow {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (coordinators, access) = self.coordinators.resolve()?;
        health::gets_in_by(&access);
        let listens = self.listens.resolve(self.coordinators.credentials.insecure())?;
        let listens = match listens {
            Some((address, files)) => {
                let protection = files.read()?;
                files.check(address, &protection)?;
                Some((address, files, protection))
            }
            None => None,
        };
        let pulse = Arc::<Pulse>::default();
        let held = watch::Sender::new(None);
        let seen = held.subscribe();
        let config = Config {
            coordinators,
            access,
            name: self.name.unwrap_or_else(machine),
            dir: self.db.clone(),
            secret: seal::secret(&self.db)?,
            pulse: Arc::clone(&pulse),
            held,
        };
        // At its end the runtime waits for a write that has begun.
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        runtime.block_on(async {
            let mut stop = Stop::listen_as_service()?;
            if let Some(address) = &self.metrics {
                let (process, folder) = (Arc::clone(&pulse), self.db.clone());
                health::serve(address, health::WithDatabase { process, folder }).await?;
            }
            let mut reload = signal(SignalKind::hangup())?;
            let mut copies = None;
            if let Some((address, files, protection)) = listens {
                protection::uses(&protection);
                let server = Copies::start(address, protection, seen, pulse.told()).await?;
                say(&format!("facts for workers at {}", server.url()));
                copies = Some((server, files));
            }
            say(&format!("copy in {}", self.db.display()));
            notify::ready();
            let _alive = notify::keep_alive(|| async { true });
            let mut words = interval(WORD);
            words.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let following = follow(config);
            tokio::pin!(following);
            loop {
                tokio::select! {
                    ended = &mut following => return Ok(ended.map(|()| ExitCode::SUCCESS)?),
                    () = stop.requested() => break,
                    _ = reload.recv() => if let Some((server, files)) = &copies {
                        files.reload(|new| server.reload(new));
                    },
                    _ = words.tick() => {
                        let reading = pulse.read();
                        if reading.lag > WORD {
                            let (behind, seconds) = (reading.behind, reading.lag.as_secs());
                            let there = if reading.connected { "" } else { ", no coordinator" };
                            let behind = plural(behind, "fact");
                            say(&format!("{behind} behind, for {seconds} s{there}"));
                        }
                    }
                }
            }
            notify::stopping();
            let facts = with_verb(pulse.read().facts, "fact", ["is", "are"]);
            say(&format!("follower stopped; {facts} in {}", self.db.display()));
            Ok(ExitCode::SUCCESS)
        })
    }
}
