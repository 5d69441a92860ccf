//! Cards: a colour and a value. The suit of a colour does not matter.

use std::fmt;

use thiserror::Error;

/// The colour of a card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Colour {
    /// Hearts and diamonds, `R`.
    Red,
    /// Spades and clubs, `B`.
    Black,
}

impl Colour {
    /// The other colour.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Red => Self::Black,
            Self::Black => Self::Red,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Red => "red",
            Self::Black => "black",
        })
    }
}

/// The signs of the values in order: ace to nine, ten, knave, queen, king.
const SIGNS: [char; Value::COUNT] =
    ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', 'N', 'Q', 'K'];

/// The value of a card.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(u8);

impl Value {
    /// How many values there are.
    pub const COUNT: usize = 13;

    /// All values in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The place of the value in the order, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", SIGNS[self.index()])
    }
}

/// A card, written `R3` or `BN`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card {
    /// Its colour.
    pub colour: Colour,
    /// Its value.
    pub value: Value,
}

/// Why a text is no card.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "`{0}` is no card; a card is R or B and one of 1 2 3 4 5 6 7 8 9 0 (ten) N Q K, as in R3 or BN"
)]
pub struct CardError(pub String);

impl std::str::FromStr for Card {
    type Err = CardError;

    /// Small letters are the same as capitals.
    fn from_str(text: &str) -> Result<Self, CardError> {
        let error = || CardError(text.chars().take(20).collect());
        let mut signs = text.chars().map(|sign| sign.to_ascii_uppercase());
        let (colour, value, end) = (signs.next(), signs.next(), signs.next());
        let colour = match colour {
            Some('R') => Colour::Red,
            Some('B') => Colour::Black,
            _ => return Err(error()),
        };
        let index = SIGNS.iter().position(|&sign| Some(sign) == value).ok_or_else(error)?;
        if end.is_some() {
            return Err(error());
        }
        Ok(Self { colour, value: Value(index as u8) })
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colour = match self.colour {
            Colour::Red => 'R',
            Colour::Black => 'B',
        };
        write!(f, "{colour}{}", self.value)
    }
}
