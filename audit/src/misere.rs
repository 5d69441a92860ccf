//! Showing an answer of misère play.
//!
//! All trees and lands with trees that are claimed are checked, from the smallest upwards: together
//! they cost what computing them costs, once. The lost nodes are many: only those that a proof of
//! the answer needs are checked, and a sample of the others.

use std::collections::BinaryHeap;

use sprig_domain::{Node, NodeError};
use sprig_engine::{CanonicalPosition, Canonizer, Effort};
use sprig_misere::MisereError;
use sprig_misere::{Limits, Search};
use sprig_search::step::Key;
use sprig_store::{Fact, Kind, Status, Store, StoreError, Value};
use sprig_trees::Base;

use crate::patience::Heard;
use crate::{
    AuditError, Claim, Judge, Ledger, Plan, Proof, check_lands, check_losses, lands, learn_base,
    losses,
};

/// Claims of lost nodes that are looked at besides those that the answer rests on.
const SAMPLES: usize = 1024;

/// How often lost nodes that follow from nothing are searched for before one is taken for a lie.
/// Each round reads all lost nodes.
const ROUNDS: usize = 8;

/// A claim that does not hold, or a reason to end.
enum Objection {
    Baseless(Kind, Key),
    Hopeless(String),
    Stopped,
    Store(StoreError),
}

impl From<StoreError> for Objection {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<AuditError> for Objection {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Stopped => Self::Stopped,
            AuditError::Store(error) => Self::Store(error),
            error => Self::Hopeless(error.to_string()),
        }
    }
}

impl From<NodeError> for Objection {
    fn from(error: NodeError) -> Self {
        MisereError::from(error).into()
    }
}

impl From<MisereError> for Objection {
    fn from(error: MisereError) -> Self {
        match error {
            MisereError::Interrupted => Self::Stopped,
            error => Self::Hopeless(error.to_string()),
        }
    }
}

/// Shows the answer about `position` from the facts of `store`; writes those it rests on as
/// verified. `follows` says whether the answer follows from verified facts.
///
/// # Errors
/// When the disk fails.
pub fn show(
    plan: &Plan<'_>,
    store: &Store,
    position: &CanonicalPosition,
    follows: &dyn Fn() -> Result<bool, StoreError>,
) -> Result<Proof, StoreError> {
    match shown(plan, store, position, follows) {
        Ok(proof) => Ok(proof),
        Err(Objection::Baseless(kind, subject)) => Ok(Proof::Baseless(kind, subject)),
        Err(Objection::Hopeless(reason)) => Ok(Proof::Hopeless(reason)),
        Err(Objection::Stopped) => Ok(Proof::Stopped),
        Err(Objection::Store(error)) => Err(error),
    }
}

fn shown(
    plan: &Plan<'_>,
    store: &Store,
    position: &CanonicalPosition,
    follows: &dyn Fn() -> Result<bool, StoreError>,
) -> Result<Proof, Objection> {
    if follows()? {
        return Ok(Proof::Shown(0));
    }
    let mut heard = Heard::new(plan);
    let base = checked_base(plan, store, &mut heard)?;
    let mut rounds = 0;
    let mut nodes = loop {
        match proof(plan, store, position, &base)? {
            Lost::Shown(nodes) => break nodes,
            Lost::Unfounded => return Ok(Proof::Unfounded),
            // The nodes may be true all the same; then the search for them writes what they rest
            // on.
            Lost::Baseless(nodes) if rounds < ROUNDS => {
                let claim = |subject| Claim { subject, value: Value::Loss, place: 0 };
                let claims = nodes.into_iter().map(claim).collect();
                check_losses(&plan.hurried(), store, &base, claims, &mut heard)?;
                heard.objection()?;
                rounds += 1;
            }
            Lost::Baseless(nodes) => {
                let node = nodes.into_iter().next().unwrap_or_default();
                return Err(Objection::Baseless(Kind::Loss, node));
            }
        }
    };
    let (mut ledger, verified) = (Ledger::new(store, &plan.source), heard.verified + nodes.len());
    // Each rests on nodes with fewer moves; they are written in several batches.
    let mut greedy = Canonizer::new(Effort::Greedy);
    nodes.sort_by_cached_key(|node| losses::moves(&base, &mut greedy, node));
    for node in nodes {
        ledger.mark(node.encode().into(), Value::Loss)?;
    }
    ledger.write()?;
    Ok(if follows()? { Proof::Shown(verified) } else { Proof::Unfounded })
}

