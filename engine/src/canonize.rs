//! The canonical form of a land: a canonical labelling of its letters (`docs/canonical-form.md`).
//!
//! Refinement ([`crate::refine`]) names most letters. Where it leaves a tie, one letter of the first tied class is put
//! first and refinement goes on. [`Effort::Greedy`] does that for one letter, [`Effort::Exact`] for every letter of the
//! class that is not shown to be equivalent to an earlier one, and keeps the least bytes.

use crate::encode::LETTER_SLOTS;
use crate::encode::{END_BOUNDARY, END_REGION, LETTER, ONES, TWOS, ZEROS};
use crate::refine::{Classes, Refiner};
use crate::work::{FlatRegion, Span, Work};

/// How hard the canonizer tries to make the bytes of isomorphic lands equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Isomorphic lands nearly always get equal bytes. For keys that stay inside one process.
    Greedy,
    /// Isomorphic lands always get equal bytes. For keys that are stored or sent.
    Exact,
}

/// Scratch memory of the canonizer.
#[derive(Clone, Default)]
pub(crate) struct Canonizer {
    refiner: Refiner,
    classes: Classes,
    scribe: Scribe,
    least: Vec<u8>,
}

impl Canonizer {
    /// Appends the canonical bytes of a reduced land to `out`.
    pub fn canonize(&mut self, land: &Work, effort: Effort, out: &mut Vec<u8>) {
        self.classes.reset(land.letters);
        match effort {
            Effort::Greedy => {
                descend(&mut self.refiner, land, &mut self.classes);
                self.scribe.write(land, &self.classes);
                self.scribe.rename(land.letters, out);
            }
            Effort::Exact => {
                self.least.clear();
                let classes = self.classes.clone();
                self.search(land, classes);
                std::mem::swap(&mut self.least, &mut self.scribe.written);
                self.scribe.rename(land.letters, out);
            }
        }
    }

    /// Visits every leaf below `classes` up to equivalence and keeps the least bytes in `self.least`.
    fn search(&mut self, land: &Work, mut classes: Classes) {
        self.refiner.refine(land, &mut classes);
        let Some(tie) = classes.first_tie().map(<[u8]>::to_vec) else {
            self.scribe.write(land, &classes);
            if self.least.is_empty() || self.scribe.written < self.least {
                self.least.clone_from(&self.scribe.written);
            }
            return;
        };
        let mut leaves: Vec<Vec<u8>> = Vec::with_capacity(tie.len());
        for letter in tie {
            let mut chosen = classes.clone();
            chosen.individualise(letter);
            let mut leaf = chosen.clone();
            descend(&mut self.refiner, land, &mut leaf);
            self.scribe.write(land, &leaf);
            // Equal bytes under two labellings are an automorphism of the land. It maps the letter of rank k to the
            // letter of rank k, so it keeps every letter chosen before (they are alone in their classes) and maps
            // the earlier letter of this tie to this one: the leaves below both are the same.
            if !leaves.contains(&self.scribe.written) {
                leaves.push(self.scribe.written.clone());
                self.search(land, chosen);
            }
        }
    }
}

/// Refines and breaks ties by the first letter at hand until every letter has its rank.
fn descend(refiner: &mut Refiner, land: &Work, classes: &mut Classes) {
    loop {
        refiner.refine(land, classes);
        match classes.first_tie() {
            None => return,
            Some(tie) => {
                let letter = tie[0];
                classes.individualise(letter);
            }
        }
    }
}

/// Writes a land whose letters have ranks: rotations, directions and orders that give the least bytes.
#[derive(Clone, Default)]
struct Scribe {
    /// Tokens of the land by rank.
    ranked: Vec<u8>,
    /// The boundaries of a region, each rotated to its least form, one direction after the other.
    rotated: Vec<u8>,
    spans: Vec<Span>,
    /// Encoded regions.
    regions: Vec<u8>,
    region_spans: Vec<Span>,
    /// The region's other direction.
    mirrored: Vec<u8>,
    /// The land with letters named by rank.
    written: Vec<u8>,
}

