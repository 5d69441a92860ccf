//! When a database was last copied, in a small file of its own in the directory.
//!
//! The file is there for watchers. No decision rests on it, a copy does not include it, and a copy
//! of a directory that cannot be written to leaves none.

use std::path::Path;

use crate::{StoreError, UnixMillis, directory};

/// The name of the file.
const BACKUP: &str = "BACKUP";
const MAGIC: &str = "Sprig backup";

/// Writes down that a backup of the database in `dir`, taken at `time`, is whole.
///
/// # Errors
/// When the directory cannot be written to.
pub fn note_backup(dir: &Path, time: UnixMillis) -> Result<(), StoreError> {
    directory::replace(dir, BACKUP, &format!("{MAGIC}\ntime {time}\n"))
}

/// When the last backup of the database in `dir` was taken, as far as that was written down.
pub fn last_backup(dir: &Path) -> Option<UnixMillis> {
    let text = directory::read(dir, BACKUP).ok().flatten()?;
    let time = text.strip_prefix(MAGIC)?.strip_prefix("\ntime ")?.strip_suffix('\n')?;
    time.parse().ok().map(UnixMillis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_counts_and_nonsense_is_none() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(last_backup(dir.path()), None);
        for time in [1, 1_795_000_000_000] {
            note_backup(dir.path(), UnixMillis(time)).expect("written");
            assert_eq!(last_backup(dir.path()), Some(UnixMillis(time)));
        }
        for text in ["", "Sprig backup\n", "Sprig backup\ntime x\n", "time 5\n"] {
            std::fs::write(dir.path().join(BACKUP), text).expect("written");
            assert_eq!(last_backup(dir.path()), None, "{text:?}");
        }
        assert!(note_backup(&dir.path().join("none"), UnixMillis(1)).is_err());
    }
}
