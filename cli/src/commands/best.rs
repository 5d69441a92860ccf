//! `sprig best`: a move to make.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::ahead::{Ahead, Found, Step};
use crate::output::{self, Answer};
use sprig_ask::{Value, ending, player};
use sprig_domain::Play;

const EXAMPLES: &str = "\
Examples:
  sprig best 7 --solve                   a winning move, or that there is none
  sprig best '0*2.AB|AB' --db facts      by what a database knows
  sprig best 5 --solve --line            the best move, the best answer, and so on to the end
  sprig best 7 --misere --solve --json   when the last to move loses, for programs";

/// Show the best move of a position: a winning one if there is one
///
/// The first of `sprig moves`. Of the winning moves it is the one that ends the game soonest, of the
/// losing ones the one that makes it last longest, as far as that is known: in small games. Else the
/// size of the position says it: the one that is the easiest to search, or the hardest.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Best {
    #[command(flatten)]
    ahead: Ahead,
    /// Play on, the best for both sides, to the end. The first player is who is to move
    #[arg(long)]
    line: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Chosen<'a> {
    position: &'a str,
    written: &'a str,
    canonical: &'a str,
    play: &'static str,
    outcome: Option<&'static str>,
    /// None where no move is left.
    best: Option<&'a Value>,
    /// None if it was not asked for.
    line: Option<&'a [Step]>,
}

impl Answer for Chosen<'_> {
    fn text(&self) -> String {
        let Some(line) = self.line else { return format!("{}\n", self.line()) };
        let steps = line.iter().enumerate().map(|(number, Step { written, best })| {
            let left = best.length.map_or_else(String::new, |left| format!(" ({left} left)"));
            let (words, word) = (&best.words, best.word());
            format!("{:>3}  {:<6}  {written}: {words} {word}{left}\n", number + 1, player(number))
        });
        let play = if self.play == Play::Misere.name() { Play::Misere } else { Play::Normal };
        let end = ending(play, line.len());
        format!("{}\n{}     {end}\n", self.line(), steps.collect::<String>())
    }

    fn line(&self) -> String {
        match self.best {
            Some(best) => {
                let claimed = if best.status == Some("claimed") { " (merely claimed)" } else { "" };
                format!("{} {}{claimed}: {}", best.word(), best.child, best.words)
            }
            None => "no move is left".to_owned(),
        }
    }
}

impl Best {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let found = self.ahead.find(self.line)?;
        let Found { position, written, canonical, play, outcome, moves, line, .. } = &found;
        let (best, line) = (moves.first(), line.as_deref());
        let outcome = *outcome;
        let chosen = Chosen { position, written, canonical, play, outcome, best, line };
        output::answer(&self.ahead.format, &chosen)
    }
}
