//! `sprig tree-counts`: the size and the contents of a game tree.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use sprig_domain::{Figures, Outcome};
use sprig_engine::CanonicalPosition;
use sprig_store::{Batch, Contribution, Fact};
use sprig_trees::{Census, Member, TreeCounts};

use crate::database::Database;
use crate::output::{self, Answer, Format};
use crate::positions::OnePosition;
use crate::progress::Progress;
use crate::table::table;
use crate::trees::provenance;

const EXAMPLES: &str = "\
Examples:
  sprig tree-counts '0*5'                17427 positions, 10461 canonical trees, 1203 RCTs
  sprig tree-counts '0*3' --list rcts    each of its 7 reduced canonical trees, with a position
  sprig tree-counts '0*3' --list non-heaps
                                         the two canonical trees that reduce to no Nim-heap
  sprig tree-counts '0*6' --db facts     holds what it finds against the database, too

`sprig small-trees` counts trees of little height, whether or not a game leads to them.";

/// Count the positions and canonical trees, reduced or not, of a game tree, and list them
///
/// Visits every position, sums of lands too, and needs no database. With --db, the trees of the lands are compared
/// with those that the database knows, and added to it: they were found in another way than `rct-base` finds them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Counts {
    #[command(flatten)]
    position: OnePosition,
    /// List what is counted, what few lives lead to first
    #[arg(long, value_name = "WHAT")]
    list: Option<What>,
    /// Longest tree to write as nested sets
    #[arg(long, value_name = "N", default_value_t = 60)]
    max_chars: usize,
    /// Folder of a database to compare with; it is made where there is none
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Every position
    Positions,
    /// Every canonical tree, with the first position that has it
    Canonical,
    /// Every reduced canonical tree, likewise
    Rcts,
    /// Every canonical tree that reduces to no Nim-heap, likewise
    NonHeaps,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Counted {
    position: String,
    canonical: String,
    /// Different positions of the game tree.
    positions: usize,
    lands: usize,
    /// Different canonical trees.
    canonical_trees: usize,
    rcts: usize,
    /// The largest Nim-heap among the trees.
    largest_heap: u16,
    /// What was asked to be listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Vec<Listed>>,
}

/// A position, or a tree with the first position that has it.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Listed {
    /// Its lives.
    lives: u32,
    position: String,
    /// How many positions have this tree.
    positions: usize,
    /// The longest game, in moves.
    height: u16,
    /// For the player to move, in misère play.
    outcome: String,
    /// Nested sets, or the content key where they are too long.
    rct: String,
    /// Nested sets, if they are short enough.
    canonical_tree: Option<String>,
}

impl Answer for Counted {
    fn text(&self) -> String {
        let Self { positions, lands, canonical_trees, rcts, list, .. } = self;
        let text = format!(
            "positions        {positions}\nlands            {lands}\n\
             canonical trees  {canonical_trees}\nRCTs             {rcts}\n"
        );
        let Some(list) = list else { return text };
        let rows = list.iter().map(|listed| {
            let canonical = listed.canonical_tree.clone().unwrap_or_else(|| "..".to_owned());
            [
                listed.lives.to_string(),
                listed.position.clone(),
                listed.positions.to_string(),
                listed.height.to_string(),
                listed.outcome.clone(),
                listed.rct.clone(),
                canonical,
            ]
        });
        let heading =
            ["LIVES", "POSITION", "POSITIONS", "HEIGHT", "OUTCOME", "RCT", "CANONICAL TREE"];
        text + "\n" + &table(heading, &["CANONICAL TREE"], rows)
    }

    fn line(&self) -> String {
        format!("{} {} {}", self.positions, self.canonical_trees, self.rcts)
    }
}

impl Counts {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (typed, position) = self.position.read()?;
        let canonical = CanonicalPosition::of(&position);
        let mut line = Progress::start(&canonical.to_string());
        line.show(&Figures::default(), None);
        let census = Census::of(&canonical).with_context(|| format!("position `{typed}`"))?;
        if let Some(folder) = &self.db {
            keep(&census, &Database::open_or_create(Some(folder), usize::MAX)?)?;
        }
        let list = self.list.map(|what| self.listed(&census, what));
        drop(line);
        let TreeCounts { positions, lands, canonical_trees, rcts, largest_heap } = census.counts();
        let canonical = canonical.to_string();
        let counted = Counted {
            position: typed,
            canonical,
            positions,
            lands,
            canonical_trees,
            rcts,
            largest_heap,
            list,
        };
        output::answer(&self.format, &counted)
    }

    fn listed(&self, census: &Census, what: What) -> Vec<Listed> {
        let forest = census.forest();
        let listed = match what {
            What::Positions => census.members().map(|member| (member, 1)).collect::<Vec<_>>(),
            What::Canonical => first(census.members(), |member| member.canonical),
            What::Rcts => first(census.members(), |member| member.tree),
            What::NonHeaps => {
                let is_wild = |member: &Member| forest.heap(member.tree).is_none();
                first(census.members().filter(is_wild), |member| member.canonical)
            }
        };
        let listed = listed.into_iter().map(|(Member { position, canonical, tree }, positions)| {
            let rct = forest.nested(tree, self.max_chars);
            Listed {
                lives: position.lands().iter().map(|land| land.lives()).sum(),
                position: position.to_string(),
                positions,
                height: census.canonical().height(canonical),
                outcome: Outcome::from(forest.wins(tree)).to_string(),
                rct: rct.unwrap_or_else(|| forest.key(tree).to_string()),
                canonical_tree: census.canonical().nested(canonical, self.max_chars),
            }
        });
        listed.collect()
    }
}

/// The first member of each kind, with the number of members.
fn first<K: Eq + Hash>(
    members: impl Iterator<Item = Member>,
    kind: impl Fn(&Member) -> K,
) -> Vec<(Member, usize)> {
    let (mut found, mut places) = (Vec::new(), HashMap::new());
    for member in members {
        let place = *places.entry(kind(&member)).or_insert(found.len());
        match found.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => found.push((member, 1)),
        }
    }
    found
}

/// Adds trees and lands to a database, which compares them with its own facts.
fn keep(census: &Census, database: &Database) -> anyhow::Result<()> {
    let forest = census.forest();
    let tree = |tree| Fact::tree(forest.key(tree), forest.option_keys(tree)).verified();
    let mut facts: Vec<Fact> = forest.trees().map(tree).collect();
    facts.extend(census.lands().map(|(land, tree)| Fact::rct(&land, forest.key(tree)).verified()));
    while !facts.is_empty() {
        let rest = facts.split_off(facts.len().min(BATCH));
        let contribution =
            Contribution { provenance: provenance("tree-counts"), facts, exclusions: vec![] };
        facts = rest;
        let contributions = vec![contribution];
        database.store.commit(&Batch { contributions, ..Batch::default() })?;
    }
    Ok(())
}

/// Facts in one commit.
const BATCH: usize = 1 << 14;
