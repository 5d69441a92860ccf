//! The manifest of a publication.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use ring::digest::{Context as Digest, SHA256};
use serde::{Deserialize, Serialize};

use crate::failure::escaped;

/// The name of the manifest in the folder.
pub const NAME: &str = "manifest.json";
/// The version of the manifest. It changes whenever a reader of one version would misread the
/// other.
pub const VERSION: u32 = 1;
/// The longest manifest that is read, in bytes.
pub const LONGEST: u64 = 16 << 20;
/// The longest file that is fetched, in bytes. It bounds packed and unpacked files.
const LARGEST: u64 = 1 << 34;
/// Most files of a publication.
const MOST: usize = 100_000;

/// The contents of `manifest.json`.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The version of the manifest, [`VERSION`].
    pub sprig_publication: u32,
    /// The version of the canonical form in which the lands are written.
    pub canonical_form: u32,
    /// The title of the publication, for people.
    pub title: String,
    /// The program that made it.
    pub made_by: String,
    /// When the publication was made, in milliseconds since 1970 (UTC).
    pub made_unix_millis: u64,
    /// The files of facts. Trees come before the facts that are built of them.
    pub facts: Vec<Facts>,
    /// The certificates, each a proof of its own.
    pub certificates: Vec<Certified>,
}

/// A file of a publication, with what it takes to check it.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug, Clone)]
pub struct Published {
    /// The path of the file in the folder, with `/`.
    pub name: String,
    /// The length of the file.
    pub bytes: u64,
    /// The SHA-256 of the file, 64 hexadecimal digits.
    pub sha256: String,
}

/// A file of facts: JSON Lines, packed by gzip.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug, Clone)]
pub struct Facts {
    /// The packed file.
    #[serde(flatten)]
    pub file: Published,
    /// The kind of facts: `nimbers`, `trees`, `rcts` or `losses`.
    pub kind: String,
    /// The lines of the file.
    pub lines: u64,
    /// The bytes of the unpacked file.
    pub text_bytes: u64,
}

/// A certificate (docs/certificate-format.md).
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug, Clone)]
pub struct Certified {
    /// The file of the certificate.
    #[serde(flatten)]
    pub file: Published,
    /// The position of its claim.
    pub position: String,
    /// The play: `normal` or `misere`.
    pub play: String,
    /// The claim that it proves.
    pub claim: String,
    /// The number of its facts.
    pub facts: u64,
}

impl Manifest {
    /// Reads a manifest, and refuses one with impossible entries.
    ///
    /// # Errors
    /// What is wrong with the manifest.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            sprig_publication: u32,
        }
        let version: Version = serde_json::from_slice(bytes)
            .context("this is no manifest of a publication; is it the right address?")?;
        let version = version.sprig_publication;
        ensure!(
            version == VERSION,
            "the publication has version {version}, and this program reads version {VERSION}; \
             fetch it with a program of its time"
        );
        let manifest: Self = serde_json::from_slice(bytes).context("the manifest is damaged")?;
        let ours = sprig_engine::CANONICAL_VERSION;
        ensure!(
            manifest.canonical_form == ours,
            "its lands are written in canonical form {}, and this program has {ours}; fetch it \
             with a program of its time",
            manifest.canonical_form
        );
        manifest.check()?;
        Ok(manifest)
    }

    /// All files of the publication, without the manifest.
    pub fn files(&self) -> impl Iterator<Item = &Published> {
        let facts = self.facts.iter().map(|facts| &facts.file);
        facts.chain(self.certificates.iter().map(|certified| &certified.file))
    }

    fn check(&self) -> anyhow::Result<()> {
        ensure!(self.files().count() <= MOST, "the manifest names more than {MOST} files");
        let mut names: Vec<&str> = self.files().map(|file| file.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("the manifest names {} twice", escaped(twice[0]));
        }
        for file in self.files() {
            let name = escaped(&file.name);
            ensure!(is_name(&file.name), "the manifest names a file that cannot be meant: {name}");
            let is_hash = file.sha256.len() == 64 && file.sha256.bytes().all(is_digit);
            ensure!(is_hash, "the manifest has no SHA-256 of {name}");
            ensure!(file.bytes <= LARGEST, "{name} has {} bytes, too many for a file", file.bytes);
        }
        for facts in &self.facts {
            let (name, bytes) = (&facts.file.name, facts.text_bytes);
            ensure!(bytes <= LARGEST, "{name} unpacks to {bytes} bytes, too many for a file");
        }
        Ok(())
    }
}

/// Whether a name can belong to a file in the folder, or in a folder below it, on every system.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain);
    name.len() <= 200 && name.split('/').count() <= 3 && name.split('/').all(is_part)
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

/// A hash that takes in bytes piece by piece.
#[derive(Clone)]
pub struct Sum(Digest);

impl Sum {
    /// The hash of no bytes.
    pub fn new() -> Self {
        Self(Digest::new(&SHA256))
    }

    /// Takes in the next bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash in hexadecimal digits.
    pub fn digits(self) -> String {
        self.0.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The size and hash of a file on this machine, as a manifest states them.
///
/// # Errors
/// When the file cannot be read.
pub fn published(name: &str, path: &Path) -> anyhow::Result<Published> {
    let cannot = || format!("cannot read {}", path.display());
    let mut file = std::fs::File::open(path).with_context(cannot)?;
    let (mut sum, mut bytes, mut buffer) = (Sum::new(), 0, vec![0; 1 << 16]);
    loop {
        let count = std::io::Read::read(&mut file, &mut buffer).with_context(cannot)?;
        if count == 0 {
            return Ok(Published { name: name.to_owned(), bytes, sha256: sum.digits() });
        }
        sum.take(&buffer[..count]);
        bytes += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        for name in ["nimbers-1.jsonl.gz", "certificates/normal-0-8.cert"] {
            assert!(is_name(name), "{name}");
        }
        let long = "a".repeat(201);
        for name in
            ["", "/etc/passwd", "../x", "a/../b", "a//b", ".x", "a\\b", "a b", "ü", "C:x", &long]
        {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn a_sum_is_that_of_the_standard() {
        // The expected hash is that of the text `abc` in FIPS 180-4.
        let mut sum = Sum::new();
        sum.take(b"a");
        sum.take(b"bc");
        let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sum.digits(), digits);
    }
}
