//! `sprig length`: how many moves games from a position last.

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_domain::Outcome;
use sprig_engine::{CanonicalPosition, Length, Lengths, Span, Spans};

use crate::failure::Failure;
use crate::output::{Answer, Format};
use crate::positions::Positions;
use crate::watching::Watching;

const EXAMPLES: &str = "\
Examples:
  sprig length 5                         10 to 14 moves; who wins, and how soon that can be forced
  sprig length '0*2.AB|AB+0*2' --json    for programs
  sprig length '0*7' --max-positions 4000000
                                         looks at more positions before it gives up

A game of n spots lasts from 2n to 3n - 1 moves.";

/// Tell how long games last: the shortest, the longest, and the one that the winner can force
///
/// In the forced game the winner makes it as short and the loser as long as each can, in normal play and in misère play.
/// All positions of the game tree are looked at.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct LengthOf {
    #[command(flatten)]
    positions: Positions,
    /// Look at no more lands than this, and for each kind of play at no more positions
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    max_positions: usize,
    #[command(flatten)]
    format: Format,
}

/// How long games last, in moves. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Lasting {
    position: String,
    canonical: String,
    /// Moves of the shortest game.
    shortest: u32,
    /// Moves of the longest game.
    longest: u32,
    /// None where more positions would have to be looked at.
    normal: Option<Forced>,
    misere: Option<Forced>,
}

/// The game that the winner forces.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Forced {
    outcome: String,
    /// Moves of the game that the winner forces.
    moves: u32,
}

impl Forced {
    fn of(Length { wins, moves }: Length) -> Self {
        Self { outcome: Outcome::from(wins).to_string(), moves }
    }
}

impl Answer for Lasting {
    fn text(&self) -> String {
        let forced = |forced: &Option<Forced>| match forced {
            Some(Forced { outcome, moves }) => {
                format!("{outcome}, after {}", plural(*moves, "move"))
            }
            None => "not found; --max-positions looks at more".to_owned(),
        };
        format!(
            "shortest    {}\nlongest     {}\nnormal      {}\nmisère      {}\n",
            plural(self.shortest, "move"),
            plural(self.longest, "move"),
            forced(&self.normal),
            forced(&self.misere)
        )
    }

    fn line(&self) -> String {
        let forced = |forced: &Option<Forced>| match forced {
            Some(Forced { outcome, moves }) => format!("{outcome} {moves}"),
            None => "-".to_owned(),
        };
        let Self { shortest, longest, normal, misere, .. } = self;
        format!("{shortest} {longest} {} {}", forced(normal), forced(misere))
    }
}

impl LengthOf {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (most, watching) = (self.max_positions, Watching::new("positions looked at"));
        let spans = Arc::new(Mutex::new(Spans::new(most).counting(watching.done())));
        self.positions.answer(&self.format, |typed, position| {
            let canonical = CanonicalPosition::of(position);
            let (start, spans) = (canonical.clone(), spans.clone());
            let span = watching.over(
                &format!("{canonical}, all games"),
                move || spans.lock().expect("nobody has panicked").of(&start),
                || "the shortest and the longest game are not found yet".to_owned(),
            )?;
            let Span { shortest, longest } = span.ok_or_else(|| {
                let what = "its game tree has more lands than";
                let remedy = "give a larger --max-positions, or ask for a smaller position";
                Failure::Position(anyhow!("{what} {most}; {remedy}"))
            })?;
            let known = format!(
                "the shortest game has {}, the longest {longest}",
                plural(shortest, "move")
            );
            let forced = |misere, about, known: String| {
                let (start, looked) = (canonical.clone(), watching.done());
                let length = move || Lengths::new(misere, most).counting(looked).of(&start);
                watching.over(&format!("{canonical}, {about} play"), length, || known)
            };
            let normal = forced(false, "normal", known.clone())?.map(Forced::of);
            let misere = forced(true, "misère", format!("{known}; {}", in_words(normal.as_ref())))?;
            Ok(Lasting {
                position: typed.to_owned(),
                canonical: canonical.to_string(),
                shortest,
                longest,
                normal,
                misere: misere.map(Forced::of),
            })
        })
    }
}

/// What is known of normal play, for a person who does not wait for misère play.
fn in_words(normal: Option<&Forced>) -> String {
    match normal {
        Some(Forced { outcome, moves }) => {
            format!("normal play: {outcome}, after {}", plural(*moves, "move"))
        }
        None => "normal play: not found".to_owned(),
    }
}
