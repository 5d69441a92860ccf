//! Leases: who works on what. They only avoid wasted work; truth never depends on them.

use std::time::Duration;

use sprig_proto::{Grant, JobId, LeaseId, ToWorker, WorkerId};

use super::{Action, Machine, SessionId, Turn};
use crate::tree::{Couple, Dispute, LandId, Pick};

/// A lease whose search has not grown for this long is given to somebody else.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// How long a leaf should keep a worker busy, in seconds: long enough to keep the coordinator idle, short enough that
/// the tree learns.
const SLICE: f64 = 2.0;

/// Expansions of the first leaf of a worker whose rate is not known.
const FIRST_BUDGET: u64 = 10_000;

/// Work that a worker has.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) worker: WorkerId,
    pub(super) job: JobId,
    pub(super) target: Target,
    pub(super) granted: Duration,
    /// The worker's expansions when it began.
    pub(super) begun_at: u64,
    /// When it expires unless the search grows.
    pub(super) deadline: Duration,
    /// The worker is away. Somebody else may have the work; the worker may take it up again if it comes back first.
    pub(super) adrift: bool,
}

/// What a lease is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// The whole goal of the job, without a budget.
    Whole,
    /// A couple of the tree.
    Leaf {
        /// The couple.
        couple: Couple,
        /// Expansions.
        budget: u64,
    },
}

impl Machine {
    /// Gives work to those who wait for it.
    pub(super) fn assign(&mut self, turn: &mut Turn<'_>) {
        if self.stopping {
            return;
        }
        let waiting: Vec<_> =
            self.workers.iter().filter(|(_, worker)| worker.waiting).map(|(&id, _)| id).collect();
        for worker in waiting {
            let granted = match self.choose(turn, worker) {
                Ok(Some((job, target))) => self.grant(turn, worker, job, target),
                Ok(None) => Ok(()),
                Err(dispute) => Err(dispute),
            };
            if let Err(Dispute(reason)) = granted {
                self.fail_all(turn, &reason);
            }
        }
    }

    /// A job without anchor first; else a leaf of the job with the fewest workers.
    fn choose(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
    ) -> Result<Option<(JobId, Target)>, Dispute> {
        let mut jobs: Vec<(u32, JobId)> = Vec::new();
        for (&id, _) in self.jobs.iter().filter(|(_, job)| job.is_open()) {
            if !self.has_anchor(id) {
                return Ok(Some((id, Target::Whole)));
            }
            jobs.push((self.workers_of(id), id));
        }
        jobs.sort_unstable();
        for (_, id) in jobs {
            match self.tree.pick(&self.jobs[&id].root, worker)? {
                Some(Pick::Lease(couple)) => {
                    return Ok(Some((id, Target::Leaf { couple, budget: self.budget(worker) })));
                }
                Some(Pick::Expand(land)) => {
                    self.tree.asked(land);
                    turn.act(Action::Expand(self.tree.land(land).clone()));
                }
                None => {}
            }
        }
        Ok(None)
    }

    fn has_anchor(&self, job: JobId) -> bool {
        self.leases
            .values()
            .any(|lease| lease.job == job && lease.target == Target::Whole && !lease.adrift)
    }

    /// Workers that hold a lease of the job.
    pub(super) fn workers_of(&self, job: JobId) -> u32 {
        let leases = self.leases.values().filter(|lease| lease.job == job && !lease.adrift);
        u32::try_from(leases.count()).unwrap_or(u32::MAX)
    }

    fn budget(&self, worker: WorkerId) -> u64 {
        let rate = self.workers[&worker].rate;
        rate.map_or(FIRST_BUDGET, |rate| (rate * SLICE) as u64).max(1)
    }

    fn grant(
        &mut self,
        turn: &mut Turn<'_>,
        id: WorkerId,
        job: JobId,
        target: Target,
    ) -> Result<(), Dispute> {
        let (goal, expansions) = match target {
            Target::Whole => (self.jobs[&job].goal.clone(), None),
            Target::Leaf { couple, budget } => (self.tree.goal(couple), Some(budget)),
        };
        // Whoever was on it before and went away has lost it now.
        let lost: Vec<u64> = self
            .leases
            .iter()
            .filter(|(_, l)| l.adrift && l.same_work(job, target))
            .map(|(&n, _)| n)
            .collect();
        lost.into_iter().for_each(|number| self.forget(number));
        let number = self.next_lease;
        self.next_lease += 1;
        let worker = self.workers.get_mut(&id).expect("it waits");
        worker.waiting = false;
        worker.lease = Some(number);
        self.leases.insert(
            number,
            Lease {
                worker: id,
                job,
                target,
                granted: turn.now,
                begun_at: worker.figures.expansions,
                deadline: turn.now + PATIENCE,
                adrift: false,
            },
        );
        if let Some(session) = worker.session {
            let grant = Grant { lease: self.lease_id(number), goal, expansions };
            turn.act(Action::Tell(session, ToWorker::Grant(grant)));
        }
        match target {
            Target::Leaf { couple, .. } => self.tree.lease(couple),
            Target::Whole => Ok(()),
        }
    }

