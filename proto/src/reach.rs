//! Reaching a coordinator, and saying why that fails.

use std::time::Duration;

use tokio::time::Instant;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::access::is_loopback;
use crate::{Access, ClientError, TlsProblem, innermost};

/// How long [`crate::Client::connect`] tries.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long a coordinator that is asked may leave a ping without an answer, and the time between two pings.
const ALIVE: Duration = Duration::from_secs(30);
/// First pause between two tries; it doubles up to [`LONGEST_PAUSE`].
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(50);
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Whether the coordinator may be about to start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    Starting,
    Running,
}

/// Connects, with pauses that double, until [`PATIENCE`] is over.
pub(crate) async fn patiently(
    endpoint: Endpoint,
    url: &str,
    patience: Patience,
) -> Result<(Channel, Endpoint), ClientError> {
    let endpoint = endpoint
        .connect_timeout(Duration::from_secs(2))
        .tcp_nodelay(true)
        // Finds out that a coordinator has vanished without a word while it is asked.
        .http2_keep_alive_interval(ALIVE)
        .keep_alive_timeout(ALIVE);
    let begin = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        let error = match tokio::time::timeout(PATIENCE, endpoint.connect()).await {
            Ok(Ok(channel)) => return Ok((channel, endpoint)),
            Ok(Err(error)) => error,
            Err(_) => return Err(silent(url)),
        };
        let url = url.to_owned();
        if let Some(problem) = TlsProblem::behind(&error) {
            return Err(ClientError::Tls { url, problem });
        }
        let closed = patience == Patience::Running && is_closed(&endpoint, &error);
        if closed || begin.elapsed() + pause >= PATIENCE {
            let reason = match begin.elapsed().as_secs() {
                0 => innermost(&error),
                seconds => format!("{}; tried for {seconds} s", innermost(&error)),
            };
            return Err(ClientError::Unreachable { url, reason });
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Something takes connections and says nothing: a process that stands still, or no coordinator.
pub(crate) fn silent(url: &str) -> ClientError {
    let reason = format!("it takes connections and was silent for {} s", PATIENCE.as_secs());
    ClientError::Unreachable { url: url.to_owned(), reason }
}

/// Something takes connections and ends them before a word.
pub(crate) fn closing(url: &str, why: &str, after: Duration) -> ClientError {
    let reason =
        format!("it takes connections and ends them: {why}; tried for {} s", after.as_secs());
    ClientError::Unreachable { url: url.to_owned(), reason }
}

/// Whether nothing listens on a port of this machine.
fn is_closed(endpoint: &Endpoint, error: &(dyn std::error::Error + 'static)) -> bool {
    let refused = std::iter::successors(Some(error), |error| error.source()).any(|error| {
        let error = error.downcast_ref::<std::io::Error>();
        error.is_some_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
    });
    refused && endpoint.uri().host().is_some_and(is_loopback)
}

/// What stands in the way of a plain connection, if what answers there does not speak plain HTTP/2.
#[must_use]
pub fn spoken_past(status: &Status, access: &Access) -> Option<TlsProblem> {
    (access.tls.is_none() && is_foreign(status)).then_some(TlsProblem::Encrypted)
}

fn is_foreign(status: &Status) -> bool {
    // Whoever speaks HTTP/2 may refuse a stream or ask for calm, with codes of their own.
    let is_nonsense = matches!(status.code(), Code::Internal | Code::Unknown);
    is_nonsense && status.message().contains("h2 protocol error: http2 error")
}

/// Why a coordinator that took the connection did not take the greeting. A coordinator that speaks
/// TLS hangs up on plain text.
pub(crate) async fn not_greeted(
    status: Status,
    url: &str,
    access: &Access,
    endpoint: &Endpoint,
) -> ClientError {
    let is_foreign = is_foreign(&status);
    let error = ClientError::from(status);
    if !is_foreign && !matches!(error, ClientError::Lost) {
        return error;
    }
    let problem = match (&access.tls, endpoint.uri().host()) {
        (None, _) if is_foreign => Some(TlsProblem::Encrypted),
        (None, Some(host)) => {
            let port = endpoint.uri().port_u16().unwrap_or(80);
            TlsProblem::is_alarmed(host, port).await.then_some(TlsProblem::Encrypted)
        }
        (Some(tls), Some(host)) => {
            TlsProblem::heard(tls, host, endpoint.uri().port_u16().unwrap_or(443)).await
        }
        (_, None) => None,
    };
    match problem {
        Some(problem) => ClientError::Tls { url: url.to_owned(), problem },
        None => error,
    }
}
