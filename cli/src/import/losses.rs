//! Gathers claims about lost nodes of misère play, and has them checked.

use anyhow::Context;
use sprig_audit::{Claim, check_losses};
use sprig_domain::Node;
use sprig_engine::CanonicalPosition;
use sprig_foreign::{Name, Trees};
use sprig_store::{Kind, Status, Store, Value};
use sprig_trees::Base;

use super::Plan;
use super::gather::Place;
use super::judge::{Told, ended};
use super::rcts::keep_trees;

/// The nodes that the files claim to be lost.
#[derive(Default)]
pub struct Claims(Vec<Line>);

struct Line {
    position: CanonicalPosition,
    one: bool,
    rcts: Vec<Name>,
    place: u64,
}

impl Claims {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in a claim about a node.
    pub fn take(&mut self, place: &Place, position: CanonicalPosition, one: bool, rcts: Vec<Name>) {
        self.0.push(Line { position, one, rcts, place: place.number() });
    }

    /// Checks all claims, on the trees of a base and of the files.
    ///
    /// # Errors
    /// When the database fails.
    pub fn check(
        self,
        plan: &Plan,
        store: &Store,
        mut base: Base,
        trees: &Trees,
        told: &Told<'_>,
    ) -> anyhow::Result<()> {
        let mut claims = Vec::new();
        for line in self.0 {
            let place = line.place;
            match node(&mut base, trees, line) {
                Ok(node) => {
                    claims.push(Claim { subject: node.encode().into(), value: Value::Loss, place });
                }
                Err(what) => told.wrong(place, &what),
            }
        }
        claims.sort_by(|a, b| (&a.subject, a.place).cmp(&(&b.subject, b.place)));
        claims.dedup_by(|later, first| later.subject == first.subject);
        let mut open = Vec::new();
        for claim in claims {
            let known = store.fact(Kind::Loss, &claim.subject)?;
            if known.is_some_and(|known| known.fact.status == Status::Verified) {
                told.report().known += 1;
            } else if told.chooses(&claim.subject) {
                open.push(claim);
            }
        }
        let audit = plan.audit();
        let nodes = open.iter().map(|claim| Node::decode(&claim.subject));
        let nodes = nodes.collect::<Result<Vec<_>, _>>().context("a node that was just made")?;
        let named = nodes.iter().flat_map(Node::trees).filter_map(|&key| base.forest().find(key));
        keep_trees(&audit, store, &base, named)?;
        check_losses(&audit, store, &base, open, &mut &*told).map_err(ended)
    }
}

/// The node that a line names.
fn node(base: &mut Base, trees: &Trees, line: Line) -> Result<Node, String> {
    let mut keys = Vec::new();
    for rct in line.rcts {
        let tree = trees.find(base.forest_mut(), rct);
        let tree = tree.map_err(|problem| format!("RCT {rct} {problem}"))?;
        keys.push(base.forest().key(tree));
    }
    Ok(Node::new(line.position, line.one, keys))
}
