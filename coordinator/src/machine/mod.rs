//! Every decision of the coordinator, as one state machine without input, output or clock.
//!
//! [`Machine::apply`] takes an event and the time and says what is to be done; the same events in
//! the same order give the same actions. One driver owns it, performs the actions and brings the
//! results back as events. In particular a report is acknowledged, its facts count and a job ends
//! only with [`Event::Committed`]: after they are on disk.
//!
//! Scheduling: the first worker of a job gets its whole goal, without a budget, and solves exactly
//! as if it were alone with the search. So does a second one, with noise of its own in what it
//! begins with, so that it proves other facts first. Of three and more most own leaves of the top
//! of the goal. `docs/decisions/0003-scheduling.md` and `0021-leaves.md` say why.

mod allowance;
mod board;
mod crowds;
mod event;
mod jobs;
mod leases;
mod leaves;
mod looks;
mod refusals;
mod terms;
#[cfg(test)]
mod tests;
mod waiting;
mod wishes;
mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use sprig_domain::{Goal, JobId, JobState, Reign};
use sprig_proto::{FromWorker, LeaseId, WorkerId};

pub use event::{Action, CallId, Entry, Event, Parts, Receipt, Reply, SessionId};
use jobs::Running;
use leases::Lease;
use leaves::Division;
use workers::Worker;

use crate::trust::Withdrawals;
pub(crate) use workers::fingerprint;

/// The coordinator's state.
#[derive(Debug)]
pub struct Machine {
    /// The run of the coordinator; part of the identity of leases.
    epoch: u64,
    /// The database.
    database: u64,
    /// The reign in which it leads.
    reign: Reign,
    /// Facts on disk.
    facts: u64,
    next_job: u64,
    next_lease: u64,
    workers: BTreeMap<WorkerId, Worker>,
    sessions: BTreeMap<SessionId, WorkerId>,
    /// Jobs that were submitted and are not on disk yet.
    opening: Vec<Opening>,
    jobs: BTreeMap<JobId, Running>,
    leases: BTreeMap<u64, Lease>,
    /// What clients have asked workers about their searches, by the number of the question.
    looks: BTreeMap<u64, looks::Asked>,
    next_look: u64,
    /// Nothing is granted until a client says otherwise.
    drained: bool,
    stopping: bool,
    /// Answers are shown before they are given.
    shows: bool,
    /// How jobs are divided.
    division: Division,
    /// The most workers that a job gets, if there is a bound.
    most_workers: Option<NonZeroU32>,
    /// Workers for which no job has room.
    resting: BTreeSet<WorkerId>,
    /// How often each worker has had to forget before this machine began.
    withdrawals: Withdrawals,
    /// The zero of its time, in milliseconds of Unix time: deadlines are told by the clock on the
    /// wall.
    zero: u64,
}

/// A goal on its way to the disk, and the call that waits for it.
#[derive(Debug)]
struct Opening {
    job: JobId,
    goal: Goal,
    calls: Vec<CallId>,
}

impl Machine {
    /// A machine for a database with `facts` facts whose next job is `next_job`.
    pub fn new(epoch: u64, database: u64, facts: u64, next_job: JobId) -> Self {
        Self {
            epoch,
            database,
            reign: Reign::first(database),
            facts,
            next_job: next_job.0,
            next_lease: 1,
            workers: BTreeMap::new(),
            sessions: BTreeMap::new(),
            opening: Vec::new(),
            jobs: BTreeMap::new(),
            leases: BTreeMap::new(),
            looks: BTreeMap::new(),
            next_look: 1,
            drained: false,
            stopping: false,
            shows: false,
            division: Division::default(),
            most_workers: None,
            resting: BTreeSet::new(),
            withdrawals: Withdrawals::default(),
            zero: 0,
        }
    }

    /// The same machine, in this reign.
    pub fn reigning(self, reign: Reign) -> Self {
        Self { reign, ..self }
    }

    /// The same machine, whose time began at this one, in milliseconds of Unix time.
    #[must_use]
    pub fn begun_at(self, zero: u64) -> Self {
        Self { zero, ..self }
    }

    /// The same machine, but it has every answer shown from facts before it gives it. `withdrawals`
    /// says how often each worker has had to forget.
    pub(crate) fn checked(self, withdrawals: Withdrawals) -> Self {
        let division = self.division.checked();
        Self { shows: true, withdrawals, division, ..self }
    }

