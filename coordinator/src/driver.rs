//! The one task that owns the machine: it performs the actions and brings the results back.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sprig_domain::{Goal, JobId, JobState, Reign};
use sprig_proto::{Hello, Job, JobOrder, Submission, ToWorker};
use sprig_store::{Person, Store, StoreError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tonic::Status;
use tracing::{debug, error, info, warn};

use crate::Error;
use crate::access::Caller;
use crate::backlog::Backlog;
use crate::feed::Feed;
use crate::followers::Followers;
use crate::machine::{Action, CallId, Event, Machine, Reply, SessionId};
use crate::scout::Scouts;
use crate::trust::{
    Doubt, Doubters, Finding, Ruling, Standing, Suspicion, Task, Withdrawals, person,
};
use crate::waits::Waits;
use crate::watchdog::Part;
use crate::writer::Order;

mod sessions;
mod succession;
mod suspension;
mod traces;

pub(crate) use sessions::{Parting, SESSION_QUEUE, Session, SessionSender};
pub(crate) use suspension::{Attempts, Resumption};
pub(crate) use traces::Traces;

/// What reaches the driver.
#[derive(Debug)]
pub(crate) enum Inbound {
    /// An event as it is.
    Event(Event),
    /// A worker has connected.
    Joined {
        /// The connection.
        session: SessionId,
        /// What it said.
        hello: Hello,
        /// Who it is, and from where.
        caller: Caller,
        /// The way back to it.
        out: SessionSender,
    },
    /// A worker's connection has ended.
    Left {
        /// The connection.
        session: SessionId,
        /// How it ended.
        parting: Parting,
    },
    /// A client submits a goal.
    Submit(Submission, oneshot::Sender<Reply>),
    /// A client orders something about a job.
    Order(JobId, JobOrder, oneshot::Sender<Reply>),
    /// A client wants no more work granted, or wants it granted again.
    Drain(bool, oneshot::Sender<Reply>),
    /// A client lets a banned worker work again: the banned name, and the client's.
    Unban(String, String, oneshot::Sender<Reply>),
    /// A client asks what goes on.
    Status(oneshot::Sender<Reply>),
    /// A client asks what the searches of a job see of a place: the most options to tell.
    Look(JobId, Option<Goal>, u32, oneshot::Sender<Reply>),
    /// A peer has shown this reign.
    Reigns(Reign),
    /// A worker's doubt about a fact was looked at.
    Checked(Doubt, Finding),
    /// A worker's answer to a job does not follow from the facts.
    Unfounded {
        /// The job.
        job: JobId,
        /// The worker, as its facts are signed.
        by: String,
    },
    /// A worker has lied, or there is a bug.
    Suspected(Suspicion),
    /// Every claim has been looked at.
    Inspected(Resumption),
    /// Every claim has been looked at, and what was written before was told.
    Resume(Resumption),
    /// The database can no longer be used.
    StoreFailed(StoreError),
    /// The auditor has ended before it was told to: a bug. Nothing would be checked any more.
    AuditorGone,
    /// The coordinator is to end.
    Stop,
    /// The writer has done its last order.
    LibraryClosed,
}

/// Where watchers of a job find it, until its end is on disk.
pub(crate) type Boards = Mutex<HashMap<JobId, watch::Sender<Job>>>;

pub(crate) struct Driver {
    pub(crate) machine: Machine,
    pub(crate) scouts: Scouts,
    pub(crate) inbox: mpsc::Receiver<Inbound>,
    /// Dropped when the coordinator stops; that ends the writer after its last order.
    pub(crate) orders: Option<mpsc::UnboundedSender<Order>>,
    pub(crate) backlog: Arc<Backlog>,
    pub(crate) writer: JoinHandle<()>,
    /// The reign in which it leads.
    pub(crate) reign: Reign,
    pub(crate) followers: Arc<Followers>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) boards: Arc<Boards>,
    /// For how long jobs have had no worker.
    pub(crate) waits: Arc<Waits>,
    /// Ordered, so that a simulation lets all of them go in the order that its seed decides.
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) calls: HashMap<CallId, oneshot::Sender<Reply>>,
    pub(crate) next_call: u64,
    pub(crate) standing: Standing,
    /// How often each worker has had to forget.
    pub(crate) withdrawals: Withdrawals,
    /// What has come since the cluster was suspended; `None` while it works.
    pub(crate) held: Option<Vec<Inbound>>,
    /// Jobs whose answers could not be shown.
    pub(crate) attempts: Attempts,
    /// Persons that have left and have proved what contradicts a fact.
    pub(crate) excused: BTreeSet<Person>,
    /// The accounts that have doubted facts lately.
    pub(crate) doubters: Doubters,
    pub(crate) store: Arc<Store>,
    /// Spans of what goes on.
    pub(crate) traces: Traces,
    /// The zero of the machine's time.
    pub(crate) begun: Instant,
    /// The driver, as the watchdog sees it.
    pub(crate) part: Arc<Part>,
}

