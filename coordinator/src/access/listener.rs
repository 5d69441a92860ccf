//! Connections: how many there may be, how long they may take to begin, and whose they are.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use sprig_proto::limits;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Sleep, sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;
use tracing::{debug, warn};

use super::{Gate, Identity, Pace, certificate};

/// How long TLS may take, and after it the first words of HTTP/2. Later silence is found by keep-alive.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of the first words: the preface of HTTP/2 and an empty frame of settings.
const PREFACE: usize = 24 + 9;
/// Pause after the system has refused a connection, mostly for lack of files.
const BREATH: Duration = Duration::from_millis(100);

/// Who is at the other end of a connection.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(super) address: IpAddr,
    /// By its certificate.
    pub(super) identity: Option<Identity>,
    pub(super) calls: Pace,
}

/// An open connection.
pub(crate) struct Connection {
    io: Io,
    peer: Arc<Peer>,
    /// Bytes read, and until when there must be a preface; none when there is one.
    waiting: Option<(usize, Pin<Box<Sleep>>)>,
    _slot: OwnedSemaphorePermit,
}

enum Io {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

/// Accepts connections until the stream of them is dropped.
pub(crate) fn listen(listener: TcpListener, gate: Gate) -> ReceiverStream<io::Result<Connection>> {
    let (out, incoming) = mpsc::channel(16);
    tokio::spawn(accept(listener, gate, out));
    ReceiverStream::new(incoming)
}

async fn accept(listener: TcpListener, gate: Gate, out: mpsc::Sender<io::Result<Connection>>) {
    let slots = Arc::new(Semaphore::new(limits::CONNECTIONS));
    let beginners = Beginners::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = out.closed() => return,
        };
        let (stream, address) = match accepted {
            Ok((stream, address)) => (stream, address.ip()),
            Err(error) => {
                warn!(%error, "a connection was not accepted");
                sleep(BREATH).await;
                continue;
            }
        };
        // Whoever comes too late is hung up on at once: waiting would let a few hold up all.
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            warn!(%address, "hung up: {} connections are open", limits::CONNECTIONS);
            continue;
        };
        let Some(turn) = beginners.admit(address) else {
            debug!(%address, "hung up: too many connections that have said nothing yet");
            continue;
        };
        let (gate, out) = (gate.clone(), out.clone());
        tokio::spawn(async move {
            let begun = timeout(PATIENCE, begin(gate, stream, address, slot)).await;
            drop(turn);
            match begun {
                Ok(Ok(connection)) => drop(out.send(Ok(connection)).await),
                Ok(Err(error)) => debug!(%address, %error, "no TLS"),
                Err(_) => debug!(%address, "no TLS in time"),
            }
        });
    }
}

async fn begin(
    gate: Gate,
    stream: TcpStream,
    address: IpAddr,
    slot: OwnedSemaphorePermit,
) -> io::Result<Connection> {
    stream.set_nodelay(true)?;
    let (io, identity) = match gate.acceptor {
        None => (Io::Plain(stream), None),
        Some(acceptor) => {
            let stream = acceptor.0.accept(stream).await?;
            let chain = stream.get_ref().1.peer_certificates();
            let identity = chain.and_then(|chain| certificate::identity(chain.first()?));
            (Io::Encrypted(Box::new(stream)), identity)
        }
    };
    let calls = Pace::new(limits::CALLS_PER_SECOND, limits::CALLS_AT_ONCE);
    Ok(Connection {
        io,
        peer: Arc::new(Peer { address, identity, calls }),
        waiting: Some((0, Box::pin(sleep(PATIENCE)))),
        _slot: slot,
    })
}

/// Counts connections that have not finished TLS, by address, so that one address cannot take all the turns.
#[derive(Clone, Default)]
struct Beginners(Arc<Mutex<HashMap<IpAddr, usize>>>);

struct Turn(Beginners, IpAddr);

impl Beginners {
    fn admit(&self, address: IpAddr) -> Option<Turn> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_insert(0);
        (*count < limits::BEGINNERS).then(|| {
            *count += 1;
            Turn(self.clone(), address)
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut counts = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.1);
            }
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = Arc<Peer>;

    fn connect_info(&self) -> Arc<Peer> {
        Arc::clone(&self.peer)
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let polled = match &mut this.io {
            Io::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Io::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        if let Some((read, deadline)) = &mut this.waiting {
            *read += buffer.filled().len() - before;
            if *read >= PREFACE {
                this.waiting = None;
            } else if deadline.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        polled
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().io {
            Io::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Io::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().io {
            Io::Plain(stream) => Pin::new(stream).poll_flush(context),
            Io::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().io {
            Io::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Io::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
