//! `sprig small-trees`: all trees of small height, whether or not a game leads to them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_calculator::{HIGHEST_CANONICAL, HIGHEST_RCTS, canonical_trees, rcts};
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
  sprig small-trees 5                    2^65536 and 4171780; half a gigabyte of memory

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
    /// Trees up to this height, from 0 to 5
    #[arg(value_name = "HEIGHT", value_parser = clap::value_parser!(u16).range(..=i64::from(HIGHEST_RCTS)))]
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
    /// None where it is 2^65536.
    canonical_trees: Option<usize>,
    rcts: usize,
    /// All of them, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<List>,
}

/// The trees as nested sets, the low ones first.
#[derive(Serialize, schemars::JsonSchema)]
pub struct List {
    canonical_trees: Vec<String>,
    rcts: Vec<String>,
}

impl Answer for Counted {
    fn text(&self) -> String {
        let canonical =
            self.canonical_trees.map_or("2^65536".to_owned(), |count| count.to_string());
        let mut text = format!("canonical trees  {canonical}\nRCTs             {}\n", self.rcts);
        if let Some(List { canonical_trees, rcts }) = &self.list {
            for tree in canonical_trees {
                let reduced = if rcts.contains(tree) { "RCT      " } else { "canonical" };
                text += &format!("{reduced}  {tree}\n");
            }
        }
        text
    }

    fn line(&self) -> String {
        self.rcts.to_string()
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
        let (mut trees, mut forest) = (CanonicalTrees::default(), Forest::default());
        let canonical = (height <= HIGHEST_CANONICAL).then(|| canonical_trees(&mut trees, height));
        let rcts = rcts(&mut forest, height);
        if let (Some(path), Some(canonical)) = (&self.draw, &canonical) {
            let title = format!("Canonical trees of height up to {height}");
            let drawn = of_canonical(title, &trees, canonical.iter().copied(), canonical.len())?;
            image::File::of(path)?.write(&drawn.svg(&Look::default()), None)?;
        }
        let list = self.list.then(|| List {
            canonical_trees: canonical
                .iter()
                .flatten()
                .filter_map(|&tree| trees.nested(tree, LONGEST))
                .collect(),
            rcts: rcts.iter().filter_map(|&tree| forest.nested(tree, LONGEST)).collect(),
        });
        let canonical_trees = canonical.map(|trees| trees.len());
        let counted = Counted { height, canonical_trees, rcts: rcts.len(), list };
        output::answer(&self.format, &counted)
    }
}
