//! `sprig restore`: a database from a backup.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use sprig_store::{Copied, Copying, take_copy};

use super::backup::backups;
use crate::database;
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::seal;
use crate::steps::Steps;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig restore /mnt/backups --db facts                    the latest backup
  sprig restore /mnt/backups/2026-11-23-160312 --db facts  this one
  sprig coordinator --db facts                             then it goes on";

/// Make a database from a backup
///
/// Reads the whole backup, compares its checksums, and copies it into a new folder, which has its name when it is whole. The
/// backup stays as it is. Workers of the old database that come back forget what they know and follow the new one.
/// On another machine bring the key that seals verified facts, too, or the facts are claims there (`sprig audit`, `sprig adopt`).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Restore {
    /// A backup, or a folder of backups: then the latest
    #[arg(value_name = "BACKUP")]
    from: PathBuf,
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
        format!("{}: {} facts", self.db, self.facts)
    }
}

impl Restore {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let stop = Stop::flag(None)?;
        let secret = seal::secret(&self.db)?;
        let from = self.backup()?;
        let progress = Steps::start(database::bytes_of(&from).unwrap_or(0));
        let how = Copying { earlier: None, check: true, restores: true };
        let copied = take_copy(&from, &self.db, how, &secret, &stop, |done| progress.show(done))?;
        drop(progress);
        let Some(Copied { facts, written, .. }) = copied else {
            let message = format!("there is no database in {}", self.db.display());
            return Err(Interrupted::new(message).into());
        };
        let worth = sprig_store::Reader::open(&self.db, &secret)?.worth()?;
        output::answer(
            &self.format,
            &Restored {
                backup: from.display().to_string(),
                db: self.db.display().to_string(),
                facts,
                verified: worth.verified.total(),
                bytes: written,
            },
        )
    }

    /// The backup that is meant.
    fn backup(&self) -> anyhow::Result<PathBuf> {
        let is_folder = self.from.is_dir() && !self.from.join("SPRIG").exists();
        if !is_folder {
            return Ok(self.from.clone());
        }
        match backups(&self.from)?.pop() {
            Some(latest) => Ok(latest),
            None => bail!(
                "there is no backup in {}; name one, or the folder that was given to `sprig backup --to`",
                self.from.display()
            ),
        }
    }
}
