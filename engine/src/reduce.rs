//! Reductions that keep the game tree up to isomorphism, and the split into lands.
//!
//! They run in one pass, in this order (Applegate, Jacobson and Sleator 1991, section 3; Lemoine and Viennot 2010):
//!
//! 1. dead spots are gone and a letter beside itself has become a `2` ([`Work::push_merging`] did both);
//! 2. regions with fewer than 2 lives are dropped: no curve can be drawn there;
//! 3. a letter whose other occurrence was dropped becomes a `2`;
//! 4. a region with 2 or 3 lives forgets which spots share a boundary, and a letter twice in it becomes one `2`:
//!    how many curves can be drawn there does not depend on its boundaries, so every spot gets its own;
//! 5. regions that share no letter, directly or through others, become different lands.
//!
//! No step changes the lives of another region, so the order is final and nothing is done twice.

use crate::encode::{END_BOUNDARY, END_REGION, LETTER, LETTER_SLOTS, ONE, ONES, TWO, TWOS, ZEROS};
use crate::generate::Lands;
use crate::sketch::{Region, Sketch, weight};
use crate::work::Work;

/// A region that was dropped.
const DROPPED: u8 = u8::MAX;
/// A letter not seen yet.
const NOWHERE: u8 = u8::MAX;
/// A land never has more regions: each keeps at least 2 lives, and lives in letters are shared by two.
const MAX_REGIONS: usize = 255;

/// Scratch memory of the reduction.
#[derive(Clone)]
pub(crate) struct Reducer {
    /// Regions of the two occurrences of each letter.
    places: [[u8; 2]; LETTER_SLOTS],
    lives: Vec<u16>,
    /// The land of each region as a union-find forest, or `DROPPED`.
    land: Vec<u8>,
    /// New name of each letter in the land that is emitted.
    names: [u8; LETTER_SLOTS],
    next_name: u8,
    /// Boundaries of the region that is emitted.
    boundaries: Vec<u8>,
}

impl Default for Reducer {
    fn default() -> Self {
        Self {
            places: [[NOWHERE; 2]; LETTER_SLOTS],
            lives: Vec::new(),
            land: Vec::new(),
            names: [NOWHERE; LETTER_SLOTS],
            next_name: LETTER,
            boundaries: Vec::new(),
        }
    }
}

impl Reducer {
    /// Reduces `work` and appends the bytes of every land of it to `lands`, letters named in order of appearance.
    pub fn split(&mut self, work: &Work, lands: &mut Lands) {
        assert!(work.regions.len() <= MAX_REGIONS, "a land has at most {MAX_REGIONS} regions");
        self.survey(work);
        self.join(work);
        for root in 0..work.regions.len() {
            if self.land[root] == root as u8 {
                let sketch = self.emit(work, root, &mut lands.bytes);
                lands.ends.push((lands.bytes.len() as u32, sketch));
            }
        }
    }

    /// Finds the regions of each letter and the lives of each region, and drops what is dead.
    fn survey(&mut self, work: &Work) {
        self.places[..work.letters].fill([NOWHERE; 2]);
        self.lives.clear();
        self.land.clear();
        for (r, region) in work.regions.iter().enumerate() {
            let [zeros, ones, twos] = region.isolated.map(u16::from);
            let mut lives = 3 * zeros + 2 * ones + twos;
            let boundaries = &work.boundaries[region.boundaries.range()];
            if let (Some(first), Some(last)) = (boundaries.first(), boundaries.last()) {
                for &token in &work.tokens[first.start as usize..last.end as usize] {
                    if token < LETTER {
                        lives += if token == ONE { 2 } else { 1 };
                        continue;
                    }
                    let places = &mut self.places[usize::from(token - LETTER)];
                    if places[0] == NOWHERE {
                        places[0] = r as u8;
                        lives += 1;
                    } else {
                        // A letter twice in one region counts once there.
                        lives += u16::from(places[0] != r as u8);
                        places[1] = r as u8;
                    }
                }
            }
            self.lives.push(lives);
            self.land.push(if lives < 2 { DROPPED } else { r as u8 });
        }
    }

