//! Why searches of one goal, each with tables of its own, do different work: each has an order of its own.
//!
//! Where every option has to be refuted, the order matters little to one search, and much to several that tell each other
//! facts: what one begins with, the others find proved when they come there. So each search makes the ranks of the options
//! of such a couple larger by noise of its own. `docs/decisions/0003-scheduling.md` has the measurements.

/// The number of the noise of a search. Searches with the same number have the same noise; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Noise(pub u32);

impl Noise {
    /// No noise: options are taken in the order of their numbers.
    pub const NONE: Self = Self(0);
    /// The noise of an option is less than so many times its disproof number.
    const MOST: u64 = 3;

    /// What to add to the rank of an option with this disproof number. `hash` tells options apart; it is not asked for
    /// without noise. An option has the same noise at every look.
    #[inline]
    pub fn of(self, hash: impl FnOnce() -> u32, disproof: u32) -> u32 {
        if self == Self::NONE {
            return 0;
        }
        let mut mixed = u64::from(hash()) << 32 | u64::from(self.0);
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let share = (mixed >> 44) * Self::MOST;
        u32::try_from((u64::from(disproof) * share) >> 20).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_another_order_and_0_is_that_of_the_numbers() {
        let order = |noise: u32| {
            let mut all: Vec<u32> = (0..50).collect();
            all.sort_by_key(|&option| 100 + Noise(noise).of(|| option, 100));
            all
        };
        assert_eq!(order(0), (0..50).collect::<Vec<_>>());
        assert_eq!(order(1), order(1));
        assert!(order(1) != order(0) && order(2) != order(1) && order(256) != order(1));
    }

    #[test]
    fn noise_is_spread_evenly_up_to_its_bound() {
        let noise = |option| f64::from(Noise(7).of(|| option, 1_000));
        let mean = (0..10_000).map(noise).sum::<f64>() / 10_000.0;
        assert!((mean - 1_500.0).abs() < 50.0, "{mean}");
        assert!((0..10_000).map(noise).all(|noise| noise < 3_000.0));
        assert_eq!(Noise(7).of(|| 1, 0), 0);
        // The largest there is still fits.
        assert!((0..100).all(|option| Noise(1).of(|| option, 1 << 30) < 3 << 30));
    }
}
