//! The answer to a proved question, as `solve`, `nimber` and `submit --wait` print it.

use serde::Serialize;
use sprig_engine::Nimber;
use sprig_proto::{Conclusion, Job, Outcome};

use crate::output::Answer;

/// What people see of an answer. Programs always see all of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Outcome first, then the nimber if it is known, then the figures.
    Outcome,
    /// The same; beside a position of a file the outcome and the nimber.
    Both,
    /// The nimber alone.
    Nimber,
}

/// A proved answer. Its fields are the keys of the JSON object.
#[derive(Serialize)]
pub struct Solved {
    position: String,
    canonical: String,
    play: &'static str,
    outcome: String,
    nimber: Option<u8>,
    expansions: u64,
    facts: u64,
    seconds: f64,
    #[serde(skip)]
    show: Show,
}

impl Solved {
    /// The answer that `job` ended with, to the question typed as `typed`.
    pub fn new(typed: &str, job: &Job, conclusion: Conclusion, show: Show) -> Self {
        let nimber = match conclusion.outcome {
            // A loss is worth nothing, whether or not anybody asked.
            Outcome::Loss => Some(Nimber::ZERO),
            Outcome::Win => conclusion.nimber,
        };
        Self {
            position: typed.to_owned(),
            canonical: job.goal.position.to_string(),
            play: "normal",
            outcome: conclusion.outcome.to_string(),
            nimber: nimber.map(Nimber::get),
            expansions: job.figures.expansions,
            facts: job.figures.facts,
            seconds: (job.seconds * 1000.0).round() / 1000.0,
            show,
        }
    }

    fn nimber(&self) -> String {
        self.nimber.map_or_else(|| "unknown".to_owned(), |nimber| nimber.to_string())
    }
}

impl Answer for Solved {
    fn text(&self) -> String {
        if self.show == Show::Nimber {
            return self.line() + "\n";
        }
        let Self { outcome, expansions, facts, seconds, .. } = self;
        let nimber =
            self.nimber.map_or_else(String::new, |nimber| format!("nimber      {nimber}\n"));
        format!(
            "outcome     {outcome} for the player to move\n\
             {nimber}expansions  {expansions}\nfacts       {facts}\nseconds     {seconds:.2}\n"
        )
    }

    fn line(&self) -> String {
        match self.show {
            Show::Outcome => self.outcome.clone(),
            Show::Both => format!("{} {}", self.outcome, self.nimber()),
            Show::Nimber => self.nimber(),
        }
    }
}
