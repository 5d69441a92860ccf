//! The one task that owns the machine: it performs the actions and brings the results back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sprig_proto::{Goal, Hello, Job, JobId, JobOrder, JobState, ToWorker, wire};
use sprig_store::{Store, StoreError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tonic::Status;
use tracing::{debug, error, info, warn};

use crate::Error;
use crate::feed::Feed;
use crate::librarian::{End, Order};
use crate::machine::{Action, CallId, Event, Machine, Reply, SessionId};
use crate::trust::{Standing, Suspicion, Task, person};
use crate::watchdog::Part;

mod suspension;

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
        /// The way back.
        out: SessionSender,
    },
    /// A client submits a goal.
    Submit(Goal, i32, oneshot::Sender<Reply>),
    /// A client orders something about a job.
    Order(JobId, JobOrder, oneshot::Sender<Reply>),
    /// A client wants nothing granted any more, or again.
    Drain(bool, oneshot::Sender<Reply>),
    /// A client asks what goes on.
    Status(oneshot::Sender<Reply>),
    /// Somebody has lied, or there is a bug.
    Suspected(Suspicion),
    /// Every claim has been looked at.
    Resume {
        /// The number of the next job.
        next: JobId,
        /// The unfinished jobs, as events that open them.
        first: Vec<Event>,
        /// Who was found out so far.
        standing: Standing,
    },
    /// The database can no longer be used.
    StoreFailed(StoreError),
    /// The coordinator is to end.
    Stop,
    /// The librarian has done its last order.
    LibraryClosed,
}

/// The way to a worker.
pub(crate) type SessionSender = mpsc::Sender<Result<wire::ToWorker, Status>>;

/// Messages that a worker may be behind. One that is further behind is gone.
pub(crate) const SESSION_QUEUE: usize = 256;

/// Where those who watch a job find it, until its end is on disk.
pub(crate) type Boards = Mutex<HashMap<JobId, watch::Sender<Job>>>;

pub(crate) struct Driver {
    pub(crate) machine: Machine,
    pub(crate) inbox: mpsc::Receiver<Inbound>,
    /// Dropped when the coordinator stops; that ends the librarian after its last order.
    pub(crate) orders: Option<mpsc::UnboundedSender<Order>>,
    pub(crate) librarian: End,
    pub(crate) feed: Arc<Feed>,
    pub(crate) boards: Arc<Boards>,
    pub(crate) sessions: HashMap<SessionId, SessionSender>,
    pub(crate) calls: HashMap<CallId, oneshot::Sender<Reply>>,
    pub(crate) next_call: u64,
    pub(crate) standing: Standing,
    /// What has come since the cluster was suspended; none while it works.
    pub(crate) held: Option<Vec<Inbound>>,
    /// Jobs whose answers could not be shown, and how often.
    pub(crate) unshown: HashMap<JobId, (u32, String)>,
    pub(crate) store: Arc<Store>,
    /// The zero of the machine's time.
    pub(crate) begun: Instant,
    /// None in a simulation, where nobody watches.
    pub(crate) part: Option<Arc<Part>>,
}

impl Driver {
    /// Runs until it is told to stop, with `first` as the first events.
    pub(crate) async fn run(mut self, first: Vec<Event>) -> Result<(), Error> {
        let part = self.part.clone();
        // Always: that a message waits is nothing that the watchdog could see.
        let _busy = part.as_ref().map(|part| part.busy());
        for event in first {
            self.apply(event);
        }
        loop {
            if let Some(part) = &part {
                part.watched.step();
            }
            let inbound = tokio::select! {
                // In this order, so that a flood of messages does not put off what is due.
                biased;
                () = until(self.machine.deadline().map(|deadline| self.begun + deadline)) => Inbound::Event(Event::Tick),
                inbound = self.inbox.recv() => inbound.unwrap_or(Inbound::Stop),
                () = tokio::time::sleep(BEAT), if part.is_some() => continue,
            };
            match inbound {
                Inbound::Stop => return self.stop().await,
                Inbound::StoreFailed(error) => return Err(error.into()),
                other => self.take(other),
            }
        }
    }

