//! Calls of clients.

use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use prost::Message;
use sprig_domain::{Goal, JobId, JobState, NotAsked, Ruleset, Terms, TreeKey};
use sprig_engine::{CanonicalPosition, Nimber};
use sprig_proto::wire::clients_server::Clients;
use sprig_proto::{Build, Job, JobOrder, Malformed, Selection, Sight, Submission, limits, wire};
use sprig_store::{Sequence, Store};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use tracing::info;

use super::{Context, facts, stopping};
use crate::access::Caller;
use crate::driver::Inbound;
use crate::machine::Reply;
use crate::{LandPage, Trust, Wanted, knowledge, lands_by_key, moves, options_of, record};

pub(crate) struct Service(pub(crate) Context);

/// Progress is told no more often than this. The end is told at once.
const PACE: Duration = Duration::from_millis(100);

/// Most moves whose texts are sent with them: the texts of more would not fit into a message.
const TEXTS: usize = 4096;

/// How long a look may take. The workers are given less.
const LOOKING: Duration = Duration::from_secs(5);

/// Options of a place that are told where the client does not say how many it wants.
const OPTIONS: u32 = 20;

/// Of this many jobs, the latest, a status shows those that have ended. `Jobs` tells the others.
const HISTORY: usize = 50;

impl Service {
    async fn ask_driver(
        &self,
        question: impl FnOnce(oneshot::Sender<Reply>) -> Inbound,
    ) -> Result<Reply, Status> {
        let (reply, answer) = oneshot::channel();
        self.0.send(question(reply)).await?;
        answer.await.map_err(|_| stopping())
    }

    /// A job that is not in work any more.
    async fn past_job(&self, id: JobId) -> Result<Job, Status> {
        let job = self.0.ask(move |store| store.job(id)).await?;
        job.map(|job| record::job(&job)).ok_or_else(|| {
            Status::not_found(format!("there is no job {id}; `sprig status` lists the jobs"))
        })
    }

    /// What an inquiry is about.
    async fn about(
        &self,
        account: &str,
        inquiry: wire::Inquiry,
    ) -> Result<(CanonicalPosition, Ruleset), Status> {
        let ruleset = sprig_proto::ruleset(inquiry.ruleset)?;
        let position = inquiry.position.ok_or(Malformed::Missing("position"))?;
        let position = self.0.read(account, position).await?;
        if !ruleset.game.has(&position) {
            return Err(Malformed::from(NotAsked::Surface(ruleset.game)).into());
        }
        Ok((position, ruleset))
    }

    fn board(&self, id: JobId) -> Option<watch::Receiver<Job>> {
        let boards = self.0.boards.lock().unwrap_or_else(PoisonError::into_inner);
        boards.get(&id).map(watch::Sender::subscribe)
    }
}

#[tonic::async_trait]
impl Clients for Service {
    type WatchStream = Pin<Box<dyn Stream<Item = Result<wire::Job, Status>> + Send>>;

    async fn greet(&self, request: Request<wire::Build>) -> Result<Response<wire::Build>, Status> {
        Build::try_from(request.into_inner())?.check()?;
        Ok(Response::new(Build::here().into()))
    }

    async fn submit(
        &self,
        request: Request<wire::Submission>,
    ) -> Result<Response<wire::Job>, Status> {
        let caller = Caller::of(&request);
        let wire::Submission { goal, priority, terms } = request.into_inner();
        let goal = goal.ok_or(Malformed::Missing("goal"))?;
        let mut terms = Terms::try_from(terms.unwrap_or_default())?;
        // A command that solves in this process has proved no name of its own.
        if let Some(name) = caller.name().filter(|_| self.0.trust != Trust::Own) {
            terms.owner = name.to_owned();
        }
        let goal: Goal = self.0.read(&caller.account(), goal).await?;
        let submission = Submission { goal, priority, terms };
        match self.ask_driver(|reply| Inbound::Submit(submission, reply)).await? {
            Reply::Job(job) => {
                let (who, address) = (caller.to_string(), caller.from());
                let label = &job.terms.label;
                info!(job = job.id.0, position = %job.goal.position(), priority, label, who, address, "job submitted");
                Ok(Response::new(job.into()))
            }
            _ => Err(Status::internal("a submission was answered with something else")),
        }
    }

