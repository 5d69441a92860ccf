//! The cluster stops while every claim is looked at, and goes on with a new machine, as after a
//! restart.

use std::collections::{BTreeSet, HashMap};
use std::mem;

use sprig_domain::JobId;
use tonic::Status;
use tracing::info;

use super::{Driver, Inbound, Session};
use crate::machine::Event;
use crate::trust::{Knowers, Standing, Suspicion, Task};
use crate::writer::Order;

/// Attempts to show the answer to a job, before it fails.
const ATTEMPTS: u32 = 3;

/// Jobs whose answers could not be shown although no worker has lied, with how often and why. After
/// [`ATTEMPTS`] times that is a bug.
#[derive(Debug, Default)]
pub(crate) struct Attempts(HashMap<JobId, (u32, String)>);

impl Attempts {
    fn note(&mut self, job: JobId, reason: &str) {
        let (attempts, latest) = self.0.entry(job).or_default();
        *attempts += 1;
        reason.clone_into(latest);
    }

    /// Counts anew: there was a lie, which explains all failed attempts.
    fn forget(&mut self) {
        self.0.clear();
    }

    /// Takes out the jobs that have had their attempts.
    fn hopeless(&mut self) -> Vec<(JobId, String)> {
        let hopeless = self.0.extract_if(|_, (attempts, _)| *attempts >= ATTEMPTS);
        let mut hopeless: Vec<_> = hopeless.map(|(job, (_, reason))| (job, reason)).collect();
        hopeless.sort_unstable_by_key(|(job, _)| job.0);
        hopeless
    }
}

/// How the coordinator goes on after every claim was looked at.
#[derive(Debug)]
pub(crate) struct Resumption {
    /// The number of the next job.
    pub(crate) next: JobId,
    /// The unfinished jobs, as events that open them.
    pub(crate) first: Vec<Event>,
    /// Which names were found out so far.
    pub(crate) standing: Standing,
    /// Whether there was a lie.
    pub(crate) found: bool,
    /// The workers that know claims that were withdrawn.
    pub(crate) knowers: Knowers,
}

/// Whether `inbound` must wait for the new machine. Results of what the old one has ordered are
/// still brought to the old one.
pub(super) fn waits(inbound: &Inbound) -> bool {
    match inbound {
        Inbound::Event(event) => matches!(event, Event::Said { .. }),
        Inbound::Joined { .. }
        | Inbound::Left { .. }
        | Inbound::Unban(..)
        | Inbound::Submit(..)
        | Inbound::Order(..)
        | Inbound::Drain(..) => true,
        _ => false,
    }
}

impl Driver {
    /// Lets all workers go, writes down how far jobs have come, and has every claim looked at.
    pub(super) fn suspend(&mut self, suspicion: Suspicion) {
        if self.held.is_some() {
            // It is being looked at already.
            return;
        }
        if let Some(job) = suspicion.job {
            self.attempts.note(job, &suspicion.reason);
        }
        self.apply(Event::Stopping);
        let sessions = mem::take(&mut self.sessions);
        info!(workers = sessions.len(), "all workers are let go: claims are being looked at");
        for (session, Session { out, .. }) in sessions {
            // They come back by themselves. If claims were withdrawn, they forget then what they
            // have learned.
            let _ = out.try_send(Err(Status::unavailable("claims are being looked at")));
            self.apply(Event::Left { session });
        }
        self.held = Some(Vec::new());
        self.order(Order::Audit(Task::Revalidate(suspicion)));
    }

    /// Begins anew from the database.
    pub(super) fn resume(&mut self, resumption: Resumption) {
        let Resumption { next, first, standing, found, knowers } = resumption;
        self.withdrawals.note(&knowers);
        let total = self.store.next_sequence().0;
        self.machine = self.machine.again(total, next, self.withdrawals.clone());
        // The new machine says anew who rests.
        self.feed.rest(BTreeSet::new());
        // Looking at claims may have proved facts; workers wait until they are told of them.
        self.feed.publish(total);
        self.standing = standing;
        let held = self.held.take().unwrap_or_default();
        self.backlog.done(held.len());
        info!(waiting = held.len(), "the cluster goes on");
        for event in first {
            self.apply(event);
        }
        if found {
            self.attempts.forget();
        }
        if knowers == Knowers::All {
            // A worker that doubted may have believed what was withdrawn.
            self.doubters.excuse();
        }
        for (job, reason) in self.attempts.hopeless() {
            self.apply(Event::Unprovable { job, reason });
        }
        for inbound in held {
            self.take(inbound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_anew_when_there_was_a_lie() {
        let (mut attempts, job) = (Attempts::default(), JobId(1));
        for _ in 0..10 {
            attempts.note(job, "it does not follow");
            attempts.forget();
            assert_eq!(attempts.hopeless(), []);
        }
        for _ in 1..ATTEMPTS {
            attempts.note(job, "it does not follow");
            assert_eq!(attempts.hopeless(), []);
        }
        attempts.note(job, "it still does not");
        assert_eq!(attempts.hopeless(), [(job, "it still does not".to_owned())]);
        assert_eq!(attempts.hopeless(), []);
    }
}
