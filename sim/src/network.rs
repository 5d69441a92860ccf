//! The simulated network, as the coordinator and the worker see it.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::rt::TokioIo;
use sprig_coordinator::Peer;
use sprig_proto::{Access, Dial, Network};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_stream::Stream;
use tonic::transport::server::Connected;
use tonic::transport::{Channel, Endpoint, Uri};
use turmoil::net::{TcpListener, TcpStream};

/// The port of coordinators.
pub(crate) const PORT: u16 = 7425;

/// A connection that the coordinator has accepted.
pub(crate) struct Accepted(TcpStream, Arc<Peer>);

impl Connected for Accepted {
    type ConnectInfo = Arc<Peer>;
    fn connect_info(&self) -> Arc<Peer> {
        Arc::clone(&self.1)
    }
}

impl AsyncRead for Accepted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Accepted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// The address of all that come through one router.
const ROUTER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

/// The connections to this host, one after the other. Behind a router all come from one address.
pub(crate) async fn listen(
    behind_router: bool,
) -> io::Result<impl Stream<Item = io::Result<Accepted>>> {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    let (out, incoming) = tokio::sync::mpsc::channel(16);
    tokio::spawn(async move {
        loop {
            let accepted = listener.accept().await.map(|(stream, address)| {
                let address = if behind_router { ROUTER } else { address.ip() };
                Accepted(stream, Peer::plain(address))
            });
            if out.send(accepted).await.is_err() {
                return;
            }
        }
    });
    Ok(tokio_stream::wrappers::ReceiverStream::new(incoming))
}

/// The way to any host.
pub(crate) fn dial() -> Arc<Dial> {
    Arc::new(|endpoint: Endpoint| Box::pin(connect(endpoint)))
}

/// The way to any host, for callers that need nothing else to get in.
pub(crate) fn access() -> Access {
    Access { network: Network::simulated(dial()), ..Access::default() }
}

pub(crate) async fn connect(endpoint: Endpoint) -> Result<Channel, tonic::transport::Error> {
    let connector = |uri: Uri| async move {
        let host = uri.host().unwrap_or_default().to_owned();
        Ok::<_, io::Error>(TokioIo::new(TcpStream::connect((host, PORT)).await?))
    };
    endpoint.connect_with_connector(tower::service_fn(connector)).await
}
