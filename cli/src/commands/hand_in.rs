//! `sprig hand-in`: gives the facts of an old coordinator to the new one.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use sprig_ask::{plural, with_verb};
use sprig_coordinator::{HandInError, HandedIn, Heir};

use crate::connect::{self, CoordinatorUrls, machine};
use crate::database;
use crate::failure::Interrupted;
use crate::output::{self, Answer, Format};
use crate::steps::Steps;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig hand-in --db old --coordinator http://10.0.0.2:7425
  sprig hand-in --db old --coordinator https://10.0.0.2:7425 --tls-ca ca.pem --token-file old.token
                                         a token of the role `worker` is made by `sprig token`

A coordinator with --peer does the same by itself, when it ends or starts again.";

/// Hand in the facts of an old coordinator to the one that was promoted in its place
///
/// The new coordinator goes on meanwhile. It takes the facts as those of a worker: as claims, which its auditor checks. Only what
/// came to the old one after the copy of the new one is sent; what is there already does no harm. The old database stays as
/// it is. Its jobs are not handed in: they go on where the copy had them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct HandIn {
    /// Folder of the old database
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    #[command(flatten)]
    coordinators: CoordinatorUrls,
    /// Name under which the facts are signed [default: the machine's, and `/old`]
    #[arg(long, env = "SPRIG_NAME")]
    name: Option<String>,
    #[command(flatten)]
    format: Format,
}

/// What was handed in.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Done {
    /// The coordinator that took it.
    coordinator: String,
    /// The reign in which it leads.
    reign: u64,
    /// The number of the first fact that was sent.
    from: u64,
    /// Facts that were sent, and are on its disk.
    facts: u64,
}

impl Answer for Done {
    fn text(&self) -> String {
        let Self { coordinator, reign, from, facts } = self;
        let (from, facts) = (plural(*from, "fact"), plural(*facts, "fact"));
        format!(
            "coordinator  {coordinator}\nreign        {reign}\nshared       {from}\nhanded in    {facts}\n"
        )
    }

    fn line(&self) -> String {
        let facts = with_verb(self.facts, "fact", ["is", "are"]);
        format!("{facts} handed in to {}", self.coordinator)
    }
}

impl HandIn {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (urls, access) = self.coordinators.resolve()?;
        let database = database::read(&self.db)?;
        let stop = Stop::flag(None)?;
        let name = self.name.clone().unwrap_or_else(|| format!("{}/old", machine()));
        let mut last = None;
        connect::runtime()?.block_on(async {
            for url in urls {
                let heir = Heir::new(url.clone(), access.clone(), name.clone());
                let progress = Steps::start(database.counts()?.total());
                let taking = heir.take(&database, |done, _| progress.show(done));
                let taken = tokio::select! {
                    taken = taking => taken,
                    () = raised(&stop) => {
                        let kept = "what was acknowledged is kept there; the same command sends the rest, and that again";
                        return Err(Interrupted::new(kept.to_owned()).into());
                    }
                };
                match taken {
                    Ok(HandedIn { from, facts, reign }) => {
                        let done = Done { coordinator: url, reign: reign.number, from, facts };
                        return output::answer(&self.format, &done);
                    }
                    Err(error @ (HandInError::Away { .. } | HandInError::NoHeir { .. })) => {
                        last = Some(error);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            match last {
                Some(error) => Err(error.into()),
                None => bail!("no coordinator was named; give one with --coordinator URL"),
            }
        })
    }
}

/// Returns when a flag is set.
async fn raised(flag: &AtomicBool) {
    while !flag.load(Relaxed) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
