//! What can be wrong with a file that should be a certificate.

use std::io::{self, ErrorKind};

use crate::FORMAT_VERSION;
use crate::source::{EXPANSION, MAX_TEXT, MIN_EXPANSION};

/// The errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The file begins like none of ours.
    #[error(
        "this is no certificate: its text, packed by gzip or not, begins with `sprig certificate {FORMAT_VERSION}`"
    )]
    Foreign,
    /// A certificate of another version.
    #[error(
        "this certificate has format {0}, and this program reads format {FORMAT_VERSION}; use a program of its time"
    )]
    Version(String),
    /// A certificate of another game.
    #[error(
        "line 2: this certificate is about the game `{0}`, and this program checks `sprouts` and `black-and-white`"
    )]
    Game(String),
    /// The file says more than a certificate may.
    #[error(
        "the certificate says more than {} MiB, or {EXPANSION} times its own length and {} MiB more: it is refused, \
         for no real one does",
        MAX_TEXT >> 20, MIN_EXPANSION >> 20
    )]
    TooLarge,
    /// A packed certificate whose bytes say nothing.
    #[error("the certificate was altered or damaged on its way; fetch it again")]
    Damaged,
    /// A line of the header is not as it should be.
    #[error("line {line}: expected `{expected} ..`, found `{found}`")]
    Header {
        /// The line, counted from 1.
        line: u64,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A nimber is claimed in misère play.
    #[error(
        "line {0}: there are no nimbers in misère play; a certificate of it claims `win` or `loss`"
    )]
    NoNimbers(u64),
    /// A line that is no fact.
    #[error("line {line}: {reason}")]
    Fact {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The file ends too early.
    #[error("the certificate ends after line {0}: it is not complete; fetch it again")]
    Truncated(u64),
    /// The file goes on after its end.
    #[error("line {0}: the certificate goes on after its checksum")]
    Trailing(u64),
    /// The text is not the one that was written.
    #[error(
        "the checksum is wrong: the certificate was altered or damaged on its way; fetch it again"
    )]
    Checksum,
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl CertificateError {
    /// The error when reading failed after `lines` lines.
    pub(crate) fn of(error: io::Error, lines: u64) -> Self {
        match error.kind() {
            ErrorKind::UnexpectedEof => Self::Truncated(lines),
            ErrorKind::FileTooLarge => Self::TooLarge,
            // What packs files reports both of bytes that it cannot have written.
            ErrorKind::InvalidData | ErrorKind::InvalidInput => Self::Damaged,
            _ => Self::Io(error),
        }
    }

    /// Whether other bytes of a packed file may have caused it.
    pub(crate) fn is_about_the_text(&self) -> bool {
        !matches!(self, Self::TooLarge | Self::Damaged | Self::Truncated(_) | Self::Io(_))
    }
}
