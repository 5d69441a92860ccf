//! Every decision of the coordinator, as one state machine without input, output or clock.
//!
//! [`Machine::apply`] takes an event and the time and says what is to be done; the same events in the same order give
//! the same actions. One driver owns it, performs the actions and brings the results back as events. In particular a
//! report is acknowledged, its facts count and a job ends only with [`Event::Committed`]: after they are on disk.
//!
//! Scheduling: the first worker of a job gets the whole goal without a budget, its *anchor*. A single worker therefore
//! solves exactly as if it were alone with the search. Every further worker gets most-proving leaves of the
//! [`Tree`] for a few seconds each. `docs/decisions/0003-scheduling.md` says why.

mod event;
mod jobs;
mod leases;
#[cfg(test)]
mod tests;
mod workers;

use std::collections::BTreeMap;
use std::time::Duration;

use sprig_proto::{FromWorker, JobId, LeaseId, WorkerId};
use sprig_search::Goal;

pub use event::{Action, CallId, Entry, Event, Receipt, Reply, SessionId};
use jobs::Running;
use leases::Lease;
use workers::Worker;

use crate::tree::{Dispute, Tree};

/// The coordinator's state.
#[derive(Debug)]
pub struct Machine {
    /// The run of the coordinator; part of the identity of leases.
    epoch: u64,
    /// Facts on disk.
    facts: u64,
    next_job: u64,
    next_lease: u64,
    workers: BTreeMap<WorkerId, Worker>,
    sessions: BTreeMap<SessionId, WorkerId>,
    /// Submitted, and not on disk yet.
    opening: Vec<Opening>,
    jobs: BTreeMap<JobId, Running>,
    leases: BTreeMap<u64, Lease>,
    tree: Tree,
    stopping: bool,
}

/// A goal on its way to the disk, and who waits for it.
#[derive(Debug)]
struct Opening {
    job: JobId,
    goal: Goal,
    calls: Vec<CallId>,
}

impl Machine {
    /// A machine for a database with `facts` facts whose next job is `next_job`.
    pub fn new(epoch: u64, facts: u64, next_job: JobId) -> Self {
        Self {
            epoch,
            facts,
            next_job: next_job.0,
            next_lease: 1,
            workers: BTreeMap::new(),
            sessions: BTreeMap::new(),
            opening: Vec::new(),
            jobs: BTreeMap::new(),
            leases: BTreeMap::new(),
            tree: Tree::default(),
            stopping: false,
        }
    }

    /// Takes in an event and appends what is to be done. `now` never goes back; its zero means nothing.
    pub fn apply(&mut self, now: Duration, event: Event, actions: &mut Vec<Action>) {
        let mut turn = Turn { now, actions };
        // Frequent, and nothing follows from them for who works on what: reports count when they are committed.
        let routine = matches!(
            &event,
            Event::Said { message: FromWorker::Report(_) | FromWorker::Progress { .. }, .. }
                | Event::StatusAsked { .. }
        );
        if let Err(Dispute(reason)) = self.handle(&mut turn, event) {
            self.fail_all(&mut turn, &reason);
        }
        if routine {
            return;
        }
        loop {
            self.tell_found(&mut turn);
            self.conclude(&mut turn);
            self.prune(&mut turn);
            self.assign(&mut turn);
            // Looking for work may have solved something.
            if !self.tree.has_solved() {
                break;
            }
        }
    }

    fn handle(&mut self, turn: &mut Turn<'_>, event: Event) -> Result<(), Dispute> {
        match event {
            Event::Joined { session, hello } => self.join(turn, session, hello)?,
            Event::Left { session } => self.leave(session)?,
            Event::Said { session, message } => self.hear(turn, session, message)?,
            Event::Submitted { call, goal } => self.submit(turn, call, goal),
            Event::Opened { job, known } => self.opened(turn, job, &known),
            Event::Cancelled { call, job } => self.cancel(turn, call, job),
            Event::StatusAsked { call } => self.tell_status(turn, call),
            Event::Committed(receipt) => self.committed(turn, receipt)?,
            Event::Contradicted { worker, job, reason } => {
                self.contradicted(turn, worker, job, &reason)
            }
            Event::Expanded { land, options, known } => {
                self.tree.expand(&land, options.as_deref(), &known)?;
            }
            Event::Tick => self.expire(turn),
            Event::Stopping => self.stop(turn),
        }
        Ok(())
    }

    /// When [`Event::Tick`] is due, if nothing happens before.
    pub fn deadline(&self) -> Option<Duration> {
        self.leases.values().map(|lease| lease.deadline).min()
    }

    fn lease_id(&self, number: u64) -> LeaseId {
        LeaseId { epoch: self.epoch, number }
    }

    fn session_of(&self, worker: WorkerId) -> Option<SessionId> {
        self.workers.get(&worker)?.session
    }
}

/// One application: the time, and where the actions go.
struct Turn<'a> {
    now: Duration,
    actions: &'a mut Vec<Action>,
}

impl Turn<'_> {
    fn act(&mut self, action: Action) {
        self.actions.push(action);
    }
}
