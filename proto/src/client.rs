//! A thin client, for the command line and for programs.

use sprig_domain::{Fact, Goal, JobId, LandNimber, Ruleset, Terms, TreeKey};
use sprig_engine::{CanonicalPosition, Nimber};
use tokio::time::Instant;
use tonic::{Code, Status};

use crate::reach::{
    FIRST_PAUSE, LONGEST_PAUSE, PATIENCE, Patience, closing, not_greeted, patiently, silent,
};
use crate::wire::clients_client::ClientsClient;
use crate::{
    Access, AddressError, Ban, Build, ClusterStatus, Job, JobOrder, Knowledge, Line, Malformed,
    Mismatch, Move, Selection, Sight, Submission, TlsProblem, limits, wire,
};

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Not an address, or one where secrets would not be kept.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No coordinator answers there.
    #[error(
        "no coordinator answers at {url} ({reason}); start one with `sprig coordinator` or check the address"
    )]
    Unreachable {
        /// The address.
        url: String,
        /// What the network said, and for how long it was asked.
        reason: String,
    },
    /// The two do not agree about TLS.
    #[error("cannot speak with the coordinator at {url}: {problem}")]
    Tls {
        /// The address.
        url: String,
        /// What is wrong.
        problem: TlsProblem,
    },
    /// The coordinator does not tell callers by tokens.
    #[error(
        "the coordinator at {url} asks nobody for a token, so it cannot tell who steers: start it with --tokens FILE (`sprig token submit NAME --tokens FILE` adds one)"
    )]
    NoTokens {
        /// The address.
        url: String,
    },
    /// The coordinator is another version.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The coordinator refused.
    #[error("the coordinator refused: {}", refusal(.0))]
    Refused(Box<Status>),
    /// The coordinator's reply breaks the protocol.
    #[error("the coordinator's reply is malformed: {0}")]
    Malformed(#[from] Malformed),
    /// The connection broke in the middle.
    #[error("the connection to the coordinator was lost; the job goes on there: ask again")]
    Lost,
}

/// Why a call was refused. Who does not know a call says nothing of its own.
#[must_use]
pub fn refusal(status: &Status) -> &str {
    match (status.code(), status.message()) {
        (Code::Unimplemented, "") => {
            "what answers at this address does not know this call: coordinators serve clients and \
             workers (--coordinator), and copies tell workers facts (--copies)"
        }
        (code, "") => code.description(),
        (_, message) => message,
    }
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
    calls: ClientsClient<Line>,
}

/// A job, seen again whenever something has changed.
#[derive(Debug)]
pub struct Jobs(tonic::Streaming<wire::Job>);

impl Client {
    /// Connects to a coordinator at `url` that wants no credentials. Tries again for ten seconds
    /// while no coordinator answers.
    ///
    /// # Errors
    /// As [`Client::connect_with`].
    pub async fn connect(url: &str) -> Result<Self, ClientError> {
        Self::connect_with(url, &Access::default()).await
    }

    /// Connects to the coordinator at `url`. Tries again for ten seconds while no coordinator
    /// answers.
    ///
    /// # Errors
    /// [`ClientError::Address`], [`ClientError::Unreachable`], [`ClientError::Tls`],
    /// [`ClientError::Mismatch`], [`ClientError::Refused`].
    pub async fn connect_with(url: &str, access: &Access) -> Result<Self, ClientError> {
        Self::connect_by(url, access, Patience::Starting).await
    }

    /// Connects to a coordinator that should be there already. Tries again for ten seconds while
    /// the network does not answer, but not for a closed port of this machine, which will stay
    /// closed.
    ///
    /// # Errors
    /// As for [`Client::connect_with`].
    pub async fn connect_to_running(url: &str, access: &Access) -> Result<Self, ClientError> {
        Self::connect_by(url, access, Patience::Running).await
    }

    async fn connect_by(
        url: &str,
        access: &Access,
        patience: Patience,
    ) -> Result<Self, ClientError> {
        let begin = Instant::now();
        loop {
            let (channel, endpoint) = patiently(access.endpoint(url)?, url, patience).await?;
            let mut client = Self::on(access.line(channel));
            let Ok(greeted) = tokio::time::timeout(PATIENCE, client.greet()).await else {
                return Err(silent(url));
            };
            let (why, error) = match greeted {
                Ok(build) => {
                    Build::try_from(build)?.check()?;
                    return Ok(client);
                }
                Err(status) => {
                    (status.message().to_owned(), not_greeted(status, url, access, &endpoint).await)
                }
            };
            match error {
                // It may be about to end, or to start.
                ClientError::Lost if begin.elapsed() + LONGEST_PAUSE < PATIENCE => {
                    tokio::time::sleep(LONGEST_PAUSE).await;
                }
                ClientError::Lost => return Err(closing(url, &why, begin.elapsed())),
                error => return Err(error),
            }
        }
    }

