//! `sprig rct`: the reduced canonical tree of a position.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use sprig_ask::plural;
use sprig_calculator::{Explained, Expression, Link, explain, links};
use sprig_engine::{CanonicalPosition, Position};
use sprig_trees::{CanonicalBase, CanonicalTree, CanonicalTrees, Forest, Tree};

use super::rct_base::outcome;
use crate::failure::{Failure, Usage, quote};
use crate::output::{self, Answer, Format};
use crate::positions::Positions;
use crate::sums::{WrittenSum, is_sum};
use crate::table::table;
use crate::tree_of::{tree_of, worth};
use crate::trees::Trees;

const EXAMPLES: &str = "\
Examples:
  sprig rct '0*4'                        {3;{1;2;{3;{2}}}} and what it is worth
  sprig rct '0*6' --db facts --json      the tree with all below it, as a graph
  sprig rct --file positions.txt         POSITION<TAB>TREE for every line
  sprig rct '{0;{2};{3;{2}}}+2'          the tree of a sum of trees: {2}
  sprig rct '0*2+{2}'                    of a position and a tree
  sprig rct '0.0.A|1A' --explain         which moves are reversible
  sprig rct '0.AB|AB' --canonical        the canonical tree, too: nothing but duplicates is left out
  sprig rct '{0;2;{3};{1;3;{2}}}' --subtrees
                                         the tree and all below it, with their heights and outcomes

A text with braces is a tree, the set of its options; a number in it is a Nim-heap. Trees that would
take more than --max-chars are named by their content key of 32 digits: the same key means the same
tree, everywhere.";

/// Find the reduced canonical tree (RCT) of a position: what it is worth in misère play
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
    /// Show which options are reversible, and which smaller games it does not reduce to
    #[arg(long)]
    explain: bool,
    /// Show the canonical tree as well: the game tree without duplicates, from which nothing else is left out
    #[arg(long)]
    canonical: bool,
    /// List the tree and all below it: height, number and outcome, as 1 + a smaller tree if it is one, and those of the options
    #[arg(long)]
    subtrees: bool,
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
#[derive(Serialize, schemars::JsonSchema)]
pub struct Found {
    position: String,
    /// None of a tree that was written as sets.
    canonical: Option<String>,
    play: &'static str,
    /// Nested sets, if they are short enough.
    rct: Option<String>,
    key: String,
    /// Its size, if it is a Nim-heap.
    heap: Option<u16>,
    /// Whether it is 1 + a smaller tree.
    factor: bool,
    /// That smaller tree: nested sets, or its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    smaller: Option<String>,
    /// Moves of the longest game.
    height: u16,
    outcome: &'static str,
    /// How many trees there are from this one down, not counting those with a factor 1 apart.
    below: usize,
    /// The tree and all below it: keys of options by key. Only for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    trees: Option<BTreeMap<String, Vec<String>>>,
    /// Why it is what it is, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    explained: Option<Reduction>,
    /// Nested sets, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical_tree: Option<String>,
    /// The tree and all below it, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    subtrees: Option<Vec<Subtree>>,
}

/// A tree below another.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Subtree {
    rct: String,
    /// Its height, its number among the trees of this height, and its outcome.
    id: String,
    /// Of 1 + a smaller tree: height and number of that one, and the outcome of the sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    factored: Option<String>,
    /// Its options.
    options: Vec<String>,
}

impl Answer for Found {
    fn text(&self) -> String {
        let Self { key, height, outcome, below, .. } = self;
        let below = plural(*below, "tree");
        let factor = self.smaller.as_ref().map(|smaller| format!("1 + {smaller}"));
        let factor = factor.unwrap_or_else(|| "no factor 1".to_owned());
        let text = format!(
            "tree        {}\nkey         {key}\noutcome     {outcome} for the player to move\n\
             height      {height}\nfactor      {factor}\nbelow       {below} without factor 1, itself included\n",
            self.line()
        );
        let mut text = text + &self.explained.as_ref().map_or_else(String::new, Reduction::text);
        if let Some(canonical) = &self.canonical_tree {
            text += &format!("canonical   {canonical}\n");
        }
        if let Some(subtrees) = &self.subtrees {
            let rows = subtrees.iter().map(|Subtree { rct, id, factored, options }| {
                let options = if options.is_empty() { "-".to_owned() } else { options.join(" ") };
                [rct.clone(), id.clone(), factored.clone().unwrap_or_else(|| "-".into()), options]
            });
            text += &format!("\n{}", table(["RCT", "ID", "FACTOR 1", "OPTIONS"], &[], rows));
        }
        text
    }