    /// Unites regions that share a letter; the root of a land is its first region.
    fn join(&mut self, work: &Work) {
        for letter in 0..work.letters {
            let [a, b] = self.places[letter];
            if b == NOWHERE || a == b || self.is_dropped(a) || self.is_dropped(b) {
                continue;
            }
            let (a, b) = (self.root(a), self.root(b));
            self.land[usize::from(a.max(b))] = a.min(b);
        }
    }

    fn is_dropped(&self, region: u8) -> bool {
        self.land[usize::from(region)] == DROPPED
    }

    fn root(&mut self, mut region: u8) -> u8 {
        loop {
            let up = self.land[usize::from(region)];
            if up == region {
                return region;
            }
            self.land[usize::from(region)] = self.land[usize::from(up)];
            region = up;
        }
    }

    /// Appends the bytes of one land, and returns its sketch.
    fn emit(&mut self, work: &Work, root: usize, out: &mut Vec<u8>) -> u64 {
        let mut sketch = Sketch::default();
        self.names[..work.letters].fill(NOWHERE);
        self.next_name = LETTER;
        for r in root..work.regions.len() {
            if self.is_dropped(r as u8) || self.root(r as u8) != root as u8 {
                continue;
            }
            if r > root {
                out.push(END_REGION);
            }
            sketch.region(self.emit_region(work, r, out));
        }
        sketch.0
    }

    fn emit_region(&mut self, work: &Work, r: usize, out: &mut Vec<u8>) -> Region {
        let region = &work.regions[r];
        let boundaries = &work.boundaries[region.boundaries.range()];
        let mut isolated = region.isolated;
        let keeps_boundaries = self.lives[r] > 3;
        let mut sketch = Region::default();
        // Boundaries may turn out to be isolated spots, and the counts of those come first.
        self.boundaries.clear();
        if keeps_boundaries {
            for span in boundaries {
                let (start, mut weights) = (self.boundaries.len(), 0);
                for &token in &work.tokens[span.range()] {
                    let token = self.translate(token, true);
                    self.boundaries.push(token);
                    weights += weight(token);
                }
                if self.end_boundary(start, &mut isolated) {
                    sketch.boundary(weights);
                }
            }
        } else if let (Some(first), Some(last)) = (boundaries.first(), boundaries.last()) {
            let tokens = &work.tokens[first.start as usize..last.end as usize];
            for (i, &token) in tokens.iter().enumerate() {
                // Of a letter that is here twice, the first occurrence stands for both.
                let twice =
                    token >= LETTER && self.places[usize::from(token - LETTER)] == [r as u8; 2];
                if twice && tokens[..i].contains(&token) {
                    continue;
                }
                let start = self.boundaries.len();
                let token = self.translate(token, false);
                self.boundaries.push(token);
                if self.end_boundary(start, &mut isolated) {
                    sketch.boundary(weight(token));
                }
            }
        }
        for (marker, count) in [ZEROS, ONES, TWOS].into_iter().zip(isolated) {
            if count > 0 {
                out.extend_from_slice(&[marker, count]);
                sketch.isolated(marker, count);
            }
        }
        // The last boundary ends with the region.
        if self.boundaries.pop().is_none() {
            sketch.boundary(0);
        }
        out.extend_from_slice(&self.boundaries);
        sketch
    }

    /// Ends the boundary that began at `start`; a spot of degree 1 or 2 alone on it is counted instead, and it is none.
    fn end_boundary(&mut self, start: usize, isolated: &mut [u8; 3]) -> bool {
        match self.boundaries[start..] {
            [ONE] => isolated[1] += 1,
            [TWO] => isolated[2] += 1,
            _ => {
                self.boundaries.push(END_BOUNDARY);
                return true;
            }
        }
        self.boundaries.truncate(start);
        false
    }

    /// The token in the reduced land: letters that are left alone become `TWO`, others get their new name.
    fn translate(&mut self, token: u8, keep_private: bool) -> u8 {
        if token < LETTER {
            return token;
        }
        let letter = usize::from(token - LETTER);
        let [a, b] = self.places[letter];
        let alone = b == NOWHERE
            || if a == b { !keep_private } else { self.is_dropped(a) || self.is_dropped(b) };
        if alone {
            return TWO;
        }
        if self.names[letter] == NOWHERE {
            self.names[letter] = self.next_name;
            self.next_name += 1;
        }
        self.names[letter]
    }
}
