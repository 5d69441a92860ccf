//! Reading a certificate, line by line.

use std::io::{self, BufRead, BufReader, Read};

use sprig_engine::notation;

use crate::source::Source;
use crate::{CertificateError, Claim, FORMAT_VERSION, Game, Header, Play};

/// The longest line that is read, in bytes: a land of the longest text, and a nimber.
const MAX_LINE: usize = notation::MAX_TEXT + 64;

/// A certificate that is being read, in any form.
pub struct Reader {
    lines: Lines,
    header: Header,
    /// Facts still to come.
    left: u64,
}

/// The line of a fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The line of the text form, counted from 1.
    pub line: u64,
    /// What stands there.
    pub text: String,
}

impl Reader {
    /// Reads the header.
    ///
    /// # Errors
    /// [`CertificateError`] when this is no certificate.
    pub fn open(source: impl Read + 'static) -> Result<Self, CertificateError> {
        let source = BufReader::new(Source::open(source)?);
        let (number, text) = (0, String::new());
        let mut lines = Lines { source, hasher: blake3::Hasher::new(), number, text };
        match lines.header() {
            Ok(header) => Ok(Self { left: header.facts, lines, header }),
            Err(error) => Err(lines.damaged_or(error)),
        }
    }

    /// What the certificate says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The line of the next fact; `None` after the last, when the checksum has been found to be
    /// right.
    ///
    /// # Errors
    /// [`CertificateError`] when there is none where one should be, or the checksum is wrong.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, CertificateError> {
        let read = if self.left > 0 { self.lines.next() } else { self.end() };
        read.map_err(|error| self.lines.damaged_or(error))?;
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.lines.hash();
        Ok(Some(Entry { line: self.lines.number, text: self.lines.text.clone() }))
    }

    fn end(&mut self) -> Result<(), CertificateError> {
        self.lines.next()?;
        let Some(checksum) = self.lines.text.strip_prefix("blake3 ") else {
            let (line, found) = (self.lines.number, self.lines.text.clone());
            return Err(CertificateError::Header { line, expected: "blake3", found });
        };
        if checksum != self.lines.hasher.finalize().to_hex().as_str() {
            return Err(CertificateError::Checksum);
        }
        let line = self.lines.number;
        match self.lines.source.fill_buf().map_err(|error| CertificateError::of(error, line))? {
            [] => Ok(()),
            _ => Err(CertificateError::Trailing(line + 1)),
        }
    }
}

/// The lines of the text.
struct Lines {
    source: BufReader<Source>,
    /// The hash of all lines but the last.
    hasher: blake3::Hasher,
    /// The number of the line, counted from 1.
    number: u64,
    /// The line without its end.
    text: String,
}

impl Lines {
    fn header(&mut self) -> Result<Header, CertificateError> {
        let packed = self.source.get_ref().is_packed();
        let version = self.value("sprig certificate").map_err(|error| match error {
            CertificateError::Header { .. } | CertificateError::Fact { .. } => {
                CertificateError::Foreign
            }
            CertificateError::Truncated(_) if !packed => CertificateError::Foreign,
            error => error,
        })?;
        if version != FORMAT_VERSION.to_string() {
            return Err(CertificateError::Version(version));
        }
        self.next()?;
        self.hash();
        // Earlier versions wrote none: there was one game.
        let mut game = Game::Sprouts;
        if let Some(name) = self.text.strip_prefix("game ") {
            let unknown = |()| CertificateError::Game(name.escape_debug().take(80).collect());
            game = name.parse().map_err(unknown)?;
            self.next()?;
            self.hash();
        }
        let misere = self.here("play", |text| match text {
            "normal" => Some(false),
            "misere" => Some(true),
            _ => None,
        })?;
        let play = if misere {
            Play::Misere { base: self.parse("base", |text| notation::read(text).ok())? }
        } else {
            Play::Normal
        };
        let position = self.parse("position", |text| notation::read(text).ok())?;
        let claim = self.parse("claim", |text| text.parse::<Claim>().ok())?;
        if misere && matches!(claim, Claim::Nimber(_)) {
            return Err(CertificateError::NoNimbers(self.number));
        }
        let facts = self.parse("facts", |text| text.parse().ok())?;
        Ok(Header { game, play, position, claim, facts })
    }

    /// The error, or what is wrong with the packed file, if that is damaged: a damaged file holds
    /// another text, and its own checksum stands at its end.
    fn damaged_or(&mut self, error: CertificateError) -> CertificateError {
        if !self.source.get_ref().is_packed() || !error.is_about_the_text() {
            return error;
        }
        match io::copy(&mut self.source, &mut io::sink()) {
            Ok(_) => error,
            Err(rest) => CertificateError::of(rest, self.number),
        }
    }

    /// Goes to the next line.
    fn next(&mut self) -> Result<(), CertificateError> {
        let mut bytes = Vec::new();
        let limit = MAX_LINE as u64;
        let read = (&mut self.source).take(limit).read_until(b'\n', &mut bytes);
        read.map_err(|error| CertificateError::of(error, self.number))?;
        self.number += 1;
        if bytes.pop() != Some(b'\n') {
            let whole = bytes.len() + 1 < MAX_LINE;
            return Err(if whole {
                CertificateError::Truncated(self.number - 1)
            } else {
                let reason = format!("longer than {MAX_LINE} bytes");
                CertificateError::Fact { line: self.number, reason }
            });
        }
        // Some programs end lines in this way, and mean the same text.
        bytes.pop_if(|end| *end == b'\r');
        self.text = String::from_utf8(bytes).map_err(|_| CertificateError::Fact {
            line: self.number,
            reason: "this is no text".to_owned(),
        })?;
        Ok(())
    }

    fn hash(&mut self) {
        self.hasher.update(self.text.as_bytes());
        self.hasher.update(b"\n");
    }

    /// The rest of the next line, which begins with `key` and a blank.
    fn value(&mut self, key: &'static str) -> Result<String, CertificateError> {
        self.parse(key, |value| Some(value.to_owned()))
    }

    /// What the next line says of `key`.
    fn parse<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, CertificateError> {
        self.next()?;
        self.hash();
        self.here(key, read)
    }

    /// What this line says of `key`.
    fn here<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, CertificateError> {
        let value = self.text.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        value.and_then(read).ok_or_else(|| self.unexpected(key))
    }

    fn unexpected(&self, expected: &'static str) -> CertificateError {
        let found = self.text.chars().take(80).collect();
        CertificateError::Header { line: self.number, expected, found }
    }
}
