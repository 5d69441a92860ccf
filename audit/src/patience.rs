//! How much work a check does to find again claims that follow from nothing, where others wait for
//! the check.

use std::sync::Arc;
use std::time::Duration;

use sprig_engine::Watched;
use sprig_store::{Kind, StoreError};

use crate::{Claim, Environment, Judge, Plan, Verdict};

/// Expansions to find a nimber again.
const NIMBER: u64 = 20_000;
/// Lands to be met to find the tree of a land again. Where a liar has spoken of a small land first,
/// the claim of an honest worker about it is refused. Its claims about larger lands rest on that
/// one, which must be found again.
const LANDS: u64 = 5_000;
/// Expansions to find a lost node again. Where a claim follows from verified facts, one for each of
/// its options is enough.
const LOSS: u64 = 2_000;
/// How long searches may take in all.
const SEARCHING: Duration = Duration::from_secs(10);
/// How long a single one may take.
const LONGEST: Duration = Duration::from_secs(2);

/// What is left of the time for searches.
#[derive(Debug)]
pub struct Patience {
    environment: Environment,
    watched: Arc<Watched>,
    spent: Duration,
    /// When the search in hand began.
    begun: Option<Duration>,
}

impl Patience {
    /// All the time for the searches of a check.
    #[must_use]
    pub fn new(plan: &Plan<'_>) -> Self {
        let (environment, watched) = (plan.environment.clone(), Arc::clone(plan.watched));
        Self { environment, watched, spent: Duration::ZERO, begun: None }
    }

    fn now(&self) -> Duration {
        self.environment.now(&self.watched)
    }

    /// A search for a claim of this kind begins. Returns how many expansions it may take (for the
    /// tree of a land: how many lands), or 0 when all the time was spent.
    pub fn begin(&mut self, kind: Kind) -> u64 {
        if self.is_over() {
            return 0;
        }
        self.begun = Some(self.now());
        match kind {
            Kind::Nimber => NIMBER,
            Kind::Rct => LANDS,
            Kind::Loss => LOSS,
            Kind::Tree => 0,
        }
    }

    /// The search is over, if there was one.
    pub fn end(&mut self) {
        let begun = self.begun.take();
        self.spent += begun.map_or(Duration::ZERO, |begun| self.now().saturating_sub(begun));
    }

    /// Whether all the time was spent.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.spent >= SEARCHING
    }
}

impl Plan<'_> {
    /// The same plan, with a bound for a single search.
    #[must_use]
    pub fn hurried(&self) -> Self {
        let (source, environment) = (self.source.clone(), self.environment.clone());
        Self { source, environment, longest: Some(LONGEST), ..*self }
    }
}

/// Hears of the claims that an answer rests on. All of them must hold.
pub(crate) struct Heard {
    patience: Patience,
    /// Claims that hold.
    pub verified: usize,
    /// The first that does not.
    pub failed: Option<Claim>,
}

impl Heard {
    /// Nothing was heard yet.
    pub fn new(plan: &Plan<'_>) -> Self {
        Self { patience: Patience::new(plan), verified: 0, failed: None }
    }
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
