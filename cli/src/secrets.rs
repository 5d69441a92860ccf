//! Files that hold secrets: who else may read them, and how they are made.

use std::fs::File;
#[cfg(feature = "coordinator")]
use std::fs::OpenOptions;
use std::io::Read;
#[cfg(feature = "coordinator")]
use std::io::Write;
use std::os::unix::fs::MetadataExt;
#[cfg(feature = "coordinator")]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, ensure};

/// Longest file that is read, in bytes: no certificate or token comes near it.
const LONGEST: u64 = 1 << 20;

/// Who may have access to a file besides its owner.
#[derive(Clone, Copy)]
pub enum Guarded {
    /// It is no secret, and whoever writes it decides whom we trust.
    Trusted,
    /// It is a secret: its group may read it, so that it can be handed to a service, and nobody else.
    Secret,
}

/// Reads a text file whose permissions fit what it is for.
///
/// # Errors
/// When it cannot be read, or others have more access to it than they should; names the file and the remedy.
pub fn read(path: &Path, guarded: Guarded) -> anyhow::Result<String> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let mode = file.metadata().with_context(|| format!("cannot read {shown}"))?.mode();
    let (forbidden, what, remedy) = match guarded {
        Guarded::Trusted => (0o022, "changed", "chmod go-w"),
        Guarded::Secret => (0o027, "read or changed", "chmod 600"),
    };
    ensure!(mode & forbidden == 0, "{shown} can be {what} by others: `{remedy} {shown}` first");
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).with_context(|| format!("cannot read {shown}"))?;
    Ok(text)
}

/// Makes a file that must not be there yet.
///
/// # Errors
/// When it is there, or cannot be written.
#[cfg(feature = "coordinator")]
pub fn create(path: &Path, text: &str, guarded: Guarded) -> anyhow::Result<()> {
    let mode = match guarded {
        Guarded::Trusted => 0o644,
        Guarded::Secret => 0o600,
    };
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    let written = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.with_context(|| format!("cannot make {}", path.display()))
}

/// Adds a line to a file; makes it where there is none.
///
/// # Errors
/// When it cannot be written.
#[cfg(feature = "coordinator")]
pub fn append(path: &Path, line: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| {
        file.write_all(line.as_bytes())?;
        file.sync_all()
    });
    written.with_context(|| format!("cannot add to {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_others_can_read_is_no_secret() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        fs::write(&path, "text").expect("written");
        for (mode, secret, trusted) in [
            (0o600, true, true),
            (0o440, true, true),
            (0o644, false, true),
            (0o640, true, true),
            (0o620, false, false),
            (0o666, false, false),
        ] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("ours");
            assert_eq!(read(&path, Guarded::Secret).is_ok(), secret, "{mode:o}");
            assert_eq!(read(&path, Guarded::Trusted).is_ok(), trusted, "{mode:o}");
        }
    }
}
