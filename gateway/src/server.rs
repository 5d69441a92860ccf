//! The server: how many clients may connect, and for how long.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use sprig_proto::Visitors;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::explorer::Explorer;
use crate::{Source, route};

/// Bounds of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most connections at once.
    pub connections: usize,
    /// Most connections from one address.
    pub of_one: usize,
    /// How long a request may take to arrive, and a connection may be quiet.
    pub quiet: Duration,
    /// How long a connection lives.
    pub life: Duration,
    /// Most bytes of a request's head.
    pub head: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1_024,
            of_one: 128,
            quiet: Duration::from_secs(10),
            life: Duration::from_secs(600),
            head: 16 << 10,
        }
    }
}

/// The pause after a connection could not be taken, for example because all files are in use.
const PAUSE: Duration = Duration::from_millis(100);
/// How long connections may take to end when the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// A server that listens.
pub struct Gateway {
    listener: TcpListener,
    explorer: Explorer,
    limits: Limits,
}

impl Gateway {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn listen(address: SocketAddr, source: Source, limits: Limits) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self { listener, explorer: Explorer::new(source), limits })
    }

    /// Lets visitors steer the searches of the coordinator that is asked, each with a token of its
    /// own. Without this no request changes anything.
    #[must_use]
    pub fn steered_by(mut self, visitors: Visitors) -> Self {
        self.explorer.visitors = Some(visitors);
        self
    }

    /// The address where the server listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop` comes to its end, then lets open connections end.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let Self { listener, explorer, limits } = self;
        let explorer = Arc::new(explorer);
        // So the table of the first page is there before the first visitor.
        explorer.start_positions();
        let turns = Arc::new(Semaphore::new(limits.connections));
        let guests = Arc::new(Guests::default());
        let (closing, closed) = watch::channel(false);
        let mut stop = pin!(stop);
        loop {
            let next = async {
                let turn = Arc::clone(&turns).acquire_owned().await;
                (turn, listener.accept().await)
            };
            let (turn, accepted) = tokio::select! {
                next = next => next,
                () = &mut stop => break,
            };
            let (Ok(turn), Ok((stream, peer))) = (turn, accepted) else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            // A client with too many connections does not keep the others out.
            let Some(guest) = guests.welcome(peer.ip(), limits.of_one) else { continue };
            tokio::spawn(speak(
                stream,
                Arc::clone(&explorer),
                limits,
                closed.clone(),
                (turn, guest),
            ));
        }
        drop(listener);
        closing.send_replace(true);
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        // A connection that is too slow is cut off with the process.
        let _ = tokio::time::timeout(GRACE, turns.acquire_many(all)).await;
    }
}

/// Serves one connection to its end.
async fn speak(
    stream: TcpStream,
    explorer: Arc<Explorer>,
    limits: Limits,
    mut closed: watch::Receiver<bool>,
    _place: (OwnedSemaphorePermit, Guest),
) {
    // Small answers do not wait for more data.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let explorer = Arc::clone(&explorer);
        async move { Ok::<_, Infallible>(route::answer(explorer, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.quiet)
        .max_buf_size(limits.head)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let served = async {
        let told = async { drop(closed.wait_for(|closed| *closed).await) };
        tokio::select! {
            _ = connection.as_mut() => return,
            () = told => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    };
    // A client that went away, or was too slow, can ask again.
    let _ = tokio::time::timeout(limits.life, served).await;
}

/// How many connections each address has.
#[derive(Default)]
struct Guests(Mutex<HashMap<IpAddr, usize>>);

/// A connection that counts for its address until it is dropped.
struct Guest {
    guests: Arc<Guests>,
    address: IpAddr,
}

impl Guests {
    fn welcome(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<Guest> {
        let mut guests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = guests.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Guest { guests: Arc::clone(self), address })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut guests = self.guests.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = guests.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                guests.remove(&self.address);
            }
        }
    }
}
