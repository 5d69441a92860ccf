//! Positions as text (`docs/notation.md`).
//!
//! Two styles are read, and told apart by their punctuation:
//!
//! * **GLOP style** (Lemoine and Viennot's program from version 2; also the default for output):
//!   `.` between boundaries, `|` between regions, `+` between lands, `0*n` for n isolated spots,
//!   `!` for the empty position.
//! * **AJS style** (Applegate, Jacobson and Sleator 1991): every object has a terminator, `.` for a
//!   boundary, `}` for a region, `]` for a land and `!` for the position.

mod error;
mod print;
mod read;

pub use error::{NotationError, Problem};
pub use print::{Ajs, names};

use crate::Position;

/// Longest text that is looked at, in bytes.
pub const MAX_TEXT: usize = 65_536;

/// Reads a position in either style.
///
/// # Errors
/// [`NotationError`] names the column and the remedy.
///
/// ```
/// use sprig_engine::notation;
///
/// let position = notation::read("0.0.AB|AB")?;
/// assert_eq!(position.to_string(), "0*2.AB|AB");
/// assert!(notation::read("0*2.AB|A").is_err());
/// # Ok::<(), notation::NotationError>(())
/// ```
pub fn read(text: &str) -> Result<Position, NotationError> {
    read::Reader::new(text)?.position()
}

impl std::str::FromStr for Position {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        read(text)
    }
}

#[cfg(test)]
mod tests;
