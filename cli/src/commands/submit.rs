//! `sprig submit`: gives a question to a cluster.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_engine::CanonicalPosition;
use sprig_proto::{Goal, Question};

use crate::connect::{self, CoordinatorUrl};
use crate::output::{self, Answer, Format};
use crate::positions::OnePosition;
use crate::prove::prove;
use crate::rows::state;
use crate::solved::Show;
use crate::stop::Stop;

const EXAMPLES: &str = "\
Examples:
  sprig submit '0*16' --coordinator http://127.0.0.1:7425          prints the job's number
  sprig submit '0*16' --coordinator http://127.0.0.1:7425 --wait   prints what `sprig solve` prints
  sprig submit '0*14' --misere --wait                              who wins when the last to move loses?
  sprig submit '0*53' --priority -1                                when nothing else is to be done";

/// Give a position to a cluster
///
/// A question that is running already is joined; one whose answer is known is answered at once.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Submit {
    #[command(flatten)]
    position: OnePosition,
    #[command(flatten)]
    coordinator: CoordinatorUrl,
    /// Ask for the nimber, not only for the outcome
    #[arg(long)]
    nimber: bool,
    /// Who cannot move wins
    #[arg(long, conflicts_with = "nimber")]
    misere: bool,
    /// Jobs of higher priority go first; jobs of equal priority share the workers
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i32,
    /// Wait for the answer and print it; Ctrl-C leaves the job running
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Submitted {
    position: String,
    canonical: String,
    job: u64,
    state: String,
}

impl Answer for Submitted {
    fn line(&self) -> String {
        format!("job {} {}", self.job, self.state)
    }
}

impl Submit {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let question = match (self.misere, self.nimber) {
            (true, _) => Question::Misere,
            (_, true) => Question::Normal(sprig_search::Question::Nimber),
            _ => Question::Normal(sprig_search::Question::Outcome { heap: Default::default() }),
        };
        let goal = Goal { position: CanonicalPosition::of(&position), question };
        connect::runtime()?.block_on(async {
            let mut client = self.coordinator.connect().await?;
            if !self.wait {
                let job = client.submit(goal, self.priority).await?;
                let canonical = job.goal.position.to_string();
                let job =
                    Submitted { position: typed, canonical, job: job.id.0, state: state(&job) };
                return output::answer(&self.format, &job);
            }
            let show = if self.nimber { Show::Both } else { Show::Outcome };
            let mut stop = Stop::listen()?;
            let solved = prove(&mut client, &mut stop, &typed, goal, self.priority, show).await;
            output::answer(&self.format, &solved.map_err(|failure| failure.about(&typed))?)
        })
    }
}
