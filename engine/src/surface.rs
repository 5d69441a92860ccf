//! The surface on which a region lies.

use std::fmt;

/// A closed surface: the sphere, a sphere with handles, or one with cross-caps. Every closed
/// surface is one of these.
///
/// A *genus* of g > 0 stands for g handles (1 is the torus), one of −k < 0 for k cross-caps (−1 is
/// the projective plane, −2 the Klein bottle), 0 for the sphere. The plane is the sphere without a
/// point, which makes no difference to the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Surface(i16);

impl Surface {
    /// The sphere.
    pub const SPHERE: Self = Self(0);

    /// Most handles, or cross-caps, that the program holds.
    pub const MAX: i16 = 1_000;

    /// The surface of this genus, if the program holds it.
    #[must_use]
    pub fn new(genus: i64) -> Option<Self> {
        let genus = i16::try_from(genus).ok()?;
        (genus.unsigned_abs() <= Self::MAX.unsigned_abs()).then_some(Self(genus))
    }

    /// Handles if positive, cross-caps if negative.
    #[must_use]
    pub fn genus(self) -> i16 {
        self.0
    }

    /// Whether it is the sphere.
    #[must_use]
    pub fn is_sphere(self) -> bool {
        self.0 == 0
    }

    /// Whether one can tell left from right on it: it has no cross-caps.
    #[must_use]
    pub fn is_orientable(self) -> bool {
        self.0 >= 0
    }

    /// What people call it.
    #[must_use]
    pub fn name(self) -> String {
        match self.0 {
            0 => "sphere".to_owned(),
            1 => "torus".to_owned(),
            -1 => "projective plane".to_owned(),
            -2 => "Klein bottle".to_owned(),
            genus if genus > 0 => format!("{genus} handles"),
            genus => format!("{} cross-caps", genus.unsigned_abs()),
        }
    }
}

impl fmt::Display for Surface {
    /// As notation writes it behind a region: `@1`, and nothing for the sphere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_sphere() { Ok(()) } else { write!(f, "@{}", self.0) }
    }
}
