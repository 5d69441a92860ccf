//! Leases: which worker works for which job. They only avoid wasted work; truth never depends on
//! them.
//!
//! A worker of a job has its whole goal, unless a wish sends it elsewhere or it owns a leaf, and
//! noise of its own that keeps it out of the others' way.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sprig_domain::JobId;
use sprig_proto::{Grant, LeaseId, ToWorker, WorkerId};
use sprig_search::Noise;

use super::crowds::Crowds;
use super::leaves::Owned;
use super::wishes::Course;
use super::{Action, Machine, SessionId, Turn};

/// A lease whose search has not grown for this long is taken back.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A search has begun at most this long before its worker first says how it is going.
const UNHEARD: Duration = Duration::from_secs(1);

/// If a search without noise reports no facts for this long, another one that does takes its place.
const SILENCE: Duration = Duration::from_secs(10);

/// Work that a worker has: the goal of a job.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) worker: WorkerId,
    pub(super) job: JobId,
    /// When it expires unless the search grows.
    pub(super) deadline: Duration,
    /// Whether the worker is away. It may take up the work again if it comes back before the
    /// deadline.
    pub(super) adrift: bool,
    /// When it was granted.
    pub(super) granted: Duration,
    /// When its search began, as far as its worker has shown: before that it takes in facts.
    pub(super) begun: Option<Duration>,
    /// Expansions that were counted for it.
    pub(super) spent: u64,
    /// What it is for.
    pub(super) course: Course,
    /// The noise of its search. No two leases of a job have the same.
    pub(super) noise: Noise,
    /// When its worker last reported facts, or else when it was granted.
    shown: Duration,
}

impl Lease {
    /// Its search has grown.
    pub(super) fn grows(&mut self, now: Duration) {
        self.deadline = now + PATIENCE;
        self.begun.get_or_insert(now.saturating_sub(UNHEARD).max(self.granted));
    }
}

impl Machine {
    /// Gives work to waiting workers: the job that has least of what it is due.
    pub(super) fn assign(&mut self, turn: &mut Turn<'_>) {
        let mut crowds = self.wanting();
        if crowds.is_empty() {
            return;
        }
        let waiting: Vec<_> =
            self.workers.iter().filter(|(_, worker)| worker.waits()).map(|(&id, _)| id).collect();
        for worker in waiting {
            let Some(job) = crowds.first(|job| self.is_fit(worker, job)) else { continue };
            crowds.join(job);
            self.grant(turn, worker, job);
        }
    }

    /// Takes work back so that all workers are with the most important jobs, and evenly: first
    /// among owners, then among the jobs of an owner. A worker that loses its lease pulls again.
    pub(super) fn balance(&mut self, turn: &mut Turn<'_>) {
        let mut crowds = self.wanting();
        let between = self.workers.iter().filter(|(_, worker)| {
            worker.session.is_some() && worker.lease.is_none() && !worker.waiting
        });
        for (&worker, _) in between {
            // The worker pulls soon, and gets this job.
            crowds
                .first(|job| self.is_fit(worker, job))
                .into_iter()
                .for_each(|job| crowds.join(job));
        }
        let mut gone = BTreeSet::new();
        while let Some((number, from, to)) = self.misplaced(&crowds, &gone) {
            gone.insert(number);
            crowds.leave(from);
            crowds.join(to);
        }
        gone.into_iter().for_each(|number| self.take_back(turn, number));
    }

    /// Says who need not be told facts: workers that wait while no job has room for them.
    pub(super) fn rest(&mut self, turn: &mut Turn<'_>) {
        let waiting = self.workers.iter().filter(|(_, worker)| worker.waits()).map(|(&id, _)| id);
        let mut resting: BTreeSet<WorkerId> = waiting.collect();
        // Without a bound there is always room, and mostly nobody waits.
        if self.most_workers.is_none() || resting.is_empty() || !self.wanting().are_full() {
            resting.clear();
        }
        if resting != self.resting {
            self.resting.clone_from(&resting);
            turn.act(Action::Rest(resting));
        }
    }

