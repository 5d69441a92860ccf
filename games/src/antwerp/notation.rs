//! Positions as text: `0W*2.1b`, `2bA.2r|2bA.0W`, `!`.
//!
//! A spot is the number of its curve ends and its colour, `W` white, `b` blue or `r` red. A spot
//! that occurs in two places has a name, a capital letter after its colour, and is written twice.
//! `.` stands between boundaries, and `|` or `+` between regions. `*3` after a boundary means three
//! of it.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Peekable;
use std::str::CharIndices;

use super::position::{Boundary, Colour, Land, Position, Region, Spot};

/// Most lives that a position may have; what has more is not solved.
const MOST_LIVES: u32 = 60;

/// A text that is no position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {what}")]
pub struct NoPosition {
    /// The column, counted in characters from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// Reads a position; a number alone is a start position with that many white spots.
///
/// # Errors
/// [`NoPosition`].
pub fn read(text: &str) -> Result<Position, NoPosition> {
    let text = text.trim();
    let wrong = |column, what: &str| Err(NoPosition { column, what: what.to_owned() });
    if text == "!" {
        return Ok(Position::default());
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse() {
            Ok(spots @ 1..=20) => Ok(Position::start(spots)),
            _ => wrong(1, "a number alone is a number of white spots, from 1 to 20"),
        };
    }
    let chars = text.char_indices().peekable();
    let mut reader = Reader { chars, end: text.len(), places: BTreeMap::new() };
    let mut regions = vec![reader.region()?];
    while let Some((at, sign)) = reader.chars.next() {
        if !matches!(sign, '|' | '+') {
            let what = format!("`{}` stands where `.`, `|` or the end should", sign.escape_debug());
            return wrong(at + 1, &what);
        }
        regions.push(reader.region()?);
    }
    reader.check(&regions)?;
    let position = Position::of(regions);
    if position.lives() > MOST_LIVES {
        let what = format!("it has {} lives; at most {MOST_LIVES}", position.lives());
        return wrong(1, &what);
    }
    Ok(position)
}

struct Reader<'a> {
    chars: Peekable<CharIndices<'a>>,
    /// How long the text is.
    end: usize,
    /// Where each name stands, and what its spot is like.
    places: BTreeMap<u16, Vec<(usize, Spot)>>,
}

impl Reader<'_> {
    fn region(&mut self) -> Result<Region, NoPosition> {
        let mut region = Region::new();
        loop {
            let (boundary, times) = self.boundary()?;
            region.extend(std::iter::repeat_n(boundary, times));
            if self.chars.next_if(|&(_, c)| c == '.').is_none() {
                return Ok(region);
            }
        }
    }

    fn boundary(&mut self) -> Result<(Boundary, usize), NoPosition> {
        let mut boundary = Boundary::new();
        let begin = self.column();
        while let Some((at, degree)) = self.chars.next_if(|(_, c)| c.is_ascii_digit()) {
            boundary.push(self.spot(at + 1, degree)?);
        }
        let wrong = |column, what: &str| Err(NoPosition { column, what: what.to_owned() });
        if boundary.is_empty() {
            return wrong(begin, "here should be a spot, such as `0W`, `1b` or `2r`");
        }
        if boundary.len() > 1 && boundary.iter().any(|spot| spot.degree == 0) {
            return wrong(begin, "a spot without curve ends stands alone on its boundary");
        }
        let mut times = 1;
        if let Some((at, _)) = self.chars.next_if(|&(_, c)| c == '*') {
            let mut digits = String::new();
            while let Some((_, digit)) = self.chars.next_if(|(_, c)| c.is_ascii_digit()) {
                digits.push(digit);
            }
            times = match digits.parse() {
                Ok(times @ 1..=20) => times,
                _ => return wrong(at + 2, "behind `*` stands how many, from 1 to 20"),
            };
            if times > 1 && boundary.iter().any(|spot| spot.name != 0) {
                return wrong(at + 1, "a boundary with names cannot be there several times");
            }
        }
        Ok((boundary, times))
    }

    fn spot(&mut self, column: usize, degree: char) -> Result<Spot, NoPosition> {
        let wrong = |column, what: &str| Err(NoPosition { column, what: what.to_owned() });
        let degree = match degree {
            '0'..='2' => degree as u8 - b'0',
            _ => return wrong(column, "a spot has 0, 1 or 2 curve ends; with 3 it is dead"),
        };
        let colour = match self.chars.next().map(|(_, c)| c) {
            Some('W' | 'w') => Colour::White,
            Some('B' | 'b') => Colour::Blue,
            Some('R' | 'r') => Colour::Red,
            _ => return wrong(column + 1, "here should be a colour: `W`, `b` or `r`"),
        };
        let name = match self.chars.next_if(|(_, c)| c.is_ascii_uppercase()) {
            Some((_, letter)) => u16::from(letter as u8 - b'A' + 1),
            None => 0,
        };
        let spot = Spot { name, degree, colour };
        if name != 0 {
            if degree != 2 {
                return wrong(column, "a spot that is passed twice has 2 curve ends");
            }
            self.places.entry(name).or_default().push((column, spot));
        }
        Ok(spot)
    }

    fn column(&mut self) -> usize {
        self.chars.peek().map_or(self.end, |&(at, _)| at) + 1
    }

    /// Checks that names stand where they can on the sphere.
    fn check(&self, regions: &[Region]) -> Result<(), NoPosition> {
        for (&name, places) in &self.places {
            let letter = char::from(b'A' + name as u8 - 1);
            let (column, spot) = places[0];
            let wrong = |what: String| Err(NoPosition { column, what });
            match places[..] {
                [_, (_, other)] if spot == other => {}
                [_, _] => return wrong(format!("`{letter}` has two colours")),
                _ => {
                    return wrong(format!(
                        "`{letter}` stands {} times and not twice",
                        places.len()
                    ));
                }
            }
            for region in regions {
                let on = region.iter().filter(|b| b.iter().any(|spot| spot.name == name)).count();
                if on > 1 {
                    let what = "stands on two boundaries of one region, which the sphere has not";
                    return wrong(format!("`{letter}` {what}"));
                }
            }
        }
        Ok(())
    }
}

fn write_region(f: &mut fmt::Formatter<'_>, region: &Region, names: u16) -> fmt::Result {
    let mut at = 0;
    while at < region.len() {
        let boundary = &region[at];
        let is_nameless = boundary.iter().all(|spot| spot.name == 0);
        let same = region[at..].iter().take_while(|other| *other == boundary).count();
        let times = if is_nameless { same } else { 1 };
        if at > 0 {
            f.write_str(".")?;
        }
        for &Spot { name, degree, colour } in boundary {
            write!(f, "{degree}{colour}")?;
            if name != 0 {
                let letter = u32::from('A') - 1 + u32::from(name + names);
                write!(f, "{}", char::from_u32(letter).unwrap_or('?'))?;
            }
        }
        if times > 1 {
            write!(f, "*{times}")?;
        }
        at += times;
    }
    Ok(())
}

/// Writes the position as [`read`] reads it, if it has 26 names at most.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("!");
        }
        let mut names = 0;
        for (i, Land(regions)) in self.0.iter().enumerate() {
            for (j, region) in regions.iter().enumerate() {
                f.write_str(if j > 0 {
                    "|"
                } else if i > 0 {
                    "+"
                } else {
                    ""
                })?;
                write_region(f, region, names)?;
            }
            names += regions.iter().flatten().flatten().map(|spot| spot.name).max().unwrap_or(0);
        }
        Ok(())
    }
}
