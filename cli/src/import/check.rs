//! The choice of claims to check. Other claims are left out, as answers rest only on what was
//! checked.

use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;

/// How many claims a person wants to have checked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Check {
    /// All claims are checked.
    All,
    /// Each claim is checked with this probability.
    Sample(f64),
    /// No claim is checked. The files are only read.
    None,
}

impl FromStr for Check {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(Self::All),
            "none" => return Ok(Self::None),
            _ => {}
        }
        let chance = text.strip_prefix("sample=").and_then(|chance| chance.parse().ok());
        chance
            .filter(|chance| (0.0..=1.0).contains(chance))
            .map(Self::Sample)
            .ok_or_else(|| "write all, none, or sample=P with a chance P, as in sample=0.01".into())
    }
}

/// Draws the sample. It differs each time, so that a file cannot be written to avoid it.
pub struct Sampler {
    check: Check,
    keys: RandomState,
}

impl Sampler {
    pub fn new(check: Check) -> Self {
        Self { check, keys: RandomState::new() }
    }

    /// Whether the claim about `key` is to be checked.
    pub fn chooses(&self, key: &[u8]) -> bool {
        match self.check {
            Check::All => true,
            Check::None => false,
            Check::Sample(chance) => {
                let hash = self.keys.hash_one(key);
                hash as f64 / u64::MAX as f64 <= chance && chance > 0.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        assert_eq!("all".parse(), Ok(Check::All));
        assert_eq!("none".parse(), Ok(Check::None));
        assert_eq!("sample=0.25".parse(), Ok(Check::Sample(0.25)));
        for bad in ["", "some", "sample", "sample=", "sample=2", "sample=-1", "sample=NaN"] {
            assert!(bad.parse::<Check>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_sample_is_about_as_large_as_asked() {
        let count = |check| {
            let sampler = Sampler::new(check);
            (0..10_000u32).filter(|key| sampler.chooses(&key.to_le_bytes())).count()
        };
        assert_eq!((count(Check::All), count(Check::None)), (10_000, 0));
        assert_eq!((count(Check::Sample(1.0)), count(Check::Sample(0.0))), (10_000, 0));
        // The bounds are ten standard deviations from the mean.
        let quarter = count(Check::Sample(0.25));
        assert!((2_067..2_933).contains(&quarter), "{quarter}");
    }
}
