//! What can be wrong with a file, where, and what to do about it.

use std::io;

use sprig_engine::notation;

/// A file that cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The system failed.
    #[error("cannot read on after line {line}: {source}")]
    Io {
        /// The last line that was read.
        line: u64,
        /// What the system said.
        source: io::Error,
    },
    /// A line is not what it should be.
    #[error("line {line}, column {column}: {problem}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// The column of the first character that is wrong, from 1.
        column: usize,
        /// What is wrong there.
        problem: Problem,
    },
}

/// What can be wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// The first line does not say what the file holds.
    #[error("no header; a file begins with a line such as `{}`, with `{{` (JSON Lines) or with `{}` (CSV)", crate::Kind::Nimbers.header(), crate::Kind::Nimbers.columns())]
    NoHeader,
    /// A header of GLOP or SPOTS that is not known.
    #[error("unknown header `{0}`; known are {known}", known = Headers)]
    UnknownHeader(String),
    /// A line longer than any fact.
    #[error("the line is longer than {} MiB; give a text file with one fact a line", .0 >> 20)]
    TooLong(usize),
    /// Bytes that are no text.
    #[error("the line is no text (UTF-8)")]
    NoText,
    /// A text that is not a position.
    #[error("{0}")]
    Position(notation::Problem),
    /// Something other than a nimber.
    #[error("`{0}` is no nimber; nimbers are numbers from 0 to {max}", max = sprig_engine::Nimber::LIMIT - 1)]
    Nimber(String),
    /// Something other than the name of an RCT.
    #[error("`{0}` names no RCT; write {1}")]
    Name(String, &'static str),
    /// Something other than the part 0 or 1 of a node.
    #[error("`{0}` is neither 0 nor 1, the part of a node that follows the position")]
    Bit(String),
    /// A field is missing.
    #[error("the line ends where {0} should follow")]
    Missing(&'static str),
    /// There is a field too many.
    #[error("unexpected `{0}`; nothing follows here")]
    Surplus(String),
    /// A line that is not JSON, or no object that states a fact.
    #[error("{0}; a line is an object as in {{\"land\":\"0*3\",\"nimber\":1}}")]
    Json(String),
}

struct Headers;

impl std::fmt::Display for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let headers = crate::Kind::ALL.map(|kind| format!("`{}`", kind.header()));
        f.write_str(&headers.join(", "))
    }
}
