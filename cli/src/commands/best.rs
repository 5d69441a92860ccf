//! `sprig best`: a move to make.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::ahead::{Ahead, Found, Value};
use crate::output::{self, Answer};

const EXAMPLES: &str = "\
Examples:
  sprig best 7 --solve                   a winning move, or that there is none
  sprig best '0*2.AB|AB' --db facts      by what a database knows
  sprig best 7 --misere --solve --json   when the last to move loses, for programs";

/// Show the best move of a position: a winning one if there is one
///
/// The first of `sprig moves`. Of the winning moves it is the one that leaves the fewest lives; of the losing ones the one that
/// leaves the most.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Best {
    #[command(flatten)]
    ahead: Ahead,
}

#[derive(Serialize)]
struct Chosen<'a> {
    position: &'a str,
    canonical: &'a str,
    play: &'static str,
    outcome: Option<&'static str>,
    /// None where no move is left.
    best: Option<&'a Value>,
}

impl Answer for Chosen<'_> {
    fn line(&self) -> String {
        match self.best {
            Some(best) if best.status == Some("claimed") => {
                format!("{} {} (merely claimed)", best.word(), best.child)
            }
            Some(best) => format!("{} {}", best.word(), best.child),
            None => "no move is left".to_owned(),
        }
    }
}

impl Best {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Found { position, canonical, play, outcome, moves, .. } = &self.ahead.find()?;
        let best = moves.first();
        let chosen = Chosen { position, canonical, play, outcome: *outcome, best };
        output::answer(&self.ahead.format, &chosen)
    }
}