    async fn watch(
        &self,
        request: Request<wire::JobId>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let id = JobId::from(request.into_inner());
        let (out, outgoing) = mpsc::channel(1);
        match self.board(id) {
            Some(board) => drop(tokio::spawn(follow(board, out))),
            None => {
                let job = self.past_job(id).await?;
                let _ = out.try_send(Ok(job.into()));
            }
        }
        Ok(Response::new(Box::pin(ReceiverStream::new(outgoing))))
    }

    async fn order(&self, request: Request<wire::JobOrder>) -> Result<Response<wire::Job>, Status> {
        let caller = Caller::of(&request);
        let request = request.into_inner();
        let id = JobId(request.job);
        let mut order: JobOrder = self.0.read(&caller.account(), request).await?;
        if let (JobOrder::Wish(wanted), Some(name)) = (&mut order, caller.name()) {
            wanted.by = name.to_owned();
        }
        let is_cancel = matches!(order, JobOrder::Cancel);
        let (who, address) = (caller.to_string(), caller.from());
        info!(job = id.0, ?order, who, address, "job ordered");
        match self.ask_driver(|reply| Inbound::Order(id, order, reply)).await? {
            Reply::Job(job) => Ok(Response::new(job.into())),
            Reply::Refused(reason) => {
                info!(job = id.0, who, address, reason, "order refused");
                Err(Status::failed_precondition(reason))
            }
            _ => {
                info!(job = id.0, who, address, reason = "it is not in work", "order refused");
                let job = self.past_job(id).await?;
                if !job.state.is_final() {
                    let reason = format!(
                        "job {id} is not acknowledged yet, or its end is not; order again when it is (`sprig status`)"
                    );
                    return Err(Status::failed_precondition(reason));
                }
                // Who cancels a job that has just ended has what was wanted.
                if !is_cancel {
                    let reason = format!("job {id} has ended; `sprig jobs` shows how");
                    return Err(Status::failed_precondition(reason));
                }
                Ok(Response::new(job.into()))
            }
        }
    }

    async fn look(
        &self,
        request: Request<wire::LookRequest>,
    ) -> Result<Response<wire::Sight>, Status> {
        let account = Caller::of(&request).account();
        let wire::LookRequest { job, at, limit } = request.into_inner();
        let at: Option<Goal> = match at {
            Some(at) => Some(self.0.read(&account, at).await?),
            None => None,
        };
        let limit = if limit == 0 { OPTIONS } else { limit.min(limits::VIEWED as u32) };
        let id = JobId(job);
        let ask = self.ask_driver(|reply| Inbound::Look(id, at, limit, reply));
        // While claims are looked at nobody answers.
        let late = |_| Status::unavailable("the cluster is suspended; ask again in a moment");
        match tokio::time::timeout(LOOKING, ask).await.map_err(late)?? {
            Reply::Sight(sight) => Ok(Response::new((*sight).into())),
            _ => {
                let (job, lookers) = (self.past_job(id).await?, Vec::new());
                Ok(Response::new(Sight { job, lookers }.into()))
            }
        }
    }

    async fn drain(
        &self,
        request: Request<wire::DrainRequest>,
    ) -> Result<Response<wire::ClusterStatus>, Status> {
        let caller = Caller::of(&request);
        let drained = request.into_inner().drained;
        info!(drained, who = caller.to_string(), address = caller.from(), "drain ordered");
        match self.ask_driver(|reply| Inbound::Drain(drained, reply)).await? {
            Reply::Status(status) => Ok(Response::new(status.into())),
            _ => Err(Status::internal("an order to drain was answered with something else")),
        }
    }