impl Driver {
    /// Runs until it is told to stop, with `first` as the first events.
    pub(crate) async fn run(mut self, first: Vec<Event>) -> Result<(), Error> {
        let part = Arc::clone(&self.part);
        // The driver counts as busy at all times: the watchdog cannot see whether a message waits.
        let _busy = part.busy();
        for event in first {
            self.apply(event);
        }
        loop {
            part.watched.step();
            let inbound = tokio::select! {
                // In this order, so that a flood of messages does not put off what is due.
                biased;
                () = until(self.machine.deadline().map(|deadline| self.begun + deadline)) => Inbound::Event(Event::Tick),
                inbound = self.inbox.recv() => inbound.unwrap_or(Inbound::Stop),
                () = tokio::time::sleep(BEAT) => continue,
            };
            match inbound {
                Inbound::Stop => return self.stop().await,
                Inbound::StoreFailed(error) => return Err(error.into()),
                Inbound::AuditorGone => {
                    return Err(Error::Driver("its auditor is gone; see above".into()));
                }
                other => {
                    self.goes_on(&other)?;
                    self.take(other);
                }
            }
        }
    }

    pub(crate) fn take(&mut self, inbound: Inbound) {
        if let Some(held) = &mut self.held
            && suspension::waits(&inbound)
        {
            self.backlog.add();
            held.push(inbound);
            return;
        }
        match inbound {
            Inbound::Suspected(suspicion) => self.suspend(suspicion),
            Inbound::Inspected(resumption) => self.order(Order::Resume(resumption)),
            Inbound::Resume(resumption) => self.resume(resumption),
            Inbound::Checked(doubt, finding) => self.checked(doubt, &finding),
            Inbound::Unfounded { job, by } => self.unfounded(job, &by),
            // It was looked at, and leads nowhere.
            Inbound::Reigns(_) => {}
            Inbound::Event(event) => self.apply(event),
            Inbound::Joined { session, hello, caller, out } => {
                self.joined(session, hello, caller, out);
            }
            Inbound::Left { session, parting } => {
                self.parted(session, &parting.to_string());
                self.apply(Event::Left { session });
            }
            Inbound::Submit(submission, reply) => {
                let call = self.call(reply);
                self.apply(Event::Submitted { call, submission });
            }
            Inbound::Order(job, order, reply) => {
                let call = self.call(reply);
                self.apply(Event::Ordered { call, job, order });
            }
            Inbound::Drain(drained, reply) => {
                let call = self.call(reply);
                self.apply(Event::Drained { call, drained });
            }
            Inbound::Unban(name, by, reply) => {
                let (records, lifted) = self.standing.lift(&name, &by);
                for ban in &lifted {
                    info!(name = ban.name, proved = ban.proved, by, "unbanned");
                }
                self.order(Order::Lift(records, lifted, reply));
            }
            Inbound::Status(reply) => {
                let call = self.call(reply);
                self.apply(Event::StatusAsked { call });
            }
            Inbound::Look(job, at, limit, reply) => {
                let call = self.call(reply);
                self.apply(Event::Looked { call, job, at, limit });
            }
            Inbound::StoreFailed(_)
            | Inbound::AuditorGone
            | Inbound::Stop
            | Inbound::LibraryClosed => {
                unreachable!("only at the end")
            }
        }
    }

    fn call(&mut self, reply: oneshot::Sender<Reply>) -> CallId {
        let call = CallId(self.next_call);
        self.next_call += 1;
        self.calls.insert(call, reply);
        call
    }

