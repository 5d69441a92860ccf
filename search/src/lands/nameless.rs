//! Children without a name.

use super::children::Listed;
use crate::filter::Sketch;

/// A child of which nothing was known when it was listed: what its start numbers follow from, and
/// which move of the parent leads there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Nameless {
    /// Its sketch, which tells it from the other lands that the same move leads to.
    pub sketch: Sketch,
    /// Its cell of the prior, or that of a land that looks the same.
    pub cell: u32,
    /// The number of the move.
    pub way: u32,
}

/// Bits of a word for the number of a move. One more bit says that the word is no place.
const WAY: u32 = 11;

impl Nameless {
    /// Moves from this number on lead to no nameless land. In searches of start positions hardly
    /// any land has as many.
    pub const WAYS: u32 = 1 << WAY;

    /// The word that stands in a list for it, after its sketch. It is odd, as no place is.
    #[inline]
    pub fn word(self) -> u32 {
        (self.cell << WAY | self.way) << 1 | 1
    }
}

impl Listed {
    /// The land for which a list has these words.
    #[inline]
    pub fn of(sketch: u32, word: u32) -> Self {
        if word & 1 == 0 {
            return Self::Named(super::LandId(word));
        }
        let way = word >> 1 & (Nameless::WAYS - 1);
        Self::Nameless(Nameless { sketch: Sketch(sketch), cell: word >> (WAY + 1), way })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lands::LandId;
    use crate::prior::MOST_CELLS;

    #[test]
    fn a_nameless_land_is_read_as_it_was_written_and_is_no_place() {
        let (cell, way) = (MOST_CELLS as u32 - 1, Nameless::WAYS - 1);
        for (cell, way) in [(0, 0), (cell, 0), (0, way), (cell, way), (77, 12)] {
            let land = Nameless { sketch: Sketch(u32::MAX - way), cell, way };
            assert_eq!(Listed::of(land.sketch.0, land.word()), Listed::Nameless(land));
        }
        assert_eq!(Listed::of(5, 4096), Listed::Named(LandId(4096)));
    }
}