    async fn unban(
        &self,
        request: Request<wire::UnbanRequest>,
    ) -> Result<Response<wire::Bans>, Status> {
        let caller = Caller::of(&request);
        let name = request.into_inner().name;
        let by = format!("{caller} at {}", caller.from());
        let unknown = || {
            Status::not_found(format!(
                "nobody is banned under the name {name:?}; `sprig workers` lists the bans"
            ))
        };
        match self.ask_driver(|reply| Inbound::Unban(name.clone(), by, reply)).await? {
            Reply::Lifted(lifted) if lifted.is_empty() => Err(unknown()),
            Reply::Lifted(lifted) => {
                let bans = lifted.into_iter().map(Into::into).collect();
                Ok(Response::new(wire::Bans { bans }))
            }
            _ => Err(Status::internal("an unban was answered with something else")),
        }
    }

    async fn jobs(
        &self,
        request: Request<wire::JobsRequest>,
    ) -> Result<Response<wire::JobPage>, Status> {
        let wire::JobsRequest { before, limit, owner, label } = request.into_inner();
        let selection = Selection { owner, label };
        let before = if before == 0 { u64::MAX } else { before };
        let limit = if limit == 0 { limits::JOBS } else { limits::JOBS.min(limit as usize) };
        let page = move |store: &Store| {
            store.jobs_before(JobId(before), limit, |job| selection.has(&job.terms))
        };
        let jobs = self.0.ask(page).await?;
        let shown = jobs.iter().map(|job| match self.board(job.id) {
            // It is in work: its board knows more than the disk.
            Some(board) => board.borrow().clone().into(),
            None => record::job(job).into(),
        });
        Ok(Response::new(wire::JobPage { jobs: fitting(shown) }))
    }

    async fn status(
        &self,
        _: Request<wire::StatusRequest>,
    ) -> Result<Response<wire::ClusterStatus>, Status> {
        let Reply::Status(mut status) = self.ask_driver(Inbound::Status).await? else {
            return Err(Status::internal(
                "a request for the status was answered with something else",
            ));
        };
        let latest = |store: &Store| store.jobs_before(JobId(u64::MAX), HISTORY, |_| true);
        let stored = self.0.ask(latest).await?;
        status.jobs.extend(stored.iter().filter(|job| job.state.is_final()).map(record::job));
        let mut status = wire::ClusterStatus::from(status);
        // The call `Jobs` tells the others.
        status.jobs = fitting(status.jobs.into_iter());
        Ok(Response::new(status))
    }

    async fn query(
        &self,
        request: Request<wire::Inquiry>,
    ) -> Result<Response<wire::Knowledge>, Status> {
        let account = Caller::of(&request).account();
        let (position, Ruleset { game, play }) = self.about(&account, request.into_inner()).await?;
        let trust = self.0.trust;
        let ask = move |store: &Store, watched: &_| {
            knowledge(&store.of(game), &position, play, trust, watched)
        };
        let known = self.0.look_up(&account, ask).await?;
        Ok(Response::new(known.into()))
    }

    async fn moves(
        &self,
        request: Request<wire::Inquiry>,
    ) -> Result<Response<wire::MoveList>, Status> {
        let account = Caller::of(&request).account();
        let (position, Ruleset { game, play }) = self.about(&account, request.into_inner()).await?;
        let ask =
            move |store: &Store, watched: &_| moves(&store.of(game), &position, play, watched);
        let found = self.0.look_up(&account, ask).await?;
        let mut moves: Vec<wire::Move> = found.into_iter().map(Into::into).collect();
        if moves.len() > TEXTS {
            let children = moves.iter_mut().filter_map(|found| found.child.as_mut());
            children.for_each(|child| child.text.clear());
        }
        Ok(Response::new(wire::MoveList { moves }))
    }

