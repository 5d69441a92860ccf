//! Reads a file line by line.

use std::io::{BufRead, Read};

use crate::error::{ForeignError, Problem};
use crate::fields::{Fields, Misfit};
use crate::{Kind, Record, json};

/// The longest line that is read, in bytes; one option of an RCT takes some 12 bytes, or 35 as a
/// key.
const MAX_LINE: usize = 16 << 20;

/// The lines of a file of any format, which its first line tells.
pub struct Reader<R> {
    source: R,
    /// The line that is looked at, without its end.
    line: Vec<u8>,
    number: u64,
    bytes: u64,
    layout: Option<Layout>,
}

/// How the next line is read.
#[derive(Clone, Copy)]
enum Layout {
    /// GLOP or SPOTS, in a section of this kind.
    Section(Kind),
    JsonLines,
    Csv(Kind),
}

/// What some editors put before a text. It says nothing in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl<R: BufRead> Reader<R> {
    /// Reads from `source`.
    pub fn new(source: R) -> Self {
        Self { source, line: Vec::new(), number: 0, bytes: 0, layout: None }
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next record and the number of its line; `None` at the end.
    fn record(&mut self) -> Result<Option<(u64, Record)>, ForeignError> {
        while self.advance()? {
            let number = self.number;
            let at =
                |(column, problem): Misfit| ForeignError::Line { line: number, column, problem };
            let line = std::str::from_utf8(&self.line).map_err(|e| {
                let before = String::from_utf8_lossy(&self.line[..e.valid_up_to()]);
                at((before.chars().count() + 1, Problem::NoText))
            })?;
            if line.trim().is_empty() {
                continue;
            }
            let layout = match self.layout {
                // Only these files have further headers, and none of their records begins like a
                // header.
                Some(Layout::Section(_)) if line.starts_with('[') => None,
                layout => layout,
            };
            let record = match layout {
                Some(Layout::Section(kind)) => Fields::between_blanks(line).record(kind),
                Some(Layout::Csv(kind)) => Fields::between_commas(line).record(kind),
                Some(Layout::JsonLines) => json::read(line),
                None => {
                    let layout = announced(line.trim_end()).map_err(at)?;
                    self.layout = Some(layout);
                    match layout {
                        Layout::JsonLines => json::read(line),
                        Layout::Section(_) | Layout::Csv(_) => continue,
                    }
                }
            };
            return Ok(Some((number, record.map_err(at)?)));
        }
        Ok(None)
    }

    /// Reads a line; `false` at the end.
    fn advance(&mut self) -> Result<bool, ForeignError> {
        self.line.clear();
        let mut limited = (&mut self.source).take(MAX_LINE as u64);
        let bytes = limited
            .read_until(b'\n', &mut self.line)
            .map_err(|source| ForeignError::Io { line: self.number, source })?;
        if bytes == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.bytes += bytes as u64;
        if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        if self.line.pop_if(|end| *end == b'\n').is_some() {
            self.line.pop_if(|end| *end == b'\r');
        } else if bytes == MAX_LINE {
            let problem = Problem::TooLong(MAX_LINE);
            return Err(ForeignError::Line { line: self.number, column: MAX_LINE, problem });
        }
        Ok(true)
    }
}

/// Records and the numbers of their lines. After a line that is no record, the next item is about
/// the line after it.
impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<(u64, Record), ForeignError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}

/// The layout that a first line or a header announces.
fn announced(line: &str) -> Result<Layout, Misfit> {
    let find =
        |text: fn(Kind) -> &'static str| Kind::ALL.into_iter().find(|&kind| text(kind) == line);
    if line.starts_with('{') {
        Ok(Layout::JsonLines)
    } else if line.starts_with('[') {
        let unknown = || (1, Problem::UnknownHeader(line.to_owned()));
        find(Kind::header).map(Layout::Section).ok_or_else(unknown)
    } else {
        find(Kind::columns).map(Layout::Csv).ok_or((1, Problem::NoHeader))
    }
}
