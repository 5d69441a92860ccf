//! Reduction: what cannot matter to any later move is left out, and a position is split into lands
//! where it falls apart.

use sprig_engine::Position;

use super::land::{
    ALONE, END, LETTER, ONE, Region, Spot, TWO, TooManyMoves, is_letter, lives_of_walk, read,
    regions, to_written,
};

/// Reduces positions, one after the other, in the same memory.
#[derive(Default)]
pub(super) struct Reducer {
    from: Vec<Spot>,
    to: Vec<Spot>,
    /// How often each letter occurs.
    seen: Vec<u8>,
    /// For each region, where it begins, and the first region of its land.
    places: Vec<(usize, usize)>,
    /// For each letter, the region where it was seen first, and later its new name.
    owners: Vec<usize>,
    lands: Vec<Spot>,
    /// Where each land ends.
    ends: Vec<usize>,
}

impl Reducer {
    /// Reduces a position whose letters are all below `letters`.
    pub fn reduce(&mut self, position: &[Spot], letters: Spot) {
        self.from.clear();
        self.from.extend_from_slice(position);
        loop {
            self.to.clear();
            for region in regions(&self.from) {
                tidy(region, &mut self.to);
            }
            self.seen.clear();
            self.seen.resize(letters.into(), 0);
            for &spot in self.to.iter().filter(|&&spot| is_letter(spot)) {
                let seen = &mut self.seen[usize::from(spot)];
                *seen = seen.saturating_add(1);
            }
            if !self.seen.contains(&1) {
                break;
            }
            for spot in self.to.iter_mut().filter(|spot| is_letter(**spot)) {
                // Nothing can happen on the other side of a letter that occurs once.
                if self.seen[usize::from(*spot)] == 1 {
                    *spot = TWO;
                }
            }
            std::mem::swap(&mut self.from, &mut self.to);
        }
        self.split(letters);
    }

    /// The reduced lands of what was reduced last. Letters are named in the order in which they
    /// come.
    pub fn lands(&self) -> impl ExactSizeIterator<Item = &[Spot]> + Clone {
        (0..self.ends.len()).map(|i| {
            let begin = if i == 0 { 0 } else { self.ends[i - 1] };
            &self.lands[begin..self.ends[i]]
        })
    }

    /// Finds the lands: regions that share letters, directly or through others, belong together.
    fn split(&mut self, letters: Spot) {
        const NONE: usize = usize::MAX;
        self.owners.clear();
        self.owners.resize(letters.into(), NONE);
        self.places.clear();
        let mut region = NONE;
        let mut loners = 0;
        for (place, &spot) in self.to.iter().enumerate() {
            if spot >= ALONE {
                if loners == 0 {
                    region = self.places.len();
                    self.places.push((place, region));
                }
                loners = (loners + 1) % 3;
            } else if spot >= LETTER {
                let owner = &mut self.owners[usize::from(spot)];
                if *owner == NONE {
                    *owner = region;
                }
                let (mine, theirs) = (self.places[region].1, self.places[*owner].1);
                if mine != theirs {
                    let (first, other) = (mine.min(theirs), mine.max(theirs));
                    for place in self.places.iter_mut().filter(|place| place.1 == other) {
                        place.1 = first;
                    }
                }
            }
        }
        self.lands.clear();
        self.ends.clear();
        self.owners.fill(NONE);
        for first in 0..self.places.len() {
            if self.places[first].1 != first {
                continue;
            }
            let mut next = LETTER;
            for region in first..self.places.len() {
                let (begin, group) = self.places[region];
                if group != first {
                    continue;
                }
                let end = self.places.get(region + 1).map_or(self.to.len(), |place| place.0);
                for &spot in &self.to[begin..end] {
                    self.lands.push(if is_letter(spot) {
                        let name = &mut self.owners[usize::from(spot)];
                        if *name == NONE {
                            *name = next.into();
                            next += 1;
                        }
                        *name as Spot
                    } else {
                        spot
                    });
                }
            }
            self.ends.push(self.lands.len());
        }
    }
}

