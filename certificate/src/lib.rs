//! Certificates as files.
//!
//! A certificate is a claim about a position and the facts that prove it
//! (`docs/certificate-format.md`). It is a text with one fact a line, for people to read. As a file
//! it is mostly compressed by gzip. [`Reader`] reads both, and the compact form of earlier
//! versions, line by line; [`Writer`] writes text or gzip. Whether the facts prove the claim is for
//! the oracle to decide.
//!
//! ```
//! use sprig_certificate::{Claim, Fact, Facts, Form, Game, Header, Play, Reader, write};
//! use sprig_engine::{Nimber, notation};
//!
//! let land = notation::read("22")?;
//! let header = Header {
//!     game: Game::Sprouts,
//!     play: Play::Normal,
//!     position: land.clone(),
//!     claim: Claim::Win,
//!     facts: 1,
//! };
//! let facts = Facts::Nimbers(vec![Fact { land, nimber: Nimber::new(1)? }]);
//! let mut file = Vec::new();
//! write(&header, &facts, Form::Gzip, &mut file)?;
//! let mut reader = Reader::open(std::io::Cursor::new(file))?;
//! assert_eq!(reader.header(), &header);
//! assert_eq!(reader.next_entry()?.map(|entry| entry.text).as_deref(), Some("22 1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compact;
mod error;
mod model;
mod reader;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod writer;

pub use error::CertificateError;
pub use reader::{Entry, Reader};
pub use source::{EXPANSION, MAX_TEXT, MIN_EXPANSION, is_certificate};
pub use text::{Claim, Fact, Game, Header, Loss, Play};
pub use writer::{Facts, Form, Writer, checksum, write};

/// Version of the format. It changes whenever a reader of one version would misread the other.
pub const FORMAT_VERSION: u32 = 1;

/// What the compact form begins with.
pub(crate) const MAGIC: [u8; 8] = *b"SprigCrt";
