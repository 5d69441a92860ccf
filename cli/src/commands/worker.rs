//! `sprig worker`: the process that searches.

use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use sprig_worker::{Config, Reading, Shutdown, Worker};
use tokio::sync::watch;

use crate::connect::{self, CoordinatorUrls};
use crate::failure::escaped;
use crate::health;
use crate::invitation::{Invitation, Invited};
use crate::leave::{Leave, Notice, WORK_IS_LEFT};
use crate::memory::Bounds;
use crate::notify;
use crate::stop::Stop;
use crate::trace::say;

const EXAMPLES: &str = "\
Examples:
  sprig worker                                       for the coordinator on this machine
  sprig worker --coordinator http://10.0.0.1:7425 --threads 8 --memory 16G
  sprig worker --coordinator https://10.0.0.1:7425 --tls-ca ca.pem --token-file node-7.token
  sprig worker --coordinator http://10.0.0.1:7425,http://10.0.0.2:7425
                                                     whichever leads
  sprig worker --coordinator http://10.0.0.1:7425 --copies http://10.0.0.2:7426
                                                     facts from a follower there
  sprig worker --invitation ann.invitation           of a volunteer
  sprig worker --for 110m --exit-when-idle           in a batch job of two hours";

/// Run a worker: it asks a coordinator for work and solves it on all its cores
///
/// Reports facts as they are proved. Looks for its coordinator for ever, also at the start. Ctrl-C or SIGTERM hands
/// the work back and delivers what is proved, for as long as --notice says; a second one ends at once. Exit code 0: it was
/// stopped, or there was nothing to do; 75: its time was over, or its coordinator was not there.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Work {
    #[command(flatten)]
    coordinators: CoordinatorUrls,
    /// Address of a copy that tells facts (`sprig follow --listen`), several with commas: the coordinator need not send all of
    /// them then. While no copy tells them, it does. Name only copies that you trust like the coordinator
    #[arg(long, value_name = "URL", env = "SPRIG_COPIES", value_delimiter = ',')]
    copies: Vec<String>,
    #[command(flatten)]
    invited: Invited,
    #[command(flatten)]
    bounds: Bounds,
    /// Name of the worker in `sprig status` [default: the machine's, and the process number]
    #[arg(long, env = "SPRIG_NAME")]
    name: Option<String>,
    /// Show /healthz, /readyz and /metrics (Prometheus) there, by plain HTTP
    #[arg(long, value_name = "ADDR", env = "SPRIG_METRICS")]
    metrics: Option<String>,
    #[command(flatten)]
    leave: Leave,
    #[command(flatten)]
    notice: Notice,
}

impl Work {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let invitation = self.invited.invitation.as_deref().map(Invitation::read).transpose()?;
        let update = invitation.as_ref().and_then(|invitation| invitation.update.clone());
        let (coordinators, access) = match invitation {
            Some(invitation) => (invitation.coordinator.clone(), invitation.access()?),
            None => self.coordinators.resolve()?,
        };
        if self.invited.invitation.is_some() && self.coordinators.is_named() {
            say(
                "the invitation says where the coordinator is; --coordinator (SPRIG_COORDINATOR) is not heeded",
            );
        }
        health::gets_in_by(&access);
        let encrypted = access.tls.is_some();
        let copies = self.copies.iter().map(|url| connect::address_of_copy(url.trim(), encrypted));
        let config = Config {
            coordinators,
            copies: copies.collect::<Result<_, _>>()?,
            access,
            name: self.name.unwrap_or_else(machine_and_process),
            limits: self.bounds.of_one(NonZero::<u16>::MIN, 0)?,
            pulse: Arc::default(),
            notice: self.notice.notice,
        };
        let pulse = Arc::clone(&config.pulse);
        connect::runtime()?.block_on(async {
            let mut stop = Stop::listen()?;
            stop.at(self.leave.deadline());
            if let Some(address) = &self.metrics {
                health::serve(address, Arc::clone(&pulse)).await?;
            }
            if let Some(notice) = self.bounds.notice(NonZero::<u16>::MIN) {
                say(&notice);
            }
            let (shutdown, wish) = watch::channel(Shutdown::Run);
            notify::ready();
            let _alive = notify::keep_alive(|| async { true });
            let worker = Worker::run(config, wish);
            tokio::pin!(worker);
            let mut idle = self.leave.idle();
            let code = loop {
                tokio::select! {
                    end = &mut worker => return ended(end, ExitCode::SUCCESS, update.as_deref()),
                    is_told = stop.requested_or_over() => {
                        let is_left = !is_told && pulse.read().searching;
                        break if is_left { WORK_IS_LEFT } else { 0 };
                    }
                    () = idle.look() => {
                        let Reading { connected, searching, outbox, .. } = pulse.read();
                        if idle.is_over(searching || outbox > 0) {
                            say(if connected { "nothing to do" } else { "no coordinator" });
                            break if connected { 0 } else { WORK_IS_LEFT };
                        }
                    }
                }
            };
            notify::stopping();
            shutdown.send_replace(Shutdown::Finish);
            tokio::select! {
                end = &mut worker => return ended(end, ExitCode::from(code), update.as_deref()),
                () = stop.requested() => {}
            }
            shutdown.send_replace(Shutdown::Drop);
            ended(worker.await, ExitCode::from(code), update.as_deref())
        })
    }
}

/// The exit code. If the worker is too old, the error says where newer programs are, if the
/// invitation names a place.
fn ended(
    end: Result<(), sprig_worker::Error>,
    code: ExitCode,
    update: Option<&str>,
) -> anyhow::Result<ExitCode> {
    match (end, update) {
        (Ok(()), _) => Ok(code),
        (Err(error @ sprig_worker::Error::Outdated { .. }), Some(update)) => {
            Err(anyhow::anyhow!("{error}; it is at {}", escaped(update)))
        }
        (Err(error), _) => Err(error.into()),
    }
}

fn machine_and_process() -> String {
    format!("{}/{}", connect::machine(), std::process::id())
}
