//! The lines of a certificate.

use std::fmt;
use std::str::FromStr;

use sprig_engine::{Nimber, Position, notation};

/// The convention of play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Play {
    /// Who cannot move loses.
    Normal,
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

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => f.write_str("normal"),
        }
    }
}

impl FromStr for Play {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "normal" => Ok(Self::Normal),
            _ => Err(()),
        }
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

/// A nimber written without any frills.
fn nimber(text: &str) -> Option<Nimber> {
    let value = text.parse().ok().and_then(|value: u64| Nimber::new(value).ok())?;
    (value.to_string() == text).then_some(value)
}
