//! `sprig nimber`: prints the nimber alone. Otherwise it is `solve --nimber`.

use std::process::ExitCode;

use clap::Args;
use sprig_domain::{Goal, Play, Question, Ruleset};

use super::solve::Search;
use crate::output::Format;
use crate::positions::Positions;
use crate::solved::Show;
use crate::variant::Variant;

const EXAMPLES: &str = "\
Examples:
  sprig nimber '0*2.AB|AB'               prints 2
  sprig nimber 4 --variant black-and-white
                                         of another game
  sprig nimber --file positions.txt      POSITION<TAB>NIMBER for every line";

/// Find the nimber of a position and print it: `solve --nimber`, the number alone
///
/// 0 is a loss for the player to move, every other nimber a win.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct NimberOf {
    #[command(flatten)]
    positions: Positions,
    #[command(flatten)]
    variant: Variant,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    format: Format,
}

impl NimberOf {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let ruleset = Ruleset { game: self.variant.game(), play: Play::Normal };
        let asks = |position| Goal::new(ruleset, position, Question::Nimber);
        self.search.run(&self.positions, &self.format, None, asks, Show::Nimber)
    }
}
