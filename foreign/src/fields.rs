//! The fields of a line, with their columns.

use sprig_engine::notation::{self, NotationError};
use sprig_engine::{Nimber, Position};

use crate::error::Problem;
use crate::{Kind, Name, Record};

/// How names of RCTs look in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// As GLOP and SPOTS number them.
    Numbers,
    /// As content keys.
    Keys,
}

/// A problem and its column.
pub(crate) type Misfit = (usize, Problem);

/// A part of a line, and the column where it starts.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    text: &'a str,
    column: usize,
}

/// The fields of a line, one after the other.
pub(crate) struct Fields<'a> {
    line: &'a str,
    /// Bytes before the next field.
    at: usize,
    /// What stands between fields; `None` for white space.
    separator: Option<char>,
    names: Names,
}

impl<'a> Fields<'a> {
    /// Fields between blanks, as GLOP and SPOTS write them.
    pub fn between_blanks(line: &'a str) -> Self {
        Self { line, at: 0, separator: None, names: Names::Numbers }
    }

    /// Fields between commas, perhaps quoted.
    pub fn between_commas(line: &'a str) -> Self {
        Self { line, at: 0, separator: Some(','), names: Names::Keys }
    }

    /// The record of a section's line.
    pub fn record(mut self, kind: Kind) -> Result<Record, Misfit> {
        let record = match kind {
            Kind::Nimbers => Record::Nimber { position: self.position()?, nimber: self.nimber()? },
            Kind::Rcts => Record::Rct { position: self.position()?, rct: self.name()? },
            Kind::Trees => Record::Tree { rct: self.name()?, options: self.rest()? },
            Kind::Losses if self.separator.is_none() => {
                Record::Loss { position: self.position()?, one: false, rcts: Vec::new() }
            }
            Kind::Losses | Kind::Nodes => {
                Record::Loss { position: self.position()?, one: self.bit()?, rcts: self.rest()? }
            }
        };
        match self.next() {
            None => Ok(record),
            Some(field) => Err(field.misfit(Problem::Surplus)),
        }
    }

    fn next(&mut self) -> Option<Field<'a>> {
        let rest = &self.line[self.at..];
        let (start, length) = match self.separator {
            None => {
                let start = rest.len() - rest.trim_start().len();
                let rest = &rest[start..];
                (start, rest.find(char::is_whitespace).unwrap_or(rest.len()))
            }
            Some(separator) => (0, rest.find(separator).unwrap_or(rest.len())),
        };
        if rest.is_empty() || self.separator.is_none() && length == 0 {
            return None;
        }
        let mut start = self.at + start;
        let mut text = &self.line[start..start + length];
        self.at = (start + length + usize::from(self.separator.is_some())).min(self.line.len());
        if let Some(bare) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
            && self.separator.is_some()
        {
            text = bare;
            start += 1;
        }
        Some(Field { text, column: column(self.line, start) })
    }

    fn expect(&mut self, what: &'static str) -> Result<Field<'a>, Misfit> {
        self.next().ok_or((column(self.line, self.line.len()), Problem::Missing(what)))
    }

    fn position(&mut self) -> Result<Position, Misfit> {
        self.expect("a position")?.position()
    }

    fn nimber(&mut self) -> Result<Nimber, Misfit> {
        self.expect("a nimber")?.nimber()
    }

    fn bit(&mut self) -> Result<bool, Misfit> {
        let field = self.expect("0 or 1")?;
        match field.text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(field.misfit(Problem::Bit)),
        }
    }

    fn name(&mut self) -> Result<Name, Misfit> {
        self.expect("the name of an RCT")?.name(self.names)
    }

    /// All names that are left: further fields, or the one list that CSV has.
    fn rest(&mut self) -> Result<Vec<Name>, Misfit> {
        let names = self.names;
        if self.separator.is_none() {
            return std::iter::from_fn(|| self.next()).map(|field| field.name(names)).collect();
        }
        let Some(list) = self.next() else { return Ok(Vec::new()) };
        let mut inner = Fields { names, ..Fields::between_blanks(list.text) };
        std::iter::from_fn(|| inner.next())
            .map(|field| Field { column: field.column + list.column - 1, ..field }.name(names))
            .collect()
    }
}

/// The column, from 1, of the character that starts at byte `at`.
fn column(line: &str, at: usize) -> usize {
    line[..at].chars().count() + 1
}

impl<'a> Field<'a> {
    /// A field that is a whole text of its own, whose column is not known.
    pub fn alone(text: &'a str) -> Self {
        Self { text, column: 1 }
    }

    fn misfit(self, problem: impl FnOnce(String) -> Problem) -> Misfit {
        (self.column, problem(self.text.to_owned()))
    }

    pub fn position(self) -> Result<Position, Misfit> {
        notation::read(self.text).map_err(|NotationError { column, problem }| {
            (self.column + column - 1, Problem::Position(problem))
        })
    }

    fn nimber(self) -> Result<Nimber, Misfit> {
        let digits = !self.text.is_empty() && self.text.bytes().all(|b| b.is_ascii_digit());
        let value = self.text.parse().ok().filter(|_| digits);
        let nimber = value.and_then(|value| Nimber::new(value).ok());
        nimber.ok_or_else(|| self.misfit(Problem::Nimber))
    }

    pub fn name(self, names: Names) -> Result<Name, Misfit> {
        let (name, expected) = match names {
            Names::Numbers => {
                (Name::read(self.text), "a heap as `2`, others as `3-1-L` or `3-1+1-W`")
            }
            Names::Keys => (Name::read_key(self.text), "its content key, 32 hexadecimal digits"),
        };
        name.ok_or_else(|| self.misfit(|text| Problem::Name(text, expected)))
    }
}
