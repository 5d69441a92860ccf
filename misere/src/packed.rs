//! Both numbers of a node, and how many threads work on it, in one word, so that they change
//! together.
//!
//! ```text
//! word := disproof number (15 bits) | busy, high bit | proof number (15 bits) | busy, low bit
//! ```
//!
//! Numbers are rounded up to eleven digits: so if the numbers of a node that was left had reached a
//! bound, they still reach it. No finite number is larger than those of [`Numbers::DEAR`], so that
//! none is rounded up to an infinite one.

use sprig_search::Numbers;

/// A word of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packed(pub u32);

const BITS: u32 = 15;
const BUSY: u32 = 1 << BITS | 1 << (16 + BITS);
const MANTISSA: u32 = 10;
const INFINITE: u32 = (1 << BITS) - 1;

impl Packed {
    /// These numbers, with no thread at work.
    #[inline]
    pub fn new(numbers: Numbers) -> Self {
        Self(round(numbers.proof) | round(numbers.disproof) << 16)
    }

    /// The numbers, rounded.
    #[inline]
    pub fn numbers(self) -> Numbers {
        Numbers { proof: value(self.0 & INFINITE), disproof: value(self.0 >> 16 & INFINITE) }
    }

    /// Whether the node is won or lost.
    #[inline]
    pub fn is_decided(self) -> bool {
        self.0 & INFINITE == 0 || self.0 >> 16 & INFINITE == 0
    }

    /// Other numbers, with the same number of threads.
    #[inline]
    pub fn with(self, numbers: Numbers) -> Self {
        Self(Self::new(numbers).0 | self.0 & BUSY)
    }

    /// Threads that work on the node; 3 stands for more, too.
    #[inline]
    pub fn busy(self) -> u32 {
        self.0 >> BITS & 1 | (self.0 >> (16 + BITS) & 1) << 1
    }

    /// The same numbers with `busy` threads.
    #[inline]
    pub fn with_busy(self, busy: u32) -> Self {
        Self(self.0 & !BUSY | (busy & 1) << BITS | (busy >> 1 & 1) << (16 + BITS))
    }
}

#[inline]
fn round(number: u32) -> u32 {
    if number >= Numbers::INFINITE {
        return INFINITE;
    }
    let exponent = (u32::BITS - number.leading_zeros()).saturating_sub(MANTISSA + 1);
    let up = number.div_ceil(1 << exponent);
    // Rounding up may reach the next power of two. Then the result is the code of that.
    (exponent << MANTISSA) + up
}

#[inline]
fn value(code: u32) -> u32 {
    if code == INFINITE {
        return Numbers::INFINITE;
    }
    let exponent = (code >> MANTISSA).saturating_sub(1);
    (code - (exponent << MANTISSA)) << exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up_by_little_and_keep_their_order() {
        let mut before = 0;
        for step in 0..200_000u32 {
            let number = if step < 5_000 { step } else { (step - 4_000).wrapping_mul(5_000) };
            let rounded = value(round(number));
            assert!(rounded >= number && rounded - number <= number / 1_000, "{number} {rounded}");
            assert!(rounded >= before);
            assert_eq!(round(rounded), round(number));
            before = rounded;
        }
        assert_eq!(Packed::new(Numbers::DEAR).numbers(), Numbers::DEAR);
        let win = Packed::new(Numbers { proof: 0, disproof: Numbers::INFINITE });
        assert!(win.is_decided() && win.numbers().disproof == Numbers::INFINITE);
    }

    #[test]
    fn threads_and_numbers_do_not_touch_each_other() {
        let numbers = Numbers { proof: 123, disproof: 77_777 };
        for busy in 0..4 {
            let packed = Packed::new(numbers).with_busy(busy);
            assert_eq!((packed.busy(), packed.numbers()), (busy, Packed::new(numbers).numbers()));
            assert_eq!(packed.with(Numbers { proof: 1, disproof: 2 }).busy(), busy);
        }
    }
}