    /// The same machine, but it divides jobs: each thread of a worker spends `budget` expansions on
    /// a leaf. To be said before [`Self::checked`].
    #[must_use]
    pub fn dividing(self, budget: Option<NonZeroU64>) -> Self {
        Self { division: Division::new(budget), ..self }
    }

    /// The same machine, but no job gets more than `most` workers. `None`: as many as there are.
    #[must_use]
    pub fn with_at_most(self, most: Option<NonZeroU32>) -> Self {
        Self { most_workers: most, ..self }
    }

    /// Takes in an event and appends what is to be done. `now` never goes back; its zero means
    /// nothing.
    pub fn apply(&mut self, now: Duration, event: Event, actions: &mut Vec<Action>) {
        let mut turn = Turn { now, actions };
        // They are frequent, and do not change which worker works on which job: reports count when
        // they are committed.
        let routine = matches!(
            &event,
            Event::Said {
                message: FromWorker::Report(_)
                    | FromWorker::Progress { .. }
                    | FromWorker::Seen { .. },
                ..
            } | Event::StatusAsked { .. }
                | Event::Looked { .. }
        );
        self.handle(&mut turn, event);
        if routine {
            return;
        }
        self.conclude(&mut turn);
        self.mind_terms(&mut turn);
        self.steer(&mut turn);
        self.divide(&mut turn);
        self.assign(&mut turn);
        self.balance(&mut turn);
        self.rest(&mut turn);
        self.mind_refusals(now);
        self.show_waiting(&mut turn);
    }

    fn handle(&mut self, turn: &mut Turn<'_>, event: Event) {
        match event {
            Event::Joined { session, hello } => self.join(turn, session, hello),
            Event::Left { session } => self.leave(session),
            Event::Said { session, message } => self.hear(turn, session, message),
            Event::Submitted { call, submission } => self.submit(turn, call, submission),
            Event::Opened { job, known } => self.opened(turn, job, &known),
            Event::Ordered { call, job, order } => self.order(turn, call, job, order),
            Event::Drained { call, drained } => self.drain(turn, call, drained),
            Event::StatusAsked { call } => self.tell_status(turn, call),
            Event::Looked { call, job, at, limit } => self.look(turn, call, job, at, limit),
            Event::Committed(receipt) => self.committed(turn, receipt),
            Event::TakenApart { job, leaf, parts } => self.taken_apart(job, &leaf, parts),
            Event::Admitted { name } => self.division.admit(name),
            Event::Contradicted { worker, job, reason, about } => {
                self.contradicted(turn, worker, job, &reason, about)
            }
            Event::Inspected { job, facts } => self.inspected(job, facts),
            Event::Proved { job, conclusion } => self.end(turn, job, JobState::Done(conclusion)),
            Event::Unfounded { job } => self.set_aside(job),
            Event::Unprovable { job, reason } => self.end(turn, job, JobState::Failed(reason)),
            Event::Tick => {
                self.expire(turn);
                self.reply_to_looks(turn);
                self.give_up(turn);
            }
            Event::Stopping => self.stop(turn),
        }
    }

    /// When [`Event::Tick`] is due, if nothing happens before.
    pub fn deadline(&self) -> Option<Duration> {
        let leases = self.leases.values().map(|lease| lease.deadline);
        let minded = leases.chain(self.first_overdue()).chain(self.first_spent());
        minded.chain(self.first_over()).chain(self.first_look()).min()
    }

    /// A machine that goes on from the database, which has `facts` facts now and whose next job is
    /// `next_job`, after claims were looked at. It is another run: leases of this one mean nothing
    /// to it.
    pub(crate) fn again(&self, facts: u64, next_job: JobId, withdrawals: Withdrawals) -> Self {
        let epoch = self.epoch.wrapping_add(1);
        let (drained, reign, zero) = (self.drained, self.reign, self.zero);
        let next = Self::new(epoch, self.database, facts, next_job);
        let (next, division) = (next.checked(withdrawals), self.division.clone());
        Self { drained, reign, zero, division, most_workers: self.most_workers, ..next }
    }

    fn lease_id(&self, number: u64) -> LeaseId {
        LeaseId { epoch: self.epoch, number }
    }

    /// Whether a lease was granted since the coordinator started.
    fn is_of_this_run(&self, lease: LeaseId) -> bool {
        lease.epoch == self.epoch
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
