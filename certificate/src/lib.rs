//! Certificates as files.
//!
//! A certificate is a claim about a position and the facts that prove it (`docs/certificate-format.md`). It has two forms: a
//! text, one fact a line, that people read; and the same text coded compactly. [`Reader`] reads both, line by line;
//! [`write()`] writes either. Whether the facts prove the claim is the oracle's business, not ours.

mod compact;
mod error;
mod model;
mod reader;
#[cfg(test)]
mod tests;
mod text;
mod writer;

pub use error::CertificateError;
pub use reader::{Entry, Reader};
pub use text::{Claim, Fact, Header, Loss, Play};
pub use writer::{Facts, Form, checksum, write};

/// Version of the format. It changes whenever a reader of one version would misread the other.
pub const FORMAT_VERSION: u32 = 1;

/// What the compact form begins with.
pub(crate) const MAGIC: [u8; 8] = *b"SprigCrt";
