//! Names of lands, which are equal exactly for isomorphic lands, and tints, which are equal for
//! isomorphic lands.
//!
//! Lands are isomorphic if they differ only in the names of letters, the order of regions and
//! boundaries, the rotation of boundaries, and the direction in which all boundaries of a region
//! are read. In a region with cross-caps, each boundary has a direction of its own.
//!
//! A *colour* of a letter is a number that does not depend on its name: it is mixed from the
//! colours of the spots around the letter, in a few rounds. All colours together make the *tint* of
//! a land, which costs little: a land whose tint no certified land has is not certified. For the
//! name, letters are put in the order of their colours. If every letter has a colour of its own,
//! the order names the letters, and the rest is sorting. Where letters share a colour, each of them
//! in turn gets a colour of its own, and colours are mixed anew. The name is the least of all the
//! lands that are written in this way. Colours that are equal by chance only cost time. A name
//! describes its land so that it could be drawn again. So no proof rests on how well this works.

use super::land::{ALONE, END, LETTER, Region, SPHERE, Spot, next_letter, regions};
use super::sketch::fold;

/// A name of an isomorphism class of lands: one of them.
pub(super) type Name = Box<[Spot]>;

/// Colours by letter, from [`LETTER`] on.
type Colours = Vec<u64>;

/// Finds tints and names, one after the other, in the same memory.
#[derive(Default)]
pub(super) struct Namer {
    colours: Colours,
    mixed: Colours,
    /// What was mixed for each spot of a walk.
    spots: Vec<u64>,
    sorted: Vec<u64>,
    writer: Writer,
    /// Whether the colours are still those of the last tint.
    is_fresh: bool,
}

impl Namer {
    /// A number that isomorphic lands have in common.
    pub fn tint(&mut self, land: &[Spot]) -> u64 {
        self.colours.clear();
        self.colours.resize(usize::from(next_letter(land) - LETTER), 1);
        self.mix(land);
        self.is_fresh = true;
        self.mix(land)
    }

    /// A name of the land whose tint was asked for last. Lands with the same name are isomorphic.
    /// Where letters share a colour, the wording decides which of them comes first. Mostly a
    /// symmetry takes one to the other, so that the name is the same.
    pub fn name(&mut self, land: &[Spot]) -> Name {
        assert!(std::mem::take(&mut self.is_fresh), "tint first, then the name");
        if self.classes() < self.colours.len() {
            self.settle(land);
        }
        while self.classes() < self.colours.len() {
            let tied = tied(&self.colours, &mut self.sorted);
            let spot = |letter: usize| LETTER + letter as Spot;
            match tied[..] {
                // The order of twins makes no difference, so nothing needs mixing.
                [one, other] if are_twins(land, spot(one), spot(other)) => {
                    self.colours[one] = fold(self.colours[one], 7);
                }
                _ => self.single_out(land, tied[0]),
            }
        }
        self.writer.write(land, &self.colours)
    }

    /// The name that all lands of an isomorphism class share, and no others.
    pub fn least_name(&mut self, land: &[Spot]) -> Name {
        self.tint(land);
        self.is_fresh = false;
        if self.classes() < self.colours.len() {
            self.settle(land);
        }
        if self.classes() == self.colours.len() {
            return self.writer.write(land, &self.colours);
        }
        self.least(land)
    }

    /// The least way to write the land with letters in the order of their colours, where some
    /// colours are shared.
    fn least(&mut self, land: &[Spot]) -> Name {
        let colours = std::mem::take(&mut self.colours);
        let mut leaves: Vec<Name> = Vec::new();
        let mut least: Option<Name> = None;
        let tied_letters = tied(&colours, &mut self.sorted);
        for (i, &letter) in tied_letters.iter().enumerate() {
            let spot = |letter: usize| LETTER + letter as Spot;
            if tied_letters[..i].iter().any(|&twin| are_twins(land, spot(twin), spot(letter))) {
                continue;
            }
            self.colours.clone_from(&colours);
            self.single_out(land, letter);
            let chosen = self.colours.clone();
            while self.classes() < self.colours.len() {
                let first = tied(&self.colours, &mut self.sorted)[0];
                self.single_out(land, first);
            }
            let leaf = self.writer.write(land, &self.colours);
            // If the land reads the same with another letter in place of this one, a symmetry of
            // the land takes one letter to the other, and leaves those chosen before where they
            // are. Then the names below both are the same.
            if leaves.contains(&leaf) {
                continue;
            }
            let settled = chosen == self.colours;
            self.colours = chosen;
            let name = if settled { leaf.clone() } else { self.least(land) };
            leaves.push(leaf);
            least = Some(least.map_or(name.clone(), |other| other.min(name)));
        }
        self.colours = colours;
        least.expect("letters are tied")
    }

