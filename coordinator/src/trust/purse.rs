//! What samples may cost: a share of one core over some minutes, so that one expensive sample does
//! not keep others from being looked at for long.

use std::time::Duration;

/// The share of one core that samples may take: the cores are for the search.
const SHARE: f64 = 0.02;
/// The time over which the share is spread: the first claims of hundreds of newcomers may be looked at
/// at once. All others wait for these.
const WINDOW: Duration = Duration::from_secs(600);
/// The longest rest after a sample, however long it took.
const LONGEST_REST: Duration = Duration::from_secs(5);

/// Time that may be spent, which flows in as time passes.
#[derive(Debug)]
pub(super) struct Purse {
    /// Seconds that may be spent; below 0 they are owed.
    saved: f64,
    /// When `saved` was counted.
    counted: Duration,
}

impl Purse {
    /// A full purse.
    pub(super) fn new(now: Duration) -> Self {
        Self { saved: SHARE * WINDOW.as_secs_f64(), counted: now }
    }

    fn count(&mut self, now: Duration) {
        let flown = SHARE * now.saturating_sub(self.counted).as_secs_f64();
        let most = SHARE * WINDOW.as_secs_f64();
        let least = -SHARE * LONGEST_REST.as_secs_f64();
        self.saved = (self.saved + flown).clamp(least, most);
        self.counted = now;
    }

    /// Takes `spent` out of the purse; it was spent until `now`.
    pub(super) fn spend(&mut self, now: Duration, spent: Duration) {
        self.count(now);
        self.saved -= spent.as_secs_f64();
        // What is owed beyond the longest rest is forgiven.
        self.count(now);
    }

    /// How long to rest from the last count on.
    pub(super) fn rest(&self) -> Duration {
        Duration::from_secs_f64((-self.saved / SHARE).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dear_sample_does_not_close_the_eyes() {
        let mut purse = Purse::new(Duration::ZERO);
        let second = Duration::from_secs(1);
        purse.spend(second, second);
        assert_eq!(purse.rest(), Duration::ZERO, "the share of ten minutes is not spent yet");
        for n in 2..20 {
            purse.spend(n * second, second);
            assert!(purse.rest() <= LONGEST_REST, "{:?}", purse.rest());
        }
        assert!(purse.rest() > Duration::ZERO);
    }

    #[test]
    fn over_time_cheap_samples_take_their_share_and_no_more() {
        let mut purse = Purse::new(Duration::ZERO);
        let (mut now, mut spent) = (Duration::ZERO, Duration::ZERO);
        let sample = Duration::from_millis(2);
        while now < Duration::from_secs(3600) {
            now += sample;
            spent += sample;
            purse.spend(now, sample);
            now += purse.rest();
        }
        let share = spent.as_secs_f64() / now.as_secs_f64();
        assert!((0.015..0.025).contains(&share), "{share}");
    }
}
