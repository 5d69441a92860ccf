//! Why nobody works for a job: what people and autoscalers look at.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use sprig_domain::JobId;
use sprig_proto::Waiting;

use super::{Action, Machine, Turn};

/// Jobs that workers can help, with their priority and the number of their workers.
type Crowds = BTreeMap<JobId, (i32, u32)>;

impl Machine {
    /// Why nobody works for a job that is running; none if somebody does.
    pub(super) fn waiting(&self, id: JobId) -> Option<Waiting> {
        let crowds = self.crowds();
        self.waiting_among(id, &crowds, first(&crowds))
    }

    fn waiting_among(
        &self,
        id: JobId,
        crowds: &Crowds,
        first: Option<(i32, JobId)>,
    ) -> Option<Waiting> {
        let &(priority, workers) = crowds.get(&id)?;
        if workers > 0 {
            return None;
        }
        if self.drained {
            return Some(Waiting::Drained);
        }
        if let Some(refused) = self.refused_by(id) {
            return Some(refused);
        }
        let ahead = first.filter(|(other, _)| *other >= priority);
        Some(ahead.map_or(Waiting::Worker, |(_, job)| Waiting::Ahead(job)))
    }

    /// Shows the jobs for which somebody works now and nobody did, or the other way, to those who
    /// watch.
    pub(super) fn show_waiting(&mut self, turn: &mut Turn<'_>) {
        let crowds = self.crowds();
        let first = first(&crowds);
        let now: Vec<_> =
            crowds.keys().map(|&id| (id, self.waiting_among(id, &crowds, first))).collect();
        for (id, waiting) in now {
            let Some(job) = self.jobs.get_mut(&id).filter(|job| job.waiting != waiting) else {
                continue;
            };
            job.waiting = waiting;
            turn.act(Action::Show(self.view(turn.now, &self.jobs[&id])));
        }
    }
}

/// The most important job that has workers.
fn first(crowds: &Crowds) -> Option<(i32, JobId)> {
    let busy = crowds.iter().filter(|(_, (_, workers))| *workers > 0);
    let first = busy.max_by_key(|(id, (priority, _))| (*priority, Reverse(**id)));
    first.map(|(&id, &(priority, _))| (priority, id))
}
