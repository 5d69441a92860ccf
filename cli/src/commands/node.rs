//! `sprig node`: a position as the search of misère play sees it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use sprig_domain::{Node, TreeKey};
use sprig_engine::CanonicalPosition;
use sprig_trees::Tree;

use crate::failure::Failure;
use crate::output::{Answer, Format};
use crate::positions::Positions;
use crate::tree_of::key_of;
use crate::trees::Trees;

const EXAMPLES: &str = "\
Examples:
  sprig node '0*8+22+2ab2ba+0*2.A|2A'    0*8 + 1 + the trees of the small lands
  sprig node '0*12+0*3' --db facts       with the trees that a database knows";

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
        let one = self.one.then(|| "1".to_owned());
        let parts = self.lands.iter().cloned().chain(one).chain(self.trees.iter().cloned());
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
    }
}

impl NodeOf {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut trees = None;
        self.positions.answer(&self.format, |typed, position| {
            if trees.is_none() {
                trees = Some(Trees::open(self.db.as_deref(), 1)?);
            }
            let trees = trees.as_mut().expect("it has just been opened");
            let canonical = CanonicalPosition::of(position);
            let (mut lands, mut keys) = (Vec::new(), Vec::new());
            for land in canonical.lands() {
                match key_of(trees, land, self.max_lands) {
                    Ok(key) => keys.push(key),
                    Err(Failure::Position(_)) => lands.push(land.clone()),
                    Err(failure) => return Err(failure),
                }
            }
            let node = Node::new(CanonicalPosition::from_lands(lands), false, keys);
            let forest = trees.forest();
            let name = |key: &TreeKey| {
                let tree: Option<Tree> = forest.find(*key);
                tree.and_then(|tree| forest.nested(tree, 1000)).unwrap_or_else(|| key.to_string())
            };
            Ok(Shown {
                position: typed.to_owned(),
                canonical: canonical.to_string(),
                lands: node.lands().lands().iter().map(ToString::to_string).collect(),
                one: node.one(),
                trees: node.trees().iter().map(name).collect(),
            })
        })
    }
}