/// The reduced lands of a written position.
///
/// # Errors
/// [`TooManyMoves`] if there are more spots than can be counted.
pub(super) fn lands_of(position: &Position) -> Result<Vec<Vec<Spot>>, TooManyMoves> {
    if !position.is_spherical() {
        return super::surfaces::lands_of(position);
    }
    let land = read(position)?;
    let mut reducer = Reducer::default();
    reducer.reduce(&land, super::land::next_letter(&land));
    Ok(reducer.lands().map(<[Spot]>::to_vec).collect())
}

/// A position as people write it, from its lands.
pub(super) fn written<'a>(lands: impl Iterator<Item = &'a [Spot]>) -> Position {
    Position(lands.map(to_written).collect())
}

/// Writes a region without what cannot matter there, or not at all if it has no move.
pub(super) fn tidy(region: Region<'_>, to: &mut Vec<Spot>) {
    let start = to.len();
    to.extend([ALONE; 3]);
    let mut loners = region.loners;
    let mut lives = 0;
    for walk in region.walks() {
        let begin = to.len();
        walk.iter().for_each(|&spot| push(spot, begin, to));
        close(begin, to);
        match to[begin..] {
            [] => continue,
            [ONE] => loners[1] += 1,
            [TWO] => loners[2] += 1,
            _ => {
                if lives < 4 {
                    lives += lives_of_walk(&to[begin..]);
                }
                to.push(END);
                continue;
            }
        }
        to.truncate(begin);
    }
    let [zeros, ones, twos] = loners;
    lives += 3 * zeros + 2 * ones + twos;
    end_region(start, loners, lives, to);
}

/// Appends a spot to a walk that begins at `begin`. A letter that comes twice in a row becomes a
/// `2`: a curve between the two would have the same effect as one beside them.
pub(super) fn push(spot: Spot, begin: usize, to: &mut Vec<Spot>) {
    match to[begin..].last_mut() {
        Some(last) if *last == spot && spot >= LETTER => *last = TWO,
        _ => to.push(spot),
    }
}

/// Ends a walk that begins at `begin`, where its end meets its beginning.
pub(super) fn close(begin: usize, to: &mut Vec<Spot>) {
    if let [first, .., last] = to[begin..]
        && first == last
        && first >= LETTER
    {
        to[begin] = TWO;
        to.pop();
    }
}

/// Writes a region of tidy walks, none of which is a loner, if it has a move.
pub(super) fn write_region<'w>(
    loners: [usize; 3],
    lives: usize,
    walks: impl Iterator<Item = &'w [Spot]>,
    to: &mut Vec<Spot>,
) {
    let start = to.len();
    to.extend([ALONE; 3]);
    for walk in walks.filter(|walk| !walk.is_empty()) {
        to.extend_from_slice(walk);
        to.push(END);
    }
    end_region(start, loners, lives + 3 * loners[0] + 2 * loners[1] + loners[2], to);
}

/// Ends a region that begins at `start`, with this number of lives.
fn end_region(start: usize, mut loners: [usize; 3], lives: usize, to: &mut Vec<Spot>) {
    // A move takes two lives of its region.
    if lives < 2 {
        to.truncate(start);
        return;
    }
    if lives <= 3 {
        scatter(&mut loners, to, start + 3);
    }
    for (count, place) in loners.into_iter().zip(start..) {
        to[place] += count as Spot;
    }
}

/// With two or three lives there is one move in the region, or two in a row, and which spots are on
/// one boundary makes no difference: each gets a boundary of its own.
fn scatter(loners: &mut [usize; 3], to: &mut Vec<Spot>, begin: usize) {
    let spots = to.split_off(begin);
    for walk in spots.split(|&spot| spot == END) {
        for (i, &spot) in walk.iter().enumerate() {
            match spot {
                ONE => loners[1] += 1,
                TWO => loners[2] += 1,
                letter if walk[i + 1..].contains(&letter) => loners[2] += 1,
                letter if walk[..i].contains(&letter) => {}
                letter => to.extend([letter, END]),
            }
        }
    }
}
