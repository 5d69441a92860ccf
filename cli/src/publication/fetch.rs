//! Takes the files of a publication from a folder or from the web, and compares their sizes and
//! hashes.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, bail, ensure};
use flate2::read::GzDecoder;

use super::http::Web;
use super::manifest::{self, Facts, Manifest, Published, Sum, published};
use crate::failure::Interrupted;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Where a publication lies.
pub enum Place {
    /// In a folder of this machine.
    Folder(PathBuf),
    /// On the web.
    Web(Box<Web>),
}

impl Place {
    /// The place that was typed: an address, or a folder.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn of(text: &str) -> anyhow::Result<Self> {
        if text.contains("://") {
            return Ok(Self::Web(Box::new(Web::at(text)?)));
        }
        let path = Path::new(text);
        let is_manifest = path.file_name().is_some_and(|name| name == manifest::NAME);
        let folder = path.parent().filter(|_| is_manifest).unwrap_or(path);
        ensure!(
            folder.is_dir(),
            "{text} is no folder, and no address; an address begins with http:// or https://"
        );
        Ok(Self::Folder(folder.to_owned()))
    }

    /// Reads the manifest.
    ///
    /// # Errors
    /// When there is none, or its version is unknown.
    pub async fn manifest(&self) -> anyhow::Result<Manifest> {
        let mut bytes = Vec::new();
        match self {
            Self::Folder(folder) => {
                let path = folder.join(manifest::NAME);
                let file = File::open(&path).with_context(|| {
                    format!(
                        "{} is no publication: cannot open {}",
                        folder.display(),
                        path.display()
                    )
                })?;
                file.take(manifest::LONGEST + 1).read_to_end(&mut bytes)?;
            }
            Self::Web(web) => {
                let mut coming = web.open(manifest::NAME, 0).await?;
                while let Some(more) = coming.next().await? {
                    bytes.extend_from_slice(&more);
                    if bytes.len() as u64 > manifest::LONGEST {
                        break;
                    }
                }
            }
        }
        ensure!(bytes.len() as u64 <= manifest::LONGEST, "the manifest is longer than any is read");
        Manifest::read(&bytes)
    }

    /// Takes a file into a folder. Parts of the file that are there already are not taken again.
    /// `done` is told how many bytes are there.
    ///
    /// # Errors
    /// When the file cannot be read or written, or differs from its manifest.
    pub async fn take(
        &self,
        file: &Published,
        into: &Path,
        stop: &AtomicBool,
        done: impl Fn(u64),
    ) -> anyhow::Result<PathBuf> {
        let path = into.join(&file.name);
        if path.is_file() && published(&file.name, &path)? == *file {
            return Ok(path);
        }
        let mut part = Part::open(file, &path)?;
        let had = part.bytes;
        self.fill(&mut part, stop, &done).await?;
        // The part of an earlier attempt may belong to another file. Then the whole file is taken
        // again.
        if had > 0 && !part.is_right() {
            part.begin_again()?;
            self.fill(&mut part, stop, &done).await?;
        }
        part.end()?;
        Ok(path)
    }

    async fn fill(
        &self,
        part: &mut Part<'_>,
        stop: &AtomicBool,
        done: &impl Fn(u64),
    ) -> anyhow::Result<()> {
        let go_on = || -> anyhow::Result<()> {
            let kept = "what was fetched is kept, the same command goes on from there";
            match stop.load(Relaxed) {
                true => Err(Interrupted::new(kept.to_owned()).into()),
                false => Ok(()),
            }
        };
        if part.bytes == part.file.bytes {
            return Ok(());
        }
        match self {
            Self::Folder(folder) => {
                let path = folder.join(&part.file.name);
                let cannot = || format!("cannot read {}", path.display());
                let mut source = File::open(&path).with_context(cannot)?;
                source.seek(SeekFrom::Start(part.bytes)).with_context(cannot)?;
                let mut buffer = vec![0; CHUNK];
                loop {
                    go_on()?;
                    let count = source.read(&mut buffer).with_context(cannot)?;
                    if count == 0 {
                        return Ok(());
                    }
                    part.take(&buffer[..count])?;
                    done(part.bytes);
                }
            }
            Self::Web(web) => {
                let mut coming = web.open(&part.file.name, part.bytes).await?;
                if coming.from != part.bytes {
                    part.begin_again()?;
                }
                while let Some(bytes) = coming.next().await? {
                    go_on()?;
                    part.take(&bytes)?;
                    done(part.bytes);
                }
                Ok(())
            }
        }
    }
}

