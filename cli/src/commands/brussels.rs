//! `sprig brussels`: Brussels Sprouts, by formula or by search.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_games::brussels::{Lengths, Solver, Start};

use crate::failure::Usage;
use crate::output::{self, Answer, Format};
use crate::watching::Watching;

const EXAMPLES: &str = "\
Examples:
  sprig brussels 3                       3 crosses: how long a game is, and who wins
  sprig brussels 3 --misere              the same when the last to move loses
  sprig brussels 2 --arms 5              stars with five arms
  sprig brussels 2 --surface=-1          on the projective plane, where play matters
  sprig brussels 3 --surface 2 --json    on a torus with two holes, for programs

A surface is 0 for the sphere or the plane, G for a sphere with G handles, -K for one with K
cross-caps (1 the projective plane, 2 the Klein bottle).";

/// Brussels Sprouts: how many moves a game has, and who wins
///
/// A move joins two free arms of crosses and adds a stroke across the curve. On the plane and on
/// every orientable surface no move changes the winner; on non-orientable surfaces
/// there is a choice, and the position is searched.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Brussels {
    /// How many crosses
    #[arg(value_name = "N")]
    crosses: u32,
    /// Free arms of each
    #[arg(long, value_name = "K", default_value_t = 4)]
    arms: u32,
    /// Handles, or cross-caps as a negative number
    #[arg(long, value_name = "G", default_value_t = 0, allow_negative_numbers = true)]
    surface: i32,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    #[command(flatten)]
    format: Format,
}

/// The answer. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Answered {
    /// Crosses, or stars, at the start.
    crosses: u32,
    /// Arms of each.
    arms: u32,
    surface: i32,
    play: &'static str,
    outcome: &'static str,
    /// In normal play.
    #[serde(skip_serializing_if = "Option::is_none")]
    nimber: Option<u32>,
    /// Moves of the shortest game.
    shortest: u64,
    /// Moves of the longest game.
    longest: u64,
    /// Lengths are `shortest`, `shortest + step`, and so on.
    step: u64,
    /// Why that is so.
    proof: String,
    #[serde(skip)]
    words: String,
}

impl Answer for Answered {
    fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.line(), self.words, self.proof)
    }

    fn line(&self) -> String {
        match self.nimber {
            Some(nimber) => format!("{}, nimber {nimber}", self.outcome),
            None => self.outcome.to_owned(),
        }
    }
}

impl Brussels {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Self { crosses, arms, surface, misere, format } = self;
        let start = Start::new(crosses, arms, surface).map_err(|e| Usage(e.to_string()))?;
        let watching = Watching::new("regions and sums looked at");
        let mut solver = Solver::default().counting(watching.done());
        let known = || "who wins is not found yet".to_owned();
        let worth = watching.over(&about(start), move || solver.start(start), known)??;
        let wins = if misere { worth.wins_misere } else { worth.nimber != 0 };
        let Lengths { shortest, longest, step } = start.lengths();
        let answer = Answered {
            crosses,
            arms,
            surface,
            play: if misere { "misere" } else { "normal" },
            outcome: if wins { "win" } else { "loss" },
            nimber: (!misere).then_some(worth.nimber),
            shortest,
            longest,
            step,
            proof: proof(start),
            words: words(start),
        };
        output::answer(&format, &answer)
    }
}

fn words(start: Start) -> String {
    let Lengths { shortest, longest, step } = start.lengths();
    let next = shortest + step;
    let moves = match ((longest - shortest) / step, step) {
        (0, _) => plural(shortest, "move"),
        (1, _) => format!("{shortest} or {longest} moves"),
        (_, 1) => format!("{shortest} to {longest} moves"),
        (2, _) => format!("{shortest}, {next} or {longest} moves"),
        _ => format!("{shortest}, {next}, .. or {longest} moves"),
    };
    format!("{}: a game has {moves}.", about(start))
}

/// The start position, in words.
fn about(start: Start) -> String {
    let crosses = if start.crosses == 1 { "cross" } else { "crosses" };
    let arms = if start.arms == 1 { "arm" } else { "arms" };
    format!("{} {crosses} of {} {arms} on {}", start.crosses, start.arms, surface(start.surface))
}

/// Why the outcome is so, in one sentence.
fn proof(start: Start) -> String {
    let free = u64::from(start.crosses) * u64::from(start.arms);
    if free == 1 {
        return "One free arm cannot be joined to anything.".into();
    }
    let Lengths { shortest, .. } = start.lengths();
    let euler = format!(
        "The {free} free arms stay {free}, and at the end each has a region of its own, so by Euler's \
         formula m moves give (m + {}) - 2m + {free} = 2, which is m = {shortest}",
        start.crosses
    );
    let parity = if shortest % 2 == 1 { "odd" } else { "even" };
    match start.surface {
        0 => format!("{euler}, an {parity} number whatever anybody plays."),
        1.. => format!(
            "{euler} if no handle is cut; each handle that is cut takes 2 moves more, so the number \
             is {parity} whatever anybody plays."
        ),
        _ => format!(
            "{euler} if no cross-cap is cut; each that is cut takes 1 move more, so players have a \
             choice, and all their games were searched."
        ),
    }
}

fn surface(surface: i32) -> String {
    match surface {
        0 => "the sphere".into(),
        1 => "the torus".into(),
        -1 => "the projective plane".into(),
        -2 => "the Klein bottle".into(),
        2.. => format!("a sphere with {surface} handles"),
        _ => format!("a sphere with {} cross-caps", -surface),
    }
}
