//! A thin client, for the command line and for programs.

use std::time::Duration;

use sprig_engine::CanonicalPosition;
use sprig_search::Goal;
use tokio::time::Instant;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use crate::wire::clients_client::ClientsClient;
use crate::{Build, ClusterStatus, Job, JobId, Knowledge, Malformed, Mismatch, limits, wire};

/// How long [`Client::connect`] tries.
const PATIENCE: Duration = Duration::from_secs(10);
/// First pause between two tries; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Not an address.
    #[error("`{url}` is not the address of a coordinator: write it like http://127.0.0.1:7425")]
    Address {
        /// What was given.
        url: String,
    },
    /// Nobody answers there.
    #[error(
        "no coordinator answers at {url} (tried for {seconds} s): {reason}; start one with `sprig coordinator` or check the address"
    )]
    Unreachable {
        /// The address.
        url: String,
        /// How long was tried, in seconds.
        seconds: u64,
        /// What the network said.
        reason: String,
    },
    /// The coordinator is another version.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The coordinator refused.
    #[error("the coordinator refused: {}", .0.message())]
    Refused(Box<Status>),
    /// The coordinator's reply breaks the protocol.
    #[error("the coordinator's reply is malformed: {0}")]
    Malformed(#[from] Malformed),
    /// The connection broke in the middle.
    #[error("the connection to the coordinator was lost; the job goes on there: ask again")]
    Lost,
}

impl From<Status> for ClientError {
    fn from(status: Status) -> Self {
        match status.code() {
            Code::Unavailable | Code::Unknown | Code::Cancelled => Self::Lost,
            _ => Self::Refused(Box::new(status)),
        }
    }
}

/// A connection to a coordinator. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    calls: ClientsClient<Channel>,
}

/// A job, seen again whenever something has changed.
#[derive(Debug)]
pub struct Jobs(tonic::Streaming<wire::Job>);

impl Client {
    /// Connects to the coordinator at `url`. Tries again for ten seconds while nobody answers.
    ///
    /// # Errors
    /// [`ClientError::Address`], [`ClientError::Unreachable`], [`ClientError::Mismatch`].
    pub async fn connect(url: &str) -> Result<Self, ClientError> {
        let endpoint = Endpoint::from_shared(url.to_owned())
            .ok()
            .filter(|endpoint| endpoint.uri().host().is_some())
            .ok_or_else(|| ClientError::Address { url: url.to_owned() })?
            .connect_timeout(Duration::from_secs(2))
            .tcp_nodelay(true);
        let channel = patiently(&endpoint, url).await?;
        let mut calls =
            ClientsClient::new(channel).max_decoding_message_size(limits::MESSAGE_BYTES);
        let build = calls.greet(wire::Build::from(Build::here())).await?.into_inner();
        Build::try_from(build)?.check()?;
        Ok(Self { calls })
    }

    /// Submits a goal; the job may have ended already.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn submit(&mut self, goal: Goal) -> Result<Job, ClientError> {
        Ok(self.calls.submit(wire::Goal::from(goal)).await?.into_inner().try_into()?)
    }

    /// Follows a job until it has ended.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn watch(&mut self, job: JobId) -> Result<Jobs, ClientError> {
        Ok(Jobs(self.calls.watch(wire::JobId::from(job)).await?.into_inner()))
    }

    /// Ends a job without an answer.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn cancel(&mut self, job: JobId) -> Result<Job, ClientError> {
        Ok(self.calls.cancel(wire::JobId::from(job)).await?.into_inner().try_into()?)
    }

    /// What goes on.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn status(&mut self) -> Result<ClusterStatus, ClientError> {
        Ok(self.calls.status(wire::StatusRequest {}).await?.into_inner().try_into()?)
    }

    /// What the database knows about a position.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn query(&mut self, position: &CanonicalPosition) -> Result<Knowledge, ClientError> {
        Ok(self.calls.query(wire::Position::from(position)).await?.into_inner().try_into()?)
    }
}

impl Jobs {
    /// The job after the next change; `None` after its end has been told.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn next(&mut self) -> Result<Option<Job>, ClientError> {
        Ok(self.0.message().await?.map(Job::try_from).transpose()?)
    }
}

/// Connects, with pauses that double, until [`PATIENCE`] is over.
async fn patiently(endpoint: &Endpoint, url: &str) -> Result<Channel, ClientError> {
    let end = Instant::now() + PATIENCE;
    let mut pause = FIRST_PAUSE;
    loop {
        match endpoint.connect().await {
            Ok(channel) => return Ok(channel),
            Err(error) if Instant::now() + pause >= end => {
                let reason = innermost(&error);
                let seconds = PATIENCE.as_secs();
                return Err(ClientError::Unreachable { url: url.to_owned(), seconds, reason });
            }
            Err(_) => tokio::time::sleep(pause).await,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// What the network said, without the layers above it.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
