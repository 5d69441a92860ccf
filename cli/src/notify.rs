//! What a service tells systemd (`Type=notify`): that it is ready, and that it ends.

use std::env;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use tokio::task::JoinHandle;

/// Tells systemd that the service does its work from now on.
pub fn ready() {
    tell("READY=1");
}

/// Tells systemd that the service has begun to end.
pub fn stopping() {
    tell("STOPPING=1");
}

/// Tells systemd that the service is alive, as long as the result is kept, `is_alive` says so, and
/// systemd asks for it (`WatchdogSec=`). A service that no longer replies is ended and started
/// again.
pub fn keep_alive<F: Future<Output = bool> + Send + 'static>(
    is_alive: impl Fn() -> F + Send + 'static,
) -> Alive {
    Alive(pause().map(|pause| {
        tokio::spawn(async move {
            loop {
                if is_alive().await {
                    tell("WATCHDOG=1");
                }
                tokio::time::sleep(pause).await;
            }
        })
    }))
}

/// The task of [`keep_alive`]. It ends when this is dropped.
pub struct Alive(Option<JoinHandle<()>>);

impl Drop for Alive {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// The pause between two signs of life, a third of the time that systemd waits. None if systemd
/// wants no signs.
fn pause() -> Option<Duration> {
    let own = std::process::id().to_string();
    if env::var("WATCHDOG_PID").is_ok_and(|pid| pid != own) {
        return None;
    }
    let wait: u64 = env::var("WATCHDOG_USEC").ok()?.parse().ok()?;
    (wait > 0).then(|| Duration::from_micros(wait / 3))
}

/// Sends a state to systemd. A service without a manager, or that cannot reach it, works all the
/// same.
fn tell(state: &str) {
    if let Ok(socket) = env::var("NOTIFY_SOCKET") {
        let _ = send(&socket, state);
    }
}

/// Sends a state to a socket. `@` begins an abstract name, which stands in no folder.
fn send(socket: &str, state: &str) -> io::Result<usize> {
    let address = match socket.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address)
}
