//! A curve that can be drawn, and the drawing of it.

use super::{Face, Number, Paper, add};

/// Where a spot stands in its region, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The boundary, in the order of the text; `0*3` are three.
    pub boundary: usize,
    /// The spot on the boundary.
    pub spot: usize,
}

/// A move in a written position, told so that it can be drawn.
///
/// With its ends on two boundaries it joins them. With both on one it divides that boundary and its region: the spots
/// after the first end, up to the second, come to lie on one side, the rest of the boundary on the other. A curve from
/// a spot to itself has no spots of its boundary on the first side.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Witness {
    /// The region, counted from 0 through the whole text.
    pub region: usize,
    /// Where the curve begins and where it ends.
    pub ends: [Place; 2],
    /// The other boundaries that come to lie on the first side, ascending. None where two boundaries are joined.
    pub along: Vec<usize>,
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
    /// What lies along is not told as it must be.
    #[error(
        "only other boundaries of a region that is divided lie along, each named once, in order"
    )]
    Along,
    /// The position has handles or cross-caps.
    #[error("curves are drawn on the sphere alone, and the position lies on another surface")]
    NoPaper,
}

impl Witness {
    /// Whether it divides a boundary; else it joins two.
    #[must_use]
    pub fn divides(&self) -> bool {
        self.ends[0].boundary == self.ends[1].boundary
    }
}

impl Paper {
    /// The paper after a move. What no curve can reach any more is left out, and lands that fall apart stand apart.
    ///
    /// # Errors
    /// [`Illegal`].
    pub fn play(&self, witness: &Witness) -> Result<Self, Illegal> {
        let ends = witness.ends.map(|place| self.spot(witness.region, place));
        let [Some(from), Some(to)] = ends else { return Err(Illegal::Nowhere) };
        if !self.position().is_spherical() {
            return Err(Illegal::NoPaper);
        }
        let mut played = self.clone();
        for end in [from, to] {
            let degree = &mut played.degrees[end as usize - 1];
            if *degree > 2 {
                return Err(Illegal::Dead(end));
            }
            *degree += 1;
        }
        let new = add(&mut played.degrees, 2);
        let Face { land, boundaries, surface } = played.regions.remove(witness.region);
        let made = if witness.divides() {
            self.divided(boundaries, witness, new)?
        } else {
            vec![self.joined(boundaries, witness, new)?]
        };
        let made = made.into_iter().map(|boundaries| Face { land, boundaries, surface });
        played.regions.splice(witness.region..witness.region, made);
        played.tidy();
        Ok(played)
    }

    /// The boundaries of a region after two of them are joined.
    fn joined(
        &self,
        mut boundaries: Vec<Vec<Number>>,
        witness: &Witness,
        new: Number,
    ) -> Result<Vec<Vec<Number>>, Illegal> {
        if !witness.along.is_empty() {
            return Err(Illegal::Along);
        }
        let mut joined = Vec::new();
        for Place { boundary, spot } in witness.ends {
            let walk = std::mem::take(&mut boundaries[boundary]);
            joined.push(new);
            joined.extend(self.arc(&walk, spot, spot, true));
        }
        let first = witness.ends[0].boundary.min(witness.ends[1].boundary);
        boundaries[first] = joined;
        Ok(boundaries)
    }

    /// The boundaries of the two regions after one is divided, those on the first side first.
    fn divided(
        &self,
        boundaries: Vec<Vec<Number>>,
        witness: &Witness,
        new: Number,
    ) -> Result<Vec<Vec<Vec<Number>>>, Illegal> {
        let Witness {
            ends: [Place { boundary, spot: from }, Place { spot: to, .. }], along, ..
        } = witness;
        let is_other = |&other: &usize| other != *boundary && other < boundaries.len();
        if !along.iter().all(is_other) || !along.is_sorted_by(|a, b| a < b) {
            return Err(Illegal::Along);
        }
        let walk = &boundaries[*boundary];
        let heads = [self.arc(walk, *from, *to, false), self.arc(walk, *to, *from, true)];
        let [mut first, mut second] = heads.map(|arc| vec![[vec![new], arc].concat()]);
        for (number, other) in boundaries.iter().enumerate().filter(|(b, _)| b != boundary) {
            let side = if along.contains(&number) { &mut first } else { &mut second };
            side.push(other.clone());
        }
        Ok(vec![first, second])
    }

    /// The spots of a boundary from one place to another, both included. From a place to itself that is the spot alone,
    /// or, `around`, the whole boundary back to it.
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
            // Between two meetings with a spot, one right after the other, there is nothing.
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
    }
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
