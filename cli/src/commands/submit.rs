//! `sprig submit`: gives a question to a cluster.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::state;
use sprig_domain::{Goal, Play, Question, Ruleset};
use sprig_engine::CanonicalPosition;

use crate::connect::{self, CoordinatorUrl};
use crate::failure::escaped;
use crate::output::{Answer, Format};
use crate::positions::Positions;
use crate::prove::prove;
use crate::solved::{Show, Solved};
use crate::stop::Stop;
use crate::variant::Variant;

const EXAMPLES: &str = "\
Examples:
  sprig submit '0*16' --coordinator http://127.0.0.1:7425          prints the job's number
  sprig submit '0*16' --coordinator http://127.0.0.1:7425 --wait   prints what `sprig solve` prints
  sprig submit '0*14' --misere --wait                              who wins when the last to move loses?
  sprig submit '0*53' --priority -1                                when nothing else is to be done
  sprig submit --file campaign.txt --priority -1                   a job for every line";

/// Give positions to a cluster
///
/// A question that is running already is joined; one whose answer is known is answered at once. Several positions, or a
/// file with one a line, become a job each; with --wait they are submitted one after the other.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Submit {
    #[command(flatten)]
    positions: Positions,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    /// Ask for the nimber, not only for the outcome
    #[arg(long)]
    nimber: bool,
    /// Who cannot move wins
    #[arg(long, conflicts_with = "nimber")]
    misere: bool,
    #[command(flatten)]
    variant: Variant,
    /// Jobs of higher priority go first; jobs of equal priority share the workers
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i32,
    /// Wait for the answer and print it; Ctrl-C leaves the job running
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    format: Format,
}

/// What became of a position.
#[derive(Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Told {
    /// It is in work.
    Job {
        position: String,
        canonical: String,
        job: u64,
        /// Where the job stands, in a word.
        state: String,
    },
    /// Its answer.
    Answer(Solved),
}

impl Answer for Told {
    fn text(&self) -> String {
        match self {
            Self::Job { .. } => self.line() + "\n",
            Self::Answer(solved) => solved.text(),
        }
    }

    fn line(&self) -> String {
        match self {
            Self::Job { job, state, .. } => format!("job {job} {}", escaped(state)),
            Self::Answer(solved) => solved.line(),
        }
    }
}

impl Submit {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let question = if self.nimber { Question::Nimber } else { Question::OUTCOME };
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let ruleset = Ruleset { game: self.variant.game(), play };
        let runtime = connect::runtime()?;
        let show = if self.nimber { Show::Both } else { Show::Outcome };
        // Made when the first position has been read: a mistake needs no coordinator.
        let mut line = None;
        self.positions.answer(&self.format, |typed, position| {
            let position = CanonicalPosition::of(position);
            let goal = Goal::new(ruleset, position, question)?;
            runtime.block_on(async {
                let (client, stop) = match &mut line {
                    Some(line) => line,
                    none => none.insert((self.coordinator.await_start().await?, Stop::listen()?)),
                };
                if !self.wait {
                    let job = client.submit(goal, self.priority).await?;
                    let canonical = job.goal.position().to_string();
                    let (position, state) = (typed.to_owned(), state(&job));
                    return Ok(Told::Job { position, canonical, job: job.id.0, state });
                }
                let solved = prove(client, stop, typed, goal, self.priority, show).await?;
                Ok(Told::Answer(solved))
            })
        })
    }
}
