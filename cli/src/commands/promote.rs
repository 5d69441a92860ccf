//! `sprig promote`: a follower's copy becomes the database of a coordinator.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use sprig_ask::{plural, with_verb};
use sprig_domain::JobState;
use sprig_store::{Reader, Replica, Secret, StoreError, Succession};

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
        let jobs = if *jobs == 1 { "1 goes on".to_owned() } else { format!("{jobs} go on") };
        format!(
            "database  {db}\nreign     {reign} of line {line}\nfacts     {facts}\njobs      {jobs}\n"
        )
    }

    fn line(&self) -> String {
        let facts = plural(self.facts, "fact");
        let jobs = with_verb(self.jobs, "job", ["goes on", "go on"]);
        format!("{}: reign {}, {facts}, {jobs}", self.db, self.reign)
    }
}

/// A process in a message, if it is known.
fn process(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

impl Promote {
    /// Why the database cannot be promoted, and what to do.
    fn refused(&self, error: StoreError, secret: &Secret) -> anyhow::Error {
        let db = self.db.display();
        match error {
            StoreError::InUse { pid, .. } => anyhow!(
                "the copy {db} is in use{}: it is being followed; stop its `sprig follow` first, and promote it then",
                process(pid)
            ),
            StoreError::Leads { hint, .. } => {
                let hint = if hint.is_empty() { ": it leads" } else { hint };
                let reader = Reader::open(&self.db, secret).ok();
                let succeeded = reader.as_ref().and_then(|reader| reader.successor().ok()?);
                if let Some(by) = succeeded {
                    return StoreError::Succeeded { dir: self.db.clone(), by }.into();
                }
                match reader.and_then(|reader| reader.writer_process()) {
                    Some(pid) => anyhow!(
                        "database {db} follows no coordinator{hint}, and is in use{}; nothing is to be promoted: \
                         another takes its place by `sprig promote` of a copy that `sprig follow` has made",
                        process(Some(pid))
                    ),
                    None => anyhow!(
                        "database {db} follows no coordinator{hint}, and nothing is to be promoted; \
                         `sprig coordinator --db {db}` goes on from it"
                    ),
                }
            }
            error => error.into(),
        }
    }

    pub fn run(self) -> anyhow::Result<ExitCode> {
        let secret = seal::secret(&self.db)?;
        let replica =
            Replica::open(&self.db, &secret).map_err(|error| self.refused(error, &secret))?;
        let replica = replica.with_context(|| {
            format!("there is no copy in {}; `sprig follow` makes one", self.db.display())
        })?;
        let worth = replica.reader().worth()?;
        if worth.verified.total() == 0 && worth.claimed.total() > 0 {
            remark!(
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
