//! Folders of temporary databases, and the removal of those that killed processes have left.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// The beginning of their names.
const PREFIX: &str = "sprig-";

/// The file that marks the folder of a database.
const STAMP: &str = "SPRIG";
/// The file that the process of a database has locked.
const LOCK: &str = "sprig.lock";

/// A folder younger than this may belong to a process that has not locked it yet.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder that is removed when it is dropped. Folders that killed processes have left are removed
/// first.
///
/// # Errors
/// When there is no room for a folder.
pub fn folder() -> std::io::Result<TempDir> {
    sweep(&std::env::temp_dir(), YOUNG);
    tempfile::Builder::new().prefix(PREFIX).tempdir()
}

/// Removes the temporary databases in `parent` that this user owns and no process has open. A
/// folder that cannot be removed stays.
fn sweep(parent: &Path, young: Duration) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_named && is_left(&entry.path(), young).unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_left(folder: &Path, young: Duration) -> std::io::Result<bool> {
    // A link may lead to a folder that belongs to another user.
    let metadata = fs::symlink_metadata(folder)?;
    let ours = fs::metadata("/proc/self")?.uid();
    let age = SystemTime::now().duration_since(metadata.modified()?).unwrap_or_default();
    if !metadata.is_dir() || metadata.uid() != ours || age < young {
        return Ok(false);
    }
    if !fs::symlink_metadata(folder.join(STAMP))?.is_file() {
        return Ok(false);
    }
    let lock = folder.join(LOCK);
    if !fs::symlink_metadata(&lock)?.is_file() {
        return Ok(false);
    }
    Ok(File::open(lock)?.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_process_left_is_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let database = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).expect("made");
            fs::write(folder.join(STAMP), "sprig").expect("written");
            File::create(folder.join(LOCK)).expect("made")
        };
        database("sprig-dead");
        let in_use = database("sprig-used");
        in_use.lock().expect("locked");
        database("other");
        let foreign = parent.path().join("sprig-thesis");
        fs::create_dir(&foreign).expect("made");
        std::os::unix::fs::symlink(parent.path().join("other"), parent.path().join("sprig-link"))
            .expect("linked");
        sweep(parent.path(), YOUNG);
        assert!(parent.path().join("sprig-dead").exists(), "it may be about to be locked");
        sweep(parent.path(), Duration::ZERO);
        let left = |name: &str| parent.path().join(name).exists();
        assert!(!left("sprig-dead"));
        for name in ["sprig-used", "other", "sprig-thesis", "sprig-link"] {
            assert!(left(name), "{name}");
        }
    }
}
