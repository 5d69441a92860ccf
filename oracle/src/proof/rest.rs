//! What a move leaves of the other regions.
//!
//! They stay as they are, except where a spot dies that also occurs there. Then that region has a
//! life less, and perhaps no move is left in it. If so, the one letter that it may still have
//! occurs only once from now on. That is all: a letter that becomes a `2` takes no life from its
//! region, so nothing follows from it. Regions may have been connected to the others by the dead
//! spot alone. Both sides of a division are connected by the new spot, or one of them has nothing
//! else. So which regions are cut off depends on the dead spots, and not on how the other
//! boundaries are shared.

use super::land::{END, LETTER, Region, Spot, TWO, next_letter, regions};
use super::reduce::tidy;
use super::sketch::{self, looks};

/// A reduced land in which moves are made.
#[derive(Default)]
pub(super) struct Ground {
    pub land: Vec<Spot>,
    pub regions: Vec<Part>,
    /// The first letter that it does not have.
    pub letters: Spot,
    /// The two regions of each letter, from [`LETTER`] on, or twice the same one.
    places: Vec<[usize; 2]>,
    /// The sum of the sketches of all regions.
    sketch: u64,
}

/// A region of a land, or of what a move has left.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Where it begins and ends.
    pub begin: usize,
    pub end: usize,
    pub sketch: u64,
    lives: usize,
}

impl Ground {
    /// Takes a land apart.
    pub fn set(&mut self, land: &[Spot]) {
        self.land.clear();
        self.land.extend_from_slice(land);
        self.letters = next_letter(land);
        self.regions.clear();
        self.places.clear();
        self.places.resize(usize::from(self.letters - LETTER), [usize::MAX; 2]);
        self.sketch = 0;
        let mut begin = 0;
        for (number, region) in regions(land).enumerate() {
            let end = begin + 3 + region.spots.len();
            let looks = looks(region);
            let sketch = looks.region(region.loners).unwrap_or(0);
            let [zeros, ones, twos] = region.loners;
            let lives = 3 * zeros + 2 * ones + twos + looks.lives();
            self.regions.push(Part { begin, end, sketch, lives });
            self.sketch = self.sketch.wrapping_add(sketch);
            for &letter in region.spots.iter().filter(|&&spot| spot >= LETTER) {
                let places = &mut self.places[usize::from(letter - LETTER)];
                if places[0] == usize::MAX {
                    places[0] = number;
                }
                places[1] = number;
            }
            begin = end;
        }
    }

    /// The region with this number.
    pub fn region(&self, number: usize) -> Region<'_> {
        let Part { begin, end, .. } = self.regions[number];
        regions(&self.land[begin..end]).next().expect("it begins with its loners")
    }

    /// The other region of a letter of this region, or this region.
    fn beyond(&self, letter: Spot, region: usize) -> usize {
        let [one, other] = self.places[usize::from(letter - LETTER)];
        if one == region { other } else { one }
    }
}

/// What has become of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Left,
    Changed,
    Gone,
}

/// What a move leaves of the other regions, by lands.
#[derive(Default)]
pub(super) struct Rest {
    /// The region of the move and the letters that it kills, for which this was made.
    made_for: Option<(usize, [Spot; 2])>,
    /// Whether no other region is touched. Then the parts are not listed before they are asked for.
    is_untouched: bool,
    /// The ground as it was, followed by what has become of the regions that have changed.
    row: Vec<Spot>,
    /// What becomes of a region where one letter dies, twice for each letter: in the second of its
    /// regions, and in the first.
    after: Vec<Option<Part>>,
    /// This much of the row stays until there is another ground.
    kept: usize,
    /// The regions that are left, each with the number of its land. Number 0 is the land that the
    /// region of the move is in.
    parts: Vec<(usize, Part)>,
    /// The sum of the sketches of the regions of land 0.
    pub sketch: u64,
    /// Whether land 0 has no region left but those that the move makes.
    pub is_homeless: bool,
    /// The sketches of lands: a place for that of land 0, which is not known yet, and those of the
    /// lands that are cut off.
    pub sketches: Vec<u64>,
    /// Letters in the region of the move that occur once after it.
    pub lost: Vec<Spot>,
    fates: Vec<Fate>,
    /// For each region, the first region that it is connected to.
    groups: Vec<usize>,
    plain: Vec<Spot>,
}

impl Rest {
    /// Prepares for moves on another ground.
    pub fn forget(&mut self, ground: &Ground) {
        self.made_for = None;
        self.row.clear();
        self.row.extend_from_slice(&ground.land);
        self.kept = self.row.len();
        self.after.clear();
        self.after.resize(2 * ground.places.len(), None);
    }

    /// Prepares for a move in a region that kills these letters. [`END`] stands for no letter.
    pub fn set(&mut self, ground: &Ground, region: usize, dead: [Spot; 2]) {
        if self.made_for.replace((region, dead)) == Some((region, dead)) {
            return;
        }
        self.row.truncate(self.kept);
        self.parts.clear();
        self.lost.clear();
        self.sketches.clear();
        self.sketches.push(0);
        let beyond = dead.map(|letter| match letter {
            END => region,
            letter => ground.beyond(letter, region),
        });
        self.is_untouched = beyond == [region; 2];
        if self.is_untouched {
            self.sketch = ground.sketch.wrapping_sub(ground.regions[region].sketch);
            self.is_homeless = ground.regions.len() == 1;
        } else {
            self.settle_fates(ground, region, dead, beyond);
            self.list(ground, region, dead, beyond);
            self.part_lands(ground, region, dead);
            self.is_homeless = !self.parts.iter().any(|&(land, _)| land == 0);
        }
    }

