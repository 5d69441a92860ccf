//! `sprig backup`: copies of a database that share the files that have not changed.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_store::{Copied, Copying, Origin, Secret, UnixMillis, note_backup, take_copy};

use crate::database;
use crate::failure::{Interrupted, Usage};
use crate::output::{self, Answer, Format};
#[cfg(feature = "s3")]
use crate::paths::beside;
use crate::paths::is_inside;
use crate::seal;
use crate::steps::Steps;
use crate::stop::Stop;
use crate::target::Target;

/// Most backups, or databases with backups, that a message names.
const NAMED: usize = 5;

const EXAMPLES: &str = "\
Examples:
  sprig backup --db facts --to /mnt/backups              as it is now, also while a coordinator runs
  sprig backup --db facts --to /mnt/backups --keep 7     and remove all of this database but the
                                                         latest seven
  sprig backup --db facts --to s3://bucket/sprig         to object storage, with the keys of AWS_ACCESS_KEY_ID,
                                                         AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL
  sprig query 14 --db /mnt/backups/2026-11-23-160312     a backup in a folder is a database
  sprig restore /mnt/backups --db facts                  the latest one, into a new folder";

/// Copy a database as it is now, also while it is written to
///
/// Each backup is a whole database, named by its time in UTC, and shares the tables that have not changed
/// with those before: it costs what is new. It has its name when all of it is there, has been read, and its checksums have been compared.
/// Everything that was acknowledged before is in it. The key that seals verified facts is not: keep that safe, too.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Backup {
    /// Folder of the database
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    /// Folder of the backups, which is made where there is none; or s3://BUCKET/PREFIX
    #[arg(long, value_name = "WHERE", env = "SPRIG_BACKUPS")]
    to: Target,
    /// Remove all backups of this database but the latest N. Those of other databases in the same place stay
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Do not read the copy: whether the disk has kept it is seen when it is needed
    #[arg(long)]
    unchecked: bool,
    /// To object storage: folder for the copy on its way. Beside the database it takes no space [default: there, where that can be
    /// written, else the folder for temporary files]
    #[arg(long, value_name = "DIR", env = "SPRIG_THROUGH")]
    through: Option<PathBuf>,
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
    /// Bytes that are those of backups before.
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
             shared   {shared} bytes with the backups before\nchecked  {checked}\nseconds  {seconds:.1}\n"
        );
        for old in removed {
            text += &format!("removed  {old}\n");
        }
        text
    }

    fn line(&self) -> String {
        format!("{}: {}", self.backup, plural(self.facts, "fact"))
    }
}

