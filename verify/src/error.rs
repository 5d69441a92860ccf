//! Why a certificate proves nothing.

use std::fmt::Display;

use sprig_certificate::{CertificateError, Header};
use sprig_engine::Position;

/// The errors of this crate. Each names its place in the text.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The file is no certificate, or is damaged.
    #[error(transparent)]
    Unreadable(#[from] CertificateError),
    /// A line is no fact, or a fact that does not follow from the others.
    #[error("line {line}, `{text}`: {why}")]
    Line {
        /// The number of the line, counted from 1.
        line: u64,
        /// What stands there.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The facts do not prove what is claimed.
    #[error("claim `{claim}` about `{position}`: {why}")]
    Claim {
        /// What is claimed.
        claim: String,
        /// The position that the claim is about.
        position: String,
        /// Why it does not follow.
        why: String,
    },
    /// To find the trees of the base would take hours.
    #[error(
        "`base {base}`: it has a land of {lives} lives. To find the trees of all that it can \
         become takes minutes of CPU time for 18 lives, and some 15 times as long for every three \
         more"
    )]
    LargeBase {
        /// The position whose game tree is the base.
        base: Position,
        /// Most lives of a land of it.
        lives: usize,
    },
    /// There is no such base, or the check was told to stop.
    #[error("`base {base}`: {why}")]
    Base {
        /// The position whose game tree is the base.
        base: Position,
        /// What is wrong with it.
        why: String,
    },
}

impl VerifyError {
    pub(crate) fn line(line: u64, text: &str, why: impl Display) -> Self {
        Self::Line { line, text: text.to_owned(), why: why.to_string() }
    }

    pub(crate) fn claim(header: &Header, why: impl Display) -> Self {
        let Header { position, claim, .. } = header;
        Self::Claim {
            claim: claim.to_string(),
            position: position.to_string(),
            why: why.to_string(),
        }
    }

    pub(crate) fn base(base: &Position, why: impl Display) -> Self {
        Self::Base { base: base.clone(), why: why.to_string() }
    }
}
