//! The cluster stops while every claim is looked at, and goes on with a new machine, as after a restart.

use std::mem;

use sprig_proto::JobId;
use tonic::Status;
use tracing::info;

use super::{Driver, Inbound};
use crate::librarian::Order;
use crate::machine::Event;
use crate::trust::{Standing, Suspicion, Task};

/// Attempts to show the answer to a job, before it fails.
const ATTEMPTS: u32 = 3;

/// Whether this must wait for the new machine. What the old one has ordered is still brought to it.
pub(super) fn waits(inbound: &Inbound) -> bool {
    match inbound {
        Inbound::Event(event) => matches!(event, Event::Said { .. } | Event::Left { .. }),
        Inbound::Joined { .. }
        | Inbound::Submit(..)
        | Inbound::Order(..)
        | Inbound::Drain(..)
        | Inbound::Status(_) => true,
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
            let (attempts, reason) = self.unshown.entry(job).or_default();
            *attempts += 1;
            reason.clone_from(&suspicion.reason);
        }
        self.apply(Event::Stopping);
        let sessions = mem::take(&mut self.sessions);
        for (session, out) in sessions {
            // They come back by themselves; what they have learned they forget then, if something was withdrawn.
            let _ = out.try_send(Err(Status::unavailable("claims are being looked at")));
            self.apply(Event::Left { session });
        }
        self.held = Some(Vec::new());
        self.order(Order::Audit(Task::Cleanse(suspicion)));
    }

    /// Begins anew from the database.
    pub(super) fn resume(&mut self, next: JobId, first: Vec<Event>, standing: Standing) {
        let total = self.store.next_sequence().0;
        self.machine = self.machine.again(total, next, standing.withdrawals);
        self.standing = standing;
        let held = self.held.take().unwrap_or_default();
        info!(waiting = held.len(), "the cluster goes on");
        for event in first {
            self.apply(event);
        }
        let hopeless = self.unshown.iter().filter(|(_, (attempts, _))| *attempts >= ATTEMPTS);
        let hopeless: Vec<_> = hopeless.map(|(&job, (_, reason))| (job, reason.clone())).collect();
        for (job, reason) in hopeless {
            self.unshown.remove(&job);
            self.apply(Event::Unprovable { job, reason });
        }
        for inbound in held {
            self.take(inbound);
        }
    }
}
