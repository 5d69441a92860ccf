//! `sprig worker`: the process that searches.

use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use sprig_worker::{Config, Shutdown, Worker};
use tokio::sync::watch;

use crate::connect::{self, CoordinatorUrl};
use crate::health;
use crate::memory::Bounds;
use crate::notify;
use crate::stop::Stop;
use crate::trace::say;

const EXAMPLES: &str = "\
Examples:
  sprig worker                                       for the coordinator on this machine
  sprig worker --coordinator http://10.0.0.1:7425 --threads 8 --memory 16G
  sprig worker --coordinator https://10.0.0.1:7425 --tls-ca ca.pem --token-file node-7.token";

/// Run a worker: it asks a coordinator for work and solves it on all its cores
///
/// Reports facts as they are proved. Looks for its coordinator for ever, also at the start. Ctrl-C or SIGTERM hands
/// the work back and delivers what is proved; a second one ends at once.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Work {
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    bounds: Bounds,
    /// Name of the worker in `sprig status` [default: the machine's, and the process number]
    #[arg(long, env = "SPRIG_NAME")]
    name: Option<String>,
    /// Show /healthz, /readyz and /metrics (Prometheus) there, by plain HTTP
    #[arg(long, value_name = "ADDR", env = "SPRIG_METRICS")]
    metrics: Option<String>,
}

impl Work {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (coordinator, access) = self.coordinator.resolve()?;
        let config = Config {
            coordinator,
            access,
            name: self.name.unwrap_or_else(machine_and_process),
            limits: self.bounds.of_one(NonZero::<u16>::MIN, 0)?,
            pulse: Arc::default(),
        };
        connect::runtime()?.block_on(async {
            let mut stop = Stop::listen()?;
            if let Some(address) = &self.metrics {
                health::serve(address, Arc::clone(&config.pulse)).await?;
            }
            if let Some(notice) = self.bounds.notice(NonZero::<u16>::MIN) {
                say(&notice);
            }
            let (shutdown, wish) = watch::channel(Shutdown::Run);
            notify::ready();
            let worker = Worker::run(config, wish);
            tokio::pin!(worker);
            for wish in [Shutdown::Finish, Shutdown::Drop] {
                tokio::select! {
                    end = &mut worker => return Ok(end.map(|()| ExitCode::SUCCESS)?),
                    () = stop.requested() => {
                        notify::stopping();
                        shutdown.send_replace(wish);
                    }
                }
            }
            Ok(worker.await.map(|()| ExitCode::SUCCESS)?)
        })
    }
}

fn machine_and_process() -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}/{}", machine.trim(), std::process::id())
}
