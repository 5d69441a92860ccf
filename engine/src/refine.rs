//! Colour refinement of the letters of a land.
//!
//! Letters start in one class. Each round gives every letter a hash of the neighbours of both its
//! occurrences, of their boundaries and of their regions, with the classes of the letters met
//! there. A region may be mirrored as a whole, so it is hashed in both directions, and the two
//! enter symmetrically. Classes are split by these hashes and never merge, and their order is kept,
//! so that the result depends on the isomorphism class of the land alone. A collision of hashes can
//! only leave a class too large, which costs time in [`crate::canonize`] and nothing else.

use crate::encode::{LETTER, LETTER_SLOTS, ONE};
use crate::twins::Loners;
use crate::work::{Span, Work};

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
    let product = u128::from(a) * u128::from(b ^ VALUES[260]);
    (product >> 64) as u64 ^ product as u64
}

/// An ordered partition of the letters: the number of a letter's class is the number of letters in
/// classes before it.
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
    /// Letters from 0 to `singles` in one class, the others up to `letters` in another.
    pub fn reset(&mut self, singles: usize, letters: usize) {
        self.letters = letters;
        self.count = singles.min(1) + (letters - singles).min(1);
        self.of[..singles].fill(0);
        self.of[singles..letters].fill(singles as u8);
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
    ///
    /// # Panics
    /// When every letter has its rank.
    pub fn first_tie(&self) -> &[u8] {
        let class = |i: usize| self.of[usize::from(self.order[i])];
        let start =
            (1..self.letters).find(|&i| class(i) == class(i - 1)).expect("a tie is left") - 1;
        let end = (start..self.letters).take_while(|&i| class(i) == class(start)).count();
        &self.order[start..start + end]
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

    /// Ranks the letters of every class, if all of them are interchangeable. Returns whether that
    /// was done.
    pub fn settle(&mut self, loners: &Loners) -> bool {
        if self.is_discrete() {
            return true;
        }
        let order = &self.order[..self.letters];
        let tied = |a: u8, b: u8| self.of[usize::from(a)] == self.of[usize::from(b)];
        if order
            .windows(2)
            .any(|pair| tied(pair[0], pair[1]) && !loners.are_twins(pair[0], pair[1]))
        {
            return false;
        }
        for (rank, &letter) in order.iter().enumerate() {
            self.of[usize::from(letter)] = rank as u8;
        }
        self.count = self.letters;
        true
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
    /// The value of each letter's class.
    values: [u64; LETTER_SLOTS],
    /// Hash of the neighbours of each place of a region, in both directions.
    near: Vec<[u64; 2]>,
    /// Hash of each boundary of a region, in both directions.
    boundaries: Vec<[u64; 2]>,
    hashes: [u64; LETTER_SLOTS],
}

impl Default for Refiner {
    fn default() -> Self {
        let (near, boundaries) = (Vec::new(), Vec::new());
        Self { values: [0; LETTER_SLOTS], near, boundaries, hashes: [0; LETTER_SLOTS] }
    }
}

impl Refiner {
    /// Splits classes until only interchangeable letters share one, or a round splits none. Returns
    /// whether every letter has its rank.
    pub fn refine(&mut self, land: &Work, loners: &Loners, classes: &mut Classes) -> bool {
        loop {
            if classes.settle(loners) {
                return true;
            }
            let before = classes.count;
            self.round(land, classes);
            if classes.count == before {
                return false;
            }
        }
    }

    fn round(&mut self, land: &Work, classes: &mut Classes) {
        for letter in 0..land.letters {
            self.values[letter] = VALUES[usize::from(classes.of[letter])];
            self.hashes[letter] = 0;
        }
        for region in &land.regions {
            let spans = &land.boundaries[region.boundaries.range()];
            let [zeros, ones, twos] = region.isolated.map(u64::from);
            let base = mix(zeros | ones << 8 | twos << 16, VALUES[261]);
            if spans.iter().all(|span| span.len() <= 2) {
                self.plain(&land.tokens, spans, base);
            } else {
                self.turning(&land.tokens, spans, base);
            }
        }
        classes.split(&mut self.hashes);
    }

    #[inline]
    fn value(&self, token: u8) -> u64 {
        match token.checked_sub(LETTER) {
            Some(letter) => self.values[usize::from(letter)],
            None => VALUES[256 + usize::from(token - ONE)],
        }
    }

    #[inline]
    fn see(&mut self, token: u8, hash: u64) {
        if let Some(letter) = token.checked_sub(LETTER) {
            let hashes = &mut self.hashes[usize::from(letter)];
            // Both occurrences count the same: which one was read first is immaterial.
            *hashes = hashes.wrapping_add(hash);
        }
    }

    /// A region whose boundaries read the same in both directions.
    fn plain(&mut self, tokens: &[u8], spans: &[Span], base: u64) {
        let mut whole = base;
        for span in spans {
            let sum = tokens[span.range()]
                .iter()
                .map(|&t| self.value(t))
                .fold(span.len() as u64, u64::wrapping_add);
            whole = whole.wrapping_add(mix(sum, VALUES[262]));
        }
        let alone = mix(whole, VALUES[263]);
        for span in spans {
            match tokens[span.range()] {
                [a] => self.see(a, alone),
                [a, b] => {
                    let (near_a, near_b) = (self.value(b), self.value(a));
                    self.see(a, mix(whole, near_a));
                    self.see(b, mix(whole, near_b));
                }
                _ => {}
            }
        }
    }

    /// A region that looks different in a mirror.
    fn turning(&mut self, tokens: &[u8], spans: &[Span], base: u64) {
        self.near.clear();
        self.boundaries.clear();
        let mut whole = [base; 2];
        for span in spans {
            let hash = self.neighbours(&tokens[span.range()]);
            for (whole, hash) in whole.iter_mut().zip(hash) {
                *whole = whole.wrapping_add(mix(hash, VALUES[262]));
            }
            self.boundaries.push(hash);
        }
        let mut place = 0;
        for (span, boundary) in spans.iter().zip(0..) {
            let hash: [u64; 2] = self.boundaries[boundary];
            let around = [hash[0] ^ whole[0].rotate_left(32), hash[1] ^ whole[1].rotate_left(32)];
            for &token in &tokens[span.range()] {
                if token >= LETTER {
                    let near = self.near[place];
                    let seen = mix(near[0], around[0]).wrapping_add(mix(near[1], around[1]));
                    self.see(token, mix(seen, VALUES[263]));
                }
                place += 1;
            }
        }
    }

    /// Appends a hash of the neighbours of each place of a boundary. Returns their sums.
    fn neighbours(&mut self, tokens: &[u8]) -> [u64; 2] {
        let mut sums = [tokens.len() as u64; 2];
        let mut before = self.value(tokens[tokens.len() - 1]);
        let mut here = self.value(tokens[0]);
        for next in 1..=tokens.len() {
            let after = self.value(tokens[if next < tokens.len() { next } else { 0 }]);
            let middle = here.rotate_left(23);
            let near =
                [mix(middle.wrapping_add(before), after), mix(middle.wrapping_add(after), before)];
            sums = [sums[0].wrapping_add(near[0]), sums[1].wrapping_add(near[1])];
            self.near.push(near);
            (before, here) = (here, after);
        }
        sums
    }
}
