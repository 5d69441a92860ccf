//! `sprig submit`: gives a question to a cluster.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::state;
use sprig_campaign::{Series, Skip};
use sprig_domain::{Game, Goal, Play, Question, Ruleset, Terms};
use sprig_engine::CanonicalPosition;
use sprig_proto::{Job, Submission, limits};

use crate::chain::Chain;
use crate::connect::{self, CoordinatorUrl};
use crate::failure::{Usage, escaped};
use crate::output::{Answer, Format};
use crate::positions::Positions;
use crate::prove::{prove, submit};
use crate::solved::{Show, Solved};
use crate::stop::Stop;
use crate::terms::Given;
use crate::variant::Variant;

const EXAMPLES: &str = "\
Examples:
  sprig submit '0*16' --coordinator http://127.0.0.1:7425          prints the job's number
  sprig submit '0*16' --coordinator http://127.0.0.1:7425 --wait   prints what `sprig solve` prints
  sprig submit '0*14' --misere --wait                              who wins when the last to move loses?
  sprig submit '0*53' --priority -1                                when nothing else is to be done
  sprig submit --file list.txt --label mine --budget 2h            a job for every line, of two core hours at most
  sprig submit --campaign 2..62 --skip 0mod3:34.. --wait           a chain: each when those before it are proved
  sprig cancel --label 'campaign 2..62'                            all of it";

/// Give positions to a cluster
///
/// A question that is running already is joined; one whose answer is known is answered at once. Several positions, or a
/// file with one a line, become a job each; with --wait they are submitted one after the other.
///
/// A campaign is a chain of start positions, one job each, which are worked at from the small to
/// the large: a proof rests on nimbers that smaller ones have found. Its jobs share a label. It
/// goes on whatever becomes of this command, of workers and of the coordinator; the same command
/// joins it again. A position that has spent its budget is left, and the next one begins.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("positions", |arg| arg.required_unless_present("campaign").conflicts_with("skip")))]
pub struct Submit {
    #[command(flatten)]
    positions: Positions,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    /// A chain of start positions instead: numbers of spots, as in 2..62 or 2..35,40,41
    #[arg(long, value_name = "SPOTS", conflicts_with_all = ["positions", "file", "nimber"])]
    campaign: Vec<Series>,
    /// Leave these out of the campaign: numbers, or a residue as in 0mod3 or 0mod3:34..
    #[arg(long, value_name = "SPOTS", requires = "campaign")]
    skip: Vec<Skip>,
    #[command(flatten)]
    given: Given,
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

impl Told {
    /// The answer that a job was submitted.
    pub fn of(typed: &str, job: &Job) -> Self {
        let canonical = job.goal.position().to_string();
        Self::Job { position: typed.to_owned(), canonical, job: job.id.0, state: state(job) }
    }
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
        if !self.campaign.is_empty() {
            return self.chain(ruleset)?.run(&runtime, &self.coordinator);
        }
        let show = if self.nimber { Show::Both } else { Show::Outcome };
        // The connection is made after the first position has been read, as a mistake needs no
        // coordinator.
        let mut line = None;
        self.positions.answer(&self.format, |typed, position| {
            let position = CanonicalPosition::of(position);
            let goal = Goal::new(ruleset, position, question)?;
            runtime.block_on(async {
                let (client, stop) = match &mut line {
                    Some(line) => line,
                    none => none.insert((self.coordinator.await_start().await?, Stop::listen()?)),
                };
                let (priority, terms) = (self.priority, self.given.terms());
                let submission = Submission { goal, priority, terms };
                if !self.wait {
                    return Ok(Told::of(typed, &submit(client, stop, typed, submission).await?));
                }
                let solved = prove(client, stop, typed, submission, show).await?;
                Ok(Told::Answer(solved))
            })
        })
    }

    /// The campaign. Its label names the game, the play and the positions, unless an option gives one.
    fn chain(&self, ruleset: Ruleset) -> anyhow::Result<Chain<'_>> {
        let plan = Series::plan(&self.campaign, &self.skip);
        if plan.is_empty() {
            let remedy = "nothing is left to solve; leave out less with --skip";
            return Err(Usage(remedy.to_owned()).into());
        }
        let typed: Vec<String> = self.campaign.iter().map(ToString::to_string).collect();
        let misere = if self.misere { " misere" } else { "" };
        let game = match ruleset.game {
            Game::Sprouts => String::new(),
            other => format!(" {}", other.name()),
        };
        let label = self.given.label.clone();
        let label = label.unwrap_or_else(|| format!("campaign{game}{misere} {}", typed.join(",")));
        if label.len() > limits::LABEL_BYTES {
            let remedy = "name this campaign with --label TEXT: its numbers make too long a label";
            return Err(Usage(remedy.to_owned()).into());
        }
        let terms = Terms { label, in_turn: true, ..self.given.terms() };
        let (gaps, priority, wait) = (plan.gaps(&self.skip), self.priority, self.wait);
        Ok(Chain { plan, gaps, ruleset, priority, terms, wait, format: &self.format })
    }
}
