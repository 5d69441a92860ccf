//! `sprig look`: what the searches of a job see.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use sprig_ask::{BranchRow, ExpectedRow, LookerRow, SightRow, ViewRow, WishRow, plural, with_verb};
use sprig_domain::{Goal, JobId, Question, Ruleset};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_proto::{Client, Job};

use crate::connect::{self, CoordinatorUrl};
use crate::date;
use crate::failure::escaped;
use crate::output::{self, Answer, Format};
use crate::positions::Somewhere;
use crate::rows;
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig look 7                           what job 7 is at: where its searches go, and their options
  sprig look 7 '0*2.AB|0*40.AB'          another position of its tree
  sprig look 7 '0*9' --heap 2 --limit 5  a position beside a heap
  sprig top --search 7                   the same, again and again";

/// Show what the searches of a running job see: where they go, and their options, the most
/// promising first
///
/// The numbers say how much work seems to be left: the proof number to prove that the player to
/// move wins, the disproof number that he loses. Looking changes no answer.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct LookAt {
    /// Number of the job; `sprig status` lists them
    #[arg(value_name = "JOB")]
    job: u64,
    #[command(flatten)]
    at: Somewhere,
    /// Most options to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    #[command(flatten)]
    format: Format,
}

impl Answer for SightRow {
    fn text(&self) -> String {
        let mut text = format!("{}\n", rows::line(&self.job));
        let position = &self.job.position;
        text += &format!("{}: {}\n", escaped(&self.job.question), escaped(position));
        if let Some(ExpectedRow { low, likely, high }) = self.expected {
            let expansions = plural(self.job.expansions, "expansion");
            let when = if self.job.has_ended() { "in all" } else { "until now" };
            text += &format!(
                "{expansions} {when}; one search alone needs some {likely} for such a start position ({low} to {high})\n"
            );
        }
        if self.workers.is_empty() {
            text += "no worker is at it\n";
        }
        text += &wishes(&self.wishes);
        self.workers.iter().for_each(|worker| text += &looker(worker));
        text
    }

    fn line(&self) -> String {
        rows::line(&self.job)
    }
}

fn looker(worker: &LookerRow) -> String {
    let wish = worker.wish.map_or_else(String::new, |wish| format!(", sent by wish {wish}"));
    let seconds = worker.age as f64 / 1000.0;
    let head = format!(
        "\n{} at {}{wish}: {}, {seconds:.1} s ago\n",
        escaped(&worker.name),
        escaped(&worker.at),
        plural(worker.expansions, "expansion")
    );
    let Some(ViewRow { at, line, options, open }) = &worker.view else {
        return head + "  sees nothing there: it has not come there, or knows the answer\n";
    };
    let place = |name: &str, branch: &BranchRow| {
        let BranchRow { place, proof, disproof, walks, .. } = branch;
        [name.to_owned(), proof.to_string(), disproof.to_string(), walks.to_string(), place.clone()]
    };
    let numbered = |name: &'static str| {
        move |(number, branch): (usize, &BranchRow)| {
            place(&format!("{name} {}", number + 1), branch)
        }
    };
    let at = [place("here", at)].into_iter();
    let line = line.iter().enumerate().map(numbered("line"));
    let options_shown = options.iter().enumerate().map(numbered("option"));
    let heading = ["", "PROOF", "DISPROOF", "THREADS", "PLACE"];
    let table = table(heading, &[], at.chain(line).chain(options_shown));
    format!(
        "{head}{table}{}, {} shown\n",
        with_verb(*open, "option", ["is open", "are open"]),
        options.len()
    )
}

/// A table of wishes, for people. It is empty if there are none.
pub fn wishes(wishes: &[WishRow]) -> String {
    if wishes.is_empty() {
        return String::new();
    }
    let rows = wishes.iter().map(|wish| {
        let place = match wish.heap {
            0 => wish.position.clone(),
            heap => format!("{} + *{heap}", wish.position),
        };
        let until = wish.until.map_or_else(|| "decided".to_owned(), date::utc);
        [
            wish.number.to_string(),
            wish.kind.to_owned(),
            wish.by.clone().unwrap_or_else(|| "-".to_owned()),
            date::utc(wish.made),
            wish.end.clone().unwrap_or_else(|| format!("holds until {until}")),
            wish.expansions.to_string(),
            place,
        ]
    });
    table(["WISH", "KIND", "BY", "MADE", "STATE", "EXPANSIONS", "PLACE"], &["MADE", "BY"], rows)
}

/// The job with a number.
///
/// # Errors
/// When there is none, or the coordinator cannot be asked.
pub async fn job(client: &mut Client, id: u64) -> anyhow::Result<Job> {
    let page = client.jobs(id.checked_add(1).map(JobId), 1).await?;
    let job = page.into_iter().find(|job| job.id == JobId(id));
    job.ok_or_else(|| anyhow!("there is no job {id}; `sprig status` lists the jobs"))
}

/// A place in the tree of a job: the outcome of a position beside a heap.
///
/// # Errors
/// What the rules of the job have no answer to.
pub fn place(ruleset: Ruleset, position: &Position, heap: Nimber) -> anyhow::Result<Goal> {
    let question = Question::Outcome { heap };
    Ok(Goal::new(ruleset, CanonicalPosition::of(position), question)?)
}

/// What the searches of a job see of a place.
///
/// # Errors
/// When the place is none of the job, or the coordinator cannot be asked.
pub async fn sight(
    client: &mut Client,
    job: u64,
    at: &Somewhere,
    limit: u32,
) -> anyhow::Result<SightRow> {
    let at = match at.read()? {
        Some((position, heap)) => {
            let ruleset = self::job(client, job).await?.goal.ruleset();
            Some(place(ruleset, &position, heap)?)
        }
        None => None,
    };
    Ok(client.look(JobId(job), at, limit).await?.into())
}

impl LookAt {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        connect::runtime()?.block_on(async {
            let mut client = self.coordinator.connect().await?;
            let sight = sight(&mut client, self.job, &self.at, self.limit).await?;
            output::answer(&self.format, &sight)
        })
    }
}
