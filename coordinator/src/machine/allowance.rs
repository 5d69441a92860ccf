//! What a worker's counters may grow by. The counters are what the worker itself says; no machine
//! does more than this.

use std::time::Duration;

use sprig_domain::Figures;

use super::leases::PATIENCE;

/// Expansions, children or facts of one worker in a second: more than any machine can do.
const RATE: u64 = 100_000_000;

/// What a counter may still grow by: at first what a lease can hold, after that what time adds.
#[derive(Debug)]
pub(super) struct Allowance {
    left: u64,
    counted: Duration,
}

impl Allowance {
    const MOST: u64 = RATE * PATIENCE.as_secs();

    pub(super) fn new(now: Duration) -> Self {
        Self { left: Self::MOST, counted: now }
    }

    /// How far counters have grown since they were `before`, as far as that is possible.
    pub(super) fn growth(&mut self, now: Duration, before: Figures, after: Figures) -> Figures {
        let passed = now.saturating_sub(self.counted).as_millis();
        let earned = u64::try_from(passed).unwrap_or(u64::MAX).saturating_mul(RATE / 1000);
        self.left = self.left.saturating_add(earned).min(Self::MOST);
        self.counted = now;
        // A counter that is less than before has begun anew, with another search.
        let grown =
            |before: u64, after: u64| after.checked_sub(before).unwrap_or(after).min(self.left);
        let growth = Figures {
            expansions: grown(before.expansions, after.expansions),
            generations: grown(before.generations, after.generations),
            children: grown(before.children, after.children),
            facts: grown(before.facts, after.facts),
            collections: grown(before.collections, after.collections),
            ..after
        };
        let Figures { expansions, generations, children, facts, collections, .. } = growth;
        let most = expansions.max(generations).max(children).max(facts).max(collections);
        self.left -= most;
        growth
    }
}
