//! Connections to web servers: one for each request.

use std::sync::Arc;

use anyhow::Context;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Makes connections, with TLS where the address says so.
#[derive(Clone)]
pub struct Dialer(TlsConnector);

/// Why a request has no response.
pub enum Broken {
    /// No connection was made, so the server has heard nothing.
    Connect(anyhow::Error),
    /// The connection was lost, and the server may have heard the request.
    Lost(hyper::Error),
}

impl Dialer {
    /// A dialer that trusts the authorities of the system (`SSL_CERT_FILE` names others).
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn new() -> anyhow::Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    /// Sends a request to the server that its address names, and waits for the head of the
    /// response.
    ///
    /// # Errors
    /// [`Broken`].
    pub async fn send<B>(&self, request: Request<B>) -> Result<Response<Incoming>, Broken>
    where
        B: Body<Data: Send, Error: std::error::Error + Send + Sync> + Unpin + Send + 'static,
    {
        let (request, uri) = local(request).map_err(Broken::Connect)?;
        let host = uri.host().unwrap_or_default();
        let is_tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let bare = host.trim_matches(['[', ']']);
        let stream = TcpStream::connect((bare, port)).await;
        let stream = stream.with_context(|| format!("{host}:{port} cannot be reached"));
        let stream = stream.map_err(Broken::Connect)?;
        // Each message is sent whole, so waiting for more gains nothing.
        let _ = stream.set_nodelay(true);
        if !is_tls {
            return said(stream, request).await;
        }
        let name = ServerName::try_from(bare.to_owned());
        let name = name.map_err(|error| Broken::Connect(error.into()))?;
        let tls = self.0.connect(name, stream).await;
        let tls = tls.with_context(|| {
            format!(
                "{host}:{port} does not show who it is; if you know its authority, name the file of \
                 its certificate in SSL_CERT_FILE"
            )
        });
        said(tls.map_err(Broken::Connect)?, request).await
    }
}

/// The request in the form for its own server, and the address of the server.
fn local<B>(mut request: Request<B>) -> anyhow::Result<(Request<B>, Uri)> {
    let uri = request.uri().clone();
    let authority = uri.authority().context("an address without a host")?;
    let host = HeaderValue::try_from(authority.as_str())?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse()?;
    request.headers_mut().insert(HOST, host);
    Ok((request, uri))
}

/// Sends a request over a connection, and waits for the head of the response.
async fn said<B>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<B>,
) -> Result<Response<Incoming>, Broken>
where
    B: Body<Data: Send, Error: std::error::Error + Send + Sync> + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(Broken::Lost)?;
    // The connection ends with the response. The reader of the response sees its errors.
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(Broken::Lost)
}
