//! The check of a whole certificate.
//!
//! A [`Certificate`] is read into memory, every line of it; [`Certificate::check`] lets the oracle
//! do every step. Nothing of the engine's rules is used, and nothing of the search. No threads are
//! started here. A caller with several threads lends them as a crew ([`Crew`]). A caller with one
//! thread passes [`sprig_oracle::proof::alone`], as in a browser.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use sprig_oracle::proof::alone;
//! use sprig_verify::{Bases, Certificate, Manner};
//!
//! let file = std::fs::File::open("../certificates/normal/8.cert")?;
//! let certificate = Certificate::read(file)?;
//! let stop = AtomicBool::new(false);
//! let manner = Manner { crew: &alone, large_base: false, stop: &stop };
//! let checked = certificate.check(&mut Bases::default(), &manner, |_step| ())?;
//! assert!(checked.options > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod error;

use std::io::Read;

use sprig_certificate::{CertificateError, Claim, Fact, Form, Header, Loss, Play, Reader, Writer};

pub use check::{Bases, Checked, CheckedBase, Crew, Manner, Step};
pub use error::VerifyError;

/// A certificate in memory.
pub struct Certificate {
    /// What it says of itself.
    pub header: Header,
    /// The lines of its facts, as written, with their numbers.
    lines: Vec<(u64, String)>,
}

impl Certificate {
    /// Reads a certificate in any form, and checks its checksum.
    ///
    /// # Errors
    /// [`VerifyError::Unreadable`] when it cannot be read, or is no certificate.
    pub fn read(source: impl Read + 'static) -> Result<Self, VerifyError> {
        let mut reader = Reader::open(source)?;
        let mut lines = Vec::new();
        while let Some(entry) = reader.next_entry()? {
            lines.push((entry.line, entry.text));
        }
        Ok(Self { header: reader.header().clone(), lines })
    }

    /// The facts of normal play.
    ///
    /// # Errors
    /// The first line that is no fact.
    pub fn facts(&self) -> impl Iterator<Item = Result<Fact, VerifyError>> + '_ {
        self.lines.iter().map(|(line, text)| {
            text.parse().map_err(|why: String| VerifyError::line(*line, text, why))
        })
    }

    /// The facts of misère play.
    ///
    /// # Errors
    /// The first line that is no fact.
    pub fn losses(&self) -> impl Iterator<Item = Result<Loss, VerifyError>> + '_ {
        self.lines.iter().map(|(line, text)| {
            text.parse().map_err(|why: String| VerifyError::line(*line, text, why))
        })
    }

    /// The certificate as a file, after each of its lines was found to be a fact.
    ///
    /// # Errors
    /// The first line that is no fact.
    pub fn written(&self, form: Form) -> Result<Vec<u8>, VerifyError> {
        match self.header.play {
            Play::Normal => self.facts().try_for_each(|fact| fact.map(|_| ()))?,
            Play::Misere { .. } => self.losses().try_for_each(|loss| loss.map(|_| ()))?,
        }
        let write = || {
            let mut writer = Writer::new(&self.header, form, Vec::new())?;
            self.lines.iter().try_for_each(|(_, line)| writer.line(line))?;
            writer.finish()
        };
        Ok(write().map_err(CertificateError::from)?)
    }
}

/// What a certificate proves, in words.
#[must_use]
pub fn in_words(header: &Header) -> String {
    match header.claim {
        Claim::Win => "win for the player to move".to_owned(),
        Claim::Loss => "loss for the player to move".to_owned(),
        Claim::Nimber(nimber) => format!("nimber {nimber}"),
    }
}