    fn line(&self) -> String {
        self.rct.clone().unwrap_or_else(|| self.key.clone())
    }
}

/// A text with braces.
enum Written {
    /// Trees alone.
    Tree(Expression),
    /// Positions and trees.
    Sum(WrittenSum),
}

impl Rct {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // The trees are opened after the first position has been read, so that a mistake makes no
        // database.
        let mut trees = None;
        let open =
            || -> anyhow::Result<Trees> { Trees::open(self.db.as_deref(), self.threads.into()) };
        if let Some(written) = self.positions.written(is_sum) {
            return self.calculate(&written, &mut open()?);
        }
        self.positions.answer(&self.format, |typed, position| {
            if trees.is_none() {
                trees = Some(open()?);
            }
            let trees = trees.as_mut().expect("it has just been opened");
            self.answer(trees, typed, position)
        })
    }

    /// Computes trees that are written as sets and sums. Several get a line each.
    fn calculate(&self, written: &[String], trees: &mut Trees) -> anyhow::Result<ExitCode> {
        let read = written.iter().map(|typed| self.read(typed)).collect::<Result<Vec<_>, _>>()?;
        for (typed, written) in written.iter().zip(&read) {
            let written = match written {
                Written::Tree(tree) => tree,
                Written::Sum(sum) => {
                    let tree = sum.tree(trees, self.max_lands);
                    let tree = tree.map_err(|failure| failure.about(typed))?;
                    self.tell(&self.found(trees, typed, tree)?, read.len())?;
                    continue;
                }
            };
            let tree =
                worth(trees, written, self.max_lands).map_err(|failure| failure.about(typed))?;
            let options = match self.explain {
                true => {
                    let (forest, sums) = trees.forest_and_sums();
                    written.options(forest, sums, self.max_lands as f64)?
                }
                false => None,
            };
            let explained = options.map(|options| self.explained(trees, &options));
            let mut canonical = CanonicalTrees::default();
            let canonical = match self.canonical {
                true => {
                    let tree = written.canonical(&mut canonical, self.max_lands as f64)?;
                    Some(self.written(&canonical, tree)?)
                }
                false => None,
            };
            let found = self.found(trees, typed, tree)?;
            let found = Found { explained, canonical_tree: canonical, ..found };
            self.tell(&found, read.len())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Reads a tree, or a sum in which positions stand.
    fn read(&self, typed: &str) -> anyhow::Result<Written> {
        let sum = WrittenSum::read(typed)?;
        if !sum.has_positions() {
            let tree: Result<Expression, _> = typed.parse();
            let wrong = |what| Usage(format!("tree {}: {what}", quote(typed)));
            return Ok(Written::Tree(tree.map_err(wrong)?));
        }
        if self.explain || self.canonical {
            let what = "--explain and --canonical are for positions or trees, not for sums of both";
            return Err(Usage(format!("{}: {what}", quote(typed))).into());
        }
        Ok(Written::Sum(sum))
    }

    /// Prints what was found: all of it, or a line for each of several.
    fn tell(&self, found: &Found, several: usize) -> anyhow::Result<()> {
        match (several, self.format.json) {
            (1, _) => output::answer(&self.format, found).map(drop),
            (_, true) => output::print(output::json(found)?),
            (_, false) => output::print(format!("{}\t{}\n", found.position, found.line())),
        }
    }

    fn answer(
        &self,
        trees: &mut Trees,
        typed: &str,
        position: &Position,
    ) -> Result<Found, Failure> {
        let canonical = CanonicalPosition::of(position);
        let tree = tree_of(trees, &canonical, self.max_lands)?;
        let mut explained = None;
        if self.explain {
            let children = canonical.children().map_err(|error| Failure::Position(error.into()))?;
            let options: Result<Vec<Tree>, Failure> =
                children.iter().map(|child| tree_of(trees, child, self.max_lands)).collect();
            explained = Some(self.explained(trees, &options?));
        }
        let mut canonical_tree = None;
        if self.canonical {
            let mut base = CanonicalBase::default();
            let tree = base.tree(&canonical, self.max_lands).ok_or_else(|| {
                let what = "its canonical tree takes more lands, or more sums, than";
                Failure::Position(anyhow!("{what} {}; give a larger --max-lands", self.max_lands))
            })?;
            let written = self.written(base.trees(), tree);
            canonical_tree = Some(written.map_err(Failure::Position)?);
        }
        let found = self.found(trees, typed, tree).map_err(Failure::Position)?;
        Ok(Found { canonical: Some(canonical.to_string()), explained, canonical_tree, ..found })
    }

    /// The canonical tree as nested sets.
    fn written(&self, trees: &CanonicalTrees, tree: CanonicalTree) -> anyhow::Result<String> {
        let most = self.max_chars;
        trees.nested(tree, most).with_context(|| {
            format!(
                "the canonical tree takes more than {most} characters; --max-chars allows more, and \
                 `sprig tree-counts POS --list canonical` lists what is below it"
            )
        })
    }

    /// The tree, with the trees below it if these were asked for. The other optional parts stay
    /// empty.
    fn found(&self, trees: &Trees, typed: &str, tree: Tree) -> anyhow::Result<Found> {
        let forest = trees.forest();
        let most = self.max_chars;
        let subtrees = self.subtrees.then(|| {
            links(forest, tree, most).with_context(|| {
                format!("some tree takes more than {most} characters; --max-chars allows more")
            })
        });
        let told = |Link { tree, id, factored, options }| Subtree {
            rct: forest.nested(tree, most).unwrap_or_default(),
            id,
            factored,
            options,
        };
        let subtrees = subtrees.transpose()?;
        let name = |tree| forest.nested(tree, most).unwrap_or_else(|| forest.key(tree).to_string());
        Ok(Found {
            position: typed.to_owned(),
            canonical: None,
            play: "misere",
            rct: forest.nested(tree, most),
            key: forest.key(tree).to_string(),
            heap: forest.heap(tree),
            factor: tree.has_factor(),
            smaller: tree.has_factor().then(|| name(tree.without_factor())),
            height: forest.height(tree),
            outcome: outcome(forest.outcome(tree)),
            below: forest.below(tree),
            trees: self.format.json.then(|| graph(forest, tree)),
            explained: None,
            canonical_tree: None,
            subtrees: subtrees.map(|links| links.into_iter().map(told).collect()),
        })
    }

    fn explained(&self, trees: &mut Trees, options: &[Tree]) -> Reduction {
        let (forest, _) = trees.forest_and_sums();
        let Explained { options, candidates, tree } = explain(forest, options);
        let name = |tree: Tree| {
            forest.nested(tree, self.max_chars).unwrap_or_else(|| forest.key(tree).to_string())
        };
        let kept = candidates.last().map_or(0, |candidate| candidate.kept);
        let refused = candidates.iter().filter(|candidate| !candidate.is_reducer());
        let refused = refused.map(|candidate| {
            let kept = options[..candidate.kept].iter().map(|&option| name(option));
            let kept = format!("{{{}}}", kept.collect::<Vec<_>>().join(";"));
            let why = match (candidate.is_a_loss, candidate.tree) {
                (true, _) => "only a win reduces to 0, and this game is a loss".to_owned(),
                (_, None) => "it is not reduced itself".to_owned(),
                _ => format!("no move of {} leads to it", name(candidate.in_the_way[0])),
            };
            Refused { candidate: kept, why }
        });
        Reduction {
            refused: refused.collect(),
            kept: options[..kept].iter().map(|&option| name(option)).collect(),
            reversible: options[kept..].iter().map(|&option| name(option)).collect(),
            reducer: name(tree),
        }
    }
}

/// How a game becomes its tree.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Reduction {
    /// Smaller games that it does not reduce to.
    refused: Vec<Refused>,
    /// Options that stay.
    kept: Vec<String>,
    /// Options that lead back to the tree, and fall away.
    reversible: Vec<String>,
    /// The smaller game that it reduces to.
    reducer: String,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Refused {
    /// The smaller game.
    candidate: String,
    /// Why it does not reduce to that.
    why: String,
}

impl Reduction {
    fn text(&self) -> String {
        let mut text = String::new();
        for option in &self.kept {
            text += &format!("option      {option}\n");
        }
        for option in &self.reversible {
            text += &format!("reversible  {option}, by a move back to {}\n", self.reducer);
        }
        for Refused { candidate, why } in &self.refused {
            text += &format!("not         {candidate}: {why}\n");
        }
        text
    }
}

/// A tree and all trees below it, each with its options. A tree plus 1 has an entry of its own.
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
