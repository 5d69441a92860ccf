//! The wish to stop: Ctrl-C from a person, SIGTERM from a system, SIGHUP from a terminal that is
//! closed.

use std::io;
use std::num::NonZero;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;

use rustix::process::{getpid, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

/// Signals that follow one another faster than this are one wish, as a terminal that is closed
/// sends two.
const SECOND: Duration = Duration::from_secs(1);

/// Listens for all of these signals. As long as it exists they no longer end the process by
/// themselves.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
    /// None if SIGHUP has another meaning, or none.
    hangup: Option<Signal>,
    /// When to stop without a signal.
    deadline: Option<Instant>,
}

impl Stop {
    /// Begins to listen. This needs a runtime.
    ///
    /// # Errors
    /// When the system does not let the process listen.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if is_nohup() { None } else { Some(signal(SignalKind::hangup())?) },
            deadline: None,
        })
    }

    /// Begins to listen, but leaves SIGHUP to others. It tells a service to read its files again.
    ///
    /// # Errors
    /// When the system does not let the process listen.
    #[cfg(feature = "coordinator")]
    pub fn listen_as_service() -> io::Result<Self> {
        Ok(Self { hangup: None, ..Self::listen()? })
    }

    /// A flag that is set when a signal comes, or after this many seconds, for commands that are
    /// not asynchronous. A second signal, a second or more after the first, ends the process at
    /// once.
    ///
    /// # Errors
    /// When the system does not let the process listen.
    pub fn flag(seconds: Option<NonZero<u64>>) -> io::Result<Arc<AtomicBool>> {
        let runtime = crate::connect::runtime()?;
        let mut stop = {
            let _inside = runtime.enter();
            Self::listen()?
        };
        stop.at(seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds.get())));
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        std::thread::Builder::new().name("stop".into()).spawn(move || {
            runtime.block_on(async {
                stop.requested().await;
                raised.store(true, Ordering::Relaxed);
                let first = Instant::now();
                while !stop.requested_or_over().await || first.elapsed() < SECOND {}
            });
            // A thread that should end after the first signal may hang in the kernel, for example
            // at a pipe that no process opens to write. A database loses no more by this than by
            // any other kill.
            let _ = kill_process(getpid(), rustix::process::Signal::KILL);
        })?;
        Ok(flag)
    }

    /// Sets a deadline in the place of any earlier one.
    pub fn at(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Returns at the deadline, or when a signal has come, also if that was before the call. Each
    /// signal counts once.
    pub async fn requested(&mut self) {
        self.requested_or_over().await;
    }

    /// Returns as [`Stop::requested`] does, and says whether a signal came, and not the deadline.
    pub async fn requested_or_over(&mut self) -> bool {
        tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = self.terminate.recv() => true,
            () = hung_up(&mut self.hangup) => true,
            () = sleep_until(self.deadline.unwrap_or_else(Instant::now)), if self.deadline.is_some() => {
                self.deadline = None;
                false
            }
        }
    }
}

/// Whether the process was started by `nohup`, so that a closed terminal means nothing. Signal 1 is
/// the lowest bit of the mask.
fn is_nohup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// Returns when the terminal has been closed. Without a listener for that it never returns.
async fn hung_up(hangup: &mut Option<Signal>) {
    match hangup {
        Some(hangup) => {
            hangup.recv().await;
        }
        None => std::future::pending().await,
    }
}
