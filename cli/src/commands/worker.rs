//! `sprig worker`: the process that searches.

use std::num::NonZero;
use std::process::ExitCode;

use clap::Args;
use sprig_worker::{Config, Shutdown, Worker};
use tokio::sync::watch;

use crate::connect::{self, CoordinatorUrl};
use crate::memory::Bounds;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig worker                                       for the coordinator on this machine
  sprig worker --coordinator http://10.0.0.1:7425 --threads 8 --memory 16G";

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
    #[arg(long)]
    name: Option<String>,
}

impl Work {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let config = Config {
            coordinator: self.coordinator.url,
            name: self.name.unwrap_or_else(machine_and_process),
            limits: self.bounds.of_one(NonZero::<u16>::MIN),
        };
        connect::runtime()?.block_on(async {
            let mut stop = Stop::listen()?;
            let (shutdown, wish) = watch::channel(Shutdown::Run);
            let worker = Worker::run(config, wish);
            tokio::pin!(worker);
            for wish in [Shutdown::Finish, Shutdown::Drop] {
                tokio::select! {
                    end = &mut worker => return Ok(end.map(|()| ExitCode::SUCCESS)?),
                    () = stop.requested() => { shutdown.send_replace(wish); }
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
