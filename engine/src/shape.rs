//! Counts that describe a land without saying which it is.

use crate::encode::{END_BOUNDARY, END_REGION, LETTER, ONE, ONES, TWO, ZEROS};
use crate::surfaces;

/// Counts over a land, for guessing its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shape {
    /// Lives of all spots.
    pub lives: u16,
    /// Regions.
    pub regions: u8,
    /// Boundaries, isolated spots included.
    pub boundaries: u8,
    /// Spots of degree 0.
    pub zeros: u8,
    /// Spots of degree 2 that occur once.
    pub twos: u8,
    /// Letters.
    pub letters: u8,
    /// Letters that occur twice in one boundary.
    pub private: u8,
}

/// Counts over the canonical bytes of a land, in one pass. Counts beyond 255 wrap.
///
/// The surfaces of a land that is not of the sphere are left out: what its shape says of its value
/// on the sphere is the best guess that there is.
pub fn shape(key: &[u8]) -> Shape {
    if surfaces::has(key) {
        return shape(&surfaces::flat(key).0);
    }
    let mut shape = Shape { regions: 1, ..Shape::default() };
    let (mut ones, mut occurrences) = (0u16, 0u16);
    // The letters of the boundary, one bit each.
    let (mut here, mut is_inside) = ([0u64; 4], false);
    let mut bytes = key.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            LETTER.. => {
                occurrences += 1;
                let (word, bit) = (&mut here[usize::from(byte >> 6)], 1 << (byte & 63));
                shape.private = shape.private.wrapping_add(u8::from(*word & bit != 0));
                *word |= bit;
                is_inside = true;
            }
            ONE => {
                ones += 1;
                is_inside = true;
            }
            TWO => {
                shape.twos = shape.twos.wrapping_add(1);
                is_inside = true;
            }
            END_BOUNDARY | END_REGION => {
                shape.regions = shape.regions.wrapping_add(u8::from(byte == END_REGION));
                shape.boundaries = shape.boundaries.wrapping_add(u8::from(is_inside));
                (here, is_inside) = ([0; 4], false);
            }
            marker => {
                let count = bytes.next().copied().unwrap_or(0);
                shape.boundaries = shape.boundaries.wrapping_add(count);
                match marker {
                    ZEROS => shape.zeros = shape.zeros.wrapping_add(count),
                    ONES => ones += u16::from(count),
                    _ => shape.twos = shape.twos.wrapping_add(count),
                }
            }
        }
    }
    shape.boundaries = shape.boundaries.wrapping_add(u8::from(is_inside));
    shape.letters = (occurrences / 2) as u8;
    shape.lives = 3 * u16::from(shape.zeros) + 2 * ones + u16::from(shape.twos) + occurrences / 2;
    shape
}
