//! What can be wrong with a file that should be a certificate.

use std::io;

use crate::FORMAT_VERSION;

/// The errors of this crate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The file begins like none of ours.
    #[error(
        "this is no certificate: a text begins with `sprig certificate {FORMAT_VERSION}`, a compact one with `SprigCrt`"
    )]
    Foreign,
    /// A certificate of another version.
    #[error(
        "this certificate has format {0}, and this program reads format {FORMAT_VERSION}; use a program of its time"
    )]
    Version(String),
    /// A compact certificate whose bytes say nothing.
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
