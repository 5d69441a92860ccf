//! A way to the coordinator that can be broken: one for each worker, so that partitions need no
//! rights of root.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How the way is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Everything gets through.
    Open,
    /// Everything gets through, this much later.
    Slow(Duration),
    /// Nothing moves, and neither side is told: a partition.
    Stalled,
    /// Connections break, and new ones are refused at once.
    Cut,
    /// What the worker says is lost silently; what the coordinator says arrives.
    HalfStalled,
}

/// A proxy in front of the coordinator.
#[derive(Debug)]
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    way: watch::Sender<Way>,
}

impl Proxy {
    /// Starts to pass on what comes to `target`.
    ///
    /// # Errors
    /// When there is no port to listen on.
    pub async fn start(target: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let way = watch::Sender::new(Way::Open);
        tokio::spawn(serve(listener, target, way.subscribe()));
        Ok(Self { address, way })
    }

    /// Changes the way, also for connections that exist.
    pub fn set(&self, way: Way) {
        self.way.send_replace(way);
    }
}

async fn serve(listener: TcpListener, target: SocketAddr, way: watch::Receiver<Way>) {
    let mut connections = JoinSet::new();
    while let Ok((near, _)) = listener.accept().await {
        connections.spawn(pass(near, target, way.clone()));
        while connections.try_join_next().is_some() {}
    }
}

async fn pass(near: TcpStream, target: SocketAddr, mut way: watch::Receiver<Way>) {
    if *way.borrow_and_update() == Way::Cut {
        return;
    }
    let Ok(far) = TcpStream::connect(target).await else { return };
    let _ = (near.set_nodelay(true), far.set_nodelay(true));
    let (near_in, near_out) = near.into_split();
    let (far_in, far_out) = far.into_split();
    tokio::select! {
        () = pump(near_in, far_out, way.clone(), true) => {}
        () = pump(far_in, near_out, way.clone(), false) => {}
        _ = way.wait_for(|way| *way == Way::Cut) => {}
    }
}

/// Passes bytes on in one direction, as the way allows.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    way: watch::Receiver<Way>,
    up: bool,
) {
    let mut buffer = vec![0; 16 << 10];
    let mut way = way;
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else { return };
        let passes = |way: &Way| match way {
            Way::Stalled => false,
            Way::HalfStalled => !up,
            _ => true,
        };
        let Ok(now) = way.wait_for(passes).await.map(|way| *way) else { return };
        if let Way::Slow(delay) = now {
            tokio::time::sleep(delay).await;
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
