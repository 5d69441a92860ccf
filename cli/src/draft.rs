//! Files that get their names only when they are whole and on disk. A full disk or a kill leaves
//! the earlier file as it was.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// A file that is being written.
pub struct Draft {
    file: File,
    /// Where the file lies until it is whole, and the name that it gets then. None if the name
    /// belongs to a device, a pipe or a socket, which is written directly.
    names: Option<Names>,
}

struct Names {
    draft: PathBuf,
    whole: PathBuf,
}

impl Draft {
    /// Begins a file that is to be called `path`. If that is a link, the file that it leads to is
    /// replaced.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        Self::begin(path).with_context(|| format!("cannot write {}", path.display()))
    }

    fn begin(path: &Path) -> io::Result<Self> {
        let whole = match fs::metadata(path) {
            Ok(found) if found.is_file() => fs::canonicalize(path)?,
            Ok(_) => {
                return Ok(Self { file: File::options().write(true).open(path)?, names: None });
            }
            Err(_) => path.to_owned(),
        };
        let mut draft = OsString::from(&whole);
        draft.push(".new");
        let draft = PathBuf::from(draft);
        Ok(Self { file: File::create(&draft)?, names: Some(Names { draft, whole }) })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When not all of the file gets on disk. An earlier file of this name then stays as it was.
    pub fn keep(mut self) -> io::Result<()> {
        if let Some(Names { draft, whole }) = &self.names {
            self.file.sync_all()?;
            fs::rename(draft, whole)?;
            self.names = None;
        }
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(Names { draft, .. }) = &self.names {
            // If the removal fails, half a file stays, under a name that says so.
            let _ = fs::remove_file(draft);
        }
    }
}

/// Finds out whether a file can be written, before work that would be in vain. Nothing of it stays:
/// who ends that work leaves no draft behind. A pipe is not opened, as its reader would take that
/// for the end.
///
/// # Errors
/// When nothing can be written there.
#[cfg(feature = "coordinator")]
pub fn check(path: &Path) -> anyhow::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => Ok(()),
        _ => Draft::create(path).map(drop),
    }
}

/// Writes a whole file.
///
/// # Errors
/// When the file cannot be written. An earlier file of this name then stays as it was.
pub fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut draft = Draft::create(path)?;
    let written = draft.write_all(bytes).and_then(|()| draft.keep());
    written.with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileTypeExt;

    use super::*;

    #[test]
    fn a_file_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("facts");
        write(&path, b"old").expect("written");
        let mut draft = Draft::create(&path).expect("created");
        draft.write_all(b"new").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"old");
        drop(draft);
        assert_eq!(
            fs::read_dir(folder.path()).expect("a folder").count(),
            1,
            "nothing is left behind"
        );
        assert_eq!(fs::read(&path).expect("there"), b"old");
        write(&path, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"new");
    }

    #[cfg(feature = "coordinator")]
    #[test]
    fn where_nothing_can_be_written_is_known_before_and_nothing_is_left_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("facts");
        check(&path).expect("it can be written");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        fs::write(&path, "old").expect("written");
        check(&path).expect("it can be written");
        assert_eq!(fs::read(&path).expect("there"), b"old");
        for not in [folder.path(), &folder.path().join("missing/facts")] {
            assert!(check(not).is_err(), "{}", not.display());
        }
        check(Path::new("/dev/null")).expect("it can be written");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn what_is_no_file_keeps_its_kind() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("coreutils");
        assert!(made.success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("read")
        });
        write(&pipe, b"facts").expect("written");
        assert_eq!(reader.join().expect("it ends"), b"facts");
        assert!(fs::metadata(&pipe).expect("there").file_type().is_fifo());
    }

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write(&link, b"new").expect("written");
        assert_eq!(fs::read(&file).expect("there"), b"new");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    }
}
