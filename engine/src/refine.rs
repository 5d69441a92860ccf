//! Colour refinement of the letters of a land.
//!
//! Letters start in one class. Each round gives every letter a hash of the two walks that start at each of its
//! occurrences, one in each direction, with the classes of the letters met; a region adds what its other boundaries
//! look like in that direction. Since a region may be mirrored as a whole, the two directions enter symmetrically.
//! Classes are split by these hashes and never merge, and their order is kept, so that the result depends on the
//! isomorphism class of the land alone. A collision of hashes can only leave a class too large, which costs time in
//! [`crate::canonize`] and nothing else.

use crate::encode::LETTER_SLOTS;
use crate::encode::{LETTER, ONE};
use crate::work::Work;

/// The base of the polynomial that hashes a walk, and its inverse modulo 2^64.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
const INVERSE: u64 = inverse(BASE);

/// Newton's iteration for the inverse of an odd number modulo 2^64.
const fn inverse(odd: u64) -> u64 {
    let (mut x, mut round) = (odd, 0);
    while round < 6 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

const _: () = assert!(BASE.wrapping_mul(INVERSE) == 1);

/// Pseudo-random values: 0 to 255 for classes of letters, then `ONE`, `TWO` and salts (SplitMix64).
const VALUES: [u64; 264] = {
    let (mut values, mut i, mut state) = ([0; 264], 0, 0x5350_5249_4721_0001_u64);
    while i < values.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        values[i] = z ^ (z >> 31);
        i += 1;
    }
    values
};

/// Folds a product of 128 bits to 64.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ VALUES[260]) * u128::from(b ^ VALUES[261]);
    (product >> 64) as u64 ^ product as u64
}

/// An ordered partition of the letters: a letter's class is the number of letters in classes before it.
#[derive(Clone)]
pub(crate) struct Classes {
    of: [u8; LETTER_SLOTS],
    /// Letters sorted by class.
    order: [u8; LETTER_SLOTS],
    letters: usize,
    count: usize,
}

impl Default for Classes {
    fn default() -> Self {
        Self { of: [0; LETTER_SLOTS], order: [0; LETTER_SLOTS], letters: 0, count: 0 }
    }
}

impl Classes {
    /// All `letters` letters in one class.
    pub fn reset(&mut self, letters: usize) {
        self.letters = letters;
        self.count = letters.min(1);
        self.of[..letters].fill(0);
        for (i, letter) in self.order[..letters].iter_mut().enumerate() {
            *letter = i as u8;
        }
    }

    /// Whether every letter is alone in its class, so that classes are ranks.
    pub fn is_discrete(&self) -> bool {
        self.count == self.letters
    }

    /// The rank of a letter, if [`Self::is_discrete`].
    #[inline]
    pub fn rank(&self, letter: u8) -> u8 {
        self.of[usize::from(letter)]
    }

    /// The first class with more than one letter.
    pub fn first_tie(&self) -> Option<&[u8]> {
        let mut start = 0;
        while start < self.letters {
            let class = self.of[usize::from(self.order[start])];
            let tied = self.order[start..self.letters].iter();
            let size = tied.take_while(|&&l| self.of[usize::from(l)] == class).count();
            if size > 1 {
                return Some(&self.order[start..start + size]);
            }
            start += 1;
        }
        None
    }

    /// Puts one letter before the others of its class.
    pub fn individualise(&mut self, letter: u8) {
        let class = self.of[usize::from(letter)];
        let mut at = usize::from(class);
        let found = self.order[at..self.letters].iter().position(|&l| l == letter);
        let found = at + found.expect("a letter stands in its class");
        self.order[at..=found].rotate_right(1);
        at += 1;
        while at < self.letters && self.of[usize::from(self.order[at])] == class {
            self.of[usize::from(self.order[at])] = class + 1;
            at += 1;
        }
        self.count += 1;
    }

    /// Splits classes by `hashes` (the high bits of which are lost).
    fn split(&mut self, hashes: &mut [u64; LETTER_SLOTS]) {
        for &letter in &self.order[..self.letters] {
            let letter = usize::from(letter);
            hashes[letter] = u64::from(self.of[letter]) << 56 | hashes[letter] >> 8;
        }
        // Insertion sort: a land has few letters, and they are nearly in order already.
        for i in 1..self.letters {
            let letter = self.order[i];
            let mut j = i;
            while j > 0 && hashes[usize::from(self.order[j - 1])] > hashes[usize::from(letter)] {
                self.order[j] = self.order[j - 1];
                j -= 1;
            }
            self.order[j] = letter;
        }
        self.count = 0;
        let (mut class, mut last) = (0, None);
        for i in 0..self.letters {
            let letter = usize::from(self.order[i]);
            if last != Some(hashes[letter]) {
                last = Some(hashes[letter]);
                class = i as u8;
                self.count += 1;
            }
            self.of[letter] = class;
        }
    }
}