    /// The regions that are left, each with the number of its land and its place in the row.
    pub fn left(&mut self, ground: &Ground) -> (&[(usize, Part)], &[Spot]) {
        if self.is_untouched && self.parts.is_empty() {
            let region = self.made_for.map_or(0, |(region, _)| region);
            let others = ground.regions.iter().enumerate().filter(|&(number, _)| number != region);
            self.parts.extend(others.map(|(_, &part)| (0, part)));
        }
        (&self.parts, &self.row)
    }

    /// Finds out which regions change, which are gone, and which letters are lost with them.
    fn settle_fates(
        &mut self,
        ground: &Ground,
        region: usize,
        dead: [Spot; 2],
        beyond: [usize; 2],
    ) {
        self.fates.clear();
        self.fates.resize(ground.regions.len(), Fate::Left);
        for touched in beyond.into_iter().filter(|&touched| touched != region) {
            let deaths = if beyond[0] == beyond[1] && dead[0] != dead[1] { 2 } else { 1 };
            let is_gone = ground.regions[touched].lives < 2 + deaths;
            self.fates[touched] = if is_gone { Fate::Gone } else { Fate::Changed };
        }
        for gone in 0..ground.regions.len() {
            if self.fates[gone] != Fate::Gone {
                continue;
            }
            // The region has one life at most, so one letter at most.
            let letters = ground.region(gone).spots.iter().filter(|&&spot| spot >= LETTER);
            let left = letters.copied().find(|letter| !dead.contains(letter));
            let Some(letter) = left else { continue };
            let other = ground.beyond(letter, gone);
            if other != gone && !self.lost.contains(&letter) {
                self.lost.push(letter);
                if other != region && self.fates[other] == Fate::Left {
                    self.fates[other] = Fate::Changed;
                }
            }
        }
    }

    /// Lists the regions that are left, and writes those that have changed.
    fn list(&mut self, ground: &Ground, region: usize, dead: [Spot; 2], beyond: [usize; 2]) {
        for number in 0..ground.regions.len() {
            let part = match self.fates[number] {
                _ if number == region => continue,
                Fate::Gone => continue,
                Fate::Left => ground.regions[number],
                Fate::Changed => {
                    let [one, other] = beyond.map(|touched| touched == number);
                    let letter = if one { dead[0] } else { dead[1] };
                    if self.lost.is_empty() && one != other {
                        self.changed_by(ground, number, letter)
                    } else {
                        self.write(ground, number, dead)
                    }
                }
            };
            self.parts.push((number, part));
        }
    }

    /// What becomes of a region in which one letter dies: many moves have that in common.
    fn changed_by(&mut self, ground: &Ground, number: usize, letter: Spot) -> Part {
        let place = usize::from(letter - LETTER);
        let place = 2 * place + usize::from(ground.places[place][0] == number);
        if let Some(part) = self.after[place] {
            return part;
        }
        let stays = self.row.len() == self.kept;
        let part = self.write(ground, number, [letter, END]);
        if stays {
            self.kept = self.row.len();
            self.after[place] = Some(part);
        }
        part
    }

    /// Writes what becomes of a region in which letters die, and others are lost.
    fn write(&mut self, ground: &Ground, number: usize, dead: [Spot; 2]) -> Part {
        let part = ground.regions[number];
        let begin = self.row.len();
        self.plain.clear();
        for &spot in &ground.land[part.begin..part.end] {
            if spot < LETTER || !dead.contains(&spot) {
                self.plain.push(if self.lost.contains(&spot) { TWO } else { spot });
            }
        }
        for changed in regions(&self.plain) {
            tidy(changed, &mut self.row);
        }
        let end = self.row.len();
        let sketch = regions(&self.row[begin..end])
            .filter_map(|tidied| looks(tidied).region(tidied.loners))
            .fold(0, u64::wrapping_add);
        Part { begin, end, sketch, ..part }
    }

    /// Parts the regions by lands.
    fn part_lands(&mut self, ground: &Ground, region: usize, dead: [Spot; 2]) {
        self.groups.clear();
        self.groups.extend(0..ground.regions.len());
        let groups = &mut self.groups;
        for (letter, &[one, other]) in (LETTER..).zip(&ground.places) {
            if one != other && !dead.contains(&letter) && !self.lost.contains(&letter) {
                let (one, other) = (first_of(groups, one), first_of(groups, other));
                groups[one.max(other)] = one.min(other);
            }
        }
        // The first region of each group comes before the others, and has its number by then.
        for number in 0..groups.len() {
            groups[number] = groups[groups[number]];
        }
        self.sketch = 0;
        let home = groups[region];
        let (mut lands, cut_off) = (1, ground.regions.len());
        for (number, part) in &mut self.parts {
            let group = groups[*number];
            if group == home {
                *number = 0;
                self.sketch = self.sketch.wrapping_add(part.sketch);
                continue;
            }
            if group < cut_off {
                // The land gets a number, which takes the place of the group for its regions.
                groups
                    .iter_mut()
                    .filter(|other| **other == group)
                    .for_each(|g| *g = cut_off + lands);
                lands += 1;
                self.sketches.push(0);
            }
            *number = groups[*number] - cut_off;
            let sum = &mut self.sketches[*number];
            *sum = sum.wrapping_add(part.sketch);
        }
        self.sketches[1..].iter_mut().for_each(|sum| *sum = sketch::of_sum(*sum));
    }
}

/// The first region of the group that a region belongs to.
fn first_of(groups: &[usize], mut region: usize) -> usize {
    while groups[region] != region {
        region = groups[region];
    }
    region
}