    /// Speaks on a connection that is there.
    pub(crate) fn on(line: Line) -> Self {
        let calls = ClientsClient::new(line).max_decoding_message_size(limits::MESSAGE_BYTES);
        Self { calls }
    }

    /// Says which program this is, and hears which one the coordinator is.
    pub(crate) async fn greet(&mut self) -> Result<wire::Build, Status> {
        Ok(self.calls.greet(wire::Build::from(Build::here())).await?.into_inner())
    }

    /// Submits a goal. The job may have ended already. Jobs of higher priority go first, and those
    /// of equal priority share the workers.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn submit(
        &mut self,
        goal: impl Into<Goal>,
        priority: i32,
    ) -> Result<Job, ClientError> {
        let (goal, terms) = (goal.into(), Terms::default());
        self.submit_on(Submission { goal, priority, terms }).await
    }

    /// Submits a goal on terms: with an owner, a label, a budget, a deadline, or in turn.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn submit_on(&mut self, submission: Submission) -> Result<Job, ClientError> {
        let Submission { goal, priority, terms } = submission;
        let (goal, terms) = (Some(goal.into()), Some(terms.into()));
        let submission = wire::Submission { goal, priority, terms };
        let calls = &self.calls;
        let job = in_turn(async || calls.clone().submit(submission.clone()).await).await?;
        Ok(job.into_inner().try_into()?)
    }

    /// Follows a job until it has ended.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn watch(&mut self, job: JobId) -> Result<Jobs, ClientError> {
        let calls = &self.calls;
        let jobs = in_turn(async || calls.clone().watch(wire::JobId::from(job)).await).await?;
        Ok(Jobs(jobs.into_inner()))
    }

    /// Orders something about a job. Returns when the order is on disk. A job that has ended stays
    /// as it is.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn order(&mut self, job: JobId, order: JobOrder) -> Result<Job, ClientError> {
        Ok(self.calls.order(order.about(job)).await?.into_inner().try_into()?)
    }

    /// What the searches of a job see of a place, or of what each works at, with at most `limit`
    /// options each.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn look(
        &mut self,
        job: JobId,
        at: Option<Goal>,
        limit: u32,
    ) -> Result<Sight, ClientError> {
        let request = wire::LookRequest { job: job.0, at: at.map(Into::into), limit };
        let calls = &self.calls;
        let sight = in_turn(async || calls.clone().look(request.clone()).await).await?;
        Ok(sight.into_inner().try_into()?)
    }

    /// Has all work taken back and none granted, or granted again.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn drain(&mut self, drained: bool) -> Result<ClusterStatus, ClientError> {
        Ok(self.calls.drain(wire::DrainRequest { drained }).await?.into_inner().try_into()?)
    }

    /// Lifts the bans of a name, so that its workers may work again. Returns the bans that were
    /// lifted, when that is on disk.
    ///
    /// # Errors
    /// [`ClientError`]; refused when there is no ban of this name.
    pub async fn unban(&mut self, name: &str) -> Result<Vec<Ban>, ClientError> {
        let lifted = self.calls.unban(wire::UnbanRequest { name: name.into() }).await?;
        Ok(lifted.into_inner().bans.into_iter().map(Ban::from).collect())
    }

    /// Jobs of all times, the latest first: those with smaller numbers than `before`, or the
    /// latest, at most `limit`.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn jobs(
        &mut self,
        before: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<Job>, ClientError> {
        self.selected(&Selection::default(), before, limit).await
    }

    /// As for [`Self::jobs`], but only the jobs that are selected.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn selected(
        &mut self,
        selection: &Selection,
        before: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<Job>, ClientError> {
        let Selection { owner, label } = selection.clone();
        let before = before.map_or(0, |job| job.0);
        let request = wire::JobsRequest { before, limit, owner, label };
        let calls = &self.calls;
        let page = in_turn(async || calls.clone().jobs(request.clone()).await).await?.into_inner();
        let jobs = page.jobs.into_iter().map(Job::try_from).collect::<Result<Vec<_>, _>>()?;
        // A coordinator of an earlier version selects nothing.
        Ok(jobs.into_iter().filter(|job| selection.has(&job.terms)).collect())
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
    pub async fn query(
        &mut self,
        position: &CanonicalPosition,
        rules: impl Into<Ruleset>,
    ) -> Result<Knowledge, ClientError> {
        let (calls, inquiry) = (&self.calls, wire::Inquiry::of(position, rules));
        let known = in_turn(async || calls.clone().query(inquiry.clone()).await).await?;
        Ok(known.into_inner().try_into()?)
    }

    /// What the database knows about every child of a position.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn moves(
        &mut self,
        position: &CanonicalPosition,
        rules: impl Into<Ruleset>,
    ) -> Result<Vec<Move>, ClientError> {
        let (calls, inquiry) = (&self.calls, wire::Inquiry::of(position, rules));
        let found = in_turn(async || calls.clone().moves(inquiry.clone()).await).await?;
        let moves = found.into_inner().moves.into_iter();
        Ok(moves.map(Move::try_from).collect::<Result<_, _>>()?)
    }

    /// A page of the facts of some rules that are verified, from a sequence number on, and where
    /// the next page begins, if there is one.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn verified(
        &mut self,
        rules: impl Into<Ruleset>,
        from: u64,
    ) -> Result<(Vec<Fact>, Option<u64>), ClientError> {
        let ruleset = Some(rules.into().into());
        let (calls, request) = (&self.calls, wire::VerifiedRequest { from, ruleset });
        let page = in_turn(async || calls.clone().verified(request).await).await?;
        let wire::VerifiedPage { facts, next } = page.into_inner();
        let facts = facts.into_iter().map(Fact::try_from).collect::<Result<_, _>>()?;
        Ok((facts, (next > from).then_some(next)))
    }

    /// A page of the lands whose nimbers are verified, in the order of their keys: those after the
    /// key `after`, whose texts begin with `prefix` and that have this nimber, if one is given.
    /// With them comes the key after which the next page begins, if there is one.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn lands(
        &mut self,
        prefix: &str,
        nimber: Option<Nimber>,
        after: &[u8],
        limit: u32,
    ) -> Result<(Vec<LandNimber>, Option<Vec<u8>>), ClientError> {
        let nimber = nimber.map(|nimber| nimber.get().into());
        let (prefix, after) = (prefix.to_owned(), after.to_vec());
        let request = wire::LandsRequest { prefix, nimber, after, limit };
        let calls = &self.calls;
        let page = in_turn(async || calls.clone().lands(request.clone()).await).await?;
        let wire::LandPage { facts, next } = page.into_inner();
        let land = |fact| match Fact::try_from(fact)? {
            Fact::Nimber(land) => Ok(land),
            _ => Err(Malformed::Missing("nimber")),
        };
        let lands = facts.into_iter().map(land).collect::<Result<_, Malformed>>()?;
        Ok((lands, (!next.is_empty()).then_some(next)))
    }

    /// The options of a reduced canonical tree, if it is verified. If it is another tree plus 1,
    /// they are those of that other tree.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn options(&mut self, tree: TreeKey) -> Result<Option<Vec<TreeKey>>, ClientError> {
        let calls = &self.calls;
        let request = wire::TreeRequest { tree: tree.as_bytes().to_vec() };
        match in_turn(async || calls.clone().tree(request.clone()).await).await {
            Ok(fact) => match Fact::try_from(fact.into_inner())? {
                Fact::Tree { options, .. } => Ok(Some(options)),
                _ => Err(Malformed::Missing("tree").into()),
            },
            Err(status) if status.code() == Code::NotFound => Ok(None),
            Err(status) => Err(status.into()),
        }
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

/// Makes a call. Makes it again after a pause if the coordinator says that there were too many
/// calls, until [`PATIENCE`] is over.
async fn in_turn<T>(call: impl AsyncFn() -> Result<T, Status>) -> Result<T, Status> {
    let end = Instant::now() + PATIENCE;
    loop {
        match call().await {
            Err(status) if status.code() == Code::ResourceExhausted && Instant::now() < end => {
                tokio::time::sleep(FIRST_PAUSE).await;
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_without_words_has_some() {
        let said = |status: Status| ClientError::from(status).to_string();
        assert!(said(Status::unimplemented("")).contains("does not know this call"));
        assert_eq!(said(Status::not_found("no job 7")), "the coordinator refused: no job 7");
        assert!(said(Status::internal("")).len() > "the coordinator refused: ".len());
    }
}
