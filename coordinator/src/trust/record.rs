//! How much of what a worker claims is looked at: all at first, and less and less as long as it
//! holds (after BOINC's adaptive replication).

/// Claims that are all looked at, before others are told of any.
const FIRST: u64 = 32;
/// Of workers that have always been right, one claim in this many is still looked at.
const AT_LEAST: f64 = 512.0;

/// What has become of a source's claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Record {
    /// Claims that were shown.
    pub(super) shown: u64,
    /// Claims that could neither be shown nor computed again in a short time.
    pub(super) doubtful: u64,
}

impl Record {
    /// Whether its first claims have been shown.
    pub(super) fn is_no_newcomer(self) -> bool {
        self.shown >= FIRST
    }

    /// The share of its claims that is looked at.
    pub(super) fn share(self) -> f64 {
        let share = FIRST as f64 / self.shown.max(FIRST) as f64;
        share.max(1.0 / AT_LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_earned_slowly_and_never_whole() {
        let share = |shown| Record { shown, doubtful: 0 }.share();
        assert_eq!([share(0), share(FIRST), share(10 * FIRST)], [1.0, 1.0, 0.1]);
        assert_eq!(share(u64::MAX), 1.0 / AT_LEAST);
    }
}
