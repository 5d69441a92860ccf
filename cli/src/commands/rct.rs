//! `sprig rct`: the reduced canonical tree of a position.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use sprig_engine::{CanonicalLand, CanonicalPosition, Position};
use sprig_misere::{Estimate, Forest, MisereError, Tree, TreeKey};

use super::rct_base::outcome;
use crate::failure::Failure;
use crate::output::{Answer, Format};
use crate::positions::Positions;
use crate::trees::{Trees, flow, stopped};

const EXAMPLES: &str = "\
Examples:
  sprig rct '0*4'                        {3;{1;2;{3;{2}}}} and what it is worth
  sprig rct '0*6' --db facts --json      the tree with all below it, as a graph
  sprig rct --file positions.txt         POSITION<TAB>TREE for every line

A tree is the set of its options; a number is a Nim-heap. Trees that would take more than --max-chars
are named by their content key of 32 digits: the same key means the same tree, everywhere.";

/// Find the reduced canonical tree (RCT) of a position: what it is worth in misere play
///
/// Equal trees can replace each other in every sum. With --db, trees known there are not computed again, and
/// those found are kept.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Rct {
    #[command(flatten)]
    positions: Positions,
    /// Folder of a database, made where there is none; see `sprig rct-base`
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    /// Longest tree to write as nested sets
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_chars: usize,
    /// Refuse positions whose game tree has more lands than this, as far as can be estimated, or more sums of trees
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_lands: usize,
    /// Threads
    #[arg(long, value_name = "T", default_value_t = 1)]
    threads: u16,
    #[command(flatten)]
    format: Format,
}

/// A tree. Its fields are the keys of the JSON object.
#[derive(Serialize)]
struct Found {
    position: String,
    canonical: String,
    play: &'static str,
    /// Nested sets, if they are short enough.
    rct: Option<String>,
    key: String,
    heap: Option<u16>,
    factor: bool,
    height: u16,
    outcome: &'static str,
    /// The tree and all below it: keys of options by key. Only for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    trees: Option<BTreeMap<String, Vec<String>>>,
}

impl Answer for Found {
    fn text(&self) -> String {
        let Self { key, height, outcome, .. } = self;
        let factor = if self.factor { "1 + a smaller tree" } else { "no factor 1" };
        format!(
            "tree        {}\nkey         {key}\noutcome     {outcome} for the player to move\n\
             height      {height}\nfactor      {factor}\n",
            self.line()
        )
    }

    fn line(&self) -> String {
        self.rct.clone().unwrap_or_else(|| self.key.clone())
    }
}

impl Rct {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // Opened when the first position has been read: a mistake must not make a database.
        let mut trees = None;
        self.positions.answer(&self.format, |typed, position| {
            if trees.is_none() {
                trees = Some(Trees::open(self.db.as_deref(), self.threads.into())?);
            }
            let trees = trees.as_mut().expect("it has just been opened");
            self.answer(trees, typed, position)
        })
    }

    fn answer(
        &self,
        trees: &mut Trees,
        typed: &str,
        position: &Position,
    ) -> Result<Found, Failure> {
        let canonical = CanonicalPosition::of(position);
        let mut keys = Vec::new();
        for land in canonical.lands() {
            keys.push(match trees.known(land)? {
                Some(key) => key,
                None => self.compute(trees, land)?,
            });
        }
        let sum = trees.sum(&keys, self.max_lands as f64);
        let tree = sum.map_err(|bound| Failure::Position(too_many_sums(bound, self.max_lands)))?;
        let forest = trees.forest();
        Ok(Found {
            position: typed.to_owned(),
            canonical: canonical.to_string(),
            play: "misere",
            rct: forest.nested(tree, self.max_chars),
            key: forest.key(tree).to_string(),
            heap: forest.heap(tree),
            factor: tree.has_factor(),
            height: forest.height(tree),
            outcome: outcome(forest.outcome(tree)),
            trees: self.format.json.then(|| graph(forest, tree)),
        })
    }

    /// Finds the tree of a land, unless that would take too long. Small game trees are walked at once; the size of others
    /// is estimated first.
    fn compute(&self, trees: &mut Trees, land: &CanonicalLand) -> Result<TreeKey, Failure> {
        trees.load()?;
        let position = CanonicalPosition::from_lands([land.clone()]);
        let small = trees.progress().met + SMALL.min(self.max_lands);
        let found = trees.build(&position, |progress| flow(progress.met <= small));
        if !stopped(&found) {
            return only(found);
        }
        let estimate = Estimate::of(&position).map_err(|e| Failure::Position(e.into()))?;
        if estimate.lands > self.max_lands as f64 {
            return Err(Failure::Position(too_large(&estimate, self.max_lands)));
        }
        // An estimate that was too low must not cost hours either.
        let limit = trees.progress().met + TOLERANCE * self.max_lands;
        let found = trees.build(&position, |progress| flow(progress.met <= limit));
        if stopped(&found) {
            return Err(Failure::Position(too_large(&estimate, self.max_lands)));
        }
        only(found)
    }
}

/// Lands that are walked without asking how many there are: a second or less.
const SMALL: usize = 30_000;
/// How often more lands than estimated are walked before it is given up.
const TOLERANCE: usize = 3;

/// The key of the one land that a build was about. Where it failed: the position is at fault, or the database, and with
/// it everything.
fn only(found: anyhow::Result<Vec<TreeKey>>) -> Result<TreeKey, Failure> {
    match found {
        Ok(keys) => Ok(keys[0]),
        Err(error) if error.is::<MisereError>() => Err(Failure::Position(error)),
        Err(error) => Err(Failure::Everything(error)),
    }
}

fn too_large(estimate: &Estimate, limit: usize) -> anyhow::Error {
    let Estimate { lands, bytes, seconds } = *estimate;
    anyhow!(
        "its game tree has about {lands:.0e} lands, more than {limit}: their trees would take about {} and {}; \
         give a larger --max-lands, or find them with `sprig rct-base POS --db DIR`",
        duration(seconds),
        size(bytes)
    )
}

fn too_many_sums(bound: f64, limit: usize) -> anyhow::Error {
    anyhow!(
        "the sum of the trees of its lands leads to as many as {bound:.0e} trees, more than {limit}; ask for its \
         lands one by one, or give a larger --max-lands"
    )
}

/// A time of which only the order of magnitude is known.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} seconds"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} hours", s / 3600.0),
        s if s < 1e12 => format!("{:.0} days", s / 86_400.0),
        _ => "for ever".to_owned(),
    }
}

fn size(bytes: f64) -> String {
    if bytes < 1e9 { format!("{:.0} MB", bytes / 1e6) } else { format!("{:.0} GB", bytes / 1e9) }
}

/// A tree and all below it, each with its options. Trees with a factor 1 have entries of their own.
fn graph(forest: &Forest, root: Tree) -> BTreeMap<String, Vec<String>> {
    let mut graph = BTreeMap::new();
    let mut open = vec![root];
    while let Some(tree) = open.pop() {
        graph.entry(forest.key(tree).to_string()).or_insert_with(|| {
            open.extend(forest.options(tree));
            forest.option_keys(tree).iter().map(ToString::to_string).collect()
        });
    }
    graph
}
