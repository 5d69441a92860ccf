//! Bad disks.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

/// Leaves what a disk leaves that has kept the end of the write-ahead log in its cache and said
/// that it was written: the control for every check of what was acknowledged. Returns how many
/// bytes are gone.
///
/// # Errors
/// When the files cannot be changed.
pub fn forget_the_latest(db: &Path) -> anyhow::Result<u64> {
    let mut gone = 0;
    for entry in fs::read_dir(db)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let length = fs::metadata(&path)?.len();
            OpenOptions::new().write(true).open(&path)?.set_len(length / 4)?;
            gone += length - length / 4;
        }
    }
    Ok(gone)
}

/// A small file system in memory, gone when dropped. Needs the rights of root.
#[derive(Debug)]
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one at `folder`.
    ///
    /// # Errors
    /// When that is not allowed.
    pub fn mount(folder: &Path, megabytes: u32) -> anyhow::Result<Self> {
        let size = format!("size={megabytes}m");
        let mut command = Command::new("mount");
        let status = command.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).status()?;
        ensure!(status.success(), "cannot mount a tmpfs: run as root");
        Ok(Self(folder.to_owned()))
    }

    /// Leaves room for `room` bytes. Returns the file that takes up the rest.
    ///
    /// # Errors
    /// When no file can be made.
    pub fn fill(&self, room: u64) -> anyhow::Result<PathBuf> {
        let path = self.0.join("ballast");
        let mut file = File::create(&path).context("the ballast")?;
        let block = [0; 4096];
        while file.write_all(&block).is_ok() {}
        file.set_len(file.metadata()?.len().saturating_sub(room))?;
        Ok(path)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // It may be busy for a moment, so it is unmounted lazily.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