    /// A lease whose worker is more wanted elsewhere, the youngest of its job. Returns the lease,
    /// its job, and the job that wants the worker.
    fn misplaced(&self, crowds: &Crowds, gone: &BTreeSet<u64>) -> Option<(u64, JobId, JobId)> {
        let ranked = crowds.ranked();
        for from in ranked.iter().rev().copied().filter(|&from| crowds.has_workers(from)) {
            for &to in ranked.iter().filter(|&&to| crowds.is_fairer(from, to)) {
                // A worker that can do no other job stays.
                let may_go = |number: &u64| {
                    !gone.contains(number) && self.is_fit(self.leases[number].worker, to)
                };
                if let Some(youngest) = self.of_job(from).filter(may_go).last() {
                    return Some((youngest, from, to));
                }
            }
        }
        None
    }

    pub(super) fn is_fit(&self, worker: WorkerId, job: JobId) -> bool {
        let (Some(worker), Some(running)) = (self.workers.get(&worker), self.jobs.get(&job)) else {
            return false;
        };
        worker.games.contains(&running.goal.ruleset().game) && !worker.unfit.contains(&job)
    }

    /// Jobs that workers can help, and how many do. There are none while the coordinator drains or
    /// stops.
    fn wanting(&self) -> Crowds {
        if self.stopping || self.drained { Crowds::default() } else { self.crowds() }
    }

    /// Jobs that workers can help, and how many do.
    pub(super) fn crowds(&self) -> Crowds {
        let mut crowds = Crowds::bounded(self.most_workers);
        let wanting = self.jobs.iter().filter(|(_, job)| job.wants_work() && job.held.is_none());
        let mut owners = BTreeMap::new();
        for (&id, job) in wanting {
            let next = owners.len();
            let owner = *owners.entry(job.terms.owner.as_str()).or_insert(next);
            crowds.open(id, job.priority, owner);
        }
        for lease in self.leases.values().filter(|lease| !lease.adrift) {
            crowds.join(lease.job);
        }
        // Those for whom a leaf is taken apart have their job.
        for (job, _) in self.workers.values().filter_map(|worker| worker.awaits.as_ref()) {
            crowds.join(*job);
        }
        crowds
    }

