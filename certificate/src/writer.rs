//! Writing a certificate.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

use crate::{Fact, Header, Loss};

/// The forms that are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people.
    Text,
    /// The same, compressed by gzip.
    Gzip,
}

/// Facts of either convention of play.
pub enum Facts {
    /// For normal play.
    Nimbers(Vec<Fact>),
    /// For misère play.
    Losses(Vec<Loss>),
}

impl Facts {
    /// The lines, with the lives of each.
    fn lines(&self) -> Vec<(u32, String)> {
        match self {
            Self::Nimbers(facts) => facts.iter().map(|f| (f.lives(), f.to_string())).collect(),
            Self::Losses(losses) => losses.iter().map(|l| (l.lives(), l.to_string())).collect(),
        }
    }
}

/// Writes a certificate. `facts` are written in the order of their lives, and then of their text.
///
/// # Errors
/// When writing fails.
///
/// # Panics
/// When the header counts other facts than these.
pub fn write(header: &Header, facts: &Facts, form: Form, out: impl Write) -> io::Result<()> {
    let mut lines = facts.lines();
    lines.sort_unstable();
    let mut writer = Writer::new(header, form, out)?;
    lines.iter().try_for_each(|(_, line)| writer.line(line))?;
    writer.finish().map(|_| ())
}

/// A certificate that is being written, line by line. The same lines become the same bytes.
pub struct Writer<W: Write> {
    out: Out<W>,
    hasher: blake3::Hasher,
    /// Facts still to come.
    left: u64,
}

enum Out<W: Write> {
    Text(W),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(header: &Header, form: Form, out: W) -> io::Result<Self> {
        let out = match form {
            Form::Text => Out::Text(out),
            // Neither a time nor the name of a system is written.
            Form::Gzip => Out::Gzip(GzBuilder::new().write(out, Compression::best())),
        };
        let mut writer = Self { out, hasher: blake3::Hasher::new(), left: header.facts };
        writer.hashed(&header.to_string())?;
        Ok(writer)
    }

    /// Writes the line of a fact, which is given without its end.
    ///
    /// # Errors
    /// When writing fails.
    ///
    /// # Panics
    /// When the header counts fewer facts.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.left = self.left.checked_sub(1).expect("the header counts the facts");
        self.hashed(line)?;
        self.hashed("\n")
    }

    /// Writes the checksum, and returns `out`, to which all was written.
    ///
    /// # Errors
    /// When writing fails.
    ///
    /// # Panics
    /// When the header counts more facts.
    pub fn finish(mut self) -> io::Result<W> {
        assert_eq!(self.left, 0, "the header counts the facts");
        let last = format!("blake3 {}\n", self.hasher.finalize());
        self.put(&last)?;
        let mut out = match self.out {
            Out::Text(out) => out,
            Out::Gzip(encoder) => encoder.finish()?,
        };
        out.flush()?;
        Ok(out)
    }

    fn hashed(&mut self, text: &str) -> io::Result<()> {
        self.hasher.update(text.as_bytes());
        self.put(text)
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        match &mut self.out {
            Out::Text(out) => out.write_all(text.as_bytes()),
            Out::Gzip(encoder) => encoder.write_all(text.as_bytes()),
        }
    }
}

/// The last line of a certificate whose other lines are `text`.
#[must_use]
pub fn checksum(text: &str) -> String {
    format!("blake3 {}\n", blake3::hash(text.as_bytes()))
}