    pub(crate) fn take(&mut self, inbound: Inbound) {
        if let Some(held) = &mut self.held
            && suspension::waits(&inbound)
        {
            held.push(inbound);
            return;
        }
        match inbound {
            Inbound::Suspected(suspicion) => self.suspend(suspicion),
            Inbound::Resume { next, first, standing } => self.resume(next, first, standing),
            Inbound::Event(event) => {
                if let Event::Left { session } = event {
                    self.sessions.remove(&session);
                }
                self.apply(event);
            }
            Inbound::Joined { hello, out, .. } if self.standing.is_banned(&hello.name) => {
                let reason = format!(
                    "{} is banned: it has claimed what does not hold; the coordinator's log says what",
                    person(&hello.name)
                );
                let _ = out.try_send(Err(Status::permission_denied(reason)));
            }
            Inbound::Joined { session, hello, out } => {
                info!(worker = %hello.worker, name = hello.name, build = hello.build.id, "worker joined");
                self.sessions.insert(session, out);
                self.apply(Event::Joined { session, hello });
            }
            Inbound::Submit(goal, priority, reply) => {
                let call = self.call(reply);
                self.apply(Event::Submitted { call, goal, priority });
            }
            Inbound::Order(job, order, reply) => {
                let call = self.call(reply);
                self.apply(Event::Ordered { call, job, order });
            }
            Inbound::Drain(drained, reply) => {
                let call = self.call(reply);
                self.apply(Event::Drained { call, drained });
            }
            Inbound::Status(reply) => {
                let call = self.call(reply);
                self.apply(Event::StatusAsked { call });
            }
            Inbound::StoreFailed(_) | Inbound::Stop | Inbound::LibraryClosed => {
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
        if let Event::Contradicted { reason, .. } = &event {
            error!("{reason}");
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
            Action::Open(job, goal, priority) => self.order(Order::Open(job, goal, priority)),
            Action::Prove(answered) => self.order(Order::Audit(Task::Prove(answered))),
            Action::Doubt { source, reason } => {
                self.suspend(Suspicion { reason, accused: source, job: None });
            }
            Action::Publish(total) => self.feed.publish(total),
            Action::Show(job) => self.show(job),
            Action::Warn(line) => warn!("{line}"),
            Action::Reply(call, reply) => {
                if let Some(waiting) = self.calls.remove(&call) {
                    // A client that has gone needs no reply.
                    let _ = waiting.send(reply);
                }
            }
        }
    }

    fn tell(&mut self, session: SessionId, message: ToWorker) {
        debug!(session = session.0, ?message, "tell");
        let Some(out) = self.sessions.get(&session) else { return };
        if out.try_send(Ok(message.into())).is_err() {
            // It may come back: nothing was wrong with what it said. Its listener says that it has left.
            info!(session = session.0, "the worker does not read what it is told");
            self.sessions.remove(&session);
        }
    }

    fn dismiss(&mut self, session: SessionId, reason: String) {
        info!(session = session.0, reason, "dismiss");
        if let Some(out) = self.sessions.remove(&session) {
            // A full queue loses the reason, not the dismissal.
            let _ = out.try_send(Err(Status::aborted(reason)));
        }
    }

    pub(crate) fn order(&self, order: Order) {
        // What a suspended machine still wants is wanted again when it begins anew.
        let wanted = self.held.is_none() || matches!(order, Order::Audit(Task::Cleanse(_)));
        if let Some(orders) = self.orders.as_ref().filter(|_| wanted) {
            // The librarian ends early only when the database has failed, and says so.
            let _ = orders.send(order);
        }
    }

    fn show(&self, job: Job) {
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
            // Those who watch still see the last state; those who come later find it in the database.
            boards.remove(&id);
        }
    }

    /// Writes down what is to be kept, waits until it and everything before it is on disk, and says so to workers.
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
        self.librarian.await;
        Ok(())
    }
}

/// Sleeps until then; for ever, if there is no deadline.
async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// The longest queue of what waits for the driver. Whoever meets a full one waits, which slows workers down.
pub(crate) const INBOX: usize = 1024;

/// How often a driver without work tells the watchdog that it is there.
pub(crate) const BEAT: Duration = Duration::from_secs(1);

/// How long open calls may go on after the driver has stopped.
pub(crate) const GRACE: Duration = Duration::from_secs(1);