    /// The leases of a job whose workers are here, the oldest first.
    pub(super) fn of_job(&self, job: JobId) -> impl Iterator<Item = u64> + '_ {
        let of_job = move |(_, lease): &(&u64, &Lease)| lease.job == job && !lease.adrift;
        self.leases.iter().filter(of_job).map(|(&number, _)| number)
    }

    /// Workers that hold a lease of the job.
    pub(super) fn workers_of(&self, job: JobId) -> u32 {
        u32::try_from(self.of_job(job).count()).unwrap_or(u32::MAX)
    }

    /// Gives a worker that waits work for a job, if there is some by now.
    fn grant(&mut self, turn: &mut Turn<'_>, id: WorkerId, job: JobId) {
        let number = self.next_lease;
        let noise = self.free_noise(job, id);
        let mut course = self.next_course(job);
        let crowd = self.crowd_with_one_more(job);
        if noise == Noise::NONE && self.needs_whole(job, crowd) {
            // The pin is for another.
            course = self.jobs[&job].unpinned(course);
        }
        if course.wish.is_none() {
            let Ok(leaf) = self.next_leaf(turn, job, (id, number), noise) else { return };
            course.leaf = leaf;
        }
        self.next_lease += 1;
        let worker = self.workers.get_mut(&id).expect("it waits");
        worker.waiting = false;
        (worker.lease, worker.job) = (Some(number), Some(job));
        let (session, deadline) = (worker.session, turn.now + PATIENCE);
        let (granted, adrift) = (turn.now, false);
        let (goal, avoid) = (self.jobs[&job].goal_of(&course), self.jobs[&job].avoided());
        let (shown, begun) = (granted, None);
        let (worker, spent) = (id, 0);
        let expansions = course.leaf.as_ref().map(Owned::budget);
        // Who owns a leaf alone is in nobody's way.
        let alone = course.leaf.as_ref().is_some_and(|leaf| !leaf.is_shared());
        let heard = if alone { Noise::NONE } else { noise };
        let lease =
            Lease { worker, job, deadline, adrift, granted, begun, spent, course, noise, shown };
        self.leases.insert(number, lease);
        if let Some(session) = session {
            let lease = self.lease_id(number);
            let (facts, job, noise) = (self.facts, Some(job), heard);
            let grant = Grant { lease, goal, expansions, facts, noise, avoid, job };
            turn.act(Action::Tell(session, ToWorker::Grant(grant)));
        }
    }

    /// The least number of noise that no lease of the job has: a worker that is alone with it has
    /// none, and searches as `sprig solve` does.
    fn free_noise(&self, job: JobId, worker: WorkerId) -> Noise {
        // The first number is kept for the worker that was called back for it.
        let kept = self.heir(job).is_some_and(|heir| heir != worker);
        let mut free = vec![true; self.leases.len() + 2];
        for lease in self.leases.values().filter(|lease| lease.job == job) {
            if let Some(free) = free.get_mut(lease.noise.0 as usize) {
                *free = false;
            }
        }
        let from = usize::from(kept);
        let least = free.iter().skip(from).position(|free| *free);
        let least = least.expect("there are more numbers than leases");
        Noise((from + least) as u32)
    }

    /// A worker reports facts.
    ///
    /// The search without noise is nearly always the shortest. If that of its job belongs to a
    /// worker that shows nothing, this one gets it: its lease is taken back, and the next one is
    /// without noise.
    pub(super) fn showed(&mut self, turn: &mut Turn<'_>, worker: WorkerId) {
        let Some(number) = self.workers.get(&worker).and_then(|worker| worker.lease) else {
            return;
        };
        let Some(lease) = self.leases.get_mut(&number) else { return };
        lease.shown = turn.now;
        let (job, noise) = (lease.job, lease.noise);
        let is_plain = |lease: &&mut Lease| lease.job == job && lease.noise == Noise::NONE;
        let plain = self.leases.values_mut().find(is_plain);
        let Some(plain) = plain.filter(|plain| turn.now >= plain.shown + SILENCE) else { return };
        plain.noise = noise;
        if let Some(job) = self.jobs.get_mut(&job) {
            job.heir = Some(worker);
        }
        self.take_back(turn, number);
    }

    /// The lease, if it belongs to this run and to the worker.
    pub(super) fn lease_of(&mut self, worker: WorkerId, id: LeaseId) -> Option<&mut Lease> {
        if id.epoch != self.epoch {
            return None;
        }
        self.leases.get_mut(&id.number).filter(|lease| lease.worker == worker)
    }

    /// The worker has answered.
    pub(super) fn end_lease(
        &mut self,
        turn: &Turn<'_>,
        worker: WorkerId,
        id: LeaseId,
    ) -> Option<Lease> {
        let lease = self.lease_of(worker, id).cloned()?;
        self.forget(turn, id.number);
        Some(lease)
    }

    /// The worker is back and still at work. It goes on if its lease has not been taken back.
    pub(super) fn take_up(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        session: SessionId,
        id: LeaseId,
    ) {
        if let Some(lease) = self.lease_of(worker, id) {
            lease.adrift = false;
            lease.deadline = turn.now + PATIENCE;
        } else {
            turn.act(Action::Tell(session, ToWorker::Revoke(id)));
        }
    }

    /// Takes leases back whose search stands still, and forgets those of workers that did not
    /// return.
    pub(super) fn expire(&mut self, turn: &mut Turn<'_>) {
        let expired: Vec<u64> = self
            .leases
            .iter()
            .filter(|(_, lease)| lease.deadline <= turn.now)
            .map(|(&n, _)| n)
            .collect();
        expired.into_iter().for_each(|number| self.take_back(turn, number));
    }

    /// Takes back all leases of a job.
    pub(super) fn revoke_all(&mut self, turn: &mut Turn<'_>, job: JobId) {
        let of_job: Vec<u64> =
            self.leases.iter().filter(|(_, lease)| lease.job == job).map(|(&n, _)| n).collect();
        of_job.into_iter().for_each(|number| self.take_back(turn, number));
    }

    pub(super) fn take_back(&mut self, turn: &mut Turn<'_>, number: u64) {
        let Some(&Lease { worker, .. }) = self.leases.get(&number) else { return };
        if let Some(session) = self.session_of(worker) {
            turn.act(Action::Tell(session, ToWorker::Revoke(self.lease_id(number))));
        }
        self.forget(turn, number);
    }

    /// The lease is over; a worker that is away is forgotten with it.
    pub(super) fn forget(&mut self, turn: &Turn<'_>, number: u64) {
        let Some(lease) = self.leases.remove(&number) else { return };
        self.leave_leaf(lease.job, number);
        let taken = self.taken(turn.now, &lease);
        if let Some(job) = self.jobs.get_mut(&lease.job) {
            job.core_seconds += taken;
        }
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.lease = worker.lease.filter(|&held| held != number);
            if worker.session.is_none() {
                self.workers.remove(&lease.worker);
            }
        }
    }
}
