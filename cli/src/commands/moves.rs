//! `sprig moves`: every move with its value.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::ahead::{Ahead, Found};
use crate::output::{self, Answer};
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  sprig moves 6 --solve                  every move of 6 spots, the best first
  sprig moves '0*2.AB|AB' --db facts     what a database knows of them
  sprig moves 8 --solve --nimber --db facts
                                         the nimbers too; what is proved stays in `facts`
  sprig moves 14 --coordinator http://127.0.0.1:7425
                                         what a cluster knows
  sprig moves 7 --misere --solve         when the last to move loses";

/// Show every move of a position with its value, the best first
///
/// A move wins when it leads to a position that is lost for the opponent. Moves that lead to isomorphic positions count once.
/// What is not known is left open, unless --solve says that it shall be proved.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Moves {
    #[command(flatten)]
    ahead: Ahead,
}

#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    found: &'a Found,
}

impl Answer for Listed<'_> {
    fn text(&self) -> String {
        let Found { moves, .. } = self.found;
        let rows = moves.iter().map(|found| {
            let nimber = found.nimber.map_or_else(|| "-".to_owned(), |nimber| nimber.to_string());
            [
                found.word().to_owned(),
                nimber,
                found.status.unwrap_or("-").to_owned(),
                found.child.clone(),
            ]
        });
        let list = match moves.is_empty() {
            true => "no move is left\n".to_owned(),
            false => table(["MOVE", "NIMBER", "KNOWN", "LEADS TO"], &["KNOWN"], rows),
        };
        format!("{}{list}", self.found.head())
    }

    fn line(&self) -> String {
        self.found.head().trim_end().to_owned()
    }
}

impl Moves {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let found = self.ahead.find()?;
        output::answer(&self.ahead.format, &Listed { found: &found })
    }
}
