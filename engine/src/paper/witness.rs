//! A curve that can be drawn, and the drawing of it.

use super::course::{Course, Made};
use super::{Face, Number, Paper, add};
use crate::{Surface, limit};

/// Where a spot stands in its region, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The boundary, in the order of the text; `0*3` counts as three.
    pub boundary: usize,
    /// The spot on the boundary.
    pub spot: usize,
}

/// A move in a written position, in such detail that it can be drawn.
///
/// With its ends on two boundaries it joins them. With both on one it divides that boundary and its
/// region: the spots after the first end, up to the second, come to lie on one side, the rest of
/// the boundary on the other. A curve from a spot to itself has no spots of its boundary on the
/// first side. Where the region has handles or cross-caps, a curve with both ends on one boundary
/// may also leave the region in one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Witness {
    /// The region, counted from 0 through the whole text.
    pub region: usize,
    /// Where the curve begins and where it ends.
    pub ends: [Place; 2],
    /// The other boundaries that come to lie on the first side, ascending. None where there are no
    /// two sides.
    pub along: Vec<usize>,
    /// How the curve runs over handles and through cross-caps.
    pub course: Course,
    /// Whether the new spot is left out, as black-and-white Sprouts allows.
    pub is_bare: bool,
}

/// Why a curve cannot be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Illegal {
    /// The witness names something that is not there.
    #[error("there is no such region, boundary or spot")]
    Nowhere,
    /// A spot would get more than three curve ends.
    #[error("spot {0} cannot take so many curve ends; a spot has at most three")]
    Dead(Number),
    /// The boundaries along the curve are not listed as they must be.
    #[error(
        "only other boundaries of a region that is divided lie along, each named once, in order"
    )]
    Along,
    /// The region does not have the handles or cross-caps that the curve is said to use or to
    /// leave.
    #[error("the region has other handles or cross-caps than this curve uses and leaves")]
    Course,
}

impl Witness {
    /// A curve over no handle and through no cross-cap, with a new spot.
    #[must_use]
    pub fn plain(region: usize, ends: [Place; 2], along: Vec<usize>) -> Self {
        Self { region, ends, along, course: Course::Plain, is_bare: false }
    }

    /// Whether it divides a boundary; else it joins two.
    #[must_use]
    pub fn divides(&self) -> bool {
        self.ends[0].boundary == self.ends[1].boundary
    }

    /// Whether it separates two sides.
    #[must_use]
    pub fn separates(&self) -> bool {
        self.divides() && !matches!(self.course, Course::Open { .. })
    }
}

impl Paper {
    /// The paper after a move. What no curve can reach any more is left out, and lands that fall
    /// apart stand apart.
    ///
    /// # Errors
    /// [`Illegal`].
    pub fn play(&self, witness: &Witness) -> Result<Self, Illegal> {
        let ends = witness.ends.map(|place| self.spot(witness.region, place));
        let [Some(from), Some(to)] = ends else { return Err(Illegal::Nowhere) };
        let mut played = self.clone();
        for end in [from, to] {
            let degree = &mut played.degrees[end as usize - 1];
            if *degree > 2 {
                return Err(Illegal::Dead(end));
            }
            *degree += 1;
        }
        let new = if witness.is_bare { None } else { Some(add(&mut played.degrees, 2)) };
        let Face { land, boundaries, surface } = played.regions.remove(witness.region);
        let made = self.cut(boundaries, surface, witness, new)?;
        let made = made.into_iter().map(|(surface, boundaries)| Face { land, boundaries, surface });
        played.regions.splice(witness.region..witness.region, made);
        played.tidy();
        Ok(played)
    }

    /// What becomes of a region.
    fn cut(
        &self,
        boundaries: Vec<Vec<Number>>,
        surface: Surface,
        witness: &Witness,
        new: Option<Number>,
    ) -> Result<Vec<Made>, Illegal> {
        let Witness { ends: [Place { boundary, .. }, _], along, course, .. } = witness;
        let is_other = |&other: &usize| other != *boundary && other < boundaries.len();
        let is_list = along.iter().all(is_other) && along.is_sorted_by(|a, b| a < b);
        if !is_list || (!witness.separates() && !along.is_empty()) {
            return Err(Illegal::Along);
        }
        if !witness.fits(surface, boundaries.len()) {
            return Err(Illegal::Course);
        }
        if !witness.divides() {
            return Ok(vec![(surface, self.joined(boundaries, witness, new))]);
        }
        Ok(match course {
            Course::Open { is_one_sided, left, .. } => {
                // If the region had cross-caps and has none now, the other side is read turned.
                let is_turned = !surface.is_orientable() && left.is_orientable();
                let mut made = self.opened(&boundaries, witness, new, (*is_one_sided, is_turned));
                made.extend(others(&boundaries, witness).map(|(_, walk)| walk));
                vec![(*left, made)]
            }
            _ => {
                let surfaces = course.sides(surface).ok_or(Illegal::Course)?;
                let mut sides = self.heads(&boundaries, witness, new).map(|head| vec![head]);
                for (other, walk) in others(&boundaries, witness) {
                    sides[usize::from(!along.contains(&other))].push(walk);
                }
                surfaces.into_iter().zip(sides).collect()
            }
        })
    }

