//! Facts of misère play.

use sprig_misere::{Node, TreeKey};

use super::game::land;
use super::{Malformed, need, within};
use crate::{MisereFact, limits, wire};

/// Checks the key of a tree.
fn tree(key: &[u8]) -> Result<TreeKey, Malformed> {
    let key = key.try_into().map_err(|_| Malformed::Tree(key.len()))?;
    Ok(TreeKey::from_bytes(key))
}

impl From<MisereFact> for wire::MisereFact {
    fn from(fact: MisereFact) -> Self {
        use wire::misere_fact::{Fact, Rct, Tree};
        let fact = match fact {
            MisereFact::Tree { tree, options } => Fact::Tree(Tree {
                tree: tree.as_bytes().to_vec(),
                options: options.iter().flat_map(|option| *option.as_bytes()).collect(),
            }),
            MisereFact::Rct { land, tree } => {
                Fact::Rct(Rct { land: land.key().to_vec(), tree: tree.as_bytes().to_vec() })
            }
            MisereFact::Loss(node) => Fact::Loss(node.encode()),
        };
        Self { fact: Some(fact) }
    }
}

/// Of a tree it is checked that the options make the key, not that they are trees themselves: that takes a forest.
impl TryFrom<wire::MisereFact> for MisereFact {
    type Error = Malformed;

    fn try_from(fact: wire::MisereFact) -> Result<Self, Malformed> {
        use wire::misere_fact::Fact;
        Ok(match need(fact.fact, "fact")? {
            Fact::Tree(fact) => {
                within("options", fact.options.len() / 16, limits::OPTIONS)?;
                let tree = tree(&fact.tree)?;
                let options = fact.options.chunks(16).map(self::tree);
                let options = options.collect::<Result<Vec<_>, _>>()?;
                tree.check(&options)?;
                Self::Tree { tree, options }
            }
            Fact::Rct(fact) => Self::Rct { land: land(&fact.land)?, tree: tree(&fact.tree)? },
            Fact::Loss(node) => {
                within("node", node.len(), limits::NODE_BYTES)?;
                Self::Loss(Node::decode(&node)?)
            }
        })
    }
}
