//! Several searches of one position, each with tables of its own: which work comes first where.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A place (low half) among so many (high half).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seat(u32);

impl Seat {
    pub const ALONE: Self = Self(1 << 16);

    /// Whether an option with this hash is left to other seats at first. Searches number lands differently, so seats do not agree on
    /// whose an option is; it is enough that they begin with different ones.
    #[inline]
    pub fn leaves(self, hash: u32) -> bool {
        let spread = (hash ^ self.0 << 8).wrapping_mul(0x9e37_79b9) >> 8;
        self != Self::ALONE && spread % (self.0 >> 16) != self.0 & 0xffff
    }
}

/// A seat that may change while a search runs.
pub(crate) struct SharedSeat(AtomicU32);

impl Default for SharedSeat {
    fn default() -> Self {
        Self(AtomicU32::new(Seat::ALONE.0))
    }
}

impl SharedSeat {
    #[inline]
    pub fn get(&self) -> Seat {
        Seat(self.0.load(Relaxed))
    }

    pub fn set(&self, seat: u16, seats: u16) {
        let seats = seats.max(1);
        self.0.store(u32::from(seat % seats) | u32::from(seats) << 16, Relaxed);
    }
}
