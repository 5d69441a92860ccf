//! The regions in which no curve is drawn.
//!
//! A move changes these regions only by the spots that die of it. Those are gone here, too, so that
//! a region may be dropped, or may no longer share a letter with the others. Everything else is as
//! it was in the parent, so it is written once for many children.

use crate::encode::{END_REGION, LETTER, TWO};
use crate::generate::Lands;
use crate::reduce::Survey;
use crate::region::{self, Wall};
use crate::sketch::{Region, Sketch};
use crate::split::{NOWHERE, Places, Split};
use crate::work::{Span, Work, merge_ends, push_merging};

/// A land whose children are generated, and what its parts count for.
#[derive(Default)]
pub(crate) struct Parent {
    pub land: Work,
    pub survey: Survey,
    /// Bytes of its regions, one after the other.
    bytes: Vec<u8>,
    written: Vec<(Span, Region)>,
}

impl Parent {
    pub fn load(&mut self, key: &[u8]) {
        self.land.load_key(key);
        self.survey.take(&self.land);
        self.bytes.clear();
        self.written.clear();
        for region in &self.land.regions {
            let start = self.bytes.len() as u32;
            let walls = self.survey.walls[region.boundaries.range()].iter();
            let written = region::write(&self.land.tokens, region.isolated, walls, &mut self.bytes);
            let span = Span { start, end: self.bytes.len() as u32 };
            self.written.push((span, written.expect("a region of a reduced land has lives")));
        }
    }

    /// The other region of a letter that stands in `region`.
    fn other(&self, token: u8, region: usize) -> Option<u8> {
        let [a, b] = *self.survey.places.get(usize::from(token.checked_sub(LETTER)?))?;
        let other = if usize::from(a) == region { b } else { a };
        (usize::from(other) != region).then_some(other)
    }
}

/// The other regions after the death of certain letters.
#[derive(Default)]
pub(crate) struct Others {
    /// The region in which the curve is drawn, and the letters that have died elsewhere, as tokens
    /// (0: none).
    now: Option<(usize, [u8; 2])>,
    /// Bytes of the regions in one land with the divided one, each after an `END_REGION`.
    pub bytes: Vec<u8>,
    /// What these regions add to the sketch.
    pub sketch: Sketch,
    /// Lands that were cut off.
    pub apart: Lands,
    split: Split,
    lives: Vec<u16>,
    places: Places,
    tokens: Vec<u8>,
    walls: Vec<Wall>,
}

impl Others {
    /// Clears it for the children of another land.
    pub fn clear(&mut self) {
        self.now = None;
    }

    /// Writes the regions other than `region` when the letters `dead` have died.
    pub fn write(&mut self, parent: &Parent, region: usize, dead: [u8; 2]) {
        let mut dead = dead.map(|token| parent.other(token, region).map_or(0, |_| token));
        dead.sort_unstable();
        if self.now == Some((region, dead)) {
            return;
        }
        self.now = Some((region, dead));
        self.bytes.clear();
        self.sketch = Sketch::default();
        self.apart.clear();
        if dead == [0; 2] {
            self.split.clear();
            for r in (0..parent.written.len()).filter(|&r| r != region) {
                self.bytes.push(END_REGION);
                let (span, written) = parent.written[r];
                self.bytes.extend_from_slice(&parent.bytes[span.range()]);
                self.sketch.region(written);
            }
            return;
        }
        self.lives.clone_from(&parent.survey.lives);
        self.places.clone_from(&parent.survey.places);
        for token in dead {
            if let Some(other) = parent.other(token, region) {
                self.lives[usize::from(other)] -= 1;
                self.places[usize::from(token - LETTER)] = [NOWHERE; 2];
            }
        }
        // Whatever becomes of the divided region, its living letters stay in one land.
        self.lives[region] = u16::MAX;
        self.split.find(&self.places, &self.lives);
        let hub = self.split.root(region as u8);
        for root in 0..parent.written.len() as u8 {
            self.write_land(parent, region, root, root == hub);
        }
    }

    /// Writes the regions of the land that begins with `root`, if one does.
    fn write_land(&mut self, parent: &Parent, region: usize, root: u8, is_attached: bool) {
        let mut sketch = Sketch::default();
        let mut out =
            std::mem::take(if is_attached { &mut self.bytes } else { &mut self.apart.bytes });
        let start = out.len();
        for r in usize::from(root)..parent.written.len() {
            if r != region && self.split.is_in(r as u8, root) {
                if is_attached || out.len() > start {
                    out.push(END_REGION);
                }
                sketch.region(self.write_region(parent, r, &mut out));
            }
        }
        if is_attached {
            (self.bytes, self.sketch) = (out, sketch);
        } else {
            self.apart.bytes = out;
            self.apart.end(start, sketch);
        }
    }

    fn write_region(&mut self, parent: &Parent, r: usize, out: &mut Vec<u8>) -> Region {
        if self.lives[r] == parent.survey.lives[r] && !self.split.drops() {
            let (span, written) = parent.written[r];
            out.extend_from_slice(&parent.bytes[span.range()]);
            return written;
        }
        let region = &parent.land.regions[r];
        self.tokens.clear();
        self.walls.clear();
        for span in &parent.land.boundaries[region.boundaries.range()] {
            let start = self.tokens.len();
            for &token in &parent.land.tokens[span.range()] {
                if token < LETTER || self.places[usize::from(token - LETTER)][0] != NOWHERE {
                    let token = self.fate(token);
                    push_merging(&mut self.tokens, start, token);
                }
            }
            merge_ends(&mut self.tokens, start);
            if self.tokens.len() > start {
                self.walls.push(Wall::last(&self.tokens, start));
            }
        }
        let written = region::write(&self.tokens, region.isolated, self.walls.iter(), out);
        written.expect("a region that is not dropped has lives")
    }

    /// What a token of the parent has become in a region that is still there: a letter is a `2` if
    /// its other occurrence was dropped.
    #[inline]
    pub fn fate(&self, token: u8) -> u8 {
        if token < LETTER || !self.split.drops() {
            return token;
        }
        let places = self.places.get(usize::from(token - LETTER));
        if places.is_some_and(|places| places.iter().any(|&r| self.split.is_dropped(r))) {
            return TWO;
        }
        token
    }

    /// Whether any letter became a `2`.
    pub fn drops(&self) -> bool {
        self.split.drops()
    }
}