    /// Gives a letter a colour of its own, and mixes.
    fn single_out(&mut self, land: &[Spot], letter: usize) {
        self.colours[letter] = fold(self.colours[letter], 7);
        self.settle(land);
    }

    /// Mixes until no more letters are told apart.
    fn settle(&mut self, land: &[Spot]) {
        let mut classes = self.classes();
        loop {
            self.mix(land);
            let finer = self.classes();
            if finer <= classes || finer == self.colours.len() {
                return;
            }
            classes = finer;
        }
    }

    /// How many different colours there are.
    fn classes(&mut self) -> usize {
        self.sorted.clone_from(&self.colours);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.sorted.len()
    }

    /// One round of mixing. Returns a colour of the whole land.
    fn mix(&mut self, land: &[Spot]) -> u64 {
        self.mixed.clear();
        self.mixed.resize(self.colours.len(), 0);
        let mut tint = 0u64;
        for region in regions(land) {
            tint = tint.wrapping_add(self.mix_region(region));
        }
        for (colour, mixed) in self.colours.iter_mut().zip(&self.mixed) {
            *colour = fold(*colour, *mixed);
        }
        tint
    }

    /// Mixes what the letters of a region see there. The direction of reading makes no difference,
    /// so it does not matter which one is written.
    fn mix_region(&mut self, region: Region<'_>) -> u64 {
        let [zeros, ones, twos] = region.loners.map(|count| count as u64);
        let mut whole = fold(zeros << 32 | ones << 16 | twos, 1);
        if !region.surface.is_sphere() {
            whole = fold(whole, u64::from(SPHERE.wrapping_add_signed(region.surface.genus())));
        }
        self.spots.clear();
        for walk in region.walks() {
            let colour = |i: usize| match walk[i] {
                spot if spot < LETTER => u64::from(spot),
                letter => self.colours[usize::from(letter - LETTER)],
            };
            let begin = self.spots.len();
            let (mut before, mut here) = (colour(walk.len() - 1), colour(0));
            let mut around = 0u64;
            for i in 0..walk.len() {
                let after = colour(if i + 1 < walk.len() { i + 1 } else { 0 });
                let mixed = fold(here, before.wrapping_add(after));
                around = around.wrapping_add(mixed);
                self.spots.push(mixed);
                (before, here) = (here, after);
            }
            let around = fold(around, 2);
            whole = whole.wrapping_add(around);
            for mixed in &mut self.spots[begin..] {
                *mixed ^= around;
            }
        }
        let whole = fold(whole, 3);
        let letters = region.spots.iter().filter(|&&spot| spot != END);
        for (&spot, mixed) in letters.zip(&self.spots) {
            if spot >= LETTER {
                let seen = &mut self.mixed[usize::from(spot - LETTER)];
                *seen = seen.wrapping_add(fold(*mixed, whole));
            }
        }
        whole
    }
}

/// The letters that share the least shared colour.
fn tied(colours: &[u64], sorted: &mut Vec<u64>) -> Vec<usize> {
    sorted.clear();
    sorted.extend_from_slice(colours);
    sorted.sort_unstable();
    let shared = sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    (0..colours.len()).filter(|&letter| Some(colours[letter]) == shared).collect()
}

/// Writes lands with letters named by the order of their colours, one after the other, in the same
/// memory.
#[derive(Default)]
struct Writer {
    /// Letters by colour, and the name of each.
    order: Vec<usize>,
    names: Vec<Spot>,
    /// The present walk, the walks in the order in which they came, and where each begins and ends.
    walk: Vec<Spot>,
    walks: Vec<Spot>,
    walk_ends: Vec<(usize, usize)>,
    /// The present region read the other way around, the regions in the order in which they came,
    /// and where each begins and ends.
    mirrored: Vec<Spot>,
    regions: Vec<Spot>,
    region_ends: Vec<(usize, usize)>,
}

