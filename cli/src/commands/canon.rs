//! `sprig canon`: the canonical form.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_engine::CanonicalPosition;

use crate::output::{Answer, Format, Style};
use crate::positions::Positions;

const EXAMPLES: &str = "\
Examples:
  sprig canon '0.0.QX|XQ'                prints 0*2.AB|AB
  sprig canon '0.0.AB.}AB.}]!' --ajs     reads either style, prints AJS style
  sprig canon --file positions.txt       POSITION<TAB>CANONICAL for every line
  generate | sprig canon --file - --json one object a line";

/// Print the canonical form of a position
///
/// Two positions have the same canonical form exactly when they are isomorphic after reduction. Lands are never
/// cancelled against each other.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Canon {
    #[command(flatten)]
    positions: Positions,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    style: Style,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Canonical {
    position: String,
    canonical: String,
}

impl Answer for Canonical {
    fn line(&self) -> String {
        self.canonical.clone()
    }
}

impl Canon {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.positions.answer(&self.format, |typed, position| {
            let canonical = CanonicalPosition::of(position);
            Ok(Canonical { position: typed.to_owned(), canonical: self.style.print(&canonical) })
        })
    }
}
