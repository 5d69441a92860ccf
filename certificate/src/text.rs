//! The lines of a certificate.

use std::fmt;
use std::str::FromStr;

use sprig_engine::{Nimber, Position, notation};

use crate::FORMAT_VERSION;

/// The game. All are played on positions of Sprouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Game {
    /// Sprouts. Files of earlier versions name no game, and mean this.
    #[default]
    Sprouts,
    /// Black-and-white Sprouts: the mover may leave the new spot out.
    BlackAndWhite,
}

impl Game {
    /// Every game that a certificate may be about.
    pub const ALL: [Self; 2] = [Self::Sprouts, Self::BlackAndWhite];

    /// Its name in the head.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sprouts => "sprouts",
            Self::BlackAndWhite => "black-and-white",
        }
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Game {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|game| game.name() == name).ok_or(())
    }
}

/// The convention of play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Play {
    /// A player who cannot move loses. Facts are nimbers of lands.
    Normal,
    /// A player who cannot move wins. Facts are lost nodes.
    Misere {
        /// Lands of the game tree of this position stand for their trees.
        base: Position,
    },
}

/// What is claimed of the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The player to move wins.
    Win,
    /// The player to move loses.
    Loss,
    /// The nimber.
    Nimber(Nimber),
}

/// What a certificate says of itself before its facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The game.
    pub game: Game,
    /// The convention of play.
    pub play: Play,
    /// The position.
    pub position: Position,
    /// What is claimed of it.
    pub claim: Claim,
    /// How many facts follow.
    pub facts: u64,
}

/// A fact: a land and its nimber. The couple (land, nimber) is lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The land, as a position.
    pub land: Position,
    /// Its nimber.
    pub nimber: Nimber,
}

/// A lost node of misère play: a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Lands. Those that have trees stand for these, the others for themselves.
    pub lands: Position,
    /// Sums of lands with trees, each of which stands for the one tree of the sum.
    pub sums: Vec<Position>,
}

impl Loss {
    pub(crate) fn lives(&self) -> u32 {
        let positions = std::iter::once(&self.lands).chain(&self.sums);
        positions.flat_map(|position| &position.0).map(|land| land.lives()).sum()
    }
}

impl Fact {
    pub(crate) fn lives(&self) -> u32 {
        self.land.0.iter().map(|land| land.lives()).sum()
    }
}

impl Play {
    /// Its name for people.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Misere { .. } => "misère",
        }
    }
}

/// Its name in the head.
impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => f.write_str("normal"),
            Self::Misere { .. } => f.write_str("misere"),
        }
    }
}

impl fmt::Display for Header {
    /// The lines before those of the facts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, play, position, claim, facts } = self;
        write!(f, "sprig certificate {FORMAT_VERSION}\ngame {game}\nplay {play}\n")?;
        if let Play::Misere { base } = play {
            writeln!(f, "base {base}")?;
        }
        write!(f, "position {position}\nclaim {claim}\nfacts {facts}\n")
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win => f.write_str("win"),
            Self::Loss => f.write_str("loss"),
            Self::Nimber(nimber) => write!(f, "nimber {nimber}"),
        }
    }
}

impl FromStr for Claim {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "win" => Ok(Self::Win),
            "loss" => Ok(Self::Loss),
            _ => Ok(Self::Nimber(nimber(text.strip_prefix("nimber ").ok_or(())?).ok_or(())?)),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.land, self.nimber)
    }
}

impl FromStr for Fact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected `LAND NIMBER`, with one blank between".to_owned();
        let (land, value) = text.split_once(' ').ok_or_else(expected)?;
        let nimber = nimber(value).ok_or_else(|| {
            format!(
                "`{}` is no nimber: a number from 0 to {}",
                value.escape_debug(),
                Nimber::LIMIT - 1
            )
        })?;
        Ok(Self { land: notation::read(land).map_err(|error| error.to_string())?, nimber })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.lands)?;
        self.sums.iter().try_for_each(|sum| write!(f, " {sum}"))
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |text: &str| notation::read(text).map_err(|error| error.to_string());
        let (lands, sums) = match text.split_once(' ') {
            None => (text, Vec::new()),
            Some((lands, sums)) => (lands, sums.split(' ').collect()),
        };
        let sums = sums.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { lands: read(lands)?, sums })
    }
}

/// A nimber, in its shortest form only.
fn nimber(text: &str) -> Option<Nimber> {
    let value = text.parse().ok().and_then(|value: u64| Nimber::new(value).ok())?;
    (value.to_string() == text).then_some(value)
}
