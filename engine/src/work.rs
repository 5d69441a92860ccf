//! A land laid flat, as the canonizer and the generator work on it.

use crate::encode::{END_BOUNDARY, END_REGION, LETTER, LETTER_SLOTS, ONE, ONES, TWO, TWOS, ZEROS};
use crate::{Land, Letter, Spot};

/// Regions and boundaries as spans of one array of tokens. It is reused from position to position,
/// and never freed.
///
/// Isolated spots of degree 0, 1 and 2 are counts of their region; every other boundary stands in
/// `tokens` as `ONE`, `TWO` and `LETTER + k`.
#[derive(Default)]
pub(crate) struct Work {
    pub tokens: Vec<u8>,
    pub boundaries: Vec<Span>,
    pub regions: Vec<FlatRegion>,
    /// Letters are below this number.
    pub letters: usize,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

/// A region: isolated spots by degree, and a span of `boundaries`.
#[derive(Clone, Copy, Default)]
pub(crate) struct FlatRegion {
    pub isolated: [u8; 3],
    pub boundaries: Span,
}

impl Work {
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.boundaries.clear();
        self.regions.clear();
        self.letters = 0;
    }

    /// Copies another land, without giving memory back.
    pub fn copy(&mut self, other: &Self) {
        self.tokens.clone_from(&other.tokens);
        self.boundaries.clone_from(&other.boundaries);
        self.regions.clone_from(&other.regions);
        self.letters = other.letters;
    }

    /// Starts a region; its boundaries follow with [`Self::close_boundary`], and
    /// [`Self::close_region`] ends it.
    pub fn open_region(&mut self, isolated: [u8; 3]) {
        let at = self.boundaries.len() as u32;
        self.regions.push(FlatRegion { isolated, boundaries: Span { start: at, end: at } });
    }

    /// Ends the boundary that began at `start`. Merges around its end, and drops it when it is
    /// empty.
    pub fn close_boundary(&mut self, start: usize) {
        merge_ends(&mut self.tokens, start);
        if self.tokens.len() > start {
            self.boundaries.push(Span { start: start as u32, end: self.tokens.len() as u32 });
        }
    }

    pub fn close_region(&mut self) {
        let end = self.boundaries.len() as u32;
        self.regions.last_mut().expect("a region is open").boundaries.end = end;
    }

    /// Lays a written land flat.
    pub fn load(&mut self, land: &Land) {
        self.clear();
        for region in &land.0 {
            self.open_region([0; 3]);
            for boundary in &region.0 {
                let start = self.tokens.len();
                for &spot in &boundary.0 {
                    match spot {
                        Spot::Zero => {
                            self.regions.last_mut().expect("a region is open").isolated[0] += 1
                        }
                        Spot::One => self.tokens.push(ONE),
                        Spot::Two => self.tokens.push(TWO),
                        Spot::Letter(Letter(k)) => {
                            self.letters = self.letters.max(usize::from(k) + 1);
                            push_merging(&mut self.tokens, start, LETTER + k as u8);
                        }
                    }
                }
                self.close_boundary(start);
            }
            self.close_region();
        }
    }

    /// Lays the bytes of a land flat, letters named anew in order of appearance.
    pub fn load_key(&mut self, key: &[u8]) {
        self.clear();
        // 0: not met.
        let mut names = [0; LETTER_SLOTS];
        let mut at = 0;
        loop {
            let mut isolated = [0; 3];
            for (marker, count) in [ZEROS, ONES, TWOS].into_iter().zip(&mut isolated) {
                if key.get(at) == Some(&marker) {
                    *count = key[at + 1];
                    at += 2;
                }
            }
            self.open_region(isolated);
            let mut start = self.tokens.len();
            loop {
                let token = key.get(at).copied().unwrap_or(END_REGION);
                at += 1;
                if token == END_BOUNDARY || token == END_REGION {
                    let end = self.tokens.len();
                    if end > start {
                        self.boundaries.push(Span { start: start as u32, end: end as u32 });
                    }
                    start = end;
                    if token == END_REGION {
                        break;
                    }
                } else {
                    let mut token = token;
                    if let Some(letter) = token.checked_sub(LETTER) {
                        let name = &mut names[usize::from(letter)];
                        if *name == 0 {
                            *name = LETTER + self.letters as u8;
                            self.letters += 1;
                        }
                        token = *name;
                    }
                    self.tokens.push(token);
                }
            }
            self.close_region();
            if at > key.len() {
                break;
            }
        }
    }

    /// The tokens of one boundary.
    pub fn boundary(&self, boundary: usize) -> &[u8] {
        &self.tokens[self.boundaries[boundary].range()]
    }
}

/// Appends a token to the boundary that began at `start`. A letter that comes to stand beside
/// itself has nothing on one side, and is merged into a `TWO`.
#[inline]
pub(crate) fn push_merging(tokens: &mut Vec<u8>, start: usize, token: u8) {
    if token >= LETTER && tokens.len() > start && tokens.last() == Some(&token) {
        tokens.pop();
        tokens.push(TWO);
    } else {
        tokens.push(token);
    }
}

/// Ends the boundary that began at `start`, whose last spot stands beside its first.
#[inline]
pub(crate) fn merge_ends(tokens: &mut Vec<u8>, start: usize) {
    let length = tokens.len() - start;
    if length >= 2 && tokens[start] >= LETTER && tokens.last() == Some(&tokens[start]) {
        tokens.pop();
        tokens[start] = TWO;
    }
}
