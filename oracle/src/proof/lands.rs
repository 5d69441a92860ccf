//! The lands of an option, as a move makes them.

use super::land::{LETTER, Spot, is_letter};
use super::rest::{Ground, Part, Rest};
use super::sketch::sketch;

/// Reduced lands. Letters are named in the order in which they come.
#[derive(Default)]
pub(super) struct Lands {
    spots: Vec<Spot>,
    /// Where each land ends.
    ends: Vec<usize>,
    sketches: Vec<u64>,
    /// The regions of the present land: their sketches, and where they begin and end.
    order: Vec<(u64, usize, usize)>,
    names: Vec<Spot>,
}

impl Lands {
    /// The lands, each with its sketch.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, &[Spot])> + Clone {
        self.sketches.iter().enumerate().map(|(i, &sketch)| {
            let begin = if i == 0 { 0 } else { self.ends[i - 1] };
            (sketch, &self.spots[begin..self.ends[i]])
        })
    }

    /// The land with its sketch, if there is only one.
    pub fn only(&self) -> Option<(u64, &[Spot])> {
        if let [sketch] = self.sketches[..] { Some((sketch, &self.spots)) } else { None }
    }

    /// The sketches of the lands.
    pub fn sketches(&self) -> &[u64] {
        &self.sketches
    }

    /// Takes in reduced lands as they are.
    pub fn set_all<'l>(&mut self, lands: impl Iterator<Item = &'l [Spot]>) {
        self.spots.clear();
        self.ends.clear();
        self.sketches.clear();
        for land in lands {
            self.spots.extend_from_slice(land);
            self.ends.push(self.spots.len());
            self.sketches.push(sketch(land));
        }
    }

    /// A key that is equal exactly for the same lands in the same wording.
    pub fn key(&self) -> Box<[Spot]> {
        let ends = self.ends.iter().map(|&end| end as Spot);
        self.spots.iter().copied().chain(ends).collect()
    }

    /// Takes in what is left of the other regions and the regions that the move has made, whose
    /// sketches are given. All letters are below `letters`. The regions are put in the order of
    /// their sketches, so that isomorphic lands are often worded alike.
    pub fn set(
        &mut self,
        rest: &mut Rest,
        ground: &Ground,
        made: &[Spot],
        parts: &[(u64, usize, usize)],
        letters: Spot,
    ) {
        self.spots.clear();
        self.ends.clear();
        self.sketches.clear();
        let sketches = std::mem::take(&mut rest.sketches);
        let (left, row) = rest.left(ground);
        for (number, &sketch) in sketches.iter().enumerate() {
            let kept = left.iter().filter(|&&(land, _)| land == number);
            self.order.clear();
            self.order
                .extend(kept.map(|&(_, Part { begin, end, sketch, .. })| (sketch, begin, end)));
            let behind = row.len();
            if number == 0 {
                let parts = parts.iter();
                self.order.extend(parts.map(|&(s, begin, end)| (s, behind + begin, behind + end)));
            }
            if self.order.is_empty() {
                continue;
            }
            self.order.sort_unstable();
            self.names.clear();
            self.names.resize(letters.into(), 0);
            let mut next = LETTER;
            for &(_, begin, end) in &self.order {
                let spots = if begin < behind {
                    &row[begin..end]
                } else {
                    &made[begin - behind..end - behind]
                };
                for &spot in spots {
                    let written = if is_letter(spot) {
                        let name = &mut self.names[usize::from(spot)];
                        if *name == 0 {
                            *name = next;
                            next += 1;
                        }
                        *name
                    } else {
                        spot
                    };
                    self.spots.push(written);
                }
            }
            self.ends.push(self.spots.len());
            self.sketches.push(sketch);
        }
        rest.sketches = sketches;
    }
}
