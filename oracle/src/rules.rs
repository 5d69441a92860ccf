//! Which game is played.

/// The games that are played on positions of Sprouts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rules {
    /// Sprouts: each move places a new spot on its curve.
    #[default]
    Sprouts,
    /// Black-and-white Sprouts: the mover may leave the new spot out.
    BlackAndWhite,
}

impl Rules {
    /// Whether a new spot may be left out.
    pub(crate) fn may_leave_out(self) -> bool {
        self == Self::BlackAndWhite
    }
}
