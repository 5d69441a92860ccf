//! `sprig credit`: who has found what is known.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_store::{Credited, credited};

use crate::database;
use crate::date;
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::steps::Steps;
use crate::stop::Stop;
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig credit --db facts                            also while a coordinator runs
  sprig credit --db facts --json";

/// Show who has found the facts of a database
///
/// Counts the facts that still stand for whoever reported them first. Verified facts were checked; the others were not, as no
/// answer needed them. Names that were proved by a token or certificate are one, whatever their workers are called. Reads all facts.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CreditOf {
    /// Folder of the database
    #[arg(long, value_name = "DIR", env = "SPRIG_DB")]
    db: PathBuf,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Credits {
    /// Those with the most verified facts first.
    credits: Vec<Row>,
}

/// What one has found.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Row {
    name: String,
    /// Whether the name was proved.
    proved: bool,
    /// Facts that are verified.
    verified: u64,
    /// Facts that are merely claimed.
    claimed: u64,
    /// Milliseconds of Unix time.
    first: u64,
    /// The same of the last one.
    last: u64,
}

impl Answer for Credits {
    fn text(&self) -> String {
        let rows = self.credits.iter().map(|row| {
            [
                row.name.clone(),
                (if row.proved { "proved" } else { "free" }).to_owned(),
                row.verified.to_string(),
                row.claimed.to_string(),
                date::utc(row.last),
            ]
        });
        table(["NAME", "NAME IS", "VERIFIED", "CLAIMED", "LAST"], &["NAME IS"], rows)
    }

    fn line(&self) -> String {
        plural(self.credits.len(), "name")
    }
}

impl CreditOf {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let stop = Stop::flag(None)?;
        let reader = database::read(&self.db)?;
        let progress = Steps::start(reader.counts()?.total());
        let credits = reader.credits(&stop, |done| progress.show(done))?;
        drop(progress);
        let Some(credits) = credits else {
            return Err(Interrupted::new("nothing was changed".to_owned()).into());
        };
        let credits = credited(credits).into_iter().map(Row::from).collect();
        output::answer(&self.format, &Credits { credits })
    }
}

impl From<Credited> for Row {
    fn from(Credited { name, is_proved, credit }: Credited) -> Self {
        let (first, last) = credit.time;
        let (verified, claimed) = (credit.verified.total(), credit.claimed.total());
        Self { name, proved: is_proved, verified, claimed, first: first.0, last: last.0 }
    }
}
