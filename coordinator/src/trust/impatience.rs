//! A thread that watches inspections, and gives up those that take too long.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use sprig_blocking::{Hand, Tell};
use sprig_engine::Watched;
use sprig_search::step::Key;
use tokio::time::Instant;

/// How long one claim may be looked at where others wait for that.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Gives up inspections that others wait for and that take longer than [`LONGEST_LOOK`], until the
/// auditor has ended. In a simulation no time passes in an inspection, and none is given up.
pub(super) struct Impatience {
    watched: Arc<Watched>,
    /// The lands that were inspected at the last look.
    before: Vec<Key>,
    next: Instant,
}

impl Impatience {
    pub(super) fn new(watched: Arc<Watched>) -> Self {
        Self { watched, before: Vec::new(), next: Instant::now() + LONGEST_LOOK / 2 }
    }
}

impl Hand for Impatience {
    type Order = Infallible;
    type News = Infallible;

    fn due(&self) -> Option<Instant> {
        Some(self.next)
    }

    fn step(&mut self, _: Vec<Infallible>, _: Instant, _: Tell<'_, Infallible>) -> ControlFlow<()> {
        let now = self.watched.lands();
        now.iter()
            .filter(|land| self.before.contains(*land))
            .for_each(|land| self.watched.give_up(land));
        (self.before, self.next) = (now, Instant::now() + LONGEST_LOOK / 2);
        ControlFlow::Continue(())
    }
}
