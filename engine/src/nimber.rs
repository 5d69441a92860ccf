//! Nimbers: the values of impartial games in normal play (Sprague 1935, Grundy 1939).

use std::fmt;

/// The nimber of a position: the size of the Nim heap it is equivalent to in normal play.
///
/// Nimbers up to 11 occur in the tree of the 6-spot game; [`Nimber::LIMIT`] leaves room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Nimber(u8);

/// A nimber outside the range this program can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("nimber {0} is out of range: nimbers run from 0 to {max}", max = Nimber::LIMIT - 1)]
pub struct NimberTooLarge(pub u64);

impl Nimber {
    /// Nimbers are smaller than this.
    pub const LIMIT: u8 = 64;
    /// The nimber of a loss.
    pub const ZERO: Self = Self(0);

    /// The nimber `value`, if it is in range.
    ///
    /// # Errors
    /// [`NimberTooLarge`] when `value` is not below [`Nimber::LIMIT`].
    pub fn new(value: u64) -> Result<Self, NimberTooLarge> {
        match u8::try_from(value) {
            Ok(v) if v < Self::LIMIT => Ok(Self(v)),
            _ => Err(NimberTooLarge(value)),
        }
    }

    /// The size of the Nim heap.
    pub fn get(self) -> u8 {
        self.0
    }

    /// The nimber of the sum of two positions with nimbers `self` and `other`.
    ///
    /// The range is closed under this sum, since [`Nimber::LIMIT`] is a power of two.
    #[must_use]
    pub fn nim_sum(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl fmt::Display for Nimber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The least nimber that does not occur among `nimbers`.
///
/// # Errors
/// [`NimberTooLarge`] when every nimber in range occurs.
pub fn mex(nimbers: impl IntoIterator<Item = Nimber>) -> Result<Nimber, NimberTooLarge> {
    let seen = nimbers.into_iter().fold(0u64, |seen, n| seen | 1 << n.get());
    Nimber::new(u64::from(seen.trailing_ones()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(value: u64) -> Nimber {
        Nimber::new(value).expect("in range")
    }

    #[test]
    fn mex_is_the_least_absent_nimber() {
        assert_eq!(mex([]), Ok(n(0)));
        assert_eq!(mex([0, 1, 4, 3, 1, 7].map(n)), Ok(n(2)));
        assert_eq!(mex([1, 2].map(n)), Ok(n(0)));
        assert_eq!(mex((0..64).map(n)), Err(NimberTooLarge(64)));
    }

    #[test]
    fn nim_sum_is_its_own_inverse() {
        assert_eq!(n(5).nim_sum(n(3)), n(6));
        assert_eq!(n(6).nim_sum(n(3)), n(5));
        assert!(Nimber::new(64).is_err());
    }
}
