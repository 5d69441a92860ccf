//! Facts.

use prost::Message;
use prost::bytes::Bytes;
use sprig_domain::{Fact, LandNimber, Node, TreeKey};
use sprig_engine::CanonicalLand;

use super::game::{land, nimber, number};
use super::{Malformed, need, within};
use crate::{limits, wire};

/// Checks facts that a worker claims: no search proves a fact about a land whose moves cannot be
/// listed.
pub(super) fn claims(facts: Vec<wire::Fact>) -> Result<Vec<Fact>, Malformed> {
    let claims = self::facts(facts)?;
    for claim in &claims {
        match claim {
            Fact::Nimber(fact) => fact.land.check_ways()?,
            Fact::Rct { land, .. } => land.check_ways()?,
            Fact::Loss(node) => {
                node.lands().lands().iter().try_for_each(CanonicalLand::check_ways)?;
            }
            Fact::Tree { .. } => {}
        }
    }
    Ok(claims)
}

/// Checks facts that a coordinator tells its workers, hundreds of thousands of which a search may have
/// to take in. Whether the keys of their lands are canonical was checked there. A search names lands
/// itself: a key in another order is the same land to it, and one that is reducible is none it asks for.
pub(super) fn told(facts: Vec<Bytes>) -> Result<Vec<Fact>, Malformed> {
    use wire::fact::Fact as Any;
    within("facts", facts.len(), limits::FACTS)?;
    let told = |fact: Bytes| match wire::Fact::decode(fact)?.fact {
        Some(Any::Nimber(fact)) => {
            within("land", fact.land.len(), limits::KEY_BYTES)?;
            let land = CanonicalLand::from_checked_key(&fact.land)?;
            Ok(Fact::Nimber(LandNimber { land, nimber: nimber(fact.nimber)? }))
        }
        fact => wire::Fact { fact }.try_into(),
    };
    facts.into_iter().map(told).collect()
}

/// Checks the key of a tree.
pub(super) fn tree(key: &[u8]) -> Result<TreeKey, Malformed> {
    let key = key.try_into().map_err(|_| Malformed::Tree(key.len()))?;
    Ok(TreeKey::from_bytes(key))
}

/// Checks a batch of facts.
fn facts(facts: Vec<wire::Fact>) -> Result<Vec<Fact>, Malformed> {
    within("facts", facts.len(), limits::FACTS)?;
    super::all(facts)
}

impl From<Fact> for wire::Fact {
    fn from(fact: Fact) -> Self {
        use wire::fact::{Fact as Any, Nimber, Rct, Tree};
        let fact = match fact {
            Fact::Nimber(fact) => {
                Any::Nimber(Nimber { land: fact.land.key().to_vec(), nimber: number(fact.nimber) })
            }
            Fact::Tree { tree, options } => Any::Tree(Tree {
                tree: tree.as_bytes().to_vec(),
                options: options.iter().flat_map(|option| *option.as_bytes()).collect(),
            }),
            Fact::Rct { land, tree } => {
                Any::Rct(Rct { land: land.key().to_vec(), tree: tree.as_bytes().to_vec() })
            }
            Fact::Loss(node) => Any::Loss(node.encode()),
        };
        Self { fact: Some(fact) }
    }
}

/// For a tree, this checks that the options make the key, but not that they are trees themselves,
/// which takes a forest.
impl TryFrom<wire::Fact> for Fact {
    type Error = Malformed;

    fn try_from(fact: wire::Fact) -> Result<Self, Malformed> {
        use wire::fact::Fact as Any;
        Ok(match need(fact.fact, "fact")? {
            Any::Nimber(fact) => {
                Self::Nimber(LandNimber { land: land(&fact.land)?, nimber: nimber(fact.nimber)? })
            }
            Any::Tree(fact) => {
                within("options", fact.options.len() / 16, limits::OPTIONS)?;
                let tree = tree(&fact.tree)?;
                let options = fact.options.chunks(16).map(self::tree);
                let options = options.collect::<Result<Vec<_>, _>>()?;
                tree.check(&options)?;
                Self::Tree { tree, options }
            }
            Any::Rct(fact) => Self::Rct { land: land(&fact.land)?, tree: tree(&fact.tree)? },
            Any::Loss(node) => {
                within("node", node.len(), limits::NODE_BYTES)?;
                Self::Loss(Node::decode(&node)?)
            }
        })
    }
}
