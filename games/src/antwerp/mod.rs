//! Antwerp Sprouts (L. Le Bruyn, neverendingbooks.org): Sprouts with colours, cold and hot.
//!
//! All spots are white at first. Left joins spots that are white or blue, Right such that are white
//! or red; a loop at a spot that has two lives joins it to itself. In the cold game Left makes the
//! new spot red and Right makes it blue, so that each player takes moves from itself. In the hot
//! game Left makes it blue and Right red.

mod moves;
mod notation;
mod position;
mod solver;

pub use notation::{NoPosition, read};
pub use position::{Colour, Land, Position};
pub use solver::{Solver, Worth};

/// A player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    /// Plays with white and blue spots.
    Left,
    /// Plays with white and red spots.
    Right,
}

/// Which of the two games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Temper {
    /// The new spot gets the opponent's colour.
    #[default]
    Cold,
    /// The new spot gets the colour of the player who draws it.
    Hot,
}

impl Player {
    /// The other player.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// The colour that only this player may use.
    fn colour(self) -> Colour {
        match self {
            Self::Left => Colour::Blue,
            Self::Right => Colour::Red,
        }
    }

    /// Whether this player may end a curve at a spot of this colour.
    fn may_use(self, colour: Colour) -> bool {
        colour == Colour::White || colour == self.colour()
    }
}

impl Temper {
    /// The colour of the new spot.
    fn new_spot(self, player: Player) -> Colour {
        match self {
            Self::Cold => player.other().colour(),
            Self::Hot => player.colour(),
        }
    }

    /// The name of the game in commands and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Hot => "hot",
        }
    }
}
