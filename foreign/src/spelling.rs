//! A land letter by letter, as the text of GLOP and SPOTS spells it.

use std::collections::HashMap;
use std::fmt;

use sprig_engine::{Land, Letter, Spot};

use crate::Dialect;

/// A mark of the text, in the order of GLOP and SPOTS: first by class, then by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Mark {
    Zero,
    One,
    Two,
    /// A letter that occurs twice in its boundary.
    Lower(u16),
    /// A letter that occurs in two regions.
    Upper(u16),
    EndBoundary,
    EndRegion,
    EndLand,
}

impl Mark {
    /// The mark without its number, so that all letters of a class are equal.
    pub fn class(self) -> Self {
        match self {
            Self::Lower(_) => Self::Lower(0),
            Self::Upper(_) => Self::Upper(0),
            other => other,
        }
    }
}

/// The marks of a boundary, without its end.
pub(crate) type Boundary = Vec<Mark>;
/// The boundaries of a region.
pub(crate) type Region = Vec<Boundary>;

/// A land whose letters have definite names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Spelling(pub Vec<Region>);

impl Spelling {
    /// Spells a land with the numbers of its letters as names.
    pub fn of(land: &Land) -> Self {
        let mut first: HashMap<Letter, (usize, usize)> = HashMap::new();
        let mut lower: HashMap<Letter, bool> = HashMap::new();
        for (r, b, spot) in land.occurrences() {
            if let Spot::Letter(letter) = spot {
                let place = *first.entry(letter).or_insert((r, b));
                lower.insert(letter, place == (r, b));
            }
        }
        let mark = |spot: &Spot| match *spot {
            Spot::Zero => Mark::Zero,
            Spot::One => Mark::One,
            Spot::Two => Mark::Two,
            Spot::Letter(letter) if lower[&letter] => Mark::Lower(letter.0),
            Spot::Letter(letter) => Mark::Upper(letter.0),
        };
        let regions = land.0.iter().map(|region| {
            region.0.iter().map(|boundary| boundary.0.iter().map(mark).collect()).collect()
        });
        Self(regions.collect())
    }

    /// The text of the land in a dialect.
    pub fn print(&self, dialect: Dialect) -> String {
        Printed(self, dialect).to_string()
    }
}

struct Printed<'a>(&'a Spelling, Dialect);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Spelling(regions), dialect) = self;
        for (r, region) in regions.iter().enumerate() {
            f.write_str(if r > 0 { "|" } else { "" })?;
            let mut written = 0;
            while let Some(boundary) = region.get(written) {
                f.write_str(if written > 0 { "." } else { "" })?;
                let zeros = region[written..].iter().take_while(|b| ***b == [Mark::Zero]).count();
                if zeros > 1 {
                    write!(f, "0*{zeros}")?;
                } else {
                    boundary.iter().try_for_each(|&mark| f.write_str(&dialect.name(mark)))?;
                }
                written += zeros.max(1);
            }
        }
        Ok(())
    }
}
