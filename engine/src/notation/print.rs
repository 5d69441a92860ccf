//! The printers: GLOP style through [`std::fmt::Display`] of [`Position`], AJS style through
//! [`Ajs`].

use std::collections::HashMap;
use std::fmt;

use crate::{Boundary, Land, Letter, Position, Region, Spot};

/// Prints a position in AJS style: `0.0.AB.}AB.}]!`.
pub struct Ajs<'a>(pub &'a Position);

/// The name of each letter of a land, as the printers write it. Names of lower-case letters hold
/// within their boundary.
pub fn names(land: &Land) -> HashMap<Letter, String> {
    Names::of(land).0
}

/// Names of a land's letters: upper case in order of appearance in the land, lower case in order of
/// appearance in their boundary; letters in two boundaries of one region from `z` on backwards, in
/// order of appearance there.
struct Names(HashMap<Letter, String>);

impl Names {
    fn of(land: &Land) -> Self {
        let mut places: HashMap<Letter, Vec<(usize, usize)>> = HashMap::new();
        for (r, b, spot) in land.occurrences() {
            if let Spot::Letter(letter) = spot {
                places.entry(letter).or_default().push((r, b));
            }
        }
        let mut names = HashMap::new();
        let mut lower: HashMap<(usize, usize), usize> = HashMap::new();
        let mut crossing: HashMap<usize, usize> = HashMap::new();
        let mut upper = 0;
        for (r, b, spot) in land.occurrences() {
            let Spot::Letter(letter) = spot else { continue };
            if names.contains_key(&letter) {
                continue;
            }
            let name = match places[&letter][..] {
                [one, other] if one == other => {
                    let count = lower.entry((r, b)).or_default();
                    *count += 1;
                    name(*count, b'a', 12, 'm')
                }
                [one, other] if one.0 == other.0 => {
                    let count = crossing.entry(r).or_default();
                    *count += 1;
                    match u8::try_from(*count) {
                        Ok(k @ ..=12) => char::from(b'z' + 1 - k).to_string(),
                        _ => format!("n({count})"),
                    }
                }
                _ => {
                    upper += 1;
                    name(upper, b'A', 25, 'Z')
                }
            };
            names.insert(letter, name);
        }
        Self(names)
    }

    fn write(&self, boundary: &Boundary, out: &mut impl fmt::Write) -> fmt::Result {
        for spot in &boundary.0 {
            match spot {
                Spot::Zero => out.write_char('0')?,
                Spot::One => out.write_char('1')?,
                Spot::Two => out.write_char('2')?,
                Spot::Letter(letter) => out.write_str(&self.0[letter])?,
            }
        }
        Ok(())
    }
}

/// The `count`-th name, from 1: single characters up to `single` of them, then `many(count)`.
fn name(count: usize, base: u8, single: u8, many: char) -> String {
    match u8::try_from(count) {
        Ok(k) if k <= single => char::from(base + k - 1).to_string(),
        _ => format!("{many}({count})"),
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("!");
        }
        for (i, land) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("+")?;
            }
            land.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Land {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::of(self);
        for (i, Region(boundaries, surface)) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("|")?;
            }
            let mut written = 0;
            while written < boundaries.len() {
                let boundary = &boundaries[written];
                if written > 0 {
                    f.write_str(".")?;
                }
                names.write(boundary, f)?;
                let equal = boundaries[written..].iter().take_while(|&b| b == boundary).count();
                if equal > 1 && boundary.0 == [Spot::Zero] {
                    write!(f, "*{equal}")?;
                    written += equal;
                } else {
                    written += 1;
                }
            }
            surface.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Ajs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for land in &self.0.0 {
            let names = Names::of(land);
            for Region(boundaries, surface) in &land.0 {
                for boundary in boundaries {
                    names.write(boundary, f)?;
                    f.write_str(".")?;
                }
                if !surface.is_sphere() {
                    write!(f, "{{{}}}", surface.genus())?;
                }
                f.write_str("}")?;
            }
            f.write_str("]")?;
        }
        f.write_str("!")
    }
}
