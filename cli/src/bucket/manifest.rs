//! What a backup consists of: a text beside its parts, which is written last.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

/// The version of the manifest's format.
const VERSION: u32 = 1;

/// A backup in storage.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The version of the format.
    sprig_backup: u32,
    /// Facts in the database.
    pub facts: u64,
    /// Whether every record was read before it was sent.
    pub checked: bool,
    /// The files of the database.
    pub files: Vec<Part>,
}

/// A file of a database.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The name of the file in the folder of the database.
    pub name: String,
    /// The length of the file.
    pub bytes: u64,
    /// The BLAKE3 of the file in hexadecimal digits, which is the name of the object that holds it.
    pub blake3: String,
}

impl Manifest {
    pub fn new(facts: u64, checked: bool, files: Vec<Part>) -> Self {
        Self { sprig_backup: VERSION, facts, checked, files }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// When the text is none, is of another version, or names a file that no database has.
    pub fn parse(bytes: &[u8]) -> anyhow::Result<Self> {
        let manifest: Self = serde_json::from_slice(bytes)
            .context("its list of files is damaged, or was cut short")?;
        let version = manifest.sprig_backup;
        ensure!(version == VERSION, "it is of version {version}; a newer sprig reads it");
        ensure!(!manifest.files.is_empty(), "its list of files is empty");
        let mut names = BTreeSet::new();
        for Part { name, blake3, .. } in &manifest.files {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            let fits = !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain);
            ensure!(fits, "its list names {name:?}, which is no file of a database");
            ensure!(names.insert(name), "its list names {name} twice");
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let is_hash = blake3.len() == 64 && blake3.bytes().all(is_digit);
            ensure!(is_hash, "its list has no hash for {name}");
        }
        Ok(manifest)
    }

    /// The manifest as text.
    pub fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("it has text keys alone")
    }

    /// The bytes of all files together.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str) -> Part {
        Part { name: name.into(), bytes: 7, blake3: "0f".repeat(32) }
    }

    #[test]
    fn it_is_read_as_it_was_written_and_never_in_part() {
        let manifest = Manifest::new(3, true, vec![part("CURRENT"), part("000012.sst")]);
        let text = manifest.text();
        assert_eq!(Manifest::parse(&text).expect("a manifest"), manifest);
        for end in 0..text.len() {
            assert!(Manifest::parse(&text[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn it_names_nothing_outside_its_folder() {
        for name in ["../SPRIG", "/etc/passwd", "a/b", "", ".", "..", ".hidden", "a\u{0}"] {
            let manifest = Manifest::new(3, true, vec![part(name)]);
            assert!(Manifest::parse(&manifest.text()).is_err(), "{name:?}");
        }
        let twice = Manifest::new(3, true, vec![part("CURRENT"), part("CURRENT")]);
        assert!(Manifest::parse(&twice.text()).is_err());
        let none = Part { blake3: "../x".into(), ..part("CURRENT") };
        assert!(Manifest::parse(&Manifest::new(3, true, vec![none]).text()).is_err());
    }
}
