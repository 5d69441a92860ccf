//! What happens when: the virtual clock.

use std::collections::BTreeMap;
use std::time::Duration;

/// Everything that is still to happen. Of two events at the same time, the one that was entered
/// first comes first, so that a race ends the same way every time.
pub(super) struct Agenda<E> {
    now: Duration,
    written: u64,
    ahead: BTreeMap<(Duration, u64), E>,
}

impl<E> Agenda<E> {
    pub(super) fn new() -> Self {
        Self { now: Duration::ZERO, written: 0, ahead: BTreeMap::new() }
    }

    /// The virtual time.
    pub(super) fn now(&self) -> Duration {
        self.now
    }

    /// Enters an event that happens at `time`. Nothing happens in the past.
    pub(super) fn at(&mut self, time: Duration, event: E) {
        self.written += 1;
        self.ahead.insert((time.max(self.now), self.written), event);
    }

    /// The next event. The clock is set to its time.
    pub(super) fn next(&mut self) -> Option<E> {
        let ((time, _), event) = self.ahead.pop_first()?;
        self.now = time;
        Some(event)
    }
}
