//! For how long jobs have had no worker.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sprig_domain::JobId;
use sprig_proto::Job;
use tokio::time::Instant;

/// Since when each job that waits for a worker has waited. It hears of every change that watchers
/// of jobs are shown.
#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<BTreeMap<JobId, Instant>>);

impl Waits {
    /// Sees how a job stands at `now`.
    pub(crate) fn see(&self, job: &Job, now: Instant) {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &job.waiting {
            Some(why) if !why.is_held() => drop(since.entry(job.id).or_insert(now)),
            _ => drop(since.remove(&job.id)),
        }
    }

    /// How long the one of `jobs` that has waited longest has waited at `now`; zero if none waits.
    pub(crate) fn longest(&self, jobs: &[Job], now: Instant) -> Duration {
        let since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = jobs.iter().filter_map(|job| since.get(&job.id)).min();
        oldest.map(|since| now.saturating_duration_since(*since)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use sprig_domain::Goal;
    use sprig_engine::CanonicalPosition;
    use sprig_proto::Waiting;

    use super::*;

    fn job(id: u64, waiting: Option<Waiting>) -> Job {
        let position = sprig_engine::Position::start(3);
        let goal = Goal::misere(CanonicalPosition::of(&position));
        Job { waiting, ..Job::submitted(JobId(id), goal.into()) }
    }

    #[test]
    fn the_oldest_counts_and_one_that_has_a_worker_does_not() {
        let (waits, begun) = (Waits::default(), Instant::now());
        let at = |seconds| begun + Duration::from_secs(seconds);
        let (first, second) = (job(1, Some(Waiting::Worker)), job(2, Some(Waiting::Drained)));
        waits.see(&first, at(0));
        waits.see(&second, at(10));
        // Another reason does not begin the wait anew.
        waits.see(&job(1, Some(Waiting::Drained)), at(20));
        let both = [first.clone(), second.clone()];
        assert_eq!(waits.longest(&both, at(30)), Duration::from_secs(30));
        waits.see(&job(1, None), at(31));
        assert_eq!(waits.longest(&[job(1, None), second.clone()], at(40)), Duration::from_secs(30));
        // A job that waits for its turn needs no worker.
        waits.see(&job(1, Some(Waiting::Behind(JobId(3)))), at(45));
        waits.see(&first, at(50));
        assert_eq!(waits.longest(&[first], at(55)), Duration::from_secs(5));
        assert_eq!(waits.longest(&[], at(55)), Duration::ZERO);
    }
}
