//! Gathers claims about lost nodes of misère play, and has them checked.

use anyhow::{Context, bail};
use sprig_audit::{Claim, check_losses, find_tree};
use sprig_certify::Written;
use sprig_domain::Node;
use sprig_engine::CanonicalPosition;
use sprig_foreign::{Name, Trees};
use sprig_store::{Kind, Status, Store, Value};
use sprig_trees::Base;

use super::Plan;
use super::gather::Place;
use super::judge::{Told, ended};
use super::rcts::keep_trees;

/// Lands that the base of a certificate may have, even if a check may meet fewer. 0*6 leads to 171,942.
const BASE_LANDS: u64 = 1_000_000;

/// The nodes that the files claim to be lost.
#[derive(Default)]
pub struct Claims {
    lines: Vec<Line>,
    certified: Vec<Certified>,
    /// The positions whose game trees are the bases of certificates.
    bases: Vec<CanonicalPosition>,
}

struct Line {
    position: CanonicalPosition,
    one: bool,
    rcts: Vec<Name>,
    place: u64,
}

/// A node of a certificate, whose trees are named by lands of the base.
struct Certified {
    base: BaseId,
    written: Written,
    place: u64,
}

/// The base of a certificate, as an index.
#[derive(Clone, Copy)]
pub struct BaseId(usize);

impl Claims {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.certified.is_empty()
    }

    /// Takes in the base of a certificate.
    pub fn base(&mut self, position: CanonicalPosition) -> BaseId {
        let known = self.bases.iter().position(|base| *base == position);
        BaseId(known.unwrap_or_else(|| {
            self.bases.push(position);
            self.bases.len() - 1
        }))
    }

    /// Takes in a node of a certificate with this base.
    pub fn write(&mut self, place: &Place, base: BaseId, written: Written) {
        self.certified.push(Certified { base, written, place: place.number() });
    }

    /// Takes in a claim about a node.
    pub fn take(&mut self, place: &Place, position: CanonicalPosition, one: bool, rcts: Vec<Name>) {
        self.lines.push(Line { position, one, rcts, place: place.number() });
    }

    /// Checks all claims, on the trees of a base and of the files. The base learns those of certificates.
    ///
    /// # Errors
    /// When the database fails, or the base of a certificate is too large.
    pub fn check(
        self,
        plan: &Plan,
        store: &Store,
        mut base: Base,
        trees: &Trees,
        told: &Told<'_>,
    ) -> anyhow::Result<()> {
        let mut claims = Vec::new();
        let audit = plan.audit();
        let limit = plan.expansions.max(BASE_LANDS);
        for position in &self.bases {
            if find_tree(&audit, &mut base, position, limit).map_err(ended)?.is_none() {
                bail!(
                    "a certificate has the base `{position}`, which leads to more than {limit} lands; --expansions allows more"
                );
            }
        }
        for Certified { base: named, written, place } in self.certified {
            match written.node(&mut base) {
                Some(node) => {
                    claims.push(Claim { subject: node.encode().into(), value: Value::Loss, place });
                }
                None => {
                    let position = &self.bases[named.0];
                    told.wrong(place, &format!("it has a sum whose lands have no trees in the base `{position}`, or too large ones"));
                }
            }
        }
        for line in self.lines {
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
