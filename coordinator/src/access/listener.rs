//! Connections: how many there may be, how long they may take to begin, and whose they are.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
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

use super::gate::Proof;
use super::newcomers::Newcomers;
use super::{Gate, Pace};

/// How long TLS may take, and after it the first words of HTTP/2. Later silence is found by
/// keep-alive.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of the first words: the preface of HTTP/2 and an empty frame of settings.
const PREFACE: usize = 24 + 9;
/// Refused calls of a connection that are written down at once; then one a second.
const REFUSALS: u32 = 10;
/// Pause after the system has refused a connection, mostly for lack of files.
const BREATH: Duration = Duration::from_millis(100);

/// The other end of a connection.
#[derive(Debug)]
pub struct Peer {
    pub(super) address: IpAddr,
    /// The certificates that it has shown.
    pub(super) proof: Option<Proof>,
    pub(super) calls: Pace,
    /// How often a refused call of this peer may be written down.
    pub(super) refusals: Pace,
}

impl Peer {
    /// A peer at this address that has shown no certificate: the `ConnectInfo` of connections that
    /// are accepted elsewhere.
    pub fn plain(address: IpAddr) -> Arc<Self> {
        Self::with(address, None)
    }

    fn with(address: IpAddr, proof: Option<Proof>) -> Arc<Self> {
        let calls = Pace::new(limits::CALLS_PER_SECOND, limits::CALLS_AT_ONCE);
        Arc::new(Self { address, proof, calls, refusals: Pace::new(1, REFUSALS) })
    }
}

/// An open connection.
pub(crate) struct Connection {
    io: Io,
    peer: Arc<Peer>,
    /// Bytes read, and until when there must be a preface; `None` once it has come.
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
    let newcomers = Newcomers::default();
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
        // A peer for which there is no slot is hung up on at once: if it waited, a few peers could
        // hold up all.
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            warn!(%address, "hung up: {} connections are open", limits::CONNECTIONS);
            continue;
        };
        let mut newcomer = newcomers.admit(address);
        let (gate, out) = (gate.clone(), out.clone());
        tokio::spawn(async move {
            let begun = tokio::select! {
                begun = timeout(PATIENCE, begin(gate, stream, address, slot)) => begun,
                _ = &mut newcomer.room => {
                    debug!(%address, "hung up: too many connections that have said nothing yet");
                    return;
                }
            };
            drop(newcomer);
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
    let (io, proof) = match gate.acceptor() {
        None => (Io::Plain(stream), None),
        Some(acceptor) => {
            let stream = acceptor.0.accept(stream).await?;
            let chain = stream.get_ref().1.peer_certificates();
            let proof = chain.map(Proof::certificate);
            (Io::Encrypted(Box::new(stream)), proof)
        }
    };
    Ok(Connection {
        io,
        peer: Peer::with(address, proof),
        waiting: Some((0, Box::pin(sleep(PATIENCE)))),
        _slot: slot,
    })
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