    async fn verified(
        &self,
        request: Request<wire::VerifiedRequest>,
    ) -> Result<Response<wire::VerifiedPage>, Status> {
        let wire::VerifiedRequest { from, ruleset } = request.into_inner();
        let rules = sprig_proto::ruleset(ruleset)?;
        let read = move |store: &Store| store.facts_from(Sequence(from), limits::FACTS);
        let stored = self.0.ask(read).await?;
        Ok(Response::new(facts::verified(stored, rules)))
    }

    async fn lands(
        &self,
        request: Request<wire::LandsRequest>,
    ) -> Result<Response<wire::LandPage>, Status> {
        let account = Caller::of(&request).account();
        let wire::LandsRequest { prefix, nimber, after, limit } = request.into_inner();
        let nimber = nimber.map(|nimber| Nimber::new(nimber.into())).transpose();
        let nimber = nimber.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let limit = if limit == 0 { limits::FACTS } else { limits::FACTS.min(limit as usize) };
        let wanted = Wanted { prefix, nimber, after, limit };
        let list = move |store: &Store, watched: &Arc<_>| lands_by_key(store, &wanted, watched);
        let LandPage { lands, next } = self.0.look_up(&account, list).await?;
        let facts = lands.into_iter().map(|land| sprig_domain::Fact::from(land).into()).collect();
        Ok(Response::new(wire::LandPage { facts, next: next.unwrap_or_default().into() }))
    }

    async fn tree(
        &self,
        request: Request<wire::TreeRequest>,
    ) -> Result<Response<wire::Fact>, Status> {
        let key = <[u8; size_of::<TreeKey>()]>::try_from(request.into_inner().tree);
        let key = key.map_err(|bytes| {
            Status::invalid_argument(format!("the key of a tree has 16 bytes, not {}", bytes.len()))
        })?;
        let tree = TreeKey::from_bytes(key).without_factor();
        let options = self.0.ask(move |store| options_of(store, tree)).await?;
        let unknown = || Status::not_found(format!("no tree {tree} is verified here"));
        let options = options.ok_or_else(unknown)?.into_vec();
        Ok(Response::new(sprig_domain::Fact::Tree { tree, options }.into()))
    }
}

/// As many of the first jobs as fit into a message, at least one.
fn fitting(jobs: impl Iterator<Item = wire::Job>) -> Vec<wire::Job> {
    let mut bytes = 0;
    let fits = |job: &wire::Job| {
        let before = bytes;
        bytes += job.encoded_len();
        before == 0 || bytes <= limits::JOB_BYTES
    };
    jobs.take_while(fits).collect()
}

/// Sends a job whenever it has changed, until it has ended or the receiver has gone.
async fn follow(mut board: watch::Receiver<Job>, out: mpsc::Sender<Result<wire::Job, Status>>) {
    loop {
        let job = board.borrow_and_update().clone();
        let ended = job.state.is_final();
        if out.send(Ok(job.into())).await.is_err() || ended {
            return;
        }
        tokio::select! {
            biased;
            changed = board.changed() => if changed.is_err() && !board.borrow().state.is_final() {
                // The driver has stopped with the job unfinished.
                let _ = out.send(Err(stopping())).await;
                return;
            },
            () = out.closed() => return,
        }
        let end = board.wait_for(|job| job.state != JobState::Running);
        let _ = tokio::time::timeout(PACE, end).await.map(|end| end.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(bytes: usize) -> wire::Job {
        let (lands, text) = (vec![vec![7; bytes]], String::new());
        let position = Some(wire::Position { lands, text });
        let goal = Some(wire::Goal { position, ..wire::Goal::default() });
        wire::Job { goal, ..wire::Job::default() }
    }

    #[test]
    fn a_list_of_large_jobs_ends_where_a_message_is_full() {
        let listed = |count, bytes| fitting((0..count).map(|_| job(bytes))).len();
        assert_eq!(listed(0, 10), 0);
        assert_eq!(listed(500, 100), 500);
        assert_eq!(listed(1_000, 16 << 10), 127);
        assert_eq!(listed(2, 2 * limits::JOB_BYTES), 1, "a page always leads on");
    }
}
