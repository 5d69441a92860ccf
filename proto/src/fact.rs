//! What is true for ever, as workers and coordinators tell each other.

use std::fmt;

use sprig_engine::CanonicalLand;
use sprig_misere::{Node, TreeKey};

/// A fact of one of both plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// A land has this nimber.
    Nimber(sprig_search::Fact),
    /// A reduced canonical tree without factor 1 has these options.
    Tree {
        /// Its key, which the options make.
        tree: TreeKey,
        /// The keys of its options, ascending.
        options: Vec<TreeKey>,
    },
    /// A land has this tree.
    Rct {
        /// The land.
        land: CanonicalLand,
        /// The key of its tree.
        tree: TreeKey,
    },
    /// A node of the misère search is lost.
    Loss(Node),
}

impl From<sprig_search::Fact> for Fact {
    fn from(fact: sprig_search::Fact) -> Self {
        Self::Nimber(fact)
    }
}

impl Fact {
    /// Bytes of lands and keys in it.
    #[must_use]
    pub fn size(&self) -> usize {
        const KEY: usize = size_of::<TreeKey>();
        match self {
            Self::Nimber(fact) => fact.land.key().len(),
            Self::Tree { options, .. } => KEY * (1 + options.len()),
            Self::Rct { land, .. } => land.key().len() + KEY,
            Self::Loss(node) => {
                let lands = node.lands().lands().iter().map(|land| land.key().len());
                lands.sum::<usize>() + KEY * node.trees().len()
            }
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nimber(fact) => write!(f, "land `{}` has nimber {}", fact.land, fact.nimber),
            Self::Tree { tree, options } => write!(f, "tree {tree} has {} options", options.len()),
            Self::Rct { land, tree } => write!(f, "land `{land}` has tree {tree}"),
            Self::Loss(node) => write!(f, "node `{node}` is lost"),
        }
    }
}
