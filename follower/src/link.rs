//! The connection to a coordinator.

use std::time::Duration;

use sprig_domain::Reign;
use sprig_proto::wire::followers_client::FollowersClient;
use sprig_proto::{
    Access, AddressError, FollowerHello, FollowerWelcome, FromFollower, Line, Malformed, OnDisk,
    TlsProblem, ToFollower, Written, innermost, limits, spoken_past, wire,
};
use sprig_store::StoreError;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};

use crate::Error;

/// First pause after a failure; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Why there is no session any more.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Trying again may help.
    Away(String),
    /// Somebody is there to whom we cannot speak. Trying again helps once a person has mended that.
    Barred(TlsProblem),
    /// This coordinator does not want us.
    Refused(String),
    /// The follower must end.
    Fatal(Error),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Fatal(error.into())
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Self {
        Self::Refused(malformed.to_string())
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let message = status.message().to_owned();
        match status.code() {
            Code::Unimplemented => Self::Refused(
                "it is of a version that cannot be followed: install the newer sprig there".into(),
            ),
            Code::FailedPrecondition
            | Code::Unauthenticated
            | Code::PermissionDenied
            | Code::InvalidArgument => Self::Refused(message),
            _ => Self::Away(message),
        }
    }
}

/// The way to a coordinator.
pub(crate) struct Route {
    pub(crate) url: String,
    endpoint: Endpoint,
    access: Access,
}

impl Route {
    /// Checks an address.
    pub(crate) fn new(url: &str, access: &Access) -> Result<Self, AddressError> {
        let endpoint = access
            .endpoint(url)?
            .connect_timeout(Duration::from_secs(5))
            .tcp_nodelay(true)
            // Finds a coordinator that has vanished without a word.
            .http2_keep_alive_interval(Duration::from_secs(10))
            .keep_alive_timeout(Duration::from_secs(10))
            .keep_alive_while_idle(true);
        Ok(Self { url: url.to_owned(), endpoint, access: access.clone() })
    }

    async fn connect(&self) -> Result<FollowersClient<Line>, Failure> {
        let channel = self.access.network.connect(self.endpoint.clone()).await;
        let channel = channel.map_err(|error| match TlsProblem::behind(&error) {
            Some(problem) => Failure::Barred(problem),
            None => Failure::Away(innermost(&error)),
        })?;
        let calls = FollowersClient::new(self.access.line(channel));
        Ok(calls.max_decoding_message_size(limits::WRITTEN_BYTES))
    }

    /// Why a call did not come about.
    fn failed(&self, status: Status) -> Failure {
        match spoken_past(&status, &self.access) {
            Some(problem) => Failure::Barred(problem),
            None => status.into(),
        }
    }
}

/// An open session.
pub(crate) struct Session {
    /// Unbounded, but only one message goes in for each batch that was written.
    out: mpsc::UnboundedSender<wire::FromFollower>,
    incoming: Streaming<wire::ToFollower>,
}

impl Session {
    /// Opens a session; after `failures` failed tries in a row it waits first.
    pub(crate) async fn open(
        route: &Route,
        hello: FollowerHello,
        failures: usize,
        random: u64,
    ) -> Result<(Self, FollowerWelcome), Failure> {
        tokio::time::sleep(pause(failures, random)).await;
        let mut calls = route.connect().await?;
        let (out, outgoing) = mpsc::unbounded_channel();
        // The first message waits in the channel: the coordinator opens its side only after it.
        let _ = out.send(FromFollower::Hello(hello).into());
        let incoming = calls.follow(UnboundedReceiverStream::new(outgoing)).await;
        let incoming = incoming.map_err(|status| route.failed(status))?.into_inner();
        let mut session = Self { out, incoming };
        match session.message().await? {
            ToFollower::Welcome(welcome) => Ok((session, welcome)),
            ToFollower::Written(_) => {
                Err(Failure::Refused("the coordinator did not say welcome".into()))
            }
        }
    }

    async fn message(&mut self) -> Result<ToFollower, Failure> {
        let message = self.incoming.message().await?;
        let ended = || Failure::Away("the coordinator closed the session".into());
        Ok(ToFollower::try_from(message.ok_or_else(ended)?)?)
    }

    /// What was written next.
    pub(crate) async fn next(&mut self) -> Result<Written, Failure> {
        match self.message().await? {
            ToFollower::Written(written) => Ok(written),
            ToFollower::Welcome(_) => Err(Failure::Refused("a second welcome".into())),
        }
    }

    /// What was written next, if it has come already.
    pub(crate) async fn at_hand(&mut self) -> Result<Option<Written>, Failure> {
        tokio::select! {
            biased;
            written = self.next() => written.map(Some),
            () = std::future::ready(()) => Ok(None),
        }
    }

    /// Says what is on disk. What is lost with the connection is said again on the next one.
    pub(crate) fn say(&self, on_disk: OnDisk) {
        let _ = self.out.send(FromFollower::OnDisk(on_disk).into());
    }
}

/// Asks a coordinator for its reign.
pub(crate) async fn reigning(route: &Route) -> Result<Reign, Failure> {
    let mut calls = route.connect().await?;
    let reign =
        calls.reigning(wire::ReignRequest {}).await.map_err(|status| route.failed(status))?;
    Ok(reign.into_inner().try_into()?)
}

/// The pause after `failures` failures: doubled each time, and scattered by chance.
fn pause(failures: usize, random: u64) -> Duration {
    let Some(doublings) = failures.checked_sub(1) else { return Duration::ZERO };
    let doublings = u32::try_from(doublings.min(16)).unwrap_or(16);
    let full = (FIRST_PAUSE * 2u32.pow(doublings)).min(LONGEST_PAUSE);
    full.mul_f64(0.5 + 0.5 * f64::from(random as u32) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit() {
        assert_eq!(pause(0, 7), Duration::ZERO);
        for (failures, longest) in [(1, FIRST_PAUSE), (3, FIRST_PAUSE * 4), (99, LONGEST_PAUSE)] {
            for random in [0, 1 << 31, u64::MAX] {
                let pause = pause(failures, random);
                assert!(pause <= longest && pause >= longest / 2, "{failures}: {pause:?}");
            }
        }
    }
}
