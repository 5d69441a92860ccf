//! `sprig promote`: a follower's copy becomes the database of a coordinator.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_domain::JobState;
use sprig_store::{Replica, StoreError, Succession};

use crate::output::{self, Answer, Format};
use crate::seal;

const EXAMPLES: &str = "\
Examples:
  sprig promote --db copy                the follower was stopped before
  sprig coordinator --db copy            then it leads";

/// Make the copy of a follower lead: a coordinator goes on from it
///
/// For when the coordinator is gone, or shall go. Stop the follower first. Jobs go on here alone from now on: workers that
/// have met the new coordinator work for the old one no more, and the old one ends as soon as it hears of it. What it may
/// have that never came here is handed in by `sprig merge`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Promote {
    /// Folder of the copy
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    #[command(flatten)]
    format: Format,
}

/// A follower that was promoted.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Promoted {
    db: String,
    /// The first database of the line.
    line: String,
    /// How many promotions there were in it.
    reign: u64,
    facts: u64,
    /// Jobs that have not ended.
    jobs: usize,
}

impl Answer for Promoted {
    fn text(&self) -> String {
        let Self { db, line, reign, facts, jobs } = self;
        format!(
            "database  {db}\nreign     {reign} of line {line}\nfacts     {facts}\njobs      {jobs} go on\n"
        )
    }

    fn line(&self) -> String {
        format!("{}: reign {}, {} facts, {} jobs go on", self.db, self.reign, self.facts, self.jobs)
    }
}

impl Promote {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let secret = seal::secret(&self.db)?;
        let replica = Replica::open(&self.db, &secret).map_err(|error| match error {
            StoreError::InUse { .. } => {
                anyhow::Error::from(error).context("stop the follower first")
            }
            error => error.into(),
        })?;
        let replica = replica.with_context(|| {
            format!("there is no copy in {}; `sprig follow` makes one", self.db.display())
        })?;
        let worth = replica.reader().worth()?;
        if worth.verified.total() == 0 && worth.claimed.total() > 0 {
            eprintln!(
                "sprig: no fact in {} carries your seal; with another seal key than the coordinator's, all are claims, and the \
                 old coordinator does not believe the promotion",
                self.db.display()
            );
        }
        let jobs = replica.reader().jobs()?;
        let jobs = jobs.iter().filter(|job| matches!(job.state, JobState::Running)).count();
        let Succession { reign, inherited, .. } = replica.promote(&secret)?;
        output::answer(
            &self.format,
            &Promoted {
                db: self.db.display().to_string(),
                line: format!("{:016x}", reign.line),
                reign: reign.number,
                facts: inherited,
                jobs,
            },
        )
    }
}
