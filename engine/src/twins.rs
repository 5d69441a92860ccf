//! Letters that can be exchanged at sight.
//!
//! A loop around a spot leaves two letters that share a boundary of their own on both sides, `AB|AB`. Exchanging them
//! changes nothing, and so does exchanging two letters that each stand alone on a boundary in the same two regions. These
//! are most of the ties that refinement leaves, and no search is needed to break them.

use crate::encode::{LETTER, LETTER_SLOTS};
use crate::work::Work;

/// How each letter occurs, where that can make it interchangeable.
#[derive(Clone)]
pub(crate) struct Twins {
    places: [[Place; 2]; LETTER_SLOTS],
}

/// One occurrence of a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Unknown,
    /// Alone on a boundary of this region.
    Alone(u8),
    /// Beside this letter on a boundary of two.
    Beside(u8),
    Elsewhere,
}

impl Default for Twins {
    fn default() -> Self {
        Self { places: [[Place::Unknown; 2]; LETTER_SLOTS] }
    }
}

impl Twins {
    /// Looks at the letters of a land.
    pub fn find(&mut self, land: &Work) {
        self.places[..land.letters].fill([Place::Unknown; 2]);
        for (r, region) in land.regions.iter().enumerate() {
            for span in &land.boundaries[region.boundaries.range()] {
                match land.tokens[span.range()] {
                    [a] => self.see(a, Place::Alone(r as u8)),
                    [a, b] => {
                        self.see(a, if b < LETTER { Place::Elsewhere } else { Place::Beside(b - LETTER) });
                        self.see(b, if a < LETTER { Place::Elsewhere } else { Place::Beside(a - LETTER) });
                    }
                    ref longer => longer.iter().for_each(|&token| self.see(token, Place::Elsewhere)),
                }
            }
        }
    }

    fn see(&mut self, token: u8, place: Place) {
        if token >= LETTER {
            let places = &mut self.places[usize::from(token - LETTER)];
            places[usize::from(places[0] != Place::Unknown)] = place;
        }
    }

    /// Whether two letters are seen to be interchangeable.
    pub fn are(&self, a: u8, b: u8) -> bool {
        let (of_a, of_b) = (self.places[usize::from(a)], self.places[usize::from(b)]);
        // Occurrences come in the order of the regions, so the first belongs to the first.
        of_a.into_iter().zip(of_b).all(|(at_a, at_b)| match (at_a, at_b) {
            (Place::Alone(r), Place::Alone(s)) => r == s,
            (Place::Beside(x), Place::Beside(y)) => x == b && y == a,
            _ => false,
        })
    }
}
