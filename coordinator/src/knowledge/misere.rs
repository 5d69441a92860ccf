//! What facts say of a position in misère play.

use sprig_domain::Outcome;
use sprig_domain::{Node, TreeKey};
use sprig_engine::Watched;
use sprig_engine::{CanonicalLand, CanonicalPosition, Unlisted};
use sprig_misere::Plain;
use sprig_proto::{Knowledge, LandKnowledge, Move};
use sprig_store::{Kind, Reader, Status, StoreError};
use sprig_trees::{Forest, Tree};

use super::{Unanswered, children, go_on};
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

    /// The tree of a land. That its options make this tree is checked here, and need not be
    /// believed.
    fn tree(&mut self, land: &CanonicalLand) -> Result<Option<Tree>, StoreError> {
        if !self.holds(Kind::Rct, land.key())? {
            return Ok(None);
        }
        sprig_audit::tree_of(self.store, &mut self.forest, land.key())
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
            return Ok(outcome == Outcome::Loss);
        }
        // The worker that proved it may have had fewer trees.
        let bare = Node::new(position.clone(), false, []);
        Ok(self.holds(Kind::Loss, &node.encode())? || self.holds(Kind::Loss, &bare.encode())?)
    }

    /// The outcomes of positions, as far as they are known.
    fn outcomes(
        &mut self,
        positions: &[CanonicalPosition],
        watched: &Watched,
    ) -> Result<Vec<Option<Outcome>>, Unanswered> {
        let nodes = positions.iter().map(|position| {
            go_on(watched)?;
            Ok(self.node(position)?)
        });
        let nodes = nodes.collect::<Result<Vec<_>, Unanswered>>()?;
        let plain = Plain::new(self.forest.clone());
        let outcomes = positions.iter().zip(nodes).map(|(position, node)| {
            go_on(watched)?;
            if self.is_lost(&plain, position, &node)? {
                return Ok(Some(Outcome::Loss));
            }
            Ok((plain.outcome(&node) == Some(Outcome::Win)).then_some(Outcome::Win))
        });
        outcomes.collect()
    }
}

/// What is known about every child of `position`, claims included.
pub(super) fn moves(
    store: &Reader,
    position: &CanonicalPosition,
    watched: &Watched,
) -> Result<Vec<Move>, Unanswered> {
    let children = children(store.game(), position, watched)?;
    let outcomes =
        |trust| Facts { store, trust, forest: Forest::default() }.outcomes(&children, watched);
    let (claimed, checked) = (outcomes(Trust::Believed)?, outcomes(Trust::Checked)?);
    let mut facts = Facts { store, trust: Trust::Checked, forest: Forest::default() };
    let known = claimed.into_iter().zip(checked);
    let moves = children.iter().zip(known).map(|(child, (outcome, checked))| {
        let tree = match child.lands() {
            [land] => facts.key(land)?,
            _ => None,
        };
        Ok(Move { child: child.clone(), outcome, nimber: None, tree, verified: checked.is_some() })
    });
    moves.collect()
}

/// What is known about `position` without a look at its children, if that says who wins.
pub(super) fn at_sight(
    store: &Reader,
    position: &CanonicalPosition,
    trust: Trust,
    watched: &Watched,
) -> Result<Option<Knowledge>, Unanswered> {
    let mut facts = Facts { store, trust, forest: Forest::default() };
    let known = own(&mut facts, position, watched)?;
    Ok(known.outcome.is_some().then_some(known))
}

/// What facts say of `position` itself.
fn own(
    facts: &mut Facts,
    position: &CanonicalPosition,
    watched: &Watched,
) -> Result<Knowledge, Unanswered> {
    let mut lands = Vec::new();
    for land in position.lands() {
        let tree = facts.key(land)?;
        lands.push(LandKnowledge { tree, ..LandKnowledge::nothing(land.clone()) });
    }
    let outcome = facts.outcomes(std::slice::from_ref(position), watched)?[0];
    Ok(Knowledge { lands, outcome, nimber: None, winning: Vec::new() })
}

/// What is known about `position`; generates its children.
pub(super) fn knowledge(
    store: &Reader,
    position: &CanonicalPosition,
    trust: Trust,
    watched: &Watched,
) -> Result<Knowledge, Unanswered> {
    let mut facts = Facts { store, trust, forest: Forest::default() };
    let own = own(&mut facts, position, watched)?;
    let children = match children(store.game(), position, watched) {
        // Who wins is known all the same.
        Err(why) if own.outcome.is_some() && why != Unlisted::Stopped => return Ok(own),
        found => found?,
    };
    let outcomes = facts.outcomes(&children, watched)?;
    let lost = children.into_iter().zip(&outcomes).filter(|(_, o)| **o == Some(Outcome::Loss));
    let winning: Vec<_> = lost.map(|(child, _)| child).collect();
    let outcome = own.outcome.or_else(|| {
        // A player with no move left has won, which the position's own tree says.
        let loses = !outcomes.is_empty() && outcomes.iter().all(|&o| o == Some(Outcome::Win));
        match winning.is_empty() {
            false => Some(Outcome::Win),
            true => loses.then_some(Outcome::Loss),
        }
    });
    Ok(Knowledge { outcome, winning, ..own })
}
