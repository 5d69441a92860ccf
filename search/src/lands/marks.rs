//! Lands that are marked: one bit for each place where a record may begin.

use super::{EVEN, LandId};
use crate::kernel::arena::Place;

/// Bytes of records for each byte of marks, or more.
pub(super) const BYTES_PER_BYTE: usize = 8 * 4 * EVEN;

/// Some of the lands of a table.
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    /// None of the lands of an arena of so many places.
    pub(super) fn new(places: usize) -> Self {
        Self(vec![0; places.div_ceil(64 * EVEN)])
    }

    /// Marks a land.
    pub fn mark(&mut self, land: LandId) {
        let bit = land.0 as usize / EVEN;
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// The lands that are marked, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = LandId> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let bits = std::iter::successors(Some(word), |&word| Some(word & word.wrapping_sub(1)));
            bits.take_while(|&word| word != 0).map(move |word| {
                let bit = at * 64 + word.trailing_zeros() as usize;
                LandId((bit * EVEN) as Place)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_marked_comes_back_in_order() {
        let places = [2, 126, 128, 130, 4_094, 8_190, 6];
        let mut marks = Marks::new(8_192);
        places.iter().for_each(|&place| marks.mark(LandId(place)));
        let found: Vec<Place> = marks.iter().map(|land| land.0).collect();
        assert_eq!(found, [2, 6, 126, 128, 130, 4_094, 8_190]);
    }
}
