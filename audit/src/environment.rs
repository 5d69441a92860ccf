//! The clock and the dice with which claims are checked: those of the machine, or those of a seed,
//! so that a check can be repeated to its last step.

use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::time::{Duration, Instant};

use sprig_engine::Watched;

/// Time and chance, as a check sees them.
#[derive(Clone, Debug)]
pub enum Environment {
    /// The clock and the dice of the machine.
    Machine {
        /// The zero of its time.
        begun: Instant,
        /// The dice. No outsider can foresee what they fall on.
        dice: RandomState,
    },
    /// A clock and dice that are the same in every run.
    Seeded {
        /// Decides what the dice fall on.
        seed: u64,
        /// How long a counted step takes: budgets of time become budgets of steps.
        step: Duration,
    },
}

impl Default for Environment {
    fn default() -> Self {
        Self::Machine { begun: Instant::now(), dice: RandomState::new() }
    }
}

impl Environment {
    /// The time since its zero, for work whose steps are counted here.
    pub fn now(&self, watched: &Watched) -> Duration {
        match self {
            Self::Machine { begun, .. } => begun.elapsed(),
            Self::Seeded { step, .. } => {
                step.saturating_mul(u32::try_from(watched.steps()).unwrap_or(u32::MAX))
            }
        }
    }

    /// Rolls the dice for `what`: the same value gives the same roll every time.
    pub fn roll(&self, what: &(impl Hash + ?Sized)) -> u64 {
        match self {
            Self::Machine { dice, .. } => dice.hash_one(what),
            Self::Seeded { seed, .. } => {
                let mut hasher = DefaultHasher::new();
                seed.hash(&mut hasher);
                what.hash(&mut hasher);
                hasher.finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_time_and_chance() {
        let seeded = |seed| Environment::Seeded { seed, step: Duration::from_millis(2) };
        let watched = Watched::default();
        assert_eq!(seeded(1).now(&watched), Duration::ZERO);
        (0..500).for_each(|_| assert!(watched.step()));
        assert_eq!(seeded(1).now(&watched), Duration::from_secs(1));
        assert_eq!(seeded(1).roll("0*2"), seeded(1).roll("0*2"));
        assert_ne!(seeded(1).roll("0*2"), seeded(2).roll("0*2"));
        // The machine's time goes by itself, and its dice are its own.
        let machine = Environment::default();
        assert!(machine.now(&watched) <= machine.now(&watched));
        assert_eq!(machine.roll("0*2"), machine.roll("0*2"));
        assert_ne!(machine.roll("0*2"), Environment::default().roll("0*2"));
    }
}
