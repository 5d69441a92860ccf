//! Noise, which makes searches of one goal with tables of their own do different work: each takes
//! options in an order of its own.
//!
//! Where every option has to be refuted, the order matters little to one search. To several that
//! tell each other facts it matters much: what one of them begins with, the others find proved when
//! they come there. So each search adds noise of its own to the ranks of the options of such a
//! couple. It does so near the goal only. That leads the searches apart, and further down each goes
//! on as it would alone. `docs/decisions/0003-scheduling.md` has the measurements.

/// The number of the noise of a search. Searches with the same number have the same noise; 0 is
/// none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Noise(pub u32);

impl Noise {
    /// No noise: options are taken in the order of their numbers.
    pub const NONE: Self = Self(0);
    /// Walks have noise where fewer couples than this lie above.
    const DEPTH: usize = 10;

    /// The noise of a look that has `above` couples above it.
    #[inline]
    #[must_use]
    pub fn near(self, above: usize) -> Self {
        if above < Self::DEPTH { self } else { Self::NONE }
    }

    /// What to add to the rank of an option with this disproof number. It is less than that number.
    /// `hash` tells options apart, and is not called without noise. An option has the same noise at
    /// every look.
    ///
    /// The share is a hash of the option; the bits of the search's number, read backwards, turn its
    /// bits over. So two numbers that differ in the lowest bit swap the early and the late half of
    /// all options, the next bit swaps quarters, and so on.
    #[inline]
    pub fn of(self, hash: impl FnOnce() -> u32, disproof: u32) -> u32 {
        if self == Self::NONE {
            return 0;
        }
        let mut mixed = u64::from(hash()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 29).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let share = ((mixed >> 32) ^ u64::from(self.0.reverse_bits())) >> 12;
        // A share of 20 bits: less than the disproof number.
        ((u64::from(disproof) * share) >> 20) as u32
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
        assert!((mean - 500.0).abs() < 15.0, "{mean}");
        assert!((0..10_000).map(noise).all(|noise| noise < 1_000.0));
        assert_eq!(Noise(7).of(|| 1, 0), 0);
        // The largest finite disproof number still fits.
        assert!((0..100).all(|option| Noise(1).of(|| option, 1 << 30) < 1 << 30));
    }

    /// Numbers that differ in the lowest bit swap the early and the late half of the options.
    #[test]
    fn what_is_late_for_one_is_early_for_its_neighbour() {
        for option in 0..1_000 {
            let [one, other] = [4, 5].map(|number| Noise(number).of(|| option, 1_000));
            assert!((i64::from(one) - i64::from(other)).abs() >= 499, "{one} {other}");
        }
    }

    #[test]
    fn there_is_none_far_from_the_goal() {
        assert_eq!(Noise(7).near(0), Noise(7));
        assert_eq!(Noise(7).near(Noise::DEPTH), Noise::NONE);
    }
}