/// A file that may be there in part.
struct Part<'a> {
    file: &'a Published,
    whole: &'a Path,
    path: PathBuf,
    out: File,
    bytes: u64,
    sum: Sum,
}

impl<'a> Part<'a> {
    fn open(file: &'a Published, whole: &'a Path) -> anyhow::Result<Self> {
        let mut path = OsString::from(whole);
        path.push(".part");
        let path = PathBuf::from(path);
        let begin = || -> io::Result<(File, u64, Sum)> {
            fs::create_dir_all(whole.parent().unwrap_or(Path::new(".")))?;
            let mut out =
                File::options().read(true).write(true).create(true).truncate(false).open(&path)?;
            let (mut sum, mut bytes, mut buffer) = (Sum::new(), 0, vec![0; CHUNK]);
            loop {
                let count = out.read(&mut buffer)?;
                if count == 0 {
                    return Ok((out, bytes, sum));
                }
                sum.take(&buffer[..count]);
                bytes += count as u64;
            }
        };
        let (out, bytes, sum) =
            begin().with_context(|| format!("cannot write {}", path.display()))?;
        let mut part = Self { file, whole, path, out, bytes, sum };
        if part.bytes > file.bytes {
            part.begin_again()?;
        }
        Ok(part)
    }

    fn begin_again(&mut self) -> anyhow::Result<()> {
        let again = self.out.set_len(0).and_then(|()| self.out.rewind());
        again.with_context(|| format!("cannot write {}", self.path.display()))?;
        (self.bytes, self.sum) = (0, Sum::new());
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let Published { name, bytes: all, .. } = self.file;
        ensure!(
            self.bytes + bytes.len() as u64 <= *all,
            "{name} is longer than the {all} bytes of its manifest; ask who published it"
        );
        self.out.write_all(bytes).with_context(|| {
            let path = self.path.display();
            format!("cannot write {path}; make room, and the same command goes on from there")
        })?;
        self.sum.take(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Whether the file is complete, and has the hash of the manifest.
    fn is_right(&self) -> bool {
        self.bytes == self.file.bytes && self.sum.clone().digits() == self.file.sha256
    }

    /// Gives the file its name, if it is what the manifest says.
    fn end(self) -> anyhow::Result<()> {
        let Published { name, bytes, .. } = self.file;
        if self.bytes < *bytes {
            bail!(
                "{name} ends after {} of {bytes} bytes; the same command goes on from there, and \
                 if it stays so, ask who published it",
                self.bytes
            );
        }
        if !self.is_right() {
            // A wrong file would only be in the way of the next attempt.
            let _ = fs::remove_file(&self.path);
            bail!("{name} is not what its manifest says: the hash differs; ask who published it");
        }
        let keep = self.out.sync_all().and_then(|()| fs::rename(&self.path, self.whole));
        keep.with_context(|| format!("cannot write {}", self.whole.display()))
    }
}

/// Unpacks a file of facts beside the packed one, and gives its path. Its length and its number of
/// lines must be those of the manifest.
///
/// # Errors
/// When the file cannot be written, or is not as long as the manifest says.
pub fn unpack(facts: &Facts, packed: &Path) -> anyhow::Result<PathBuf> {
    let path = packed.with_extension("");
    let name = &facts.file.name;
    let source = File::open(packed).with_context(|| format!("cannot read {}", packed.display()))?;
    let mut source = GzDecoder::new(source).take(facts.text_bytes + 1);
    let mut out =
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let (mut buffer, mut bytes, mut lines) = (vec![0; CHUNK], 0, 0);
    loop {
        let count = source.read(&mut buffer).with_context(|| format!("{name} is no gzip"))?;
        if count == 0 {
            break;
        }
        lines += buffer[..count].iter().filter(|byte| **byte == b'\n').count() as u64;
        out.write_all(&buffer[..count]).with_context(|| {
            format!("cannot write {}; make room, and use the same command again", path.display())
        })?;
        bytes += count as u64;
    }
    let all = facts.text_bytes;
    ensure!(bytes == all, "{name} does not unpack to the {all} bytes of its manifest");
    let all = facts.lines;
    ensure!(
        lines == all,
        "{name} has {lines} lines, and {all} by its manifest; ask who published it"
    );
    Ok(path)
}
