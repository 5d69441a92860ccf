//! Why no worker works for a job: what people and autoscalers look at.

use std::cmp::Reverse;

use sprig_domain::JobId;
use sprig_proto::Waiting;

use super::crowds::{Crowd, Crowds};
use super::jobs::Running;
use super::{Action, Machine, Turn};

impl Machine {
    /// Why no worker works for a job that is running; `None` if one does.
    pub(super) fn waiting(&self, id: JobId, crowds: &Crowds) -> Option<Waiting> {
        let job = self.jobs.get(&id).filter(|job| job.is_running())?;
        if let Some(facts) = job.showing {
            return Some(Waiting::Checking(facts));
        }
        if job.held.is_some() {
            return job.held.clone();
        }
        let crowd = crowds.get(id)?;
        if crowd.workers > 0 {
            return None;
        }
        if self.drained {
            return Some(Waiting::Drained);
        }
        if let Some(refused) = self.refused_by(id) {
            return Some(refused);
        }
        if self.is_strange(job) {
            return Some(Waiting::Unable);
        }
        Some(ahead(crowd, crowds).unwrap_or(Waiting::Worker))
    }

    /// Whether workers are connected, and none of them can search the game of a job.
    pub(super) fn is_strange(&self, job: &Running) -> bool {
        let game = job.goal.game();
        let mut there = self.workers.values().filter(|worker| worker.session.is_some()).peekable();
        there.peek().is_some() && !there.any(|worker| worker.games.contains(&game))
    }

    /// Shows to watchers the jobs for which a worker works now and none did before, or the other
    /// way round.
    pub(super) fn show_waiting(&mut self, turn: &mut Turn<'_>) {
        let crowds = self.crowds();
        let running = self.jobs.iter().filter(|(_, job)| job.is_running());
        let now: Vec<_> = running.map(|(&id, _)| (id, self.waiting(id, &crowds))).collect();
        for (id, waiting) in now {
            let Some(job) = self.jobs.get_mut(&id).filter(|job| job.waiting != waiting) else {
                continue;
            };
            job.waiting = waiting;
            turn.act(Action::Show(self.view_among(turn.now, &self.jobs[&id], &crowds)));
        }
    }
}

/// The job that has the workers instead: one of the same owner, if other owners have theirs beside
/// it, or else the most important of all.
fn ahead(crowd: Crowd, crowds: &Crowds) -> Option<Waiting> {
    let busy = || crowds.busy().filter(|(_, other)| other.priority >= crowd.priority);
    let (job, first) = busy().max_by_key(|(id, other)| (other.priority, Reverse(*id)))?;
    let mut equal = busy().filter(|(_, other)| other.priority == crowd.priority);
    let is_shared =
        first.priority == crowd.priority && equal.any(|(_, other)| other.owner != crowd.owner);
    let own = busy().find(|(_, other)| other.owner == crowd.owner);
    match own.filter(|_| is_shared) {
        Some((own, _)) => Some(Waiting::Share(own)),
        None => Some(Waiting::Ahead(job)),
    }
}