/// Scratch memory of the refinement.
#[derive(Clone)]
pub(crate) struct Refiner {
    /// Hashes of the forward and backward walk from each place.
    walks: Vec<[u64; 2]>,
    /// Hashes of each boundary of a region, forward and backward.
    boundaries: Vec<[u64; 2]>,
    hashes: [u64; LETTER_SLOTS],
}

impl Default for Refiner {
    fn default() -> Self {
        Self { walks: Vec::new(), boundaries: Vec::new(), hashes: [0; LETTER_SLOTS] }
    }
}

impl Refiner {
    /// Splits classes until a round splits none.
    pub fn refine(&mut self, land: &Work, classes: &mut Classes) {
        while !classes.is_discrete() {
            let before = classes.count;
            self.round(land, classes);
            if classes.count == before {
                break;
            }
        }
    }

    fn round(&mut self, land: &Work, classes: &mut Classes) {
        self.hashes[..land.letters].fill(0);
        for region in &land.regions {
            let [zeros, ones, twos] = region.isolated.map(u64::from);
            let base = mix(zeros | ones << 8 | twos << 16, VALUES[262]);
            self.walks.clear();
            self.boundaries.clear();
            let mut whole = [base; 2];
            for boundary in region.boundaries.range() {
                let hash = self.walk(land.boundary(boundary), classes);
                whole[0] = whole[0].wrapping_add(mix(hash[0], VALUES[262]));
                whole[1] = whole[1].wrapping_add(mix(hash[1], VALUES[262]));
                self.boundaries.push(hash);
            }
            let mut walks = self.walks.iter();
            for (boundary, hash) in region.boundaries.range().zip(&self.boundaries) {
                let around = [hash[0] ^ whole[0].rotate_left(32), hash[1] ^ whole[1].rotate_left(32)];
                for (&token, walk) in land.boundary(boundary).iter().zip(&mut walks) {
                    if token >= LETTER {
                        let seen = mix(walk[0], around[0]).wrapping_add(mix(walk[1], around[1]));
                        let hash = &mut self.hashes[usize::from(token - LETTER)];
                        // Both occurrences count the same: which one was read first is immaterial.
                        *hash = hash.wrapping_add(mix(seen, VALUES[263]));
                    }
                }
            }
        }
        classes.split(&mut self.hashes);
    }

    /// Appends the walks of one boundary and returns its hashes forward and backward.
    fn walk(&mut self, tokens: &[u8], classes: &Classes) -> [u64; 2] {
        let value = |token: u8| {
            if token >= LETTER {
                VALUES[usize::from(classes.of[usize::from(token - LETTER)])]
            } else {
                VALUES[256 + usize::from(token - ONE)]
            }
        };
        let (mut forward, mut backward, mut power) = (0u64, 0u64, 1u64);
        for (i, &token) in tokens.iter().enumerate() {
            if i > 0 {
                power = power.wrapping_mul(BASE);
            }
            forward = forward.wrapping_add(value(token).wrapping_mul(power));
            // The first place reads v0, v(n-1), .., v1 backward.
            let back = if i == 0 { tokens[0] } else { tokens[tokens.len() - i] };
            backward = backward.wrapping_add(value(back).wrapping_mul(power));
        }
        let mut sums = [0u64; 2];
        for i in 0..tokens.len() {
            sums[0] = sums[0].wrapping_add(mix(forward, VALUES[260]));
            sums[1] = sums[1].wrapping_add(mix(backward, VALUES[260]));
            self.walks.push([forward, backward]);
            let (here, next) = (value(tokens[i]), value(tokens[if i + 1 < tokens.len() { i + 1 } else { 0 }]));
            forward = forward
                .wrapping_sub(here)
                .wrapping_mul(INVERSE)
                .wrapping_add(here.wrapping_mul(power));
            backward = backward
                .wrapping_sub(next.wrapping_mul(power))
                .wrapping_mul(BASE)
                .wrapping_add(next);
        }
        sums
    }
}
