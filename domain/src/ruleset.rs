//! What is played, and who wins.

use std::fmt;
use std::str::FromStr;

use sprig_engine::paper::{Paper, Reached};
use sprig_engine::{Budget, CanonicalPosition, Generator, Lengths, Unlisted};

/// A game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Game {
    /// Sprouts. A surface is a property of a region, not a game of its own.
    #[default]
    Sprouts,
    /// Black-and-white Sprouts: the mover may leave the new spot out. Its positions are those of
    /// Sprouts.
    BlackAndWhite,
}

/// A text that names no game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{}` is no game; one of sprouts, black-and-white", .0.escape_debug())]
pub struct UnknownGame(pub String);

/// Who wins when a player cannot move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Play {
    /// A player who cannot move loses.
    #[default]
    Normal,
    /// A player who cannot move wins.
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
    /// Every game.
    pub const ALL: [Self; 2] = [Self::Sprouts, Self::BlackAndWhite];

    /// A new generator of its moves.
    #[must_use]
    pub fn generator(self) -> Generator {
        match self {
            Self::Sprouts => Generator::default(),
            Self::BlackAndWhite => Generator::with_optional_spot(),
        }
    }

    /// The canonical children of a position by the moves of the game, sorted, without duplicates.
    ///
    /// # Errors
    /// [`Unlisted`].
    pub fn children(
        self,
        position: &CanonicalPosition,
    ) -> Result<Vec<CanonicalPosition>, Unlisted> {
        position.children_by(&mut self.generator(), &mut Budget::default())
    }

    /// For each child of a position on paper, one move of the game that leads to it. They are
    /// sorted by the children.
    ///
    /// # Errors
    /// [`Unlisted`].
    pub fn moves(self, paper: &Paper, budget: &mut Budget<'_>) -> Result<Vec<Reached>, Unlisted> {
        match self {
            Self::Sprouts => paper.moves(budget),
            Self::BlackAndWhite => paper.moves_black_and_white(budget),
        }
    }

    /// Lengths of games, from whole game trees of at most this many positions.
    #[must_use]
    pub fn lengths(self, play: Play, positions: usize) -> Lengths {
        Lengths::by(self.generator(), play == Play::Misere, positions)
    }

    /// Whether a position is one of the game. Only Sprouts itself is played on other surfaces than
    /// the sphere.
    #[must_use]
    pub fn has(self, position: &CanonicalPosition) -> bool {
        self == Self::Sprouts || position.is_spherical()
    }

    /// Its name in commands and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sprouts => "sprouts",
            Self::BlackAndWhite => "black-and-white",
        }
    }
}

impl FromStr for Game {
    type Err = UnknownGame;

    fn from_str(name: &str) -> Result<Self, UnknownGame> {
        let game = Self::ALL.into_iter().find(|game| game.name() == name);
        game.ok_or_else(|| UnknownGame(name.to_owned()))
    }
}

/// Its name.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Play {
    /// Its name in commands, in files and for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Misere => "misere",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Misere => "misère",
        }
    }
}

impl Ruleset {
    /// Sprouts in normal play.
    pub const NORMAL: Self = Self { game: Game::Sprouts, play: Play::Normal };
    /// Sprouts in misère play.
    pub const MISERE: Self = Self { game: Game::Sprouts, play: Play::Misere };
}

/// A play by itself is that of Sprouts.
impl From<Play> for Ruleset {
    fn from(play: Play) -> Self {
        Self { game: Game::Sprouts, play }
    }
}

/// For people: `sprouts, misère play`.
impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} play", self.game, self.play.word())
    }
}
