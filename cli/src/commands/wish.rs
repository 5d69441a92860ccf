//! `sprig wish`: where the searches of a job shall go.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use sprig_ask::{WishesRow, plural};
use sprig_domain::{JobId, WishKind};
use sprig_proto::{Job, JobOrder, Wanted};

use super::look;
use crate::connect::{self, CoordinatorUrl};
use crate::date;
use crate::failure::Usage;
use crate::output::{self, Answer, Format};
use crate::positions::Somewhere;
use crate::rows;
use crate::terms::label;

const EXAMPLES: &str = "\
Examples:
  sprig wish 7                                   the wishes for job 7, and how they ended
  sprig wish 7 pin '0*2.AB|0*40.AB'              one worker works there until it is decided
  sprig wish 7 boost '0*9' --heap 2 --until 1h   all workers without a pin, for an hour at most
  sprig wish 7 ban '0*2.AB|0*40.AB'              searches leave it alone while they can
  sprig wish 7 withdraw 3                        takes wish 3 back

A wish proves nothing: a wrong one costs time only. `sprig look 7` shows places to wish for.";

/// Show the wishes for a job, or make one: send workers to a place of the tree, or keep them away
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Wish {
    /// Number of the job; `sprig status` lists them
    #[arg(value_name = "JOB")]
    job: u64,
    /// What to wish; without it the wishes are shown
    #[arg(value_name = "WISH", value_enum)]
    what: Option<What>,
    #[command(flatten)]
    at: Somewhere,
    /// When it ends, as in 8h or 2026-12-01T18:00 (UTC); else when its place is decided
    #[arg(long, value_name = "TIME", value_parser = date::coming)]
    until: Option<u64>,
    /// Who you are, where the coordinator asks for no token
    #[arg(long, value_name = "NAME", env = "SPRIG_OWNER", value_parser = label)]
    owner: Option<String>,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

/// What to wish.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// One worker of the job works at the place
    Pin,
    /// All workers of the job that have no pin work at the place
    Boost,
    /// Searches leave the place alone as long as something else looks nearly as good
    Ban,
    /// Take the wish with this number back
    Withdraw,
}

impl Answer for WishesRow {
    fn text(&self) -> String {
        let none = || format!("nobody wishes anything; `sprig wish {} --help`\n", self.job.id);
        let table = look::wishes(&self.wishes);
        rows::line(&self.job) + "\n" + &if table.is_empty() { none() } else { table }
    }

    fn line(&self) -> String {
        let wishes = plural(self.wishes.len(), "wish");
        format!("{}, {wishes}", rows::line(&self.job))
    }
}

impl Wish {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let mut client = self.coordinator.connect().await?;
            let job = look::job(&mut client, self.job).await?;
            let job = match self.order(&job)? {
                Some(order) => client.order(JobId(self.job), order).await?,
                None => job,
            };
            output::answer(&self.format, &WishesRow::from(job))
        })
    }

    fn order(&self, job: &Job) -> anyhow::Result<Option<JobOrder>> {
        let kind = match self.what {
            None => return Ok(None),
            Some(What::Withdraw) => return Ok(Some(JobOrder::Withdraw(self.at.number()?))),
            Some(What::Pin) => WishKind::Pin,
            Some(What::Boost) => WishKind::Boost,
            Some(What::Ban) => WishKind::Ban,
        };
        let Some((position, heap)) = self.at.read()? else {
            return Err(Usage(format!("say where: sprig wish {} {kind} POS", job.id)).into());
        };
        let at = look::place(job.goal.ruleset(), &position, heap)?;
        let by = self.owner.clone().unwrap_or_default();
        Ok(Some(JobOrder::Wish(Wanted { kind, at, until: self.until, by })))
    }
}
