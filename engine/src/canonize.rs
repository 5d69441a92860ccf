//! The canonical form of a land: a canonical labelling of its letters (`docs/canonical-form.md`).
//!
//! Refinement ([`crate::refine`]) ranks most letters. Where it leaves a tie, one letter of the
//! first tied class is put first and refinement goes on. [`Effort::Greedy`] does that for one
//! letter. [`Effort::Exact`] does it for every letter of the class that is not shown to be
//! equivalent to an earlier one, and keeps the least bytes.

use crate::encode::LETTER_SLOTS;
use crate::encode::{END_BOUNDARY, END_REGION, LETTER, ONES, TWOS, ZEROS};
use crate::refine::{Classes, Refiner};
use crate::rotate::{Rotated, Word};
use crate::surfaces;
use crate::twins::{Loners, Loops};
use crate::work::{FlatRegion, Span, Work};

/// How hard the canonizer tries to make the bytes of isomorphic lands equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Isomorphic lands nearly always get equal bytes. For keys that stay inside one process.
    Greedy,
    /// Isomorphic lands always get equal bytes. For keys that are stored or sent.
    Exact,
}

/// Makes keys. It owns its scratch memory: make one per thread and keep it.
pub struct Canonizer {
    effort: Effort,
    land: Work,
    loops: Loops,
    loners: Loners,
    refiner: Refiner,
    classes: Classes,
    scribe: Scribe,
    least: Vec<u8>,
    key: Vec<u8>,
    surfaces: surfaces::Canonizer,
}

impl Canonizer {
    /// A canonizer with the given effort.
    pub fn new(effort: Effort) -> Self {
        Self {
            effort,
            land: Work::default(),
            loops: Loops::default(),
            loners: Loners::default(),
            refiner: Refiner::default(),
            classes: Classes::default(),
            scribe: Scribe::default(),
            least: Vec::new(),
            key: Vec::new(),
            surfaces: surfaces::Canonizer::default(),
        }
    }

    /// The key of a reduced, connected land, given as bytes of the grammar.
    ///
    /// # Panics
    /// When `land` does not follow the grammar.
    pub fn key(&mut self, land: &[u8]) -> &[u8] {
        if surfaces::has(land) {
            self.key.clear();
            self.surfaces.key(land, self.effort, &mut self.key);
            return &self.key;
        }
        self.land.load_key(land);
        let singles = self.loops.contract(&mut self.land);
        self.classes.reset(singles, self.land.letters);
        self.loners.find(&self.land);
        match self.effort {
            Effort::Greedy => {
                descend(&mut self.refiner, &self.land, &self.loners, &mut self.classes);
                self.scribe.write(&self.land, &self.classes);
            }
            Effort::Exact => {
                self.least.clear();
                let land = std::mem::take(&mut self.land);
                self.search(&land, self.classes.clone());
                self.land = land;
                std::mem::swap(&mut self.least, &mut self.scribe.written);
            }
        }
        self.key.clear();
        self.scribe.rename(singles, self.land.letters, &mut self.key);
        &self.key
    }

    /// Visits every leaf below `classes` up to equivalence and keeps the least bytes in
    /// `self.least`.
    fn search(&mut self, land: &Work, mut classes: Classes) {
        if self.refiner.refine(land, &self.loners, &mut classes) {
            self.scribe.write(land, &classes);
            if self.least.is_empty() || self.scribe.written < self.least {
                self.least.clone_from(&self.scribe.written);
            }
            return;
        }
        let tie = classes.first_tie().to_vec();
        let mut leaves: Vec<Vec<u8>> = Vec::with_capacity(tie.len());
        for letter in tie {
            let mut chosen = classes.clone();
            chosen.individualise(letter);
            let mut leaf = chosen.clone();
            descend(&mut self.refiner, land, &self.loners, &mut leaf);
            self.scribe.write(land, &leaf);
            // Equal bytes under two labellings are an automorphism of the land. It maps the letter
            // of rank k to the letter of rank k, so it keeps every letter chosen before (they are
            // alone in their classes) and maps the earlier letter of this tie to this one: the
            // leaves below both are the same.
            if !leaves.contains(&self.scribe.written) {
                leaves.push(self.scribe.written.clone());
                self.search(land, chosen);
            }
        }
    }
}

/// Refines and breaks ties by the first letter at hand until every letter has its rank.
pub(crate) fn descend(refiner: &mut Refiner, land: &Work, loners: &Loners, classes: &mut Classes) {
    while !refiner.refine(land, loners, classes) {
        let letter = classes.first_tie()[0];
        classes.individualise(letter);
    }
}

/// Writes a land whose letters have ranks, in the rotations, directions and orders that give the
/// least bytes.
#[derive(Clone, Default)]
pub(crate) struct Scribe {
    /// Tokens of the land by rank.
    ranked: Vec<u8>,
    rotated: Rotated,
    /// Encoded regions.
    bytes: Vec<u8>,
    regions: Vec<WordedRegion>,
    boundaries: Vec<WordedBoundary>,
    /// The land with letters named by rank.
    pub(crate) written: Vec<u8>,
}

/// A region as it was written: its bytes, and where they come from.
#[derive(Clone, Copy)]
struct WordedRegion {
    bytes: Span,
    region: u32,
    mirror: bool,
    boundaries: Span,
}

/// A boundary as it was written.
#[derive(Clone, Copy)]
struct WordedBoundary {
    word: Word,
    boundary: u32,
}

