//! `sprig node`: a position as the search of misère play sees it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_domain::Node;
use sprig_engine::CanonicalPosition;

use crate::failure::Failure;
use crate::output::{self, Answer, Format};
use crate::positions::{Positions, Several};
use crate::sums::{WrittenSum, is_sum, joined, named};
use crate::tree_of::key_of;
use crate::trees::Trees;

const EXAMPLES: &str = "\
Examples:
  sprig node '0*8+22+2ab2ba+0*2.A|2A'    0*8 + 1 + the trees of the small lands
  sprig node '0*12+0*3' --db facts       with the trees that a database knows
  sprig node '0*8+0*2+{3;{2}}'           of a sum with trees";

/// Show the node of a position: lands that stay, 0 or 1, and the trees of the small lands
///
/// In misère play a land with a small game tree can be replaced by its reduced canonical tree. Trees that are Nim-heaps 1
/// cancel in pairs; large lands stay as they are.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct NodeOf {
    #[command(flatten)]
    positions: Positions,
    /// Folder of a database whose trees are known
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,
    /// A land is small if its game tree has at most N lands
    #[arg(long, value_name = "N", default_value_t = 2000)]
    max_lands: usize,
    #[command(flatten)]
    format: Format,
}

/// A node. Its fields are the keys of the JSON object.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Shown {
    position: String,
    canonical: String,
    /// Lands that stay.
    lands: Vec<String>,
    /// Whether the factor 1 is in it.
    one: bool,
    /// Trees without factor 1: nested sets, or content keys.
    trees: Vec<String>,
}

impl Answer for Shown {
    fn line(&self) -> String {
        joined(&self.lands, self.one, &self.trees)
    }
}

impl NodeOf {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // The trees are opened after the first position has been read, so that a mistake makes no
        // database.
        let mut trees = None;
        let open = || Trees::open(self.db.as_deref(), 1);
        if let Some(written) = self.positions.written(is_sum) {
            let read = written.iter().map(|typed| WrittenSum::read(typed));
            let read: Vec<WrittenSum> = read.collect::<Result<_, _>>()?;
            return self.sums(&read, &mut open()?);
        }
        self.positions.answer(&self.format, |typed, position| {
            if trees.is_none() {
                trees = Some(open()?);
            }
            let trees = trees.as_mut().expect("it has just been opened");
            let canonical = CanonicalPosition::of(position);
            let written = canonical.to_string();
            self.shown(trees, typed, written, &Node::new(canonical, false, []))
        })
    }

    /// Shows sums of positions and trees.
    fn sums(&self, written: &[WrittenSum], trees: &mut Trees) -> anyhow::Result<ExitCode> {
        let mut shown = |sum: &WrittenSum| {
            let node = sum.node(trees)?;
            let (lands, names) = named(trees, &node);
            self.shown(trees, &sum.typed, joined(&lands, node.one(), &names), &node)
        };
        if let [sum] = written {
            let shown = shown(sum).map_err(|failure| failure.about(&sum.typed))?;
            return output::answer(&self.format, &shown);
        }
        let mut several = Several { format: &self.format, code: ExitCode::SUCCESS };
        for sum in written {
            several.print(sum.typed.as_bytes(), None, shown(sum))?;
        }
        Ok(several.code)
    }

    /// The node with the trees of its small lands in their place.
    fn shown(
        &self,
        trees: &mut Trees,
        typed: &str,
        canonical: String,
        node: &Node,
    ) -> Result<Shown, Failure> {
        let (mut lands, mut keys) = (Vec::new(), node.trees().to_vec());
        for land in node.lands().lands() {
            match key_of(trees, land, self.max_lands) {
                Ok(key) => keys.push(key),
                Err(Failure::Position(_)) => lands.push(land.clone()),
                Err(failure) => return Err(failure),
            }
        }
        let node = Node::new(CanonicalPosition::from_lands(lands), node.one(), keys);
        let (lands, names) = named(trees, &node);
        Ok(Shown { position: typed.to_owned(), canonical, lands, one: node.one(), trees: names })
    }
}
