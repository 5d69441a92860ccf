//! `sprig children`: the positions that one move leads to.

use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_engine::{Budget, CanonicalPosition};

use crate::failure::Failure;
use crate::output::{Answer, Format, Style};
use crate::positions::Positions;
use crate::variant::Variant;

const EXAMPLES: &str = "\
Examples:
  sprig children '0*2'                   one canonical child a line
  sprig children '0*2' --json            an object with an array
  sprig children '0*2' --variant black-and-white
                                         also those in which the new spot is left out
  sprig children --file positions.txt    POSITION<TAB>CHILD CHILD .. for every line";

/// List the canonical children of a position: what one move can lead to
///
/// Sorted as text, without duplicates: moves that lead to isomorphic positions count once.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Children {
    #[command(flatten)]
    positions: Positions,
    #[command(flatten)]
    variant: Variant,
    #[command(flatten)]
    format: Format,
    #[command(flatten)]
    style: Style,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Listed {
    position: String,
    canonical: String,
    /// The canonical children, sorted as text.
    children: Vec<String>,
}

impl Answer for Listed {
    fn text(&self) -> String {
        self.children.iter().flat_map(|child| [child, "\n"]).collect()
    }

    fn line(&self) -> String {
        self.children.join(" ")
    }
}

impl Children {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut generator = self.variant.game().generator();
        self.positions.answer(&self.format, |typed, position| {
            let canonical = CanonicalPosition::of(position);
            self.variant.check(&canonical).map_err(Failure::Position)?;
            let children = canonical
                .children_by(&mut generator, &mut Budget::default())
                .context("cannot list the children")
                .map_err(Failure::Position)?;
            let mut children: Vec<_> =
                children.iter().map(|child| self.style.print(child)).collect();
            children.sort_unstable();
            Ok(Listed {
                position: typed.to_owned(),
                canonical: self.style.print(&canonical),
                children,
            })
        })
    }
}
