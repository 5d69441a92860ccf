//! A position as it lies on paper, and moves on it that a person can draw.
//!
//! The search knows positions up to isomorphism; a person has one drawing. A [`Paper`] keeps it:
//! its spots have numbers, and keep them from move to move. A [`Witness`] is a curve in it.
//! [`Paper::moves`] finds one witness for each canonical child, and [`Paper::play`] draws it. All
//! this is written plainly, to answer a person; no search uses it.

mod course;
mod moves;
mod numbers;
mod witness;
mod words;

use std::collections::BTreeMap;

use crate::{Boundary, CanonicalPosition, Land, Letter, Position, Region, Spot, Surface};

pub use course::Course;
pub use moves::Reached;
pub use numbers::Unclear;
pub use witness::{Illegal, Place, Witness};

/// The number of a spot, counted from 1: first the spots of the position as it was given, in the
/// order of its text, then the new ones in the order in which they are drawn.
pub type Number = u32;

/// A position as it lies on paper.
///
/// Dead spots are left out, and so is what no curve can reach or use any more. Where there are
/// handles or cross-caps, "paper" stands for the surface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paper {
    regions: Vec<Face>,
    /// Curve ends at each spot, dead ones included.
    degrees: Vec<u8>,
}

/// A region of a land.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Face {
    /// The number of its land. It does not decrease from region to region.
    land: usize,
    boundaries: Vec<Vec<Number>>,
    surface: Surface,
}

impl Paper {
    /// A written position; regions, boundaries and spots stand in the order of its text.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        let mut paper = Self { regions: Vec::new(), degrees: Vec::new() };
        for (number, land) in position.0.iter().enumerate() {
            let mut letters = BTreeMap::new();
            for region in &land.0 {
                let walk = |b: &Boundary| b.0.iter().map(|&s| paper.lay(s, &mut letters)).collect();
                let boundaries = region.0.iter().map(walk).collect();
                paper.regions.push(Face { land: number, boundaries, surface: region.1 });
            }
        }
        paper.limit();
        paper
    }

    fn lay(&mut self, spot: Spot, letters: &mut BTreeMap<Letter, Number>) -> Number {
        let degree = 3 - u8::try_from(spot.lives()).expect("a spot has at most 3 lives");
        if let Spot::Letter(letter) = spot {
            return *letters.entry(letter).or_insert_with(|| add(&mut self.degrees, degree));
        }
        add(&mut self.degrees, degree)
    }

    /// The written position. Its regions, boundaries and spots are numbered as those of the paper.
    #[must_use]
    pub fn position(&self) -> Position {
        let mut counts: BTreeMap<Number, usize> = BTreeMap::new();
        for &number in self.regions.iter().flat_map(|face| face.boundaries.iter().flatten()) {
            *counts.entry(number).or_default() += 1;
        }
        let lands = self.regions.chunk_by(|a, b| a.land == b.land).map(|faces| {
            let mut letters = BTreeMap::new();
            let mut write = |&number: &Number| match (self.degree(number), counts[&number]) {
                (0, _) => Spot::Zero,
                (1, _) => Spot::One,
                (_, 1) => Spot::Two,
                _ => {
                    let next = u16::try_from(letters.len()).expect("a land has few letters");
                    Spot::Letter(*letters.entry(number).or_insert(Letter(next)))
                }
            };
            let mut walk =
                |boundary: &Vec<Number>| Boundary(boundary.iter().map(&mut write).collect());
            let region =
                |face: &Face| Region(face.boundaries.iter().map(&mut walk).collect(), face.surface);
            Land(faces.iter().map(region).collect())
        });
        Position(lands.collect())
    }

    /// The canonical form.
    #[must_use]
    pub fn canonical(&self) -> CanonicalPosition {
        CanonicalPosition::of(&self.position())
    }

    /// The boundaries of each region, as walks of living spots.
    pub fn regions(&self) -> impl Iterator<Item = &[Vec<Number>]> {
        self.regions.iter().map(|face| &face.boundaries[..])
    }

    /// The number that the next new spot will have.
    #[must_use]
    pub fn next_number(&self) -> Number {
        Number::try_from(self.degrees.len()).expect("there are few spots") + 1
    }

    /// Curve ends at a spot that was drawn.
    ///
    /// # Panics
    /// When there is no such spot.
    #[must_use]
    pub fn degree(&self, number: Number) -> u8 {
        self.degrees[number as usize - 1]
    }

    /// The spot at a place of a region, if there is one.
    #[must_use]
    pub fn spot(&self, region: usize, place: Place) -> Option<Number> {
        self.regions.get(region)?.boundaries.get(place.boundary)?.get(place.spot).copied()
    }

    /// Lives of a region: curve ends that its spots can still take.
    fn lives(&self, face: &Face) -> u32 {
        let mut spots: Vec<_> = face.boundaries.concat();
        spots.sort_unstable();
        spots.dedup();
        spots.iter().map(|&spot| 3 - u32::from(self.degree(spot))).sum()
    }
}

/// Adds a spot with `degree` curve ends.
fn add(degrees: &mut Vec<u8>, degree: u8) -> Number {
    degrees.push(degree);
    Number::try_from(degrees.len()).expect("there are few spots")
}
