//! How much is done to find again what follows from nothing, where others wait for the check.

use std::time::{Duration, Instant};

use sprig_store::{Kind, StoreError};

use crate::{Claim, Judge, Plan, Verdict};

/// Expansions to find a nimber again.
const NIMBER: u64 = 20_000;
/// Lands to be met to find the tree of a land again. What an honest worker says of a small land is refused where a liar has
/// spoken first, and then the trees of larger lands rest on it.
const LANDS: u64 = 5_000;
/// Expansions to find a lost node again. Where a claim follows from verified facts, one for each of its options is enough.
const LOSS: u64 = 2_000;
/// How long searches may take in all.
const SEARCHING: Duration = Duration::from_secs(10);
/// How long a single one may take.
const LONGEST: Duration = Duration::from_secs(2);

/// What is left of the time for searches.
#[derive(Debug, Default)]
pub struct Patience {
    spent: Duration,
    /// When the search in hand began.
    begun: Option<Instant>,
}

impl Patience {
    /// A search for a claim of this kind begins: the expansions, for trees of lands the lands, that it may take; 0 when
    /// all the time was spent.
    pub fn begin(&mut self, kind: Kind) -> u64 {
        if self.is_over() {
            return 0;
        }
        self.begun = Some(Instant::now());
        match kind {
            Kind::Nimber => NIMBER,
            Kind::Rct => LANDS,
            Kind::Loss => LOSS,
            Kind::Tree => 0,
        }
    }

    /// The search is over, if there was one.
    pub fn end(&mut self) {
        self.spent += self.begun.take().map_or(Duration::ZERO, |begun| begun.elapsed());
    }

    /// Whether all the time was spent.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.spent >= SEARCHING
    }
}

impl Plan<'_> {
    /// The same, with a bound for a single search.
    #[must_use]
    pub fn hurried(&self) -> Self {
        Self { source: self.source.clone(), longest: Some(LONGEST), ..*self }
    }
}

/// Hears of the claims that an answer rests on: each is to hold.
#[derive(Default)]
pub(crate) struct Heard {
    patience: Patience,
    /// Claims that hold.
    pub verified: usize,
    /// The first that does not.
    pub failed: Option<Claim>,
}

impl Judge for Heard {
    fn patience(&mut self, claim: &Claim) -> Result<u64, StoreError> {
        // After one that does not hold, the others do not matter.
        Ok(if self.failed.is_none() { self.patience.begin(claim.value.kind()) } else { 0 })
    }

    fn may_replace(&self) -> bool {
        false
    }

    fn decided(&mut self, claim: &Claim, verdict: Verdict) -> Result<(), StoreError> {
        self.patience.end();
        match verdict {
            Verdict::Followed | Verdict::Searched => self.verified += 1,
            Verdict::Refuted(_) | Verdict::Open | Verdict::TooDear => {
                self.failed.get_or_insert_with(|| claim.clone());
            }
        }
        Ok(())
    }
}
