//! `/healthz`, `/readyz` and `/metrics` for people who run Sprig as a service: plain HTTP, and no
//! more than counters.

mod holdings;
mod process;

pub use holdings::gets_in_by;
#[cfg(feature = "coordinator")]
pub use holdings::{Holder, WithDatabase, disk, uses};
#[cfg(feature = "coordinator")]
pub use process::register as of_process;

use std::convert::Infallible;
use std::net::ToSocketAddrs;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::failure::Usage;
use crate::trace::say;

/// Connections at once.
const CONNECTIONS: usize = 32;
/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may take to ask, so that silent clients do not keep the others waiting.
const QUESTION: Duration = Duration::from_secs(1);
/// Pause after a connection could not be taken, for example because all files are in use.
const PAUSE: Duration = Duration::from_millis(100);

/// The media type of OpenMetrics, the text format that Prometheus reads.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A process that is watched.
pub trait Watched: Clone + Send + Sync + 'static {
    /// Whether the process can do its work now.
    fn is_ready(&self) -> impl Future<Output = bool> + Send;
    /// Registers the counters of the process; false if it does not reply.
    fn register(&self, registry: &mut Registry) -> impl Future<Output = bool> + Send;
}

/// Listens on `address` and answers for as long as the runtime lives.
///
/// # Errors
/// When the address cannot be listened on.
pub async fn serve(address: &str, watched: impl Watched) -> anyhow::Result<()> {
    let wrong = || format!("cannot show metrics on `{address}`; write it like 127.0.0.1:9425");
    let first = address.to_socket_addrs().ok().and_then(|mut all| all.next());
    let first = first.ok_or_else(|| Usage(wrong()))?;
    let listener = TcpListener::bind(first).await.with_context(wrong)?;
    process::begin();
    say(&format!("metrics at http://{}/metrics", listener.local_addr()?));
    let turns = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::spawn(async move {
        loop {
            let Ok(turn) = Arc::clone(&turns).acquire_owned().await else { return };
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let watched = watched.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| answer(request, watched.clone()));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(QUESTION)
                    .keep_alive(false)
                    .serve_connection(TokioIo::new(stream), service);
                // A client that went away, or was too slow, can ask again.
                let _ = tokio::time::timeout(PATIENCE, connection).await;
                drop(turn);
            });
        }
    });
    Ok(())
}

type Answer = Result<Response<Full<Bytes>>, Infallible>;

fn answer(
    request: Request<Incoming>,
    watched: impl Watched,
) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
    Box::pin(async move {
        let (status, kind, text) = match (request.method(), request.uri().path()) {
            (&Method::GET | &Method::HEAD, "/healthz") => {
                (StatusCode::OK, "text/plain", "ok\n".into())
            }
            (&Method::GET | &Method::HEAD, "/readyz") => match watched.is_ready().await {
                true => (StatusCode::OK, "text/plain", "ready\n".into()),
                false => (StatusCode::SERVICE_UNAVAILABLE, "text/plain", "not ready\n".into()),
            },
            (&Method::GET, "/metrics") => {
                let (mut registry, mut text) = (Registry::default(), String::new());
                process::register(&mut registry);
                holdings::certificates(&mut registry);
                let replies = watched.register(&mut registry).await;
                match text::encode(&mut text, &registry) {
                    Ok(()) if replies => (StatusCode::OK, OPEN_METRICS, text),
                    _ => (StatusCode::SERVICE_UNAVAILABLE, "text/plain", "no reply\n".into()),
                }
            }
            _ => (StatusCode::NOT_FOUND, "text/plain", "/healthz, /readyz, /metrics\n".into()),
        };
        let response = Response::builder().status(status).header("content-type", kind);
        Ok(response.body(Full::from(text)).expect("both are plain"))
    })
}

#[cfg(feature = "coordinator")]
impl Watched for sprig_coordinator::Watcher {
    fn is_ready(&self) -> impl Future<Output = bool> + Send {
        self.is_ready()
    }

    fn register(&self, registry: &mut Registry) -> impl Future<Output = bool> + Send {
        self.register(registry)
    }
}

#[cfg(feature = "coordinator")]
impl Watched for Arc<sprig_follower::Pulse> {
    async fn is_ready(&self) -> bool {
        self.read().connected
    }

    async fn register(&self, registry: &mut Registry) -> bool {
        self.read().register(registry);
        true
    }
}

impl Watched for Arc<sprig_worker::Pulse> {
    async fn is_ready(&self) -> bool {
        self.read().connected
    }

    async fn register(&self, registry: &mut Registry) -> bool {
        self.read().register(registry);
        true
    }
}
