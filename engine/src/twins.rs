//! Letters that can obviously be exchanged.
//!
//! * **Loops.** A loop around a spot leaves two letters that share a boundary of their own on both
//!   sides, `AB|AB`. Exchanging them changes nothing. The canonizer reads such a pair as one
//!   *double* letter.
//! * **Loners.** Letters that each stand alone on a boundary, in the same two regions, can be
//!   exchanged too.
//!
//! These are most of the ties that refinement leaves, and no search is needed to break them.

use crate::encode::{LETTER, LETTER_SLOTS};
use crate::work::Work;

const NONE: u8 = u8::MAX;

/// Pairs of letters that share a boundary of two on both sides.
#[derive(Clone)]
pub(crate) struct Loops {
    /// The letter beside this one on a boundary of two.
    mate: [u8; LETTER_SLOTS],
    /// Whether it is the same letter on both sides.
    is_loop: [bool; LETTER_SLOTS],
    names: [u8; LETTER_SLOTS],
}

impl Default for Loops {
    fn default() -> Self {
        let (mate, names) = ([NONE; LETTER_SLOTS], [NONE; LETTER_SLOTS]);
        Self { mate, is_loop: [false; LETTER_SLOTS], names }
    }
}

impl Loops {
    /// Looks for the loops of a land. Returns whether there are any.
    pub fn find(&mut self, land: &Work) -> bool {
        self.mate[..land.letters].fill(NONE);
        self.is_loop[..land.letters].fill(false);
        let mut any = false;
        for span in land.boundaries.iter().filter(|span| span.len() == 2) {
            let &[a, b] = &land.tokens[span.range()] else { continue };
            if a < LETTER || b < LETTER {
                continue;
            }
            let (a, b) = (a - LETTER, b - LETTER);
            if self.mate[usize::from(a)] == b && self.mate[usize::from(b)] == a {
                self.is_loop[usize::from(a)] = true;
                self.is_loop[usize::from(b)] = true;
                any = true;
            }
            self.mate[usize::from(a)] = b;
            self.mate[usize::from(b)] = a;
        }
        any
    }

    /// Whether a boundary of two letters is a loop.
    pub fn is_loop(&self, token: u8) -> bool {
        token >= LETTER && self.is_loop[usize::from(token - LETTER)]
    }

    /// Makes each loop of the land one letter, numbered after the single ones. Returns the number
    /// of single ones.
    pub fn contract(&mut self, land: &mut Work) -> usize {
        if !self.find(land) {
            return land.letters;
        }
        let loops = &self.is_loop[..land.letters];
        let singles = loops.iter().filter(|&&is_loop| !is_loop).count();
        let (mut single, mut double) = (0, singles as u8);
        for letter in 0..land.letters {
            let mate = usize::from(self.mate[letter]);
            self.names[letter] = if !self.is_loop[letter] {
                single += 1;
                single - 1
            } else if mate < letter {
                self.names[mate]
            } else {
                double += 1;
                double - 1
            };
        }
        for span in &mut land.boundaries {
            if self.is_loop(land.tokens[span.start as usize]) {
                span.end = span.start + 1;
            }
            for token in &mut land.tokens[span.range()] {
                if *token >= LETTER {
                    *token = LETTER + self.names[usize::from(*token - LETTER)];
                }
            }
        }
        land.letters = usize::from(double);
        singles
    }
}

/// The regions of letters that stand alone on both their boundaries.
#[derive(Clone)]
pub(crate) struct Loners {
    regions: [[u8; 2]; LETTER_SLOTS],
}

impl Default for Loners {
    fn default() -> Self {
        Self { regions: [[NONE; 2]; LETTER_SLOTS] }
    }
}

impl Loners {
    /// Looks at the letters of a land.
    pub fn find(&mut self, land: &Work) {
        self.regions[..land.letters].fill([NONE; 2]);
        for (r, region) in land.regions.iter().enumerate() {
            for span in &land.boundaries[region.boundaries.range()] {
                if let [letter] = land.tokens[span.range()]
                    && letter >= LETTER
                {
                    let regions = &mut self.regions[usize::from(letter - LETTER)];
                    regions[usize::from(regions[0] != NONE)] = r as u8;
                }
            }
        }
    }

    /// Whether two letters of one class of a refinement are seen to be interchangeable.
    pub fn are_twins(&self, a: u8, b: u8) -> bool {
        // Occurrences come in the order of the regions, so the first belongs to the first.
        let regions = self.regions[usize::from(a)];
        regions[1] != NONE && regions == self.regions[usize::from(b)]
    }
}
