//! Comparison and naming of paths.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Whether a file lies in a folder, however their paths are written. Neither need exist.
pub fn is_inside(file: &Path, folder: &Path) -> bool {
    let (file, folder) = (resolved(file), resolved(folder));
    file.starts_with(folder)
}

/// The path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (there.canonicalize(), path.strip_prefix(there)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path
}

/// A folder beside a database, for its incoming or outgoing files. The name is the database's with
/// an ending.
pub fn beside(db: &Path, ending: &str) -> PathBuf {
    let plain: PathBuf = db.components().collect();
    let mut name = OsString::from(plain);
    name.push(ending);
    name.into()
}