impl Scribe {
    /// Fills `self.written` with the bytes of the land, letters named by rank.
    pub(crate) fn write(&mut self, land: &Work, classes: &Classes) {
        self.ranked.clear();
        let rank = |&t: &u8| if t >= LETTER { LETTER + classes.rank(t - LETTER) } else { t };
        self.ranked.extend(land.tokens.iter().map(rank));
        self.bytes.clear();
        self.regions.clear();
        self.boundaries.clear();
        for region in 0..land.regions.len() {
            let forward = self.write_region(land, region, false);
            self.regions.push(forward);
            if can_turn(land, region) {
                let mirrored = self.write_region(land, region, true);
                if self.bytes[mirrored.bytes.range()] < self.bytes[forward.bytes.range()] {
                    self.regions[region] = mirrored;
                }
            }
        }
        let bytes = &self.bytes;
        self.regions.sort_unstable_by(|a, b| bytes[a.bytes.range()].cmp(&bytes[b.bytes.range()]));
        self.written.clear();
        for (i, region) in self.regions.iter().enumerate() {
            if i > 0 {
                self.written.push(END_REGION);
            }
            self.written.extend_from_slice(&self.bytes[region.bytes.range()]);
        }
    }

    /// Appends one region, read in one direction, to `self.bytes`.
    fn write_region(&mut self, land: &Work, region: usize, mirror: bool) -> WordedRegion {
        let start = self.bytes.len() as u32;
        let first_boundary = self.boundaries.len();
        let FlatRegion { isolated, boundaries } = land.regions[region];
        for (marker, count) in [ZEROS, ONES, TWOS].into_iter().zip(isolated) {
            if count > 0 {
                self.bytes.extend_from_slice(&[marker, count]);
            }
        }
        self.rotated.clear();
        for boundary in boundaries.range() {
            let tokens = &self.ranked[land.boundaries[boundary].range()];
            let word = self.rotated.add(tokens, mirror);
            self.boundaries.push(WordedBoundary { word, boundary: boundary as u32 });
        }
        let (rotated, boundaries) = (&self.rotated, &mut self.boundaries[first_boundary..]);
        if boundaries.len() > 1 {
            boundaries.sort_unstable_by(|a, b| rotated.compare(&a.word, &b.word));
        }
        for (i, boundary) in boundaries.iter().enumerate() {
            if i > 0 {
                self.bytes.push(END_BOUNDARY);
            }
            rotated.write(&boundary.word, &mut self.bytes);
        }
        WordedRegion {
            bytes: Span { start, end: self.bytes.len() as u32 },
            region: region as u32,
            mirror,
            boundaries: Span { start: first_boundary as u32, end: self.boundaries.len() as u32 },
        }
    }

    /// Appends the regions of the land in the order of `self.written`, and the tokens: where each
    /// stands in `land.tokens`.
    pub(crate) fn sources(&self, land: &Work, regions: &mut Vec<u16>, tokens: &mut Vec<u16>) {
        for worded in &self.regions {
            regions.push(worded.region as u16);
            self.region_sources(land, worded, tokens);
        }
    }

    fn region_sources(&self, land: &Work, worded: &WordedRegion, tokens: &mut Vec<u16>) {
        for boundary in &self.boundaries[worded.boundaries.range()] {
            let span = land.boundaries[boundary.boundary as usize];
            let (length, first) = (span.len(), boundary.word.first as usize);
            for place in (first..first + length).map(|place| place % length) {
                let place = if worded.mirror { length - 1 - place } else { place };
                tokens.push((span.start as usize + place) as u16);
            }
        }
    }

    /// If a region of the land that was written last reads the same in a mirror: appends where its
    /// tokens stand, read in either direction.
    pub(crate) fn mirror(
        &mut self,
        land: &Work,
        region: usize,
        forward: &mut Vec<u16>,
        backward: &mut Vec<u16>,
    ) -> bool {
        if !can_turn(land, region) {
            return false;
        }
        let [one, other] = [false, true].map(|mirror| self.write_region(land, region, mirror));
        if self.bytes[one.bytes.range()] != self.bytes[other.bytes.range()] {
            return false;
        }
        self.region_sources(land, &one, forward);
        self.region_sources(land, &other, backward);
        true
    }

    /// Appends `self.written` to `out`, letters renamed in order of first appearance; those from
    /// `singles` on are loops and get two names.
    fn rename(&mut self, singles: usize, letters: usize, out: &mut Vec<u8>) {
        let mut names = [0u8; LETTER_SLOTS];
        names[..letters].fill(0);
        let mut next = LETTER;
        let mut count = false;
        for &byte in &self.written {
            if count || byte < LETTER {
                // The byte after a marker of isolated spots is a number.
                count = !count && byte <= TWOS;
                out.push(byte);
                continue;
            }
            let letter = usize::from(byte - LETTER);
            let is_loop = letter >= singles;
            if names[letter] == 0 {
                names[letter] = next;
                next += 1 + u8::from(is_loop);
            }
            out.push(names[letter]);
            if is_loop {
                out.push(names[letter] + 1);
            }
        }
    }
}

/// Whether a region can look different in a mirror: a walk of one or two spots reads the same in
/// both directions.
fn can_turn(land: &Work, region: usize) -> bool {
    land.boundaries[land.regions[region].boundaries.range()].iter().any(|span| span.len() > 2)
}