/// Checks one claim of misère play, and with it the claims about trees and lands that it may rest
/// on.
///
/// Writes those that are true. The `judge` hears of all.
///
/// # Errors
/// When the database fails, memory is too short, or it is told to stop.
pub fn check_claim(
    plan: &Plan<'_>,
    store: &Store,
    claim: Claim,
    judge: &mut dyn Judge,
) -> Result<(), AuditError> {
    let mut base = Base::of(store.game());
    learn_base(plan, store, &mut base, judge)?;
    check_lands(plan, store, &mut base, lands::claims(plan, store)?, judge)?;
    match claim.value {
        Value::Loss => check_losses(plan, store, &base, vec![claim], judge),
        Value::Options(_) | Value::Rct(_) | Value::Nimber(_) => Ok(()),
    }
}

impl Heard {
    fn objection(&self) -> Result<(), Objection> {
        let Some(Claim { subject, value, .. }) = &self.failed else { return Ok(()) };
        Err(Objection::Baseless(value.kind(), subject.clone()))
    }
}

/// All trees and lands with trees, each checked unless it was before.
fn checked_base(plan: &Plan<'_>, store: &Store, heard: &mut Heard) -> Result<Base, Objection> {
    let mut base = Base::of(store.game());
    learn_base(plan, store, &mut base, heard)?;
    check_lands(plan, store, &mut base, lands::claims(plan, store)?, heard)?;
    heard.objection()?;
    Ok(base)
}

/// What the lost nodes that are claimed say of an answer.
enum Lost {
    /// It follows from these.
    Shown(Vec<Node>),
    /// It does not follow.
    Unfounded,
    /// Of the nodes on which the answer rests, or which the sample fell on, these do not follow.
    Baseless(Vec<Key>),
}

fn proof(
    plan: &Plan<'_>,
    store: &Store,
    position: &CanonicalPosition,
    base: &Base,
) -> Result<Lost, Objection> {
    let search = Search::new(base, Limits { memory: plan.nodes, threads: 1 });
    let claims = all_losses(plan, store, &search)?;
    // What is verified is not looked at again. A disk that fails is met right afterwards.
    let is_verified = |node: &Node| {
        let known = store.fact(Kind::Loss, &node.encode());
        matches!(known, Ok(Some(known)) if known.fact.status == Status::Verified)
    };
    let nodes = match search.proof(position, &is_verified, plan.watched) {
        Ok(nodes) => nodes,
        Err(MisereError::NoProof) => return Ok(Lost::Unfounded),
        Err(MisereError::Unsupported { nodes }) => {
            return Ok(Lost::Baseless(nodes.iter().map(|node| node.encode().into()).collect()));
        }
        Err(error) => return Err(error.into()),
    };
    let samples = claims.iter().map(|node| Node::decode(node)).collect::<Result<Vec<_>, _>>()?;
    let found = search.follow(&samples, plan.watched)?;
    let baseless = claims.into_iter().zip(found).filter(|(_, found)| *found != Some(true));
    let baseless: Vec<Key> = baseless.map(|(node, _)| node).collect();
    Ok(if baseless.is_empty() { Lost::Shown(nodes) } else { Lost::Baseless(baseless) })
}

/// Puts all lost nodes into `search`. Returns a sample of those that are claimed, which no outsider
/// can foresee.
fn all_losses(plan: &Plan<'_>, store: &Store, search: &Search) -> Result<Vec<Key>, Objection> {
    let mut sample = BinaryHeap::new();
    for stored in store.facts(Kind::Loss) {
        plan.go_on()?;
        let Fact { subject, status, .. } = stored?.fact;
        let node = match Node::decode(&subject) {
            Ok(node) => node,
            // A stranger's database may claim what is none.
            Err(_) if status == Status::Claimed => {
                return Err(Objection::Baseless(Kind::Loss, subject));
            }
            Err(damaged) => return Err(damaged.into()),
        };
        match search.learn([node]) {
            Err(MisereError::Refuted { .. }) => {
                return Err(Objection::Baseless(Kind::Loss, subject));
            }
            learned => drop(learned?),
        }
        if status == Status::Claimed {
            sample.push((plan.environment.roll(&subject), subject));
            if sample.len() > SAMPLES {
                sample.pop();
            }
        }
    }
    Ok(sample.into_iter().map(|(_, subject)| subject).collect())
}
