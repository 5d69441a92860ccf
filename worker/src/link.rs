//! The connection to the coordinator, and the way to a new one.

use std::time::Duration;

use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Access, FromWorker, Hello, Line, Mismatch, TlsProblem, ToWorker, Welcome, innermost, limits,
    spoken_past, wire,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};
use tracing::{debug, warn};

use crate::{Error, Ground};

/// First pause after a failure; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// An open session.
pub(crate) struct Session {
    /// Unbounded, but the agent never has more than a window of reports on their way.
    out: mpsc::UnboundedSender<wire::FromWorker>,
    incoming: Streaming<wire::ToWorker>,
    calls: WorkersClient<Line>,
}

/// Why there is no session.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Trying again may help.
    Away(String),
    /// Trying again cannot help.
    Refused(String),
    /// Trying again cannot help: this program is too old.
    Outdated(String),
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let message = sprig_proto::refusal(&status).to_owned();
        match status.code() {
            Code::FailedPrecondition if Mismatch::is_here(&message, true) => {
                Self::Outdated(message)
            }
            // Another version, no right to work, a contradiction, or a message that was not
            // understood.
            Code::FailedPrecondition
            | Code::Unauthenticated
            | Code::PermissionDenied
            | Code::Aborted
            | Code::InvalidArgument
            | Code::Unimplemented => Self::Refused(message),
            _ => Self::Away(message),
        }
    }
}

/// The way to a coordinator.
#[derive(Clone)]
pub(crate) struct Route {
    pub(crate) url: String,
    endpoint: Endpoint,
    access: Access,
}

impl Route {
    /// Checks an address.
    pub(crate) fn new(url: &str, access: Access) -> Result<Self, Error> {
        let endpoint = access
            .endpoint(url)?
            .connect_timeout(Duration::from_secs(5))
            .tcp_nodelay(true)
            // Finds a coordinator that has vanished without a word.
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(10))
            .keep_alive_while_idle(true);
        Ok(Self { url: url.to_owned(), endpoint, access })
    }

    pub(crate) async fn connect(&self) -> Result<Line, Failure> {
        let channel = self.access.network.connect(self.endpoint.clone()).await;
        let channel = channel.map_err(|error| {
            let tls = TlsProblem::behind(&error);
            Failure::Away(tls.map_or_else(|| innermost(&error), |tls| tls.to_string()))
        })?;
        Ok(self.access.line(channel))
    }
}

/// Opens a session; after `failures` failed tries in a row it waits first.
pub(crate) async fn open(
    route: Route,
    hello: Hello,
    failures: u32,
    ground: Ground,
) -> Result<(Session, Welcome), Failure> {
    tokio::time::sleep(pause(failures, (ground.random)())).await;
    let calls = WorkersClient::new(route.connect().await?);
    let mut calls = calls.max_decoding_message_size(limits::MESSAGE_BYTES);
    let (out, outgoing) = mpsc::unbounded_channel();
    let mut session_calls = calls.clone();
    // The first message waits in the channel: the coordinator opens its side only after it.
    let _ = out.send(FromWorker::Hello(hello).into());
    let incoming = session_calls.work(UnboundedReceiverStream::new(outgoing)).await;
    let incoming = incoming.map_err(|status| match spoken_past(&status, &route.access) {
        Some(problem) => Failure::Away(problem.to_string()),
        None => status.into(),
    })?;
    let incoming = incoming.into_inner();
    calls = session_calls;
    let mut session = Session { out, incoming, calls };
    match session.next().await? {
        ToWorker::Welcome(welcome) => match welcome.build.check() {
            Ok(()) => Ok((session, welcome)),
            Err(mismatch) if Mismatch::is_here(&mismatch.to_string(), false) => {
                Err(Failure::Outdated(mismatch.to_string()))
            }
            Err(mismatch) => Err(Failure::Refused(mismatch.to_string())),
        },
        _ => Err(Failure::Refused("the coordinator did not say welcome".into())),
    }
}

impl Session {
    /// The next message, or a failure when the session has ended.
    pub(crate) async fn next(&mut self) -> Result<ToWorker, Failure> {
        loop {
            let message = self.incoming.message().await?;
            let message = message
                .ok_or_else(|| Failure::Away("the coordinator closed the session".into()))?;
            // A coordinator of another version may say what this program does not know, and can do
            // without.
            if message.message.is_some() {
                return ToWorker::try_from(message)
                    .map_err(|malformed| Failure::Refused(malformed.to_string()));
            }
        }
    }

    /// Sends a message. What is lost with the connection is sent again on the next one.
    pub(crate) fn say(&self, message: FromWorker) {
        let _ = self.out.send(message.into());
    }

    /// Says that nothing more will come, and waits until the coordinator has heard everything.
    /// Returns the reason if it objects.
    pub(crate) async fn close(self) -> Option<Failure> {
        let Self { out, mut incoming, .. } = self;
        drop(out);
        loop {
            match incoming.message().await {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(status) => return Some(status.into()),
            }
        }
    }

    /// The calls of this session beside its own stream.
    pub(crate) fn calls(&self) -> WorkersClient<Line> {
        self.calls.clone()
    }
}

/// Warns of the first failure in a row, and mentions the others.
pub(crate) fn log_failure(url: &str, reason: &str, failures: u32) {
    if failures == 0 {
        warn!("no coordinator at {url} ({reason}); trying again until there is one");
    } else {
        debug!(failures, "no coordinator at {url} ({reason})");
    }
}

/// The pause after `failures` failures: doubled each time, and scattered so that workers do not all
/// come back at the same time.
fn pause(failures: u32, random: u64) -> Duration {
    if failures == 0 {
        return Duration::ZERO;
    }
    let full = (FIRST_PAUSE * 2u32.saturating_pow((failures - 1).min(16))).min(LONGEST_PAUSE);
    let scatter = f64::from(random as u32) / f64::from(u32::MAX);
    full.mul_f64(0.5 + 0.5 * scatter)
}
