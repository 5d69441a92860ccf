//! `sprig rct-base`: the trees of all positions of a game tree.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;
use sprig_calculator::Apart;
use sprig_domain::Outcome;
use sprig_domain::TreeKey;
use sprig_engine::CanonicalPosition;
use sprig_store::Kind;
use sprig_trees::Tree;

use crate::memory::Bounds;
use crate::output::{self, Answer, Format};
use crate::positions::OnePosition;
use crate::trees::{Trees, flow, stopped};

const EXAMPLES: &str = "\
Examples:
  sprig rct-base '0*6' --db facts        a few seconds, for every later misere search
  sprig rct-base '0*7' --db facts --threads 2 --memory 1G
                                         killed at any time, the same command goes on
  sprig rct-base '0*5' --db facts --apart
                                         how many of the trees does Sprouts itself tell apart?";

/// Find the reduced canonical trees of all lands that a game can lead to, and keep them
///
/// What is found is written every few thousand lands. What the database knows already is not computed again,
/// no matter who found it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct RctBase {
    #[command(flatten)]
    position: OnePosition,
    /// Folder of the database; it is made where there is none
    #[arg(long, value_name = "DIR")]
    db: PathBuf,
    /// Count how many of all trees in the database are told apart by sums with one of them; the others may differ among
    /// all games, and not among these (docs/misere.md)
    #[arg(long)]
    apart: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    format: Format,
}

/// What there is when it is done.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Built {
    position: String,
    canonical: String,
    play: &'static str,
    /// Those of the position, unless it is a sum that is too large to be made.
    key: Option<String>,
    outcome: Option<&'static str>,
    /// Lands with trees, and trees, that the database now holds, also from earlier.
    lands: u64,
    trees: u64,
    /// How many of these, each with and without a factor 1, sums with one of them tell apart, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    apart: Option<ToldApart>,
    /// Facts that the database did not have.
    new_facts: u64,
    bytes: usize,
    seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct ToldApart {
    /// The trees, those with a factor 1 counted apart.
    trees: usize,
    /// Two trees of different classes have different outcomes beside one of the trees.
    classes: usize,
}

impl Answer for Built {
    fn text(&self) -> String {
        let Self { lands, trees, new_facts, seconds, .. } = self;
        let apart = self.apart.as_ref().map_or_else(String::new, |ToldApart { trees, classes }| {
            format!("apart       at least {classes} of {trees}, those with a factor 1 included\n")
        });
        format!(
            "{}lands       {lands}\ntrees       {trees}\n{apart}new facts   {new_facts}\nseconds     {seconds:.2}\n",
            self.about_position()
        )
    }

    fn line(&self) -> String {
        self.key.clone().unwrap_or_else(|| "done".to_owned())
    }
}

impl Built {
    fn about_position(&self) -> String {
        match (&self.key, self.outcome) {
            (Some(key), Some(outcome)) => {
                format!("key         {key}\noutcome     {outcome} for the player to move\n")
            }
            _ => String::new(),
        }
    }
}

/// Most trees on the way to the sum of the lands. A position whose sum takes more gets no key.
const SUMS: f64 = 1e6;

impl RctBase {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let canonical = CanonicalPosition::of(&position);
        let (start, limits) = (Instant::now(), self.bounds.of_all()?);
        let mut trees = Trees::open(Some(&self.db), limits.threads)?;
        let keys = build(&mut trees, &canonical, limits.memory);
        let keys = keys.with_context(|| format!("position `{typed}`"))?;
        let bytes = trees.progress().bytes;
        let tree = trees.sum(&keys, SUMS).ok();
        let apart = if self.apart { Some(apart(&mut trees)?) } else { None };
        let (forest, counts) = (trees.forest(), trees.counts()?);
        output::answer(
            &self.format,
            &Built {
                position: typed,
                canonical: canonical.to_string(),
                play: "misere",
                key: tree.map(|tree| forest.key(tree).to_string()),
                outcome: tree.map(|tree| outcome(forest.outcome(tree))),
                lands: counts.of(Kind::Rct),
                trees: counts.of(Kind::Tree),
                apart,
                new_facts: trees.new_facts,
                bytes,
                seconds: (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
            },
        )
    }
}

/// Finds the trees of all positions that a position leads to, within `memory` bytes.
fn build(
    trees: &mut Trees,
    position: &CanonicalPosition,
    memory: usize,
) -> anyhow::Result<Vec<TreeKey>> {
    let built = trees.build(position, |progress| flow(progress.bytes <= memory));
    ensure!(
        !stopped(&built),
        "its trees need more than {} MiB, which {} lands have taken; what was found is kept: give more --memory, \
         and the same command goes on",
        memory >> 20,
        trees.progress().known
    );
    built
}

/// Most trees of which all pairs are played out, those with a factor 1 counted apart: the outcomes
/// take 100 MB.
const PAIRED: usize = 10_000;

/// What sums of two of all trees of the database tell apart.
fn apart(trees: &mut Trees) -> anyhow::Result<ToldApart> {
    trees.load()?;
    let all: Vec<Tree> = trees.lands().map(|(_, tree)| tree).collect();
    ensure!(
        2 * trees.forest().len() <= PAIRED,
        "there are {} trees, too many for all their sums; a position with fewer spots has fewer",
        trees.forest().len()
    );
    let Apart { trees, classes } = Apart::of(trees.forest(), all);
    Ok(ToldApart { trees, classes })
}

/// The word for an outcome, as in all commands.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "win",
        Outcome::Loss => "loss",
    }
}
