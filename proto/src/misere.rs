//! What is true in misère play, as workers and coordinators tell each other.

use sprig_engine::CanonicalLand;
use sprig_misere::{Node, TreeKey};

/// A fact of misère play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MisereFact {
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
    /// A node is lost.
    Loss(Node),
}
