//! Reading a certificate, line by line.

use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};

use sprig_engine::notation;

use crate::compact::Decoder;
use crate::{CertificateError, Claim, FORMAT_VERSION, Header, MAGIC, Play};

/// The longest line that is read, in bytes: a land of the longest text, and a nimber.
const MAX_LINE: usize = notation::MAX_TEXT + 64;

/// A certificate that is being read, in either form.
pub struct Reader {
    lines: Lines,
    header: Header,
    /// Facts still to come.
    left: u64,
    is_compact: bool,
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
        let mut source: Box<dyn BufRead> = Box::new(BufReader::new(source));
        let is_compact = source.fill_buf()?.starts_with(&MAGIC);
        if is_compact {
            source = decoded(source)?;
        }
        Self::begin(source, is_compact).map_err(|error| in_form(is_compact, error))
    }

    fn begin(source: Box<dyn BufRead>, is_compact: bool) -> Result<Self, CertificateError> {
        let mut lines =
            Lines { source, hasher: blake3::Hasher::new(), number: 0, text: String::new() };
        let version = lines.value("sprig certificate").map_err(|error| match error {
            CertificateError::Io(error) => error.into(),
            cut @ CertificateError::Truncated(_) if is_compact => cut,
            _ => CertificateError::Foreign,
        })?;
        if version != FORMAT_VERSION.to_string() {
            return Err(CertificateError::Version(version));
        }
        let misere = lines.parse("play", |text| match text {
            "normal" => Some(false),
            "misere" => Some(true),
            _ => None,
        })?;
        let play = if misere {
            Play::Misere { base: lines.parse("base", |text| notation::read(text).ok())? }
        } else {
            Play::Normal
        };
        let position = lines.parse("position", |text| notation::read(text).ok())?;
        let claim = lines.parse("claim", |text| {
            text.parse().ok().filter(|claim| !misere || !matches!(claim, Claim::Nimber(_)))
        })?;
        let facts = lines.parse("facts", |text| text.parse().ok())?;
        let header = Header { play, position, claim, facts };
        Ok(Self { lines, header, left: facts, is_compact })
    }

    /// What the certificate says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The line of the next fact; none after the last, when the checksum has been found to be right.
    ///
    /// # Errors
    /// [`CertificateError`] when there is none where one should be, or the checksum is wrong.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, CertificateError> {
        let is_compact = self.is_compact;
        if self.left == 0 {
            return self.end().map(|()| None).map_err(|error| in_form(is_compact, error));
        }
        self.left -= 1;
        self.lines.next().map_err(|error| in_form(is_compact, error))?;
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
        if !self.lines.source.fill_buf()?.is_empty() {
            return Err(CertificateError::Trailing(self.lines.number + 1));
        }
        Ok(())
    }
}

/// The error as readers of this form see it: the lines of a compact certificate stand in no file.
fn in_form(is_compact: bool, error: CertificateError) -> CertificateError {
    match error {
        CertificateError::Foreign
        | CertificateError::Header { .. }
        | CertificateError::Fact { .. }
        | CertificateError::Trailing(_)
            if is_compact =>
        {
            CertificateError::Damaged
        }
        error => error,
    }
}

/// The lines of the text.
struct Lines {
    source: Box<dyn BufRead>,
    /// Of all lines but the last.
    hasher: blake3::Hasher,
    /// The number of the line, counted from 1.
    number: u64,
    /// The line without its end.
    text: String,
}

impl Lines {
    /// Goes to the next line.
    fn next(&mut self) -> Result<(), CertificateError> {
        let mut bytes = Vec::new();
        let limit = MAX_LINE as u64;
        let read = (&mut self.source).take(limit).read_until(b'\n', &mut bytes);
        match read {
            // A compact form that is cut off.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(CertificateError::Truncated(self.number));
            }
            read => read?,
        };
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
        self.next()?;
        self.hash();
        let value = self.text.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '));
        value.map(str::to_owned).ok_or_else(|| self.unexpected(key))
    }

    fn parse<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, CertificateError> {
        let value = self.value(key)?;
        read(&value).ok_or_else(|| self.unexpected(key))
    }

    fn unexpected(&self, expected: &'static str) -> CertificateError {
        let found = self.text.chars().take(80).collect();
        CertificateError::Header { line: self.number, expected, found }
    }
}

/// The text of a compact certificate, with the checksum that it carries as last line.
fn decoded(mut source: Box<dyn BufRead>) -> Result<Box<dyn BufRead>, CertificateError> {
    let mut head = [0; MAGIC.len() + 4 + 8 + blake3::OUT_LEN];
    source.read_exact(&mut head).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => CertificateError::Truncated(0),
        _ => error.into(),
    })?;
    let (version, rest) = head[MAGIC.len()..].split_first_chunk().expect("the head has its length");
    let version = u32::from_le_bytes(*version);
    if version != FORMAT_VERSION {
        return Err(CertificateError::Version(version.to_string()));
    }
    let (length, hash) = rest.split_first_chunk().expect("the head has its length");
    let hash = blake3::Hash::from_slice(hash).expect("the head has its length");
    let length = u64::from_le_bytes(*length);
    let decoder = Decoder::new(source, length).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => CertificateError::Truncated(0),
        _ => error.into(),
    })?;
    let last = Cursor::new(format!("blake3 {}\n", hash.to_hex()));
    Ok(Box::new(BufReader::new(decoder.chain(last))))
}