    pub(crate) fn apply(&mut self, event: Event) {
        match &event {
            Event::Contradicted { reason, .. } => error!("{reason}"),
            Event::Said { message, .. } => self.traces.said(message),
            Event::Left { session } => self.traces.left(*session),
            Event::Proved { job, .. } => self.traces.showed(*job, None),
            Event::Unfounded { job } => self.traces.showed(*job, Some("it follows from nothing")),
            Event::Unprovable { job, reason } => self.traces.showed(*job, Some(reason)),
            _ => {}
        }
        let mut actions = Vec::new();
        self.machine.apply(self.begun.elapsed(), event, &mut actions);
        for action in actions {
            self.perform(action);
        }
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Tell(session, message) => self.tell(session, message),
            Action::Dismiss(session, reason) => self.dismiss(session, reason),
            Action::Commit(entry) => self.order(Order::Commit(entry)),
            Action::Open(job, submission) => self.order(Order::Open(job, submission)),
            Action::TakeApart(job, leaf) => self.scouts.send(job, leaf),
            Action::Prove(answered) => {
                self.traces.shows(&answered);
                self.order(Order::Audit(Task::Prove(answered)));
            }
            Action::Suspect { source, reason } => {
                self.suspend(Suspicion { reason, accused: source, doubted: None, job: None });
            }
            Action::Doubt { session, source, reason, about } => {
                self.doubted(Doubt { about, session, source, reason });
            }
            Action::Publish(total) => self.feed.publish(total),
            Action::Rest(workers) => self.feed.rest(workers),
            Action::Show(job) => self.show(job),
            Action::Warn(line) => warn!("{line}"),
            Action::Reply(call, mut reply) => {
                if let Reply::Status(status) = &mut reply {
                    status.bans = self.standing.bans();
                    status.suspended = self.held.is_some();
                    self.describe(status);
                }
                if let Some(waiting) = self.calls.remove(&call) {
                    // A client that has gone needs no reply.
                    let _ = waiting.send(reply);
                }
            }
        }
    }

    fn tell(&mut self, session: SessionId, message: ToWorker) {
        debug!(session = session.0, ?message, "tell");
        let Some(Session { out, name, .. }) = self.sessions.get(&session) else { return };
        self.traces.told(session, name, &message);
        if out.try_send(Ok(message.into())).is_err() {
            // It may come back: nothing was wrong with its messages. Its listener says that it has
            // left.
            self.parted(session, "it does not read what it is told");
        }
    }

    fn dismiss(&mut self, session: SessionId, reason: String) {
        if let Some(Session { out, .. }) = self.parted(session, &reason) {
            // A full queue loses the reason, not the dismissal.
            let _ = out.try_send(Err(Status::aborted(reason)));
        }
    }

    pub(crate) fn order(&self, order: Order) {
        // Orders of a suspended machine are dropped: the new machine gives them again.
        let is_of_suspension =
            matches!(order, Order::Audit(Task::Revalidate(_)) | Order::Resume(_));
        let wanted = self.held.is_none() || is_of_suspension;
        if let Some(orders) = self.orders.as_ref().filter(|_| wanted) {
            self.backlog.add();
            // The writer ends early only when the database has failed, and says so.
            let _ = orders.send(order);
        }
    }

    fn show(&mut self, job: Job) {
        self.waits.see(&job, Instant::now());
        self.traces.job(&job);
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        let (id, ended) = (job.id, job.state.is_final());
        match &job.state {
            JobState::Done(conclusion) => {
                info!(job = id.0, outcome = %conclusion.outcome, "job done")
            }
            JobState::Failed(reason) => error!(job = id.0, "job failed: {reason}"),
            _ => {}
        }
        match boards.get(&id) {
            Some(board) => drop(board.send_replace(job)),
            None => drop(boards.insert(id, watch::Sender::new(job))),
        }
        if ended {
            // Watchers still see the last state. Later ones find it in the database.
            boards.remove(&id);
        }
    }

    /// Writes down what is to be kept, waits until it and everything before it is on disk, and
    /// acknowledges that to workers.
    async fn stop(mut self) -> Result<(), Error> {
        self.apply(Event::Stopping);
        self.orders = None;
        while let Some(inbound) = self.inbox.recv().await {
            match inbound {
                Inbound::StoreFailed(error) => return Err(error.into()),
                Inbound::LibraryClosed => break,
                Inbound::Event(event @ (Event::Committed(_) | Event::Contradicted { .. })) => {
                    self.apply(event)
                }
                // Too late; the peer sees the connection end.
                _ => {}
            }
        }
        self.feed.close();
        self.boards.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // A panic of it was printed.
        drop(self.writer.await);
        Ok(())
    }
}

/// Sleeps until `deadline`; for ever, if there is none.
async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// The longest queue of what waits for the driver. A task that meets a full one waits, which slows
/// workers down.
pub(crate) const INBOX: usize = 1024;

/// How often a driver without work tells the watchdog that it is there.
pub(crate) const BEAT: Duration = Duration::from_secs(1);

/// How long open calls may go on after the driver has stopped.
pub(crate) const GRACE: Duration = Duration::from_secs(1);
