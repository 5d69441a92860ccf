//! The wish to stop: Ctrl-C from a person, SIGTERM from a system.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Starts to listen; the future is ready when the first of the two signals has come.
///
/// # Errors
/// When the system does not let us listen.
pub fn requested() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