impl Backup {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (begun, time) = (Instant::now(), UnixMillis::now());
        let stop = Stop::flag(None)?;
        let secret = seal::secret(&self.db)?;
        // A mistyped name must not leave a folder for backups behind.
        database::exists(&self.db)?;
        let made = match &self.to {
            Target::Folder(to) => self.to_folder(to, &secret, &stop)?,
            Target::Bucket(to) => self.to_bucket(to, &secret, &stop)?,
        };
        let Some(mut made) = made else {
            let message = "no backup was made; those before are as they were".to_owned();
            return Err(Interrupted::new(message).into());
        };
        // The backup counts also if its time cannot be noted for the metrics.
        if let Err(error) = note_backup(&self.db, time) {
            remark!("sprig: the backup is made; the metrics will not show it: {error}");
        }
        made.seconds = (begun.elapsed().as_secs_f64() * 10.0).round() / 10.0;
        output::answer(&self.format, &made)
    }

    fn to_folder(
        &self,
        to: &Path,
        secret: &Secret,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Made>> {
        self.refuse_inside(to)?;
        let _lock = locked(to)?;
        let earlier = backups(to)?;
        let path = to.join(new_name(|name| to.join(name).exists()));
        let earlier_one = earlier.last().map(PathBuf::as_path);
        let Some(copied) = self.copy(&path, earlier_one, secret, stop)? else { return Ok(None) };
        let Copied { facts, written, shared } = copied;
        let removed = self.remove_old(&path, &earlier)?;
        let (backup, checked) = (path.display().to_string(), !self.unchecked);
        Ok(Some(Made { backup, facts, written, shared, checked, removed, seconds: 0.0 }))
    }

    #[cfg(feature = "s3")]
    fn to_bucket(
        &self,
        address: &str,
        secret: &Secret,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Made>> {
        use crate::bucket::{Bucket, Lock, Sending, Sent, send};

        // A thread renews the lock while the copy is made.
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }.worker_threads(2).enable_all().build()?;
        runtime.block_on(async {
            let (bucket, backup) = Bucket::open(address).await?;
            if backup.is_some() {
                let text = format!("`{address}` names one backup; name the prefix of all");
                return Err(Usage(text).into());
            }
            let lock = Lock::take(&bucket).await?;
            let made = async {
                let through = self.through()?;
                let held = locked(&through)?;
                let copy = through.join("copy");
                clear(&copy)?;
                let copied =
                    tokio::task::block_in_place(|| self.copy(&copy, Some(&self.db), secret, stop))?;
                let Some(Copied { facts, .. }) = copied else { return Ok(None) };
                let names = bucket.names().await?;
                let name = new_name(|name| names.iter().any(|taken| taken == name));
                let (keep, checked) = (self.keep, !self.unchecked);
                let sending = Sending { copy: &copy, name: &name, facts, checked, keep };
                let progress = Steps::start(database::bytes_of(&copy).unwrap_or(0));
                let sent = send(&bucket, &sending, stop, |done| progress.show(done)).await;
                drop(progress);
                clear(&copy)?;
                drop(held);
                // The folder stays if anything else lies there.
                let _ = fs::remove_dir(&through);
                let Some(Sent { backup, written, shared, removed }) = sent? else {
                    return Ok(None);
                };
                Ok(Some(Made { backup, facts, written, shared, checked, removed, seconds: 0.0 }))
            };
            let made = made.await;
            lock.release(&bucket).await;
            made
        })
    }

    #[cfg(not(feature = "s3"))]
    fn to_bucket(&self, _: &str, _: &Secret, _: &AtomicBool) -> anyhow::Result<Option<Made>> {
        Err(crate::target::unsupported())
    }

    /// Copies the database into a new folder. Gives nothing when `stop` was set.
    fn copy(
        &self,
        to: &Path,
        earlier: Option<&Path>,
        secret: &Secret,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Copied>> {
        let progress = Steps::start(database::bytes_of(&self.db).unwrap_or(0));
        let how = Copying { earlier, check: !self.unchecked, restores: false };
        Ok(take_copy(&self.db, to, how, secret, stop, |done| progress.show(done))?)
    }

    /// The folder where a copy lies on its way to storage.
    #[cfg(feature = "s3")]
    fn through(&self) -> anyhow::Result<PathBuf> {
        let make = |folder: &Path| DirBuilder::new().recursive(true).mode(0o700).create(folder);
        let beside = beside(&self.db, ".sending");
        let name = beside.file_name().unwrap_or_else(|| beside.as_os_str());
        let folder = match &self.through {
            Some(through) => through.join(name),
            None if make(&beside).is_ok() => beside,
            None => std::env::temp_dir().join(name),
        };
        make(&folder).with_context(|| format!("cannot use {}", folder.display()))?;
        Ok(folder)
    }

    /// A backup inside the database would be lost with it.
    fn refuse_inside(&self, to: &Path) -> anyhow::Result<()> {
        if is_inside(to, &self.db) {
            let text = format!(
                "the backups in {} would lie in the database {} itself; name a folder elsewhere, best on another disk",
                to.display(),
                self.db.display()
            );
            return Err(Usage(text).into());
        }
        Ok(())
    }

    /// Removes the oldest of `earlier` that are of the database of the new one, so that `keep`
    /// are left with that. What does not tell its database may be the only backup of another one.
    fn remove_old(&self, made: &Path, earlier: &[PathBuf]) -> anyhow::Result<Vec<String>> {
        let Some(keep) = self.keep else { return Ok(Vec::new()) };
        let Some(made) = Origin::of(made) else { return Ok(Vec::new()) };
        let is_own = |path: &Path| Origin::of(path).is_some_and(|origin| origin.is_of_same(&made));
        let own: Vec<&PathBuf> = earlier.iter().filter(|path| is_own(path.as_path())).collect();
        let old = &own[..(own.len() + 1).saturating_sub(keep as usize)];
        let remove = |path: &&PathBuf| {
            fs::remove_dir_all(path).with_context(|| {
                format!("the backup is made, but cannot remove {}", path.display())
            })?;
            Ok(path.display().to_string())
        };
        old.iter().map(remove).collect()
    }
}

/// Locks a folder for one backup at a time, as long as the file stays open. The folder is made if
/// it does not exist.
fn locked(folder: &Path) -> anyhow::Result<File> {
    let cannot = || format!("cannot use {} for backups", folder.display());
    DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(cannot)?;
    let file = File::open(folder).with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!("another backup to {} is being made; wait for it", folder.display())
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
    }
}

