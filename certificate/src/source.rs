//! The bytes of a file, whatever its form, as text; and the bounds of what they may become.
//!
//! A packed file of a kilobyte can hold a megabyte of text, and a forged one terabytes. So text is
//! read as it comes, and only as much of it as a certificate may have.

use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};

use flate2::bufread::GzDecoder;

use crate::compact::Decoder;
use crate::{CertificateError, FORMAT_VERSION, MAGIC};

/// The longest text of a certificate, in bytes. That of 22 spots in misère play has 38 million.
pub const MAX_TEXT: u64 = 1 << 30;

/// The text that a packed file may become however short it is, in bytes.
pub const MIN_EXPANSION: u64 = 16 << 20;

/// The bytes of text that each byte of a packed file may become beyond that. Certificates become 3
/// to 20 times as long.
pub const EXPANSION: u64 = 64;

/// What a file packed by gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The text of a file.
pub(crate) struct Source {
    form: Packed,
    /// Bytes of text that were read so far.
    said: u64,
}

enum Packed {
    Text(Counted),
    Gzip(GzDecoder<Counted>),
    /// The code, and the last line of the text, which is not coded.
    Compact(Box<Decoder<Counted>>, Cursor<String>),
}

/// The file itself, and how much of it has been read.
struct Counted {
    file: Box<dyn BufRead>,
    count: u64,
}

/// Whether a file that begins with `start`, unpacked if it was packed by gzip, says that it is a certificate.
#[must_use]
pub fn is_certificate(start: &[u8]) -> bool {
    start.starts_with(&MAGIC) || start.starts_with(b"sprig certificate ")
}

impl Source {
    /// Finds out which form the file has.
    pub fn open(file: impl Read + 'static) -> Result<Self, CertificateError> {
        let mut file = Counted { file: Box::new(BufReader::new(file)), count: 0 };
        let start = file.fill_buf()?;
        let form = if start.starts_with(&GZIP) {
            Packed::Gzip(GzDecoder::new(file))
        } else if start.starts_with(&MAGIC) {
            compact(file)?
        } else {
            Packed::Text(file)
        };
        Ok(Self { form, said: 0 })
    }

    /// Whether lines of the text stand in no file.
    pub fn is_packed(&self) -> bool {
        !matches!(self.form, Packed::Text(_))
    }

    /// The text that the file may have become by now.
    fn bound(&self) -> u64 {
        let read = match &self.form {
            Packed::Text(_) => return MAX_TEXT,
            Packed::Gzip(decoder) => decoder.get_ref().count,
            Packed::Compact(decoder, _) => decoder.source().count,
        };
        MAX_TEXT.min(MIN_EXPANSION + EXPANSION * read)
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.form {
            Packed::Text(file) => file.read(out)?,
            Packed::Gzip(decoder) => {
                let count = decoder.read(out)?;
                // Browsers refuse what stands behind the end, so nothing may.
                if count == 0 && !out.is_empty() && !decoder.get_mut().fill_buf()?.is_empty() {
                    return Err(ErrorKind::InvalidData.into());
                }
                count
            }
            Packed::Compact(decoder, last) => match decoder.read(out)? {
                0 => last.read(out)?,
                count => count,
            },
        };
        self.said += count as u64;
        if self.said > self.bound() {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(count)
    }
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(out)?;
        self.count += count as u64;
        Ok(count)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count += amount as u64;
        self.file.consume(amount);
    }
}

/// Reads the head of the compact form, which earlier versions wrote.
fn compact(mut file: Counted) -> Result<Packed, CertificateError> {
    let mut head = [0; MAGIC.len() + 4 + 8 + blake3::OUT_LEN];
    file.read_exact(&mut head).map_err(|error| CertificateError::of(error, 0))?;
    let (version, rest) = head[MAGIC.len()..].split_first_chunk().expect("the head has its length");
    let version = u32::from_le_bytes(*version);
    if version != FORMAT_VERSION {
        return Err(CertificateError::Version(version.to_string()));
    }
    let (length, hash) = rest.split_first_chunk().expect("the head has its length");
    let hash = blake3::Hash::from_slice(hash).expect("the head has its length");
    let length = u64::from_le_bytes(*length);
    let decoder = Decoder::new(file, length).map_err(|error| CertificateError::of(error, 0))?;
    Ok(Packed::Compact(Box::new(decoder), Cursor::new(format!("blake3 {}\n", hash.to_hex()))))
}