impl Scribe {
    /// Fills `self.written` with the bytes of the land, letters named by rank.
    fn write(&mut self, land: &Work, classes: &Classes) {
        self.ranked.clear();
        let rank = |&t: &u8| if t >= LETTER { LETTER + classes.rank(t - LETTER) } else { t };
        self.ranked.extend(land.tokens.iter().map(rank));
        self.regions.clear();
        self.region_spans.clear();
        for region in &land.regions {
            let start = self.regions.len();
            self.write_region(land, region, false);
            // A walk of one or two spots reads the same in both directions.
            if land.boundaries[region.boundaries.range()].iter().any(|b| b.len() > 2) {
                let forward = self.regions.len();
                self.write_region(land, region, true);
                let (kept, other) = self.regions[start..].split_at(forward - start);
                if other < kept {
                    self.regions.drain(start..forward);
                } else {
                    self.regions.truncate(forward);
                }
            }
            self.region_spans.push(Span { start: start as u32, end: self.regions.len() as u32 });
        }
        let regions = &self.regions;
        self.region_spans.sort_unstable_by(|a, b| regions[a.range()].cmp(&regions[b.range()]));
        self.written.clear();
        for (i, span) in self.region_spans.iter().enumerate() {
            if i > 0 {
                self.written.push(END_REGION);
            }
            self.written.extend_from_slice(&self.regions[span.range()]);
        }
    }

    /// Appends one region, read in one direction, to `self.regions`.
    fn write_region(&mut self, land: &Work, region: &FlatRegion, mirror: bool) {
        for (marker, count) in [ZEROS, ONES, TWOS].into_iter().zip(region.isolated) {
            if count > 0 {
                self.regions.extend_from_slice(&[marker, count]);
            }
        }
        self.rotated.clear();
        self.spans.clear();
        for span in &land.boundaries[region.boundaries.range()] {
            let start = self.rotated.len();
            let tokens = &self.ranked[span.range()];
            if mirror {
                self.mirrored.clear();
                self.mirrored.extend(tokens.iter().rev());
                rotate(&self.mirrored, &mut self.rotated);
            } else {
                rotate(tokens, &mut self.rotated);
            }
            self.spans.push(Span { start: start as u32, end: self.rotated.len() as u32 });
        }
        let rotated = &self.rotated;
        if self.spans.len() > 1 {
            self.spans.sort_unstable_by(|a, b| rotated[a.range()].cmp(&rotated[b.range()]));
        }
        for (i, span) in self.spans.iter().enumerate() {
            if i > 0 {
                self.regions.push(END_BOUNDARY);
            }
            self.regions.extend_from_slice(&rotated[span.range()]);
        }
    }

    /// Appends `self.written` to `out`, letters renamed in order of first appearance.
    fn rename(&mut self, letters: usize, out: &mut Vec<u8>) {
        let mut names = [0u8; LETTER_SLOTS];
        names[..letters].fill(0);
        let mut next = LETTER;
        let mut count = false;
        out.extend(self.written.iter().map(|&byte| {
            if count || byte < LETTER {
                // The byte after a marker of isolated spots is a number.
                count = !count && byte <= TWOS;
                return byte;
            }
            let name = &mut names[usize::from(byte - LETTER)];
            if *name == 0 {
                *name = next;
                next += 1;
            }
            *name
        }));
    }
}

/// Appends the least rotation of a cyclic walk.
fn rotate(tokens: &[u8], out: &mut Vec<u8>) {
    let mut least = 0;
    for start in 1..tokens.len() {
        if tokens[start] > tokens[least] {
            continue;
        }
        let candidate = tokens[start..].iter().chain(&tokens[..start]);
        if candidate.lt(tokens[least..].iter().chain(&tokens[..least])) {
            least = start;
        }
    }
    out.extend_from_slice(&tokens[least..]);
    out.extend_from_slice(&tokens[..least]);
}
