//! `sprig small-trees`: all trees of small height, whether or not a game leads to them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_calculator::{Count, HIGHEST_CANONICAL, HIGHEST_COUNTED, canonical_trees, rcts};
use sprig_sketch::Look;
use sprig_trees::{CanonicalTrees, Forest};

use crate::diagrams::of_canonical;
use crate::failure::Usage;
use crate::image;
use crate::output::{self, Answer, Format};

const EXAMPLES: &str = "\
Examples:
  sprig small-trees 3                    16 canonical trees, 5 of them reduced
  sprig small-trees 3 --list             with the trees
  sprig small-trees 3 --draw trees.svg   a picture of them
  sprig small-trees 5                    2^65536 and 4171780
  sprig small-trees 6                    2^2^65536, and 2^4171780 without those sets that reduce

Each set of lower trees is a canonical tree. A reduced one is no set that reversible moves make of a smaller one.";

/// The largest height of which trees are listed.
const LISTED: u16 = 4;

/// The largest height of which trees are drawn. The next one has 65,536 trees.
const DRAWN: u16 = 3;

/// Longest text of a tree. No tree that is listed is longer.
const LONGEST: usize = 1_000;

/// Count and list all canonical trees of little height, and the reduced ones
///
/// The height of a tree is the longest game on it, in moves.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SmallTrees {
    /// Trees up to this height, from 0 to 6
    #[arg(value_name = "HEIGHT", value_parser = clap::value_parser!(u16).range(..=i64::from(HIGHEST_COUNTED)))]
    height: u16,
    /// List them; up to height 4
    #[arg(long)]
    list: bool,
    /// Draw the canonical trees into FILE.svg or FILE.png, each above its options; up to height 3
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// How many there are. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Counted {
    /// Height up to which trees are counted.
    height: u16,
    /// None where the number is too large for one; then it is `canonical_trees_exact` alone.
    canonical_trees: Option<u64>,
    /// None where the number is too large for one; then it is `rcts_exact` alone.
    rcts: Option<u64>,
    /// The number, or the power of two that it is: `2^65536`.
    canonical_trees_exact: String,
    /// The number, or a sum of powers of two.
    rcts_exact: String,
    /// Its decimal digits, where `rcts` is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    rcts_decimal: Option<Decimal>,
    /// All of them, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<List>,
}

/// A number too large to be written.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Decimal {
    /// How many decimal digits it has.
    digits: u64,
    /// The first four of them.
    first: String,
}

/// The trees as nested sets, the low ones first.
#[derive(Serialize, schemars::JsonSchema)]
pub struct List {
    canonical_trees: Vec<String>,
    rcts: Vec<String>,
}

impl Answer for Counted {
    fn text(&self) -> String {
        let Self { canonical_trees_exact, rcts_exact, .. } = self;
        let mut text =
            format!("canonical trees  {canonical_trees_exact}\nRCTs             {rcts_exact}\n");
        if let Some(Decimal { digits, first }) = &self.rcts_decimal {
            text += &format!("                 {digits} digits, the first are {first}\n");
        }
        if let Some(List { canonical_trees, rcts }) = &self.list {
            for tree in canonical_trees {
                let reduced = if rcts.contains(tree) { "RCT      " } else { "canonical" };
                text += &format!("{reduced}  {tree}\n");
            }
        }
        text
    }

    fn line(&self) -> String {
        self.rcts_exact.clone()
    }
}

impl SmallTrees {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let height = self.height;
        if self.list && height > LISTED {
            let what = format!("trees are listed up to height {LISTED}; leave out --list");
            return Err(Usage(what).into());
        }
        if self.draw.is_some() && height > DRAWN {
            let what = format!("trees are drawn up to height {DRAWN}; leave out --draw");
            return Err(Usage(what).into());
        }
        let mut trees = CanonicalTrees::default();
        let canonical = (height <= HIGHEST_CANONICAL).then(|| canonical_trees(&mut trees, height));
        if let (Some(path), Some(canonical)) = (&self.draw, &canonical) {
            let title = format!("Canonical trees of height up to {height}");
            let drawn = of_canonical(title, &trees, canonical.iter().copied(), canonical.len())?;
            image::File::of(path)?.write(&drawn.svg(&Look::default()), None)?;
        }
        let list = self.list.then(|| {
            let mut forest = Forest::default();
            let rcts = rcts(&mut forest, height);
            let canonical = canonical.iter().flatten();
            List {
                canonical_trees: canonical
                    .filter_map(|&tree| trees.nested(tree, LONGEST))
                    .collect(),
                rcts: rcts.into_iter().filter_map(|tree| forest.nested(tree, LONGEST)).collect(),
            }
        });
        let count = Count::of_rcts(height);
        let decimal = || {
            let (digits, first) = count.decimal();
            Decimal { digits, first }
        };
        let counted = Counted {
            height,
            canonical_trees: canonical.as_ref().map(|trees| trees.len() as u64),
            rcts: count.small(),
            canonical_trees_exact: how_many(height, canonical.map(|trees| trees.len())),
            rcts_decimal: count.small().is_none().then(decimal),
            rcts_exact: count.to_string(),
            list,
        };
        output::answer(&self.format, &counted)
    }
}

/// How many canonical trees there are: each set of lower ones is one.
fn how_many(height: u16, listed: Option<usize>) -> String {
    match listed {
        Some(listed) => listed.to_string(),
        None => {
            let powers = "2^".repeat((height - HIGHEST_CANONICAL).into());
            format!("{powers}65536")
        }
    }
}
