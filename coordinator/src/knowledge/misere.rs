//! What facts say of a position in misère play.

use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_misere::search::Plain;
use sprig_misere::{Forest, Node, Outcome as End, Tree, TreeKey};
use sprig_proto::{Knowledge, LandKnowledge, Outcome};
use sprig_store::{Kind, Reader, Status, StoreError};

use crate::Trust;

/// Facts that count: all, or those that are verified.
struct Facts<'a> {
    store: &'a Reader,
    trust: Trust,
    /// The trees that were met.
    forest: Forest,
}

impl Facts<'_> {
    /// Whether there is such a fact, and it counts.
    fn holds(&self, kind: Kind, subject: &[u8]) -> Result<bool, StoreError> {
        let fact = self.store.fact(kind, subject)?;
        let counts = |status| self.trust == Trust::Believed || status == Status::Verified;
        Ok(fact.is_some_and(|stored| counts(stored.fact.status)))
    }

    /// The tree of a land. That it is one with these options needs nobody's word: it is checked here.
    fn tree(&mut self, land: &CanonicalLand) -> Result<Option<Tree>, StoreError> {
        if !self.holds(Kind::Rct, land.key())? {
            return Ok(None);
        }
        self.store.rct_in(&mut self.forest, land.key())
    }

    fn key(&mut self, land: &CanonicalLand) -> Result<Option<TreeKey>, StoreError> {
        Ok(self.tree(land)?.map(|tree| self.forest.key(tree)))
    }

    /// A position as the node in which every land that has a tree is replaced by it.
    fn node(&mut self, position: &CanonicalPosition) -> Result<Node, StoreError> {
        let (mut lands, mut trees) = (Vec::new(), Vec::new());
        for land in position.lands() {
            match self.key(land)? {
                Some(tree) => trees.push(tree),
                None => lands.push(land.clone()),
            }
        }
        Ok(Node::new(CanonicalPosition::from_lands(lands), false, trees))
    }

    /// Whether a position, which is this node, is known to be lost.
    fn is_lost(
        &self,
        plain: &Plain,
        position: &CanonicalPosition,
        node: &Node,
    ) -> Result<bool, StoreError> {
        if let Some(outcome) = plain.outcome(node) {
            return Ok(outcome == End::Loss);
        }
        // Whoever proved it may have had fewer trees.
        let bare = Node::new(position.clone(), false, []);
        Ok(self.holds(Kind::Loss, &node.encode())? || self.holds(Kind::Loss, &bare.encode())?)
    }
}

/// What is known about `position`; generates its children.
pub(super) fn knowledge(
    store: &Reader,
    position: &CanonicalPosition,
    trust: Trust,
) -> Result<Knowledge, StoreError> {
    let mut facts = Facts { store, trust, forest: Forest::default() };
    let mut lands = Vec::new();
    for land in position.lands() {
        let tree = facts.key(land)?;
        lands.push(LandKnowledge { tree, ..LandKnowledge::nothing(land.clone()) });
    }
    // Of what is too large to list, nothing is known.
    let children = position.children().unwrap_or_default();
    let node = facts.node(position)?;
    let nodes = children.iter().map(|child| facts.node(child));
    let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
    let plain = Plain::new(facts.forest.clone());
    let mut winning = Vec::new();
    for (child, node) in children.into_iter().zip(nodes) {
        if facts.is_lost(&plain, &child, &node)? {
            winning.push(child);
        }
    }
    let outcome = if facts.is_lost(&plain, position, &node)? {
        Some(Outcome::Loss)
    } else {
        let wins = !winning.is_empty() || plain.outcome(&node) == Some(End::Win);
        wins.then_some(Outcome::Win)
    };
    Ok(Knowledge { lands, outcome, nimber: None, winning })
}
