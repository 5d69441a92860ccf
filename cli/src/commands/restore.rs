//! `sprig restore`: a database from a backup.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_store::{Copied, Copying, Origin, take_copy};

use super::backup::{absent, backups, refuse_several};
use crate::database;
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::seal;
use crate::steps::Steps;
use crate::stop::Stop;
use crate::target::Target;

const EXAMPLES: &str = "\
Examples:
  sprig restore /mnt/backups --db facts                    the latest backup
  sprig restore /mnt/backups/2026-11-23-160312 --db facts  this one
  sprig restore s3://bucket/sprig --db facts               the latest one in object storage, with the keys of AWS_ACCESS_KEY_ID,
                                                           AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL
  sprig coordinator --db facts                             then it goes on";

/// Make a database from a backup
///
/// Reads the whole backup, compares its checksums, and copies it into a new folder, which has its name when it is whole. The
/// backup stays as it is. Workers of the old database that come back forget what they know and follow the new one.
/// What was fetched of a backup in object storage lies beside the database until it is whole, in a folder that ends in .fetch.
/// On another machine bring the key that seals verified facts, too, or the facts are claims there (`sprig audit`, `sprig adopt`).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Restore {
    /// A backup, or a place of backups of one database, a folder or s3://BUCKET/PREFIX: then the latest
    #[arg(value_name = "BACKUP")]
    from: Target,
    /// Folder of the database; new or empty
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    #[command(flatten)]
    format: Format,
}

/// A database that was restored.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Restored {
    /// The folder of the backup.
    backup: String,
    db: String,
    facts: u64,
    /// Facts that carry the seal of this key; the others count as claims.
    verified: u64,
    bytes: u64,
}

impl Answer for Restored {
    fn text(&self) -> String {
        let Self { backup, db, facts, verified, bytes } = self;
        format!(
            "backup    {backup}\ndatabase  {db}\nfacts     {facts}, {verified} of them with your seal\n\
             written   {bytes} bytes, every record checked\n"
        )
    }

    fn line(&self) -> String {
        format!("{}: {}", self.db, plural(self.facts, "fact"))
    }
}

impl Restore {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let stop = Stop::flag(None)?;
        let secret = seal::secret(&self.db)?;
        let Some((from, backup)) = self.there(&stop)? else { return Err(self.interrupted()) };
        let progress = Steps::start(database::bytes_of(&from).unwrap_or(0));
        // A fetched backup lies on the same disk, so its files need not be copied.
        let fetched = matches!(self.from, Target::Bucket(_)).then_some(from.as_path());
        let how = Copying { earlier: fetched, check: true, restores: true };
        let copied = take_copy(&from, &self.db, how, &secret, &stop, |done| progress.show(done))?;
        drop(progress);
        let Some(Copied { facts, written, shared }) = copied else {
            return Err(self.interrupted());
        };
        if let Some(fetched) = fetched {
            fs::remove_dir_all(fetched)
                .with_context(|| format!("cannot remove {}", fetched.display()))?;
        }
        let worth = sprig_store::Reader::open(&self.db, &secret)?.worth()?;
        output::answer(
            &self.format,
            &Restored {
                backup,
                db: self.db.display().to_string(),
                facts,
                verified: worth.verified.total(),
                bytes: written + shared,
            },
        )
    }

    fn interrupted(&self) -> anyhow::Error {
        Interrupted::new(format!("there is no database in {}", self.db.display())).into()
    }

    /// The folder of the chosen backup, and its name. Nothing when `stop` was set.
    fn there(&self, stop: &AtomicBool) -> anyhow::Result<Option<(PathBuf, String)>> {
        match &self.from {
            Target::Folder(from) => {
                let from = latest(from)?;
                let name = from.display().to_string();
                Ok(Some((from, name)))
            }
            Target::Bucket(address) => self.fetched(address, stop),
        }
    }

    #[cfg(feature = "s3")]
    fn fetched(
        &self,
        address: &str,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<(PathBuf, String)>> {
        use crate::bucket::{Bucket, fetch};

        let is_taken = fs::read_dir(&self.db).is_ok_and(|mut there| there.next().is_some());
        anyhow::ensure!(
            !is_taken,
            "{} is not empty; name a new directory for the database",
            self.db.display()
        );
        let into = crate::paths::beside(&self.db, ".fetch");
        crate::connect::runtime()?.block_on(async {
            let (bucket, named) = Bucket::open(address).await?;
            let name = match named {
                Some(name) => name,
                None => {
                    let mut there = bucket.origins().await?;
                    refuse_several(&bucket.address(""), &there)?;
                    let latest = there.pop().map(|(name, _)| name);
                    latest
                        .with_context(|| format!("there is no backup in {}", bucket.address("")))?
                }
            };
            let progress = std::cell::OnceCell::new();
            let started = |bytes| drop(progress.set(Steps::start(bytes)));
            let done =
                |bytes| progress.get().into_iter().for_each(|steps: &Steps| steps.show(bytes));
            let fetched = fetch(&bucket, &name, &into, stop, started, done).await?;
            Ok(fetched.map(|()| (into.clone(), bucket.address(&name))))
        })
    }

    #[cfg(not(feature = "s3"))]
    fn fetched(&self, _: &str, _: &AtomicBool) -> anyhow::Result<Option<(PathBuf, String)>> {
        Err(crate::target::unsupported())
    }
}

/// The backup that a folder stands for: the folder itself, or the latest in it.
fn latest(from: &Path) -> anyhow::Result<PathBuf> {
    if !from.exists() {
        let place = from.parent().filter(|place| !place.as_os_str().is_empty());
        let place = place.unwrap_or(Path::new("."));
        // Where that cannot be read, there is none to name.
        let there = backups(place).unwrap_or_default();
        let names: Vec<String> = there.iter().map(|path| name_of(path)).collect();
        let (from, place) = (from.display().to_string(), place.display().to_string());
        bail!(absent(&from, &place, &names));
    }
    let is_folder = from.is_dir() && !from.join("SPRIG").exists();
    if !is_folder {
        return Ok(from.to_owned());
    }
    let mut there = backups(from)?;
    let origins: Vec<_> = there.iter().map(|path| (name_of(path), Origin::of(path))).collect();
    refuse_several(&from.display().to_string(), &origins)?;
    match there.pop() {
        Some(latest) => Ok(latest),
        None => bail!(
            "there is no backup in {}; name one, or the folder that was given to `sprig backup --to`",
            from.display()
        ),
    }
}

/// The name of a backup in its place.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
