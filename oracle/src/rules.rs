//! Which game is played.

use sprig_engine::Position;

/// The games that are played on positions of Sprouts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// Sprouts: each move places a new spot on its curve.
    #[default]
    Sprouts,
    /// Black-and-white Sprouts: the mover may leave the new spot out.
    BlackAndWhite,
}

/// Why moves of black-and-white Sprouts cannot be made.
pub(crate) const ON_THE_SPHERE: &str = "black-and-white Sprouts is played on the sphere alone";

impl Rules {
    /// Whether a new spot may be left out.
    pub(crate) fn may_leave_out(self) -> bool {
        self == Self::BlackAndWhite
    }

    /// Whether a position is one of the game: black-and-white Sprouts is played on the sphere
    /// alone.
    #[must_use]
    pub fn have(self, position: &Position) -> bool {
        self == Self::Sprouts || position.is_spherical()
    }
}
