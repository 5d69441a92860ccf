//! How many workers each job is due: workers go to the most important jobs, there first evenly to
//! owners, and then evenly to the jobs of an owner. No job has more than it is allowed.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use sprig_domain::JobId;

/// Jobs that workers can help, and how many do.
#[derive(Debug, Default)]
pub(super) struct Crowds {
    jobs: BTreeMap<JobId, Crowd>,
    /// Those of them that have workers: of a thousand jobs few do.
    busy: BTreeSet<JobId>,
    /// Workers of each owner at each priority.
    shares: BTreeMap<(i32, usize), u32>,
    /// The most workers that come to a job, if there is a bound.
    most: Option<NonZeroU32>,
}

/// A job that workers can help.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    pub(super) priority: i32,
    /// The number of its owner.
    pub(super) owner: usize,
    pub(super) workers: u32,
}

impl Crowds {
    /// No jobs yet. Each gets `most` workers at most.
    pub(super) fn bounded(most: Option<NonZeroU32>) -> Self {
        Self { most, ..Self::default() }
    }

    fn has_room(&self, crowd: Crowd) -> bool {
        self.most.is_none_or(|most| crowd.workers < most.get())
    }

    pub(super) fn open(&mut self, job: JobId, priority: i32, owner: usize) {
        self.jobs.insert(job, Crowd { priority, owner, workers: 0 });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Whether there are jobs, and none has room for one more worker.
    pub(super) fn are_full(&self) -> bool {
        !self.is_empty() && !self.jobs.values().any(|&crowd| self.has_room(crowd))
    }

    pub(super) fn get(&self, job: JobId) -> Option<Crowd> {
        self.jobs.get(&job).copied()
    }

    /// Jobs that have workers, the oldest first.
    pub(super) fn busy(&self) -> impl Iterator<Item = (JobId, Crowd)> + '_ {
        self.busy.iter().map(|&id| (id, self.jobs[&id]))
    }

    fn iter(&self) -> impl Iterator<Item = (JobId, Crowd)> + '_ {
        self.jobs.iter().map(|(&id, &crowd)| (id, crowd))
    }

    pub(super) fn has_workers(&self, job: JobId) -> bool {
        self.busy.contains(&job)
    }

    /// A worker comes to a job. Nothing happens if no worker can help there.
    pub(super) fn join(&mut self, job: JobId) {
        let Some(crowd) = self.jobs.get_mut(&job) else { return };
        crowd.workers += 1;
        self.busy.insert(job);
        *self.shares.entry((crowd.priority, crowd.owner)).or_default() += 1;
    }

    /// A worker that came to a job goes.
    pub(super) fn leave(&mut self, job: JobId) {
        let Some(crowd) = self.jobs.get_mut(&job) else { return };
        crowd.workers -= 1;
        if crowd.workers == 0 {
            self.busy.remove(&job);
        }
        self.shares.entry((crowd.priority, crowd.owner)).and_modify(|workers| *workers -= 1);
    }

    /// Workers that the owner of a job has at its priority.
    fn share(&self, of: Crowd) -> u32 {
        self.shares.get(&(of.priority, of.owner)).copied().unwrap_or_default()
    }

    /// The rank of a job among those that are due workers: the least comes first.
    fn rank(&self, id: JobId, crowd: Crowd) -> impl Ord + use<> {
        (Reverse(crowd.priority), self.share(crowd), crowd.workers, id)
    }

    /// The job that comes first among those that fit and have room.
    pub(super) fn first(&self, is_fit: impl Fn(JobId) -> bool) -> Option<JobId> {
        let fit = self.iter().filter(|&(id, crowd)| self.has_room(crowd) && is_fit(id));
        fit.min_by_key(|&(id, crowd)| self.rank(id, crowd)).map(|(id, _)| id)
    }

    /// All jobs, the one that comes first at the beginning.
    pub(super) fn ranked(&self) -> Vec<JobId> {
        let mut ids: Vec<JobId> = self.jobs.keys().copied().collect();
        ids.sort_by_cached_key(|&id| self.rank(id, self.jobs[&id]));
        ids
    }

    /// Whether a worker that goes from one job to another makes the shares more even. This cannot
    /// go on for ever: a priority grows, or else the sum of the squares of the owners' shares
    /// falls, or else, with the same shares, that of the jobs.
    pub(super) fn is_fairer(&self, from: JobId, to: JobId) -> bool {
        let (Some(from), Some(to)) = (self.get(from), self.get(to)) else { return false };
        if from.workers == 0 || !self.has_room(to) {
            return false;
        }
        match from.priority.cmp(&to.priority) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal if from.owner == to.owner => from.workers > to.workers + 1,
            Ordering::Equal => self.share(from) > self.share(to) + 1,
        }
    }
}
