//! `sprig starts`: what is conjectured, what is proved and what is open of the start positions.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_campaign::{MAX_SPOTS, Proof, is_predicted_win, proofs};
use sprig_domain::{Outcome, Play};
use sprig_engine::{CanonicalPosition, Position};

use crate::judge::Sources;
use crate::output::{self, Answer, Format};
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig starts                           normal play: conjectured, proved, open
  sprig starts --misere --to 24          misère play
  sprig starts --db facts                beside what a database knows
  sprig starts --to 20 --solve           proves them, the small ones first

In normal play the first player is conjectured to win if the number of spots is 3, 4 or 5 modulo 6; in misère play if it
is 0, 4 or 5 modulo 6, except that 1 spot is a win and 4 spots are a loss.";

/// Show which start positions are won: what is conjectured, who has proved it, and what is open
///
/// `certified` is what this repository has a certificate of, `solved` what Sprig has solved beside, `published` what others
/// have. Everything proved so far is as conjectured; what a database or a search says otherwise ends the command.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Starts {
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    /// The last number of spots
    #[arg(long, value_name = "SPOTS", default_value_t = 106,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SPOTS)))]
    to: u32,
    #[command(flatten)]
    sources: Sources,
    #[command(flatten)]
    format: Format,
}

/// The table. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Table {
    play: &'static str,
    /// The start positions.
    starts: Vec<Start>,
    #[serde(skip)]
    is_judged: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Start {
    /// Its spots.
    spots: u32,
    /// The conjectured outcome.
    conjecture: String,
    /// `certified`, `solved`, `published`, `proved here` or `open`.
    status: &'static str,
    /// Who published it.
    by: Option<&'static str>,
    /// The outcome by the database, the cluster or the search that was named.
    here: Option<String>,
}

impl Answer for Table {
    fn text(&self) -> String {
        let rows = self.starts.iter().map(|start| {
            let here = match (&start.here, self.is_judged) {
                (Some(here), _) => here.clone(),
                (None, true) => "unknown".to_owned(),
                (None, false) => "-".to_owned(),
            };
            let [conjecture, status] = [start.conjecture.clone(), start.status.to_owned()];
            [start.spots.to_string(), conjecture, status, start.by.unwrap_or("-").to_owned(), here]
        });
        table(["SPOTS", "CONJECTURE", "STATUS", "PUBLISHED BY", "HERE"], &[], rows)
            + &self.line()
            + "\n"
    }

    fn line(&self) -> String {
        let open = self.starts.iter().filter(|start| start.status == "open").count();
        format!("{} proved, {open} open", self.starts.len() - open)
    }
}

impl Starts {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let play = if self.misere { Play::Misere } else { Play::Normal };
        let mut judge = self.sources.open(play)?;
        let mut starts = Vec::new();
        for spots in 1..=self.to {
            let start = CanonicalPosition::of(&Position::start(spots as usize));
            let here = judge.worth(&start)?.outcome;
            let conjecture = Outcome::from(is_predicted_win(self.misere, spots));
            anyhow::ensure!(
                here.is_none_or(|here| here == conjecture),
                "{spots} spots were found to be the opposite of the conjecture, a {conjecture}: either that is news, or \
                 the facts are wrong; certify them with `sprig certify '0*{spots}'` and check the certificate"
            );
            let proofs = proofs(self.misere, spots);
            let by = proofs.iter().find_map(|proof| match proof {
                Proof::Published(who) => Some(*who),
                _ => None,
            });
            let status = match proofs.first() {
                Some(Proof::Certified) => "certified",
                Some(Proof::Solved) => "solved",
                Some(Proof::Published(_)) => "published",
                None if here.is_some() => "proved here",
                None => "open",
            };
            let here = here.map(|here| here.to_string());
            starts.push(Start { spots, conjecture: conjecture.to_string(), status, by, here });
        }
        judge.end()?;
        let is_judged = self.sources.are_named();
        output::answer(&self.format, &Table { play: play.name(), starts, is_judged })
    }
}
