//! A Bloom filter (1970) of lands of which something is known, by their sketches.
//!
//! A land that it excludes was never expanded and has no known nimber, so it needs no name to be
//! asked about. A land that it does not exclude may still be unknown. Bits are only ever set, by
//! any thread. A bit that is seen late only costs time.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Half of a sketch ([`crate::Game::sketch`]), enough to tell most lands apart.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Sketch(pub u32);

impl Sketch {
    pub fn of(sketch: u64) -> Self {
        Self((sketch >> 32) as u32)
    }
}

/// One word for each land, shared with many other lands. It has a few bits for every nimber, and a
/// few that say that anything is known.
pub(crate) struct Filter(Box<[AtomicU64]>);

/// Nimbers from here on are not told apart.
const NIMBERS: u8 = 16;
/// Stands in the place of a nimber, for anything.
const ANYTHING: u8 = NIMBERS;

/// The nimbers that a land may have, as far as the filter knows: bit 15 stands for all from 15 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Nimbers(u16);

impl Nimbers {
    /// The nimbers of no land at all.
    pub const ZERO: Self = Self(1);

    /// The nimbers that a sum may be known to have, from those of both parts.
    pub fn plus(self, other: Self) -> Self {
        if (self.0 | other.0) >> (NIMBERS - 1) != 0 && self.0 != 0 && other.0 != 0 {
            return Self(u16::MAX);
        }
        let (mut sums, mut left) = (0, self.0);
        while left != 0 {
            let one = left.trailing_zeros() as u16;
            left &= left - 1;
            let mut right = other.0;
            while right != 0 {
                sums |= 1 << (one ^ right.trailing_zeros() as u16);
                right &= right - 1;
            }
        }
        Self(sums)
    }

    /// Whether this nimber is among them.
    pub fn may_be(self, nimber: u8) -> bool {
        self.0 >> nimber.min(NIMBERS - 1) & 1 == 1
    }
}

impl Filter {
    /// An empty filter of `bytes` bytes, a power of two and 8 at least.
    pub fn new(bytes: usize) -> Self {
        Self((0..bytes / 8).map(|_| AtomicU64::new(0)).collect())
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|word| *word.get_mut() = 0);
    }

    /// Notes that something is known of a land.
    pub fn add(&self, land: Sketch) {
        self.set(land, ANYTHING);
    }

    /// Notes that the nimber of a land is known.
    pub fn add_nimber(&self, land: Sketch, nimber: u8) {
        self.add(land);
        self.set(land, nimber.min(NIMBERS - 1));
    }

    /// Whether anything may be known of a land.
    #[inline]
    pub fn may_know(&self, land: Sketch) -> bool {
        let bits = bits(land, ANYTHING);
        self.word(land).load(Relaxed) & bits == bits
    }

    /// Whether a land may be known to have this nimber.
    #[inline]
    pub fn may_have(&self, land: Sketch, nimber: u8) -> bool {
        let bits = bits(land, ANYTHING) | bits(land, nimber.min(NIMBERS - 1));
        self.word(land).load(Relaxed) & bits == bits
    }

    /// The nimbers that a land may be known to have.
    #[inline]
    pub fn nimbers(&self, land: Sketch) -> Nimbers {
        let word = self.word(land).load(Relaxed);
        let anything = bits(land, ANYTHING);
        if word & anything != anything {
            return Nimbers(0);
        }
        let holds = |nimber: u8| {
            let bits = bits(land, nimber);
            u16::from(word & bits == bits) << nimber
        };
        Nimbers((0..NIMBERS).map(holds).fold(0, |all, one| all | one))
    }

    #[inline]
    fn word(&self, Sketch(land): Sketch) -> &AtomicU64 {
        let spread = u64::from(land).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(spread >> 20) as usize & (self.0.len() - 1)]
    }

    fn set(&self, land: Sketch, what: u8) {
        let (word, bits) = (self.word(land), bits(land, what));
        if word.load(Relaxed) & bits != bits {
            word.fetch_or(bits, Relaxed);
        }
    }
}

/// The bits of a land that stand for a nimber or for anything.
#[inline]
fn bits(Sketch(land): Sketch, what: u8) -> u64 {
    let first = land.wrapping_mul(0x85eb_ca6b) >> 26;
    let second = land.wrapping_mul(0xc2b2_ae35) >> 26;
    1 << ((first + 5 * u32::from(what)) & 63) | 1 << ((second + 11 * u32::from(what)) & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some hashes, which are as good as random.
    fn sketches(seed: u64) -> impl Iterator<Item = Sketch> {
        (0..).map(move |i: u64| Sketch(crate::lands::hash(&(seed << 32 | i).to_le_bytes())))
    }

    #[test]
    fn what_is_known_is_never_excluded() {
        let filter = Filter::new(1 << 10);
        for (land, nimber) in sketches(1).zip(0..64).take(64) {
            filter.add(land);
            filter.add_nimber(land, nimber);
        }
        for (land, nimber) in sketches(1).zip(0..64).take(64) {
            assert!(filter.may_know(land) && filter.may_have(land, nimber));
            assert!(filter.nimbers(land).may_be(nimber));
        }
    }

    #[test]
    fn most_of_what_is_unknown_is_excluded() {
        // A land for every four bytes: more than a table holds for its filter.
        let filter = Filter::new(1 << 14);
        for land in sketches(2).take(1 << 12) {
            filter.add(land);
            filter.add_nimber(land, 3);
        }
        let others = || sketches(3).take(10_000);
        assert!(others().filter(|&land| filter.may_know(land)).count() < 1_000);
        assert!(others().filter(|&land| filter.may_have(land, 2)).count() < 1_000);
        assert!(sketches(2).take(1 << 12).filter(|&l| filter.may_have(l, 2)).count() < 1_000);
    }

    #[test]
    fn an_empty_filter_excludes_everything() {
        let mut filter = Filter::new(64);
        filter.add_nimber(Sketch(5), 0);
        filter.clear();
        assert!(sketches(4).take(100).all(|land| !filter.may_know(land)));
        assert!(sketches(4).take(100).all(|land| !filter.nimbers(land).may_be(0)));
    }

    #[test]
    fn nimbers_of_sums_are_nim_sums() {
        let all = |nimbers: &[u8]| Nimbers(nimbers.iter().map(|n| 1 << n).sum());
        assert_eq!(all(&[2]).plus(all(&[7])), all(&[5]));
        assert_eq!(all(&[1, 2]).plus(all(&[1, 4])), all(&[0, 5, 3, 6]));
        assert_eq!(all(&[3]).plus(Nimbers::ZERO), all(&[3]));
        // Nothing is known of one part.
        assert_eq!(all(&[]).plus(all(&[1, 15])), all(&[]));
        // 15 stands for all larger ones, too, so the sum may be anything.
        assert!((0..64).all(|nimber| all(&[15]).plus(all(&[1])).may_be(nimber)));
    }
}