    /// The boundaries of a region after two of them are joined.
    fn joined(
        &self,
        mut boundaries: Vec<Vec<Number>>,
        witness: &Witness,
        new: Option<Number>,
    ) -> Vec<Vec<Number>> {
        let mut joined = Vec::new();
        for (end, Place { boundary, spot }) in witness.ends.into_iter().enumerate() {
            let walk = std::mem::take(&mut boundaries[boundary]);
            let mut part = self.arc(&walk, spot, spot, true);
            if end == 1 && witness.course == Course::Crossed {
                part.reverse();
            }
            joined.extend(new);
            joined.extend(part);
        }
        let first = witness.ends[0].boundary.min(witness.ends[1].boundary);
        boundaries[first] = joined;
        boundaries
    }

    /// The two parts of a boundary that is divided, each with the new spot in front.
    fn heads(
        &self,
        boundaries: &[Vec<Number>],
        witness: &Witness,
        new: Option<Number>,
    ) -> [Vec<Number>; 2] {
        let [Place { boundary, spot: from }, Place { spot: to, .. }] = witness.ends;
        let walk = &boundaries[boundary];
        let parts = [self.arc(walk, from, to, false), self.arc(walk, to, from, true)];
        parts.map(|part| new.into_iter().chain(part).collect())
    }

    /// The one or two boundaries that are left by a curve that separates nothing.
    fn opened(
        &self,
        boundaries: &[Vec<Number>],
        witness: &Witness,
        new: Option<Number>,
        (is_one_sided, is_turned): (bool, bool),
    ) -> Vec<Vec<Number>> {
        let [mut first, mut second] = self.heads(boundaries, witness, new);
        if is_one_sided {
            // The new spot stays in front; the rest of the first part is read from its other side.
            first[new.iter().count()..].reverse();
            return vec![[first, second].concat()];
        }
        if is_turned {
            second.reverse();
        }
        vec![first, second]
    }

    /// The spots of a boundary from one place to another, both included. From a place to itself,
    /// that is the spot alone, or, if `around`, the whole boundary back to the spot.
    fn arc(&self, walk: &[Number], from: usize, to: usize, around: bool) -> Vec<Number> {
        let mut arc = vec![walk[from]];
        // A spot without curves is not met again.
        if from == to && (!around || self.degree(walk[from]) == 0) {
            return arc;
        }
        let mut at = from;
        loop {
            at = (at + 1) % walk.len();
            arc.push(walk[at]);
            if at == to {
                return arc;
            }
        }
    }

    /// Leaves out what no curve can reach, and puts the regions of a land together.
    fn tidy(&mut self) {
        let mut regions = std::mem::take(&mut self.regions);
        for walk in regions.iter_mut().flat_map(|face| &mut face.boundaries) {
            walk.retain(|&spot| self.degree(spot) < 3);
            // If a spot occurs twice in a row, there is nothing between the two.
            walk.dedup();
            if walk.len() > 1 && walk.first() == walk.last() {
                walk.pop();
            }
        }
        for face in &mut regions {
            face.boundaries.retain(|walk| !walk.is_empty());
        }
        regions.retain(|face| self.lives(face) > 1);
        self.regions = together(regions);
        self.limit();
    }

    /// Leaves out handles and cross-caps that no curve can use.
    pub(super) fn limit(&mut self) {
        let lives: Vec<u32> = self.regions.iter().map(|face| self.lives(face)).collect();
        for (face, lives) in self.regions.iter_mut().zip(lives) {
            face.surface = limit(lives, face.surface);
        }
    }
}

/// The other boundaries, with their numbers, read as the course of the curve says.
fn others<'a>(
    boundaries: &'a [Vec<Number>],
    witness: &'a Witness,
) -> impl Iterator<Item = (usize, Vec<Number>)> + 'a {
    let is_other = |&(boundary, _): &(usize, _)| boundary != witness.ends[0].boundary;
    boundaries.iter().enumerate().filter(is_other).map(|(boundary, walk)| {
        let mut walk = walk.clone();
        if witness.course.turned().contains(&boundary) {
            walk.reverse();
        }
        (boundary, walk)
    })
}

/// The regions in groups that share spots, in the order in which the groups begin.
fn together(regions: Vec<Face>) -> Vec<Face> {
    let mut lands: Vec<Vec<Face>> = Vec::new();
    for face in regions {
        let spots = face.boundaries.concat();
        let shares = |land: &Vec<Face>| {
            land.iter().flat_map(|face| face.boundaries.iter().flatten()).any(|s| spots.contains(s))
        };
        match lands.iter().position(shares) {
            None => lands.push(vec![face]),
            Some(first) => {
                let mut grown = std::mem::take(&mut lands[first]);
                let (joined, apart): (Vec<_>, Vec<_>) = lands.into_iter().partition(shares);
                grown.extend(joined.into_iter().flatten());
                grown.push(face);
                lands = apart;
                lands[first] = grown;
            }
        }
    }
    let numbered = lands.into_iter().enumerate();
    let numbered =
        numbered.flat_map(|(land, faces)| faces.into_iter().map(move |face| Face { land, ..face }));
    numbered.collect()
}
