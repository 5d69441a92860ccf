//! A network that can go silent: connections stay, and nothing comes through any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Listens before a server at `url`, and returns its own address.
pub async fn before(url: &str, silent: &Arc<AtomicBool>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let behind = url.trim_start_matches("http://").to_owned();
    let silent = Arc::clone(silent);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let (near_in, near_out) = near.into_split();
            let far = TcpStream::connect(&behind).await.expect("the server listens");
            let (far_in, far_out) = far.into_split();
            tokio::spawn(carry(near_in, far_out, Arc::clone(&silent)));
            tokio::spawn(carry(far_in, near_out, Arc::clone(&silent)));
        }
    });
    format!("http://{address}")
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    silent: Arc<AtomicBool>,
) {
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if silent.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
