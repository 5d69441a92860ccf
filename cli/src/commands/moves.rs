//! `sprig moves`: every move with its value.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::ahead::{Ahead, Found};
use crate::output::{self, Answer};
use crate::table::table;
use sprig_ask::Value;

const EXAMPLES: &str = "\
Examples:
  sprig moves 6 --solve                  every move of 6 spots, the best first
  sprig moves '0*2.AB|AB' --db facts     what a database knows of them
  sprig moves 8 --solve --nimber --db facts
                                         the nimbers too; what is proved stays in `facts`
  sprig moves 14 --coordinator http://127.0.0.1:7425
                                         what a cluster knows
  sprig moves 7 --misere --solve         when the last to move loses
  sprig moves '0*3@1' --solve            on the torus
  sprig moves 4 --solve --variant black-and-white
                                         where the mover may leave the new spot out";

/// Show every move of a position with its value, the best first
///
/// A move wins when it leads to a position that is lost for the opponent. Moves that lead to
/// isomorphic positions count once: each is told as a curve that can be drawn in the position as it
/// is written, its ends in brackets. What stands between the brackets, and what follows `around`,
/// comes to lie on one side of the curve; `with a handle` says what else does, `through a
/// cross-cap` how a curve runs that separates nothing. What is not known is left open, unless
/// --solve says that it shall be proved.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Moves {
    #[command(flatten)]
    ahead: Ahead,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Listed<'a> {
    #[serde(flatten)]
    found: &'a Found,
}

impl Answer for Listed<'_> {
    fn text(&self) -> String {
        let Found { moves, .. } = self.found;
        format!("{}{}", self.found.head(), list(moves))
    }

    fn line(&self) -> String {
        self.found.head().trim_end().to_owned()
    }
}

/// The moves as a table. A column without any value is left out.
pub fn list(moves: &[Value]) -> String {
    if moves.is_empty() {
        return "no move is left\n".to_owned();
    }
    let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let is_misere = moves.iter().any(|found| found.tree.is_some());
    let rows = moves.iter().map(|found| {
        let value = match &found.tree {
            Some(tree) => tree.clone(),
            None => number(found.nimber.map(u64::from)),
        };
        [
            found.word().to_owned(),
            value,
            number(found.length.map(u64::from)),
            found.known().to_owned(),
            found.words.clone(),
            found.child.clone(),
        ]
    });
    let value = if is_misere { "TREE" } else { "NIMBER" };
    let heading = ["VALUE", value, "LEFT", "KNOWN", "MOVE", "LEADS TO"];
    table(heading, &["KNOWN", "LEFT", value], rows)
}

impl Moves {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let found = self.ahead.find(false)?;
        output::answer(&self.ahead.format, &Listed { found: &found })
    }
}
