//! `sprig tree-counts`: the sizes of a game tree.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sprig_domain::Figures;
use sprig_engine::CanonicalPosition;
use sprig_store::{Batch, Contribution, Fact};
use sprig_trees::TreeCounts;

use crate::database::Database;
use crate::output::{self, Answer, Format};
use crate::positions::OnePosition;
use crate::progress::Progress;
use crate::trees::provenance;

const EXAMPLES: &str = "\
Examples:
  sprig tree-counts '0*5'                17427 positions, 10461 canonical trees, 1203 RCTs
  sprig tree-counts '0*6' --db facts     holds what it finds against the database, too";

/// Count the positions and canonical trees, reduced or not, of a game tree
///
/// Visits every position, sums of lands too, and needs no database. With --db, the trees of the lands are compared
/// with those that the database knows, and added to it: they were found in another way than `rct-base` finds them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Counts {
    #[command(flatten)]
    position: OnePosition,
    /// Folder of a database to compare with; it is made where there is none
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Counted {
    position: String,
    canonical: String,
    positions: usize,
    lands: usize,
    canonical_trees: usize,
    rcts: usize,
    largest_heap: u16,
}

impl Answer for Counted {
    fn text(&self) -> String {
        let Self { positions, lands, canonical_trees, rcts, .. } = self;
        format!(
            "positions        {positions}\nlands            {lands}\n\
             canonical trees  {canonical_trees}\nRCTs             {rcts}\n"
        )
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
        line.show(&Figures::default());
        let mut facts = Vec::new();
        let counts = TreeCounts::telling(&canonical, |forest, lands| {
            if self.db.is_some() {
                let tree = |tree| Fact::tree(forest.key(tree), forest.option_keys(tree));
                facts.extend(forest.trees().map(tree).map(Fact::verified));
                facts.extend(
                    lands.map(|(land, tree)| Fact::rct(&land, forest.key(tree)).verified()),
                );
            }
        });
        let counts = counts.with_context(|| format!("position `{typed}`"))?;
        if let Some(folder) = &self.db {
            let database = Database::open_or_create(Some(folder), usize::MAX)?;
            while !facts.is_empty() {
                let rest = facts.split_off(facts.len().min(BATCH));
                let contribution = Contribution {
                    provenance: provenance("tree-counts"),
                    facts,
                    exclusions: vec![],
                };
                facts = rest;
                let contributions = vec![contribution];
                database.store.commit(&Batch { contributions, ..Batch::default() })?;
            }
        }
        drop(line);
        let TreeCounts { positions, lands, canonical_trees, rcts, largest_heap } = counts;
        let canonical = canonical.to_string();
        output::answer(
            &self.format,
            &Counted {
                position: typed,
                canonical,
                positions,
                lands,
                canonical_trees,
                rcts,
                largest_heap,
            },
        )
    }
}

/// Facts of one commit.
const BATCH: usize = 1 << 14;