    /// The lease, if it is one of this run and the worker's.
    pub(super) fn lease_of(&mut self, worker: WorkerId, id: LeaseId) -> Option<&mut Lease> {
        if id.epoch != self.epoch {
            return None;
        }
        self.leases.get_mut(&id.number).filter(|lease| lease.worker == worker)
    }

    /// The worker has answered.
    pub(super) fn end_lease(
        &mut self,
        worker: WorkerId,
        id: LeaseId,
    ) -> Result<Option<Lease>, Dispute> {
        let Some(lease) = self.lease_of(worker, id).cloned() else { return Ok(None) };
        self.free(lease.target)?;
        self.forget(id.number);
        Ok(Some(lease))
    }

    /// The worker has gone: its work is free, but not forgotten.
    pub(super) fn set_adrift(&mut self, number: u64) -> Result<(), Dispute> {
        let Some(lease) = self.leases.get_mut(&number) else { return Ok(()) };
        lease.adrift = true;
        let target = lease.target;
        self.free(target)
    }

    /// The worker is back and still at it: it goes on if nobody else has begun.
    pub(super) fn take_up(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        session: SessionId,
        id: LeaseId,
    ) -> Result<(), Dispute> {
        if let Some(lease) = self.lease_of(worker, id) {
            lease.adrift = false;
            lease.deadline = turn.now + PATIENCE;
            if let Target::Leaf { couple, .. } = lease.target {
                self.tree.lease(couple)?;
            }
        } else {
            turn.act(Action::Tell(session, ToWorker::Revoke(id)));
        }
        Ok(())
    }

    /// Takes leases back whose search stands still, and forgets those of workers that did not return.
    pub(super) fn expire(&mut self, turn: &mut Turn<'_>) {
        let expired: Vec<u64> = self
            .leases
            .iter()
            .filter(|(_, lease)| lease.deadline <= turn.now)
            .map(|(&n, _)| n)
            .collect();
        expired.into_iter().for_each(|number| self.take_back(turn, number));
    }

    /// Takes back leases of leaves that no longer matter to any job.
    pub(super) fn prune(&mut self, turn: &mut Turn<'_>) {
        if !self.tree.take_solved() {
            return;
        }
        let roots: Vec<LandId> = self
            .jobs
            .values()
            .filter(|job| job.is_open())
            .flat_map(|job| job.root.lands.clone())
            .collect();
        let idle: Vec<u64> = self
            .leases
            .iter()
            .filter(|(_, lease)| match lease.target {
                Target::Leaf { couple, .. } => !self.tree.matters(couple, &roots),
                Target::Whole => false,
            })
            .map(|(&number, _)| number)
            .collect();
        idle.into_iter().for_each(|number| self.take_back(turn, number));
    }

    /// Takes back all leases of a job.
    pub(super) fn revoke_all(&mut self, turn: &mut Turn<'_>, job: JobId) {
        let of_job: Vec<u64> =
            self.leases.iter().filter(|(_, lease)| lease.job == job).map(|(&n, _)| n).collect();
        of_job.into_iter().for_each(|number| self.take_back(turn, number));
    }

    fn take_back(&mut self, turn: &mut Turn<'_>, number: u64) {
        let Some(Lease { worker, target, .. }) = self.leases.get(&number).cloned() else { return };
        if let Some(session) = self.session_of(worker) {
            turn.act(Action::Tell(session, ToWorker::Revoke(self.lease_id(number))));
        }
        self.forget(number);
        if let Err(Dispute(reason)) = self.free(target) {
            self.fail_all(turn, &reason);
        }
    }

    fn free(&mut self, target: Target) -> Result<(), Dispute> {
        match target {
            Target::Leaf { couple, .. } => self.tree.release(couple),
            Target::Whole => Ok(()),
        }
    }

    /// The lease is over; a worker that is away is forgotten with it.
    fn forget(&mut self, number: u64) {
        let Some(lease) = self.leases.remove(&number) else { return };
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.lease = worker.lease.filter(|&held| held != number);
            if worker.session.is_none() {
                self.workers.remove(&lease.worker);
            }
        }
    }
}

impl Lease {
    fn same_work(&self, job: JobId, target: Target) -> bool {
        match (self.target, target) {
            (Target::Whole, Target::Whole) => self.job == job,
            (Target::Leaf { couple: a, .. }, Target::Leaf { couple: b, .. }) => a == b,
            _ => false,
        }
    }
}
