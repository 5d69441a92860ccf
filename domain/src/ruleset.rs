//! What is played, and who wins.

use std::fmt;

/// A game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Game {
    /// Sprouts. A surface is a property of a region, not a game of its own.
    #[default]
    Sprouts,
}

/// Who wins when a player cannot move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Play {
    /// Who cannot move loses.
    #[default]
    Normal,
    /// Who cannot move wins.
    Misere,
}

/// The rules that a goal, a fact or a key is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ruleset {
    /// The game.
    pub game: Game,
    /// Who wins.
    pub play: Play,
}

impl Game {
    /// Its name in commands and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sprouts => "sprouts",
        }
    }
}

impl Play {
    /// Its name in commands and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Misere => "misere",
        }
    }
}

impl Ruleset {
    /// Sprouts in normal play.
    pub const NORMAL: Self = Self { game: Game::Sprouts, play: Play::Normal };
    /// Sprouts in misère play.
    pub const MISERE: Self = Self { game: Game::Sprouts, play: Play::Misere };
}

/// `sprouts, misere play`.
impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} play", self.game.name(), self.play.name())
    }
}
