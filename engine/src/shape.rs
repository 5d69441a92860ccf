//! Counts that describe a land without saying which it is.

use crate::encode::{END_BOUNDARY, END_REGION, LETTER, ONE, ONES, TWO, TWOS, ZEROS};

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
pub fn shape(key: &[u8]) -> Shape {
    let mut shape = Shape { regions: 1, ..Shape::default() };
    // The boundary, numbered from 1, in which each letter was seen first.
    let mut first = [0u16; crate::encode::LETTER_SLOTS];
    let (mut boundary, mut inside, mut at) = (1u16, false, 0);
    while let Some(&byte) = key.get(at) {
        at += 1;
        match byte {
            ZEROS | ONES | TWOS => {
                let count = key.get(at).copied().unwrap_or(0);
                at += 1;
                shape.boundaries = shape.boundaries.wrapping_add(count);
                shape.lives += u16::from(3 - byte) * u16::from(count);
                if byte == ZEROS {
                    shape.zeros = shape.zeros.wrapping_add(count);
                } else if byte == TWOS {
                    shape.twos = shape.twos.wrapping_add(count);
                }
                continue;
            }
            END_BOUNDARY | END_REGION => {
                shape.regions = shape.regions.wrapping_add(u8::from(byte == END_REGION));
                boundary += 1;
                inside = false;
                continue;
            }
            ONE => shape.lives += 2,
            TWO => {
                shape.lives += 1;
                shape.twos = shape.twos.wrapping_add(1);
            }
            letter => {
                let first = &mut first[usize::from(letter - LETTER)];
                if *first == 0 {
                    *first = boundary;
                    shape.lives += 1;
                    shape.letters = shape.letters.wrapping_add(1);
                } else {
                    shape.private = shape.private.wrapping_add(u8::from(*first == boundary));
                }
            }
        }
        if !inside {
            inside = true;
            shape.boundaries = shape.boundaries.wrapping_add(1);
        }
    }
    shape
}
