//! Positions as people type them.

use std::borrow::Cow;

use sprig_engine::Position;
use sprig_engine::notation::{self, NotationError, Problem};
use sprig_hoey::{List, ListError};

use crate::in_notation;

/// A text that is no position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unread {
    /// The text is no notation.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The text is no boundary list.
    #[error(transparent)]
    List(#[from] ListError),
    /// The text is a number of spots that no position has.
    #[error(transparent)]
    Spots(Problem),
}

impl Unread {
    /// The column of the error, counted from 1, where a single character is wrong.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::Notation(error) => Some(error.column),
            Self::List(error) => error.column(),
            Self::Spots(_) => None,
        }
    }
}

/// Reads a number of spots, a position in notation or a boundary list. Blanks around the text do no
/// harm.
///
/// # Errors
/// [`Unread`] with the place and the remedy.
pub fn read(typed: &str) -> Result<Position, Unread> {
    match in_notation(typed) {
        // The column refers to a text that was not typed, so it is left out.
        Cow::Owned(start) => notation::read(&start).map_err(|error| Unread::Spots(error.problem)),
        Cow::Borrowed(_) => read_notation(typed),
    }
}

/// Reads a position as [`read`] does, but a number alone has its meaning in notation.
///
/// # Errors
/// [`Unread`] with the place and the remedy.
pub fn read_notation(typed: &str) -> Result<Position, Unread> {
    let text = typed.trim_ascii();
    let blanks = typed.len() - typed.trim_ascii_start().len();
    if sprig_hoey::is_list(text) {
        return Ok(List::read(text, 1 + blanks)?.position()?);
    }
    notation::read(text).map_err(|mut error| {
        error.column += blanks;
        error.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_is_read() {
        for (typed, written) in [
            ("14", "0*14"),
            (" 0*2.AB|AB ", "0*2.AB|AB"),
            ("0.0.AB.}AB.}]!", "0*2.AB|AB"),
            ("1;2", "0*2"),
            ("S14", "0*14"),
            ("S_2+AB|AB", "0*2+AB|AB"),
        ] {
            assert_eq!(read(typed).expect(typed).to_string(), written, "{typed}");
        }
    }

    #[test]
    fn a_mistake_has_its_column_in_the_text_as_it_was_typed() {
        assert_eq!(read("  0*2.AX").expect_err("no position").column(), Some(7));
        assert_eq!(read(" 1,x").expect_err("no list").column(), Some(4));
        let many = read("999999999").expect_err("too many spots");
        assert_eq!(many.column(), None, "{many}");
        let none = read("S0").expect_err("no spots");
        assert!(none.to_string().contains("no spots are no start position"), "{none}");
    }
}
