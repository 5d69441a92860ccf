//! Couples that someone wants a search to leave alone.
//!
//! They look dearer than they are, so that the search goes elsewhere as long as something else
//! looks as good. That guides it and proves nothing: where there is no other way it goes there all
//! the same, and a couple that only looks the same costs time.

use crate::kernel::numbers::Numbers;

/// How much dearer the losses of such couples look.
const DEARER: u32 = 16;

/// Some couples, by their [hashes](crate::look::hash), in ascending order.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Avoided(Box<[u32]>);

impl Avoided {
    pub fn new(mut hashes: Vec<u32>) -> Self {
        hashes.sort_unstable();
        Self(hashes.into())
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, hash: u32) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    /// The numbers that a couple with these seems to have.
    pub fn seen(&self, hash: u32, numbers: Numbers) -> Numbers {
        // A couple that cannot be decided must be known as one.
        let largest = Numbers::DEAR.disproof;
        if !self.has(hash) || numbers.disproof >= largest {
            return numbers;
        }
        let disproof = numbers.disproof.saturating_mul(DEARER).min(largest - 1);
        Numbers { disproof, ..numbers }
    }

    /// The bounds at which a couple is left whose numbers seem to reach these.
    #[inline]
    pub fn bounds(&self, hash: impl FnOnce() -> u32, bounds: Numbers) -> Numbers {
        // Where the numbers seem as large as they can, they may be larger than their share.
        if self.is_empty() || bounds.disproof >= Numbers::DEAR.disproof || !self.has(hash()) {
            return bounds;
        }
        Numbers { disproof: bounds.disproof / DEARER + 1, ..bounds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_couples_that_are_named_look_dear() {
        let avoided = Avoided::new(vec![7, 3]);
        let numbers = Numbers { proof: 5, disproof: 40 };
        assert_eq!(avoided.seen(4, numbers), numbers);
        assert_eq!(avoided.seen(3, numbers), Numbers { proof: 5, disproof: 640 });
        assert_eq!(avoided.seen(7, Numbers::DEAR), Numbers::DEAR);
        let large = Numbers { proof: 5, disproof: Numbers::DEAR.disproof - 1 };
        assert_eq!(avoided.seen(7, large), large);
    }

    /// Else a walk would enter a couple and leave it at once, for ever.
    #[test]
    fn the_bounds_are_always_beyond_the_numbers() {
        let avoided = Avoided::new(vec![3]);
        for disproof in [1, 15, 16, 17, 1 << 20, Numbers::DEAR.disproof - 1] {
            let numbers = Numbers { proof: 5, disproof };
            let seen = avoided.seen(3, numbers);
            let bounds = Numbers { proof: 9, disproof: seen.disproof + 1 };
            let bounds = avoided.bounds(|| 3, bounds);
            assert!(bounds.disproof > disproof, "{disproof}: {bounds:?}");
        }
    }
}
