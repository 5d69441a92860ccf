//! The wish to stop: Ctrl-C from a person, SIGTERM from a system.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Both signals. While it exists they no longer end the process by themselves.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
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
        })
    }

    /// Returns when either has come, also if that was before the call; once for each time.
    pub async fn requested(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