/// Removes a folder, if it exists.
#[cfg(feature = "s3")]
fn clear(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// The backups in a folder, the oldest first. Other files there are left alone.
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

/// What is said where a backup is looked for that is not there: which are, the latest first.
pub fn absent(wanted: &str, place: &str, names: &[String]) -> String {
    let latest: Vec<&str> = names.iter().rev().take(NAMED).map(String::as_str).collect();
    let more = match names.len() - latest.len() {
        0 => String::new(),
        more => format!(" and {more} before"),
    };
    if latest.is_empty() {
        return format!(
            "there is no backup {wanted}; name one, or the place that was given to `sprig backup --to`"
        );
    }
    let latest = latest.join(", ");
    format!("there is no backup {wanted}; {place} has {latest}{more}: name one of them")
}

/// Refuses to take the latest where backups of several databases lie, the oldest first: it may be
/// of another database than is meant. What was restored goes on with the database of its backup,
/// so both count as one. What does not tell its database is damaged, and hinders nobody.
pub fn refuse_several(place: &str, there: &[(String, Option<Origin>)]) -> anyhow::Result<()> {
    let mut latest: Vec<(&str, &str, u64)> = Vec::new();
    for (name, origin) in there.iter().rev() {
        let Some(Origin { identity, facts, .. }) = origin else { continue };
        if latest.iter().all(|(known, ..)| known != identity) {
            latest.push((identity.as_str(), name.as_str(), *facts));
        }
    }
    if latest.len() < 2 {
        return Ok(());
    }
    let place = place.trim_end_matches('/');
    let named: Vec<String> = latest
        .iter()
        .take(NAMED)
        .map(|(_, name, facts)| format!("{place}/{name} ({})", plural(*facts, "fact")))
        .collect();
    let more = match latest.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    bail!(
        "{place} has backups of {} databases; name the backup that is meant, as in `sprig restore {place}/{}`; the latest of each: {}{more}",
        latest.len(),
        latest[0].1,
        named.join(", ")
    )
}

/// The name of a new backup. Of two backups in a second, the later one gets the name of the next
/// second.
fn new_name(is_taken: impl Fn(&str) -> bool) -> String {
    let UnixMillis(now) = UnixMillis::now();
    let mut names = (0..).map(|later| name_of(UnixMillis(now + later * 1_000)));
    names.find(|name| !is_taken(name)).expect("there are more seconds than backups")
}

/// The name of a backup of this second. Names sort by time.
fn name_of(time: UnixMillis) -> String {
    let minute = time.date().replace(" UTC", "").replace(':', "").replace(' ', "-");
    format!("{minute}{:02}", time.0 / 1000 % 60)
}

/// Whether a name is like 2026-11-23-160312.
pub fn is_name(name: &str) -> bool {
    let like = "0000-00-00-000000".bytes();
    let fits =
        |(byte, like): (u8, u8)| if like == b'0' { byte.is_ascii_digit() } else { byte == like };
    name.len() == like.len() && name.bytes().zip(like).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_names_a_backup_that_is_not_there_hears_which_are() {
        let names: Vec<String> = (1..=7).map(|day| format!("2026-11-0{day}-120000")).collect();
        let said = absent("bk/x", "bk", &names);
        assert!(said.contains("bk has 2026-11-07-120000, 2026-11-06-120000, "), "{said}");
        assert!(said.contains(" and 2 before") && !said.contains("11-02"), "{said}");
        assert!(!absent("bk/x", "bk", &names[..5]).contains("before"));
        assert!(absent("bk/x", "bk", &[]).contains("`sprig backup --to`"));
    }

    #[test]
    fn several_databases_in_one_place_are_told_apart_and_named() {
        let backup = |day: u32, origin: Option<(&str, u64)>| {
            let origin = origin.map(|(identity, branch)| Origin {
                identity: identity.into(),
                branch,
                facts: day.into(),
            });
            (format!("2026-11-0{day}-120000"), origin)
        };
        let one = [backup(1, Some(("a", 0))), backup(2, None), backup(3, Some(("a", 7)))];
        assert!(refuse_several("bk", &one).is_ok(), "what was restored goes on with the same");
        assert!(refuse_several("bk", &one[1..2]).is_ok());
        let two = [&one[..], &[backup(4, Some(("b", 0)))]].concat();
        let said = refuse_several("bk/", &two).expect_err("there are two").to_string();
        assert!(said.contains("backups of 2 databases"), "{said}");
        assert!(said.contains("`sprig restore bk/2026-11-04-120000`"), "{said}");
        assert!(
            said.contains("bk/2026-11-03-120000 (3 facts)") && !said.contains("11-01"),
            "{said}"
        );
    }

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
