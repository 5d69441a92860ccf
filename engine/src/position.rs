//! The written position: what a person types, before any reduction.

use crate::Surface;

/// The largest number of different letters that a land may come to need during a game.
///
/// A move spends one life and makes at most three letters, so a land with `v` lives and `l` letters
/// never sees more than `(3v + l) / 4` of them; [`crate::notation`] refuses lands for which that
/// reaches this limit. Start positions up to 106 spots are within it.
pub const MAX_LETTERS: usize = 240;

/// A letter of a land: a spot of degree 2 that occurs twice in the text. Local to its land.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Letter(pub u16);

/// One occurrence of a spot on a boundary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spot {
    /// A spot of degree 0. It stands alone in its boundary.
    Zero,
    /// A spot of degree 1. It occurs once.
    One,
    /// A spot of degree 2 that occurs once: nothing can happen on its other side.
    Two,
    /// A spot of degree 2 that occurs twice: in two regions, twice in one boundary, or, where the
    /// surface is not the sphere or was another one before, in two boundaries of one region.
    Letter(Letter),
}

impl Spot {
    /// Curve ends the spot can still take: 3 minus its degree.
    pub fn lives(self) -> u32 {
        match self {
            Self::Zero => 3,
            Self::One => 2,
            Self::Two | Self::Letter(_) => 1,
        }
    }
}

/// The cyclic walk of spots along one connected component, as seen from one region.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Boundary(pub Vec<Spot>);

/// A face of the drawing: its boundaries, and the surface that it would be if these were filled in.
///
/// On a surface with handles, or the sphere, all boundaries are read with the region on the same
/// side. With cross-caps there are no sides, and each boundary may be read in either direction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Region(pub Vec<Boundary>, pub Surface);

/// Regions that share letters. Different lands are independent games.
///
/// A written land may fall into several lands when it is reduced; that is no error.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Land(pub Vec<Region>);

/// A sum of lands. No lands at all is the empty position, `!`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position(pub Vec<Land>);

impl Position {
    /// The start position of the game with `spots` spots.
    pub fn start(spots: usize) -> Self {
        Self::start_on(spots, Surface::SPHERE)
    }

    /// The start position with `spots` spots on another surface.
    pub fn start_on(spots: usize, surface: Surface) -> Self {
        if spots == 0 {
            return Self::default();
        }
        let boundary = Boundary(vec![Spot::Zero]);
        Self(vec![Land(vec![Region(vec![boundary; spots], surface)])])
    }

    /// Whether all its lands can be drawn on the sphere, as [`Land::is_spherical`] tells.
    pub fn is_spherical(&self) -> bool {
        self.0.iter().all(Land::is_spherical)
    }
}

impl Region {
    /// A region of the sphere.
    pub fn spherical(boundaries: Vec<Boundary>) -> Self {
        Self(boundaries, Surface::SPHERE)
    }
}

impl Land {
    /// Whether every region is one of the sphere, and no letter stands in two boundaries of one
    /// region: a curve between two boundaries separates nothing, which the sphere does not have.
    pub fn is_spherical(&self) -> bool {
        let mut first = std::collections::HashMap::new();
        self.0.iter().all(|region| region.1.is_sphere())
            && self.occurrences().all(|(r, b, spot)| match spot {
                Spot::Letter(letter) => {
                    let (region, boundary) = *first.entry(letter).or_insert((r, b));
                    region != r || boundary == b
                }
                _ => true,
            })
    }

    /// Every occurrence of a spot, in the order of the text, with the numbers of its region and of
    /// its boundary there.
    pub fn occurrences(&self) -> impl Iterator<Item = (usize, usize, Spot)> + '_ {
        self.0.iter().enumerate().flat_map(|(r, region)| {
            region
                .0
                .iter()
                .enumerate()
                .flat_map(move |(b, boundary)| boundary.0.iter().map(move |&spot| (r, b, spot)))
        })
    }

    /// Lives of all spots together; a letter counts once.
    pub fn lives(&self) -> u32 {
        let (mut once, mut letters) = (0, 0);
        for (_, _, spot) in self.occurrences() {
            match spot {
                Spot::Letter(_) => letters += 1,
                _ => once += spot.lives(),
            }
        }
        once + letters / 2
    }
}
