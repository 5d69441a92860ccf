//! Where backups lie: in a folder, or in object storage.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

/// A place for backups, as it is named on the command line.
#[derive(Clone, Debug)]
pub enum Target {
    Folder(PathBuf),
    /// An address that begins with `s3://`.
    Bucket(String),
}

impl FromStr for Target {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let is_address = text.split_once("://").is_some_and(|(scheme, _)| {
            !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        Ok(if is_address { Self::Bucket(text.into()) } else { Self::Folder(text.into()) })
    }
}

/// The error of a program that was built without object storage.
#[cfg(not(feature = "s3"))]
pub fn unsupported() -> anyhow::Error {
    anyhow::anyhow!(
        "this program was built without object storage (feature `s3`); name a folder, or take a program that has it"
    )
}
