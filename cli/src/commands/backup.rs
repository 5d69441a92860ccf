//! `sprig backup`: copies of a database that share what has not changed.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use sprig_store::{Copied, Copying, UnixMillis, take_copy};

use crate::database;
use crate::failure::{Interrupted, Usage};
use crate::output::{self, Answer, Format};
use crate::paths::is_inside;
use crate::seal;
use crate::steps::Steps;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig backup --db facts --to /mnt/backups              as it is now, also while a coordinator runs
  sprig backup --db facts --to /mnt/backups --keep 7     and remove all but the latest seven
  sprig query 14 --db /mnt/backups/2026-11-23-160312     a backup is a database
  sprig restore /mnt/backups --db facts                  the latest one, into a new folder";

/// Copy a database as it is now, also while it is written to
///
/// Each backup is a whole database in a folder of its own, named by its time in UTC, and shares the tables that have not changed
/// with the one before: it costs what is new. It has its name when all of it is on disk, has been read, and its checksums have been compared.
/// Everything that was acknowledged before is in it. The key that seals verified facts is not: keep that safe, too.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Backup {
    /// Folder of the database
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    /// Folder of the backups; it is made where there is none
    #[arg(long, value_name = "FOLDER", env = "SPRIG_BACKUPS")]
    to: PathBuf,
    /// Remove all backups but the latest N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Do not read the copy: whether the disk has kept it is seen when it is needed
    #[arg(long)]
    unchecked: bool,
    #[command(flatten)]
    format: Format,
}

/// A backup that was made.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Made {
    /// Its folder.
    backup: String,
    facts: u64,
    /// Bytes that were written.
    written: u64,
    /// Bytes that are those of the backup before.
    shared: u64,
    /// Whether it was read again.
    checked: bool,
    /// Older backups that were removed.
    removed: Vec<String>,
    seconds: f64,
}

impl Answer for Made {
    fn text(&self) -> String {
        let Self { backup, facts, written, shared, checked, removed, seconds } = self;
        let checked = if *checked { "every record" } else { "no" };
        let mut text = format!(
            "backup   {backup}\nfacts    {facts}\nwritten  {written} bytes\n\
             shared   {shared} bytes with the backup before\nchecked  {checked}\nseconds  {seconds:.1}\n"
        );
        for old in removed {
            text += &format!("removed  {old}\n");
        }
        text
    }

    fn line(&self) -> String {
        format!("{}: {} facts", self.backup, self.facts)
    }
}

impl Backup {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let begun = Instant::now();
        self.refuse_inside()?;
        let stop = Stop::flag(None)?;
        let secret = seal::secret(&self.db)?;
        let cannot = || format!("cannot use {} for backups", self.to.display());
        DirBuilder::new().recursive(true).mode(0o700).create(&self.to).with_context(cannot)?;
        let folder = File::open(&self.to).with_context(cannot)?;
        match folder.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("another backup to {} is being made; wait for it", self.to.display())
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        let earlier = backups(&self.to)?;
        let path = self.new_path();
        let progress = Steps::start(database::bytes_of(&self.db).unwrap_or(0));
        let (earlier_one, check) = (earlier.last().map(PathBuf::as_path), !self.unchecked);
        let how = Copying { earlier: earlier_one, check, restores: false };
        let copied = take_copy(&self.db, &path, how, &secret, &stop, |done| progress.show(done))?;
        drop(progress);
        let Some(Copied { facts, written, shared }) = copied else {
            let message = "no backup was made; those before are as they were".to_owned();
            return Err(Interrupted::new(message).into());
        };
        let removed = self.remove_old(&earlier)?;
        output::answer(
            &self.format,
            &Made {
                backup: path.display().to_string(),
                facts,
                written,
                shared,
                checked: check,
                removed,
                seconds: (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0,
            },
        )
    }

    /// Where the new one will lie. Two within a second have names of two seconds.
    fn new_path(&self) -> PathBuf {
        let UnixMillis(now) = UnixMillis::now();
        let seconds = (0..).map(|later| UnixMillis(now + later * 1_000));
        let mut paths = seconds.map(|time| self.to.join(name_of(time)));
        paths.find(|path| !path.exists()).expect("there are more seconds than backups")
    }

    /// A backup inside the database would be lost with it.
    fn refuse_inside(&self) -> anyhow::Result<()> {
        if is_inside(&self.to, &self.db) {
            let text = format!(
                "the backups in {} would lie in the database {} itself; name a folder elsewhere, best on another disk",
                self.to.display(),
                self.db.display()
            );
            return Err(Usage(text).into());
        }
        Ok(())
    }

    /// Removes the oldest of `earlier`, so that with the new one there are as many as are to be kept.
    fn remove_old(&self, earlier: &[PathBuf]) -> anyhow::Result<Vec<String>> {
        let Some(keep) = self.keep else { return Ok(Vec::new()) };
        let old = &earlier[..(earlier.len() + 1).saturating_sub(keep as usize)];
        let remove = |path: &PathBuf| {
            fs::remove_dir_all(path).with_context(|| {
                format!("the backup is made, but cannot remove {}", path.display())
            })?;
            Ok(path.display().to_string())
        };
        old.iter().map(remove).collect()
    }
}

/// The backups in a folder, the oldest first. What else lies there is left alone.
pub fn backups(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read {}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let name = entry.with_context(cannot)?.file_name().to_string_lossy().into_owned();
        if is_name(&name) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// The name of the backup of this second: names sort by time.
fn name_of(time: UnixMillis) -> String {
    let minute = time.date().replace(" UTC", "").replace(':', "").replace(' ', "-");
    format!("{minute}{:02}", time.0 / 1000 % 60)
}

/// Whether a name is like 2026-11-23-160312.
fn is_name(name: &str) -> bool {
    let like = "0000-00-00-000000".bytes();
    let fits =
        |(byte, like): (u8, u8)| if like == b'0' { byte.is_ascii_digit() } else { byte == like };
    name.len() == like.len() && name.bytes().zip(like).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_time_and_nothing_else_is_a_name() {
        let name = name_of(UnixMillis(1_767_225_599_999));
        assert_eq!(name, "2025-12-31-235959");
        assert!(is_name(&name) && name < name_of(UnixMillis(1_767_225_600_000)));
        for other in ["2025-12-31-235959.part", "2025-12-31", "facts", "", "2025-12-31-23595x"] {
            assert!(!is_name(other), "{other}");
        }
    }
}
