//! The answer to a proved question, as `solve`, `nimber` and `submit --wait` print it.

use serde::Serialize;
#[cfg(feature = "coordinator")]
use sprig_domain::Figures;
#[cfg(feature = "coordinator")]
use sprig_domain::Game;
use sprig_domain::{Conclusion, Outcome, Play};
use sprig_engine::Nimber;
use sprig_proto::Job;

use crate::output::Answer;

/// What people see of an answer. Programs always see the whole answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Outcome first, then the nimber if it is known, then the figures.
    Outcome,
    /// The same, but in a list of positions the line has the outcome and the nimber.
    Both,
    /// The nimber alone.
    Nimber,
}

/// A proved answer. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Solved {
    position: String,
    canonical: String,
    game: &'static str,
    play: &'static str,
    outcome: String,
    nimber: Option<u8>,
    expansions: u64,
    facts: u64,
    seconds: f64,
    #[serde(skip)]
    show: Show,
    /// All that was counted.
    #[cfg(feature = "coordinator")]
    #[serde(skip)]
    pub figures: Figures,
}

impl Solved {
    /// Working time in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The answer with which `job` ended, to the question typed as `typed`.
    pub fn new(typed: &str, job: &Job, conclusion: Conclusion, show: Show) -> Self {
        let play = job.goal.play();
        let nimber = match conclusion.outcome {
            // A loss has the nimber of the heap beside it, whether that was asked for or not.
            Outcome::Loss if play == Play::Normal => Some(job.goal.question().heap()),
            _ => conclusion.nimber,
        };
        Self {
            position: typed.to_owned(),
            canonical: job.goal.position().to_string(),
            game: job.goal.game().name(),
            play: play.name(),
            outcome: conclusion.outcome.to_string(),
            nimber: nimber.map(Nimber::get),
            expansions: job.figures.expansions,
            facts: job.figures.facts,
            seconds: (job.seconds * 1000.0).round() / 1000.0,
            show,
            #[cfg(feature = "coordinator")]
            figures: job.figures,
        }
    }

    /// The outcome in misère play of a sum of positions and trees, which reads as `canonical`.
    #[cfg(feature = "coordinator")]
    pub fn of_sum(
        typed: &str,
        canonical: String,
        outcome: Outcome,
        figures: Figures,
        seconds: f64,
    ) -> Self {
        Self {
            position: typed.to_owned(),
            canonical,
            game: Game::Sprouts.name(),
            play: Play::Misere.name(),
            outcome: outcome.to_string(),
            nimber: None,
            expansions: figures.expansions,
            facts: figures.facts,
            seconds: (seconds * 1000.0).round() / 1000.0,
            show: Show::Outcome,
            figures,
        }
    }

    /// The nimber if it was asked for, else the outcome.
    #[cfg(feature = "coordinator")]
    pub fn measured(&self) -> sprig_bench::Answer {
        match (self.show, self.nimber) {
            (Show::Nimber, Some(nimber)) => sprig_bench::Answer::Nimber(nimber),
            _ if self.outcome == Outcome::Loss.to_string() => sprig_bench::Answer::Loss,
            _ => sprig_bench::Answer::Win,
        }
    }

    /// The outcome, and the nimber if it is known.
    pub fn value(&self) -> (Option<Outcome>, Option<Nimber>) {
        let outcome = Outcome::from(self.outcome == Outcome::Win.to_string());
        (Some(outcome), self.nimber.and_then(|nimber| Nimber::new(nimber.into()).ok()))
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
