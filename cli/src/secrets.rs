//! Files that hold secrets: checks of who else may read them, and how they are made.

use std::fs::File;
#[cfg(feature = "coordinator")]
use std::fs::OpenOptions;
use std::io::Read;
#[cfg(feature = "coordinator")]
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
#[cfg(feature = "coordinator")]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

#[cfg(feature = "coordinator")]
use anyhow::anyhow;
use anyhow::{Context, ensure};

/// The longest file that is read, in bytes. Certificates and tokens are much shorter.
const LONGEST: u64 = 1 << 20;

/// Who may have access to a file besides its owner.
#[derive(Clone, Copy)]
pub enum Guarded {
    /// The file is no secret, but a person who can write it decides who is trusted.
    Trusted,
    /// The file is a secret. Its group may read it, so that a service can have it, but no other
    /// users.
    Secret,
}

/// Reads a text file whose permissions fit its purpose.
///
/// # Errors
/// When the file cannot be read, or others have more access to it than they should. The error names
/// the file and the remedy.
pub fn read(path: &Path, guarded: Guarded) -> anyhow::Result<String> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let mode = file.metadata().with_context(|| format!("cannot read {shown}"))?.mode();
    let (forbidden, what, remedy) = match guarded {
        Guarded::Trusted => (0o022, "changed", "chmod go-w"),
        Guarded::Secret => (0o027, "read or changed", "chmod 600"),
    };
    ensure!(mode & forbidden == 0, "{shown} can be {what} by others: `{remedy} {shown}` first");
    check_folder(path)?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).with_context(|| format!("cannot read {shown}"))?;
    Ok(text)
}

/// Refuses a file that others could replace by another one, because they can write to its folder,
/// or to the folder of the file that it is a link to.
fn check_folder(path: &Path) -> anyhow::Result<()> {
    let real = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
    for folder in [path.parent(), real.parent()].into_iter().flatten() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let shown = folder.display();
        let mode = folder.metadata().with_context(|| format!("cannot read {shown}"))?.mode();
        // In a folder like /tmp, whose files belong to their owners, others cannot replace them.
        const STICKY: u32 = 0o1000;
        ensure!(
            mode & 0o022 == 0 || mode & STICKY != 0,
            "{} can be replaced by others, who may write to the folder {shown}: `chmod go-w {shown}` first",
            path.display()
        );
    }
    Ok(())
}

/// Makes a file that must not exist yet.
///
/// # Errors
/// When the file exists, or cannot be written.
#[cfg(feature = "coordinator")]
pub fn create(path: &Path, text: &str, guarded: Guarded) -> anyhow::Result<()> {
    let mode = match guarded {
        Guarded::Trusted => 0o644,
        Guarded::Secret => 0o600,
    };
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    let written = file.and_then(|mut file| {
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if written.is_err() {
            // Half a file would be in the way of the next attempt.
            let _ = std::fs::remove_file(path);
        }
        written
    });
    written.map_err(|error| {
        let shown = path.display();
        if error.kind() == ErrorKind::AlreadyExists {
            return anyhow!(
                "cannot make {shown}: it is there already, and may be in use; name another file, or remove this one first"
            );
        }
        anyhow::Error::from(error).context(format!("cannot make {shown}"))
    })
}

/// Adds a line to a file that is no secret, and makes the file if it does not exist: others may
/// read it, as the user of a service must.
///
/// # Errors
/// When the file cannot be written.
#[cfg(feature = "coordinator")]
pub fn append(path: &Path, line: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().append(true).create(true).mode(0o644).open(path);
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

    #[test]
    fn a_file_in_a_folder_of_others_is_not_trusted() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("tokens"), elsewhere.path().join("tokens"));
        fs::write(&path, "text").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("ours");
        std::os::unix::fs::symlink(&path, &link).expect("linked");
        for (mode, trusted) in
            [(0o700, true), (0o755, true), (0o777, false), (0o770, false), (0o1777, true)]
        {
            fs::set_permissions(folder.path(), Permissions::from_mode(mode)).expect("ours");
            for path in [&path, &link] {
                assert_eq!(read(path, Guarded::Trusted).is_ok(), trusted, "{mode:o}");
                assert_eq!(read(path, Guarded::Secret).is_ok(), trusted, "{mode:o}");
            }
        }
    }
}
