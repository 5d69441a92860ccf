//! Facts, which are true for ever, and contradictions.

use std::fmt;

use sprig_engine::{CanonicalLand, Nimber};

use crate::{Node, TreeKey};

/// A proved fact: the nimber of a land. The couple (land, nimber) is lost.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LandNimber {
    /// Canonical bytes of the land (exact form).
    pub land: CanonicalLand,
    /// Its nimber.
    pub nimber: Nimber,
}

/// Two proofs that exclude each other: one of them is wrong, and no result that rests on either can
/// be trusted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("contradiction: land `{land}` can only have nimber {}, and now {} is claimed", List(*.possible), List(*.claimed))]
pub struct Contradiction {
    /// The land.
    pub land: CanonicalLand,
    /// The nimbers that were possible before, one bit each.
    pub possible: u64,
    /// The nimbers that the later proof leaves, one bit each.
    pub claimed: u64,
}

/// A set of nimbers as text.
struct List(u64);

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<_> =
            (0..64).filter(|n| self.0 >> n & 1 == 1).map(|n: u32| n.to_string()).collect();
        match members.len() {
            0 => f.write_str("none"),
            1..=8 => f.write_str(&members.join(" or ")),
            _ => {
                let missing: Vec<_> =
                    (0..64).filter(|n| self.0 >> n & 1 == 0).map(|n: u32| n.to_string()).collect();
                write!(f, "other than {}", missing.join(", "))
            }
        }
    }
}

/// A fact of one of both plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// A land has this nimber.
    Nimber(LandNimber),
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

impl From<LandNimber> for Fact {
    fn from(fact: LandNimber) -> Self {
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
