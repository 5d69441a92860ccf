//! Facts in files that are not too long for one download, and not too many.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

/// A file ends after this many bytes of text, and the next one begins.
const LONG: u64 = 64 << 20;

/// Takes lines, and writes them into one file after the other, packed by gzip. The same lines give
/// the same files.
pub struct Parts {
    folder: PathBuf,
    kind: &'static str,
    long: u64,
    now: Option<Part>,
    done: Vec<Done>,
}

struct Part {
    out: GzEncoder<BufWriter<File>>,
    done: Done,
}

/// A file that was written.
pub struct Done {
    /// The name of the file in the folder.
    pub name: String,
    /// The lines of the file.
    pub lines: u64,
    /// The bytes of the file before it was packed.
    pub text_bytes: u64,
}

impl Parts {
    /// Files in a folder for facts of a kind. Without facts there is no file.
    pub fn new(folder: &Path, kind: &'static str) -> Self {
        Self { folder: folder.to_owned(), kind, long: LONG, now: None, done: Vec::new() }
    }

    /// Ends the last file, and describes all files.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> io::Result<Vec<Done>> {
        self.end()?;
        Ok(self.done)
    }

    fn part(&mut self) -> io::Result<&mut Part> {
        match &mut self.now {
            Some(part) => Ok(part),
            none => {
                let name = format!("{}-{}.jsonl.gz", self.kind, self.done.len() + 1);
                let file = BufWriter::new(File::create(self.folder.join(&name))?);
                // The header of gzip gets no time and no name, as these would differ from run to
                // run.
                let out = GzBuilder::new().write(file, Compression::best());
                Ok(none.insert(Part { out, done: Done { name, lines: 0, text_bytes: 0 } }))
            }
        }
    }

    fn end(&mut self) -> io::Result<()> {
        let Some(Part { out, done }) = self.now.take() else { return Ok(()) };
        let file = out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        self.done.push(done);
        Ok(())
    }
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Bytes are taken up to the end of a line, so that files end there.
        let line = bytes.iter().position(|&byte| byte == b'\n').map(|end| end + 1);
        let count = line.unwrap_or(bytes.len());
        let part = self.part()?;
        part.out.write_all(&bytes[..count])?;
        part.done.text_bytes += count as u64;
        part.done.lines += u64::from(line.is_some());
        if line.is_some() && part.done.text_bytes >= self.long {
            self.end()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.now.as_mut().map_or(Ok(()), |part| part.out.flush())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn files_end_with_a_line_and_hold_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let text: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let mut parts = Parts { long: 200, ..Parts::new(folder.path(), "nimbers") };
        for piece in text.as_bytes().chunks(7) {
            parts.write_all(piece).expect("written");
        }
        let done = parts.finish().expect("written");
        assert!(done.len() > 3 && done[1].name == "nimbers-2.jsonl.gz");
        let mut all = String::new();
        for part in &done {
            let file = File::open(folder.path().join(&part.name)).expect("there");
            let mut said = String::new();
            flate2::read::GzDecoder::new(file).read_to_string(&mut said).expect("packed");
            assert!(said.ends_with('\n') && said.lines().count() as u64 == part.lines);
            assert_eq!(said.len() as u64, part.text_bytes);
            all += &said;
        }
        assert_eq!(all, text);
        assert!(Parts::new(folder.path(), "trees").finish().expect("nothing").is_empty());
    }
}
