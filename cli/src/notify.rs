//! What systemd is told of a service (`Type=notify`): that it is ready, that it ends.

use std::env;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The service does its work from now on.
pub fn ready() {
    tell("READY=1");
}

/// The service has begun to end.
pub fn stopping() {
    tell("STOPPING=1");
}

/// A service that nobody manages, or that cannot speak to its manager, works all the same.
fn tell(state: &str) {
    if let Ok(socket) = env::var("NOTIFY_SOCKET") {
        let _ = send(&socket, state);
    }
}

/// `@` begins an abstract name, which stands in no folder.
fn send(socket: &str, state: &str) -> io::Result<usize> {
    let address = match socket.strip_prefix('@') {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address)
}
