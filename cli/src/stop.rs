//! The wish to stop: Ctrl-C from a person, SIGTERM from a system.

use std::io;
#[cfg(feature = "coordinator")]
use std::num::NonZero;
#[cfg(feature = "coordinator")]
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
#[cfg(feature = "coordinator")]
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

/// Both signals. While it exists they no longer end the process by themselves.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
    /// When to stop without being told.
    deadline: Option<Instant>,
}

impl Stop {
    /// Begins to listen. Needs a runtime.
    ///
    /// # Errors
    /// When the system does not let us listen.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            deadline: None,
        })
    }

    /// A flag that is raised when either comes, or after so many seconds, for commands that are not asynchronous.
    ///
    /// # Errors
    /// When the system does not let us listen.
    #[cfg(feature = "coordinator")]
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
            runtime.block_on(stop.requested());
            raised.store(true, Ordering::Relaxed);
        })?;
        Ok(flag)
    }

    /// Wishes to stop at `deadline`, too, instead of any earlier one.
    #[cfg(feature = "coordinator")]
    pub fn at(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Returns when either has come, also if that was before the call, once for each time, or at the deadline.
    pub async fn requested(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = sleep_until(self.deadline.unwrap_or_else(Instant::now)), if self.deadline.is_some() => {
                self.deadline = None;
            }
        }
    }
}
