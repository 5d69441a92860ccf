//! A thread that watches inspections, gives up those that take too long, and says how far the check
//! of an answer is.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sprig_blocking::{Hand, Tell};
use sprig_domain::JobId;
use sprig_engine::Watched;
use sprig_search::step::Key;
use tokio::time::Instant;

use crate::driver::Inbound;
use crate::machine::Event;

/// How long one claim may be looked at where others wait for that.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// The job whose answer is being shown, and how many inspections were over before.
#[derive(Debug, Default)]
pub(super) struct Showing(Mutex<Option<(JobId, u64)>>);

impl Showing {
    pub(super) fn set(&self, showing: Option<(JobId, u64)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = showing;
    }

    fn get(&self) -> Option<(JobId, u64)> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives up inspections that others wait for and that take longer than [`LONGEST_LOOK`], until the
/// auditor has ended. In a simulation no time passes in an inspection, and none is given up.
pub(super) struct Impatience {
    watched: Arc<Watched>,
    showing: Arc<Showing>,
    /// The lands that were inspected at the last look.
    before: Vec<Key>,
    next: Instant,
}

impl Impatience {
    pub(super) fn new(watched: Arc<Watched>, showing: Arc<Showing>) -> Self {
        Self { watched, showing, before: Vec::new(), next: Instant::now() + LONGEST_LOOK / 2 }
    }
}

impl Hand for Impatience {
    type Order = Infallible;
    type News = Inbound;

    fn due(&self) -> Option<Instant> {
        Some(self.next)
    }

    fn step(&mut self, _: Vec<Infallible>, _: Instant, tell: Tell<'_, Inbound>) -> ControlFlow<()> {
        if let Some((job, before)) = self.showing.get() {
            let facts = self.watched.inspected().saturating_sub(before);
            tell(Inbound::Event(Event::Inspected { job, facts }));
        }
        let now = self.watched.lands();
        now.iter()
            .filter(|land| self.before.contains(*land))
            .for_each(|land| self.watched.give_up(land));
        (self.before, self.next) = (now, Instant::now() + LONGEST_LOOK / 2);
        ControlFlow::Continue(())
    }
}
