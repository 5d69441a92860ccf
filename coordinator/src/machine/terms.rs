//! What keeps a job from being worked at although it is running: an earlier job of its campaign,
//! its budget, its deadline.
//!
//! A budget is core time: how long workers search under leases of the job, times their threads; a
//! worker that takes in facts first takes nothing of it. The coordinator measures it by its own
//! clock, whatever a worker says of its search, and it is what other jobs go without. Expansions
//! are only what workers say, and those of one position cost a hundred times those of another.

use std::collections::BTreeMap;
use std::time::Duration;

use sprig_domain::{Goal, JobId};
use sprig_proto::Waiting;

use super::jobs::Running;
use super::leases::Lease;
use super::{Machine, Turn};

/// A budget is looked at this long after it must be spent, so that it is spent then.
const LATE: Duration = Duration::from_millis(1);

/// The job that each campaign is at, with its size, by owner and label.
type Heads<'a> = BTreeMap<(&'a str, &'a str), (u32, JobId)>;

impl Machine {
    /// Core seconds that a lease has taken.
    pub(super) fn taken(&self, now: Duration, lease: &Lease) -> f64 {
        let searched = lease.begun.map_or(Duration::ZERO, |begun| now.saturating_sub(begun));
        searched.as_secs_f64() * self.cores(lease)
    }

    fn cores(&self, lease: &Lease) -> f64 {
        let worker = self.workers.get(&lease.worker);
        worker.map_or(0.0, |worker| f64::from(worker.threads))
    }

    fn leases_of(&self, job: &Running) -> impl Iterator<Item = &Lease> {
        self.leases.values().filter(|lease| lease.job == job.id)
    }

    /// Core seconds that a job has taken.
    pub(super) fn core_seconds(&self, now: Duration, job: &Running) -> f64 {
        let open = self.leases_of(job).map(|lease| self.taken(now, lease));
        job.core_seconds + open.sum::<f64>()
    }

    /// Stops jobs that have spent what they were given, and lets those go on whose turn it is.
    pub(super) fn mind_terms(&mut self, turn: &mut Turn<'_>) {
        let heads = self.heads(turn.now);
        let all = self.jobs.iter().filter(|(_, job)| job.wants_work());
        let changed: Vec<(JobId, Option<Waiting>)> = all
            .map(|(&id, job)| (id, self.spent(turn.now, job).or_else(|| behind(job, &heads))))
            .filter(|(id, held)| self.jobs[id].held != *held)
            .collect();
        for (id, held) in changed {
            let Some(job) = self.jobs.get_mut(&id) else { continue };
            let (was_held, is_held) = (job.held.is_some(), held.is_some());
            let is_spent = held.as_ref().is_some_and(Waiting::is_spent);
            job.settle(turn.now);
            job.held = held;
            if is_held && !was_held {
                self.revoke_all(turn, id);
            }
            if is_spent {
                self.note(turn, id);
            }
        }
    }

    /// The job that each campaign is at, with its size: the smallest that wants work and can have
    /// it.
    fn heads(&self, now: Duration) -> Heads<'_> {
        let mut heads = BTreeMap::new();
        let in_turn = self.jobs.iter().filter(|(_, job)| job.terms.in_turn && job.wants_work());
        for (&id, job) in in_turn {
            // Where no connected worker can do it, the others do not wait.
            let can_be_done = self.refused_by(id).is_none() && !self.is_strange(job);
            if can_be_done && self.spent(now, job).is_none() {
                let head = heads.entry(campaign(job)).or_insert((size(&job.goal), id));
                *head = (*head).min((size(&job.goal), id));
            }
        }
        heads
    }

    fn spent(&self, now: Duration, job: &Running) -> Option<Waiting> {
        if job.terms.deadline.is_some_and(|deadline| now >= self.moment(deadline)) {
            return Some(Waiting::Deadline);
        }
        let budget = job.terms.budget?.as_secs_f64();
        (self.core_seconds(now, job) >= budget).then_some(Waiting::Budget)
    }

    /// A moment of Unix time, in milliseconds, as a time of this machine.
    pub(super) fn moment(&self, deadline: u64) -> Duration {
        Duration::from_millis(deadline.saturating_sub(self.zero))
    }

    /// When the next job has spent what it was given.
    pub(super) fn first_spent(&self) -> Option<Duration> {
        let open = self.jobs.values().filter(|job| job.wants_work());
        let open = open.filter(|job| !job.held.as_ref().is_some_and(Waiting::is_spent));
        open.filter_map(|job| {
            let deadline = job.terms.deadline.map(|deadline| self.moment(deadline));
            deadline.into_iter().chain(self.budget_end(job)).min()
        })
        .min()
    }

    /// When a job has spent its budget if its workers stay.
    fn budget_end(&self, job: &Running) -> Option<Duration> {
        let budget = job.terms.budget?.as_secs_f64();
        let (mut cores, mut begun) = (0.0, 0.0);
        for lease in self.leases_of(job) {
            let Some(since) = lease.begun else { continue };
            cores += self.cores(lease);
            begun += self.cores(lease) * since.as_secs_f64();
        }
        let end = (budget - job.core_seconds + begun) / cores;
        Some(Duration::try_from_secs_f64(end).ok()? + LATE)
    }
}

/// The owner and the label of the campaign that a job belongs to.
fn campaign(job: &Running) -> (&str, &str) {
    (&job.terms.owner, &job.terms.label)
}

/// How large a position is: its lives, of which each move takes one.
pub(super) fn size(goal: &Goal) -> u32 {
    goal.position().lands().iter().map(sprig_engine::CanonicalLand::lives).sum()
}

fn behind(job: &Running, heads: &Heads<'_>) -> Option<Waiting> {
    if !job.terms.in_turn {
        return None;
    }
    let &(size_of_head, head) = heads.get(&campaign(job))?;
    ((size_of_head, head) < (size(&job.goal), job.id)).then_some(Waiting::Behind(head))
}