impl Writer {
    /// The land with letters named by the order of their colours, all of which are different.
    fn write(&mut self, land: &[Spot], colours: &[u64]) -> Name {
        self.order.clear();
        self.order.extend(0..colours.len());
        self.order.sort_unstable_by_key(|&letter| colours[letter]);
        self.names.resize(colours.len(), 0);
        for (name, &letter) in (LETTER..).zip(&self.order) {
            self.names[letter] = name;
        }
        let mut regions_written = std::mem::take(&mut self.regions);
        regions_written.clear();
        self.region_ends.clear();
        for region in regions(land) {
            let begin = regions_written.len();
            if !region.surface.is_sphere() {
                regions_written.push(SPHERE.wrapping_add_signed(region.surface.genus()));
            }
            regions_written.extend(region.loners.map(|count| ALONE + count as Spot));
            let walks = regions_written.len();
            self.write_walks(region, false, &mut regions_written);
            // Shorter walks read the same the other way around.
            if region.surface.is_orientable() && region.walks().any(|walk| walk.len() > 2) {
                let mut mirrored = std::mem::take(&mut self.mirrored);
                mirrored.clear();
                self.write_walks(region, true, &mut mirrored);
                if mirrored[..] < regions_written[walks..] {
                    regions_written[walks..].copy_from_slice(&mirrored);
                }
                self.mirrored = mirrored;
            }
            self.region_ends.push((begin, regions_written.len()));
        }
        self.region_ends.sort_unstable_by_key(|&(begin, end)| &regions_written[begin..end]);
        let mut name = Vec::with_capacity(land.len());
        for &(begin, end) in &self.region_ends {
            name.extend_from_slice(&regions_written[begin..end]);
        }
        self.regions = regions_written;
        name.into()
    }

    /// Writes the walks of a region, each so that it reads least, and sorted.
    fn write_walks(&mut self, region: Region<'_>, is_mirrored: bool, to: &mut Vec<Spot>) {
        let Self { names, walk, walks, walk_ends, .. } = self;
        walks.clear();
        walk_ends.clear();
        for spots in region.walks() {
            let name = |&spot: &Spot| {
                if spot < LETTER { spot } else { names[usize::from(spot - LETTER)] }
            };
            walk.clear();
            if is_mirrored {
                walk.extend(spots.iter().rev().map(name));
            } else {
                walk.extend(spots.iter().map(name));
            }
            let first = least_rotation(walk);
            let begin = walks.len();
            walks.extend_from_slice(&walk[first..]);
            walks.extend_from_slice(&walk[..first]);
            if !region.surface.is_orientable() && walk.len() > 2 {
                // Here each walk may be read the other way around by itself.
                walk.reverse();
                let first = least_rotation(walk);
                walk.rotate_left(first);
                if walk[..] < walks[begin..] {
                    walks[begin..].copy_from_slice(walk);
                }
            }
            walks.push(END);
            walk_ends.push((begin, walks.len()));
        }
        walk_ends.sort_unstable_by_key(|&(begin, end)| &walks[begin..end]);
        for &(begin, end) in &*walk_ends {
            to.extend_from_slice(&walks[begin..end]);
        }
    }
}

/// Where to begin to read a cyclic walk so that it reads least.
fn least_rotation(walk: &[Spot]) -> usize {
    let length = walk.len();
    let mut least = 0;
    for first in 1..length {
        for i in 0..length {
            let at = |begin: usize| {
                let place = begin + i;
                walk[if place < length { place } else { place - length }]
            };
            let (one, other) = (at(least), at(first));
            if one != other {
                if other < one {
                    least = first;
                }
                break;
            }
        }
    }
    least
}

/// Whether two letters can certainly be exchanged: wherever one is, the other is in the same
/// region, either both alone on one boundary, or each alone on its own. To exchange them changes
/// nothing.
fn are_twins(land: &[Spot], one: Spot, other: Spot) -> bool {
    regions(land).all(|region| {
        let mut alone = [false; 2];
        for walk in region.walks() {
            match *walk {
                [a] => alone = [alone[0] || a == one, alone[1] || a == other],
                [a, b] if (a == one && b == other) || (a == other && b == one) => {}
                _ if walk.contains(&one) || walk.contains(&other) => return false,
                _ => {}
            }
        }
        alone[0] == alone[1]
    })
}
