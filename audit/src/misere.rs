//! Showing an answer of misère play.
//!
//! All trees and lands with trees that are claimed are checked, from the smallest upwards: together they cost what computing
//! them costs, once. Of the lost nodes, which are many, those are checked that a proof of the answer needs, and a sample of
//! the others.

mod revalidate;

use std::collections::BinaryHeap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};

use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_misere::search::{Limits, Search};
use sprig_misere::{Base, MisereError, Node, TreeKey};
use sprig_search::step::Key;
use sprig_store::{Fact, Kind, Source, Status, Store, StoreError, Value};

pub(crate) use revalidate::revalidate;

use crate::ledger::Ledger;
use crate::show::Proof;

/// Bounds of what the lost nodes take in memory.
const LIMITS: Limits = Limits { memory: 4 << 30, threads: 1 };
/// Claims of lost nodes that are looked at besides those that the answer rests on.
const SAMPLES: usize = 1024;

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

impl From<MisereError> for Objection {
    fn from(error: MisereError) -> Self {
        Self::Hopeless(error.to_string())
    }
}

/// Shows the answer about `position` from the facts of `store`; writes those it rests on as verified by `source`. `follows`
/// says whether the answer follows from verified facts.
///
/// # Errors
/// When the disk fails.
pub fn show(
    store: &Store,
    source: &Source,
    position: &CanonicalPosition,
    follows: &dyn Fn() -> Result<bool, StoreError>,
    stop: &AtomicBool,
) -> Result<Proof, StoreError> {
    match shown(store, source, position, follows, stop) {
        Ok(proof) => Ok(proof),
        Err(Objection::Baseless(kind, subject)) => Ok(Proof::Baseless(kind, subject)),
        Err(Objection::Hopeless(reason)) => Ok(Proof::Hopeless(reason)),
        Err(Objection::Stopped) => Ok(Proof::Stopped),
        Err(Objection::Store(error)) => Err(error),
    }
}

fn shown(
    store: &Store,
    source: &Source,
    position: &CanonicalPosition,
    follows: &dyn Fn() -> Result<bool, StoreError>,
    stop: &AtomicBool,
) -> Result<Proof, Objection> {
    if follows()? {
        return Ok(Proof::Shown(0));
    }
    let (mut ledger, mut marks) = (Ledger::new(store, source), 0);
    let mut mark = |subject, value| {
        marks += 1;
        ledger.mark(subject, value)
    };
    let base = checked_base(store, stop, &mut mark)?;
    let search = Search::new(&base, LIMITS);
    let claims = all_losses(store, &search, stop)?;
    let nodes = match search.proof(position) {
        Ok(nodes) => nodes,
        Err(MisereError::NoProof) => return Ok(Proof::Unfounded),
        Err(error) => return Err(error.into()),
    };
    for node in claims {
        if stop.load(Ordering::Relaxed) {
            return Err(Objection::Stopped);
        }
        if search.follows(&Node::decode(&node)?)? != Some(true) {
            return Err(Objection::Baseless(Kind::Loss, node));
        }
    }
    for node in nodes {
        mark(node.encode().into(), Value::Loss)?;
    }
    ledger.write()?;
    Ok(if follows()? { Proof::Shown(marks) } else { Proof::Unfounded })
}

/// All trees and lands with trees, each checked unless it was before; `mark` is told of those.
fn checked_base(
    store: &Store,
    stop: &AtomicBool,
    mark: &mut impl FnMut(Key, Value) -> Result<(), StoreError>,
) -> Result<Base, Objection> {
    let mut base = Base::default();
    let mut trees = store.facts(Kind::Tree).collect::<Result<Vec<_>, _>>()?;
    // Options were committed before the trees that have them.
    trees.sort_unstable_by_key(|stored| stored.sequence);
    for Fact { subject, value, status } in trees.into_iter().map(|stored| stored.fact) {
        let (Value::Options(options), Ok(key)) = (&value, (*subject).try_into()) else { continue };
        if base.forest_mut().learn(TreeKey::from_bytes(key), options).is_err() {
            return Err(Objection::Baseless(Kind::Tree, subject));
        }
        if status == Status::Claimed {
            mark(subject, value)?;
        }
    }
    let mut claims = Vec::new();
    for stored in store.facts(Kind::Rct) {
        let Fact { subject, value, status } = stored?.fact;
        let Value::Rct(key) = value else { continue };
        let Some(tree) = base.forest().find(key) else {
            return Err(Objection::Baseless(Kind::Rct, subject));
        };
        match status {
            Status::Verified => base.learn(&subject, tree)?,
            Status::Claimed => claims.push((sprig_engine::shape(&subject).lives, subject, key)),
        }
    }
    claims.sort_unstable();
    for (_, subject, key) in claims {
        if stop.load(Ordering::Relaxed) {
            return Err(Objection::Stopped);
        }
        let land = CanonicalLand::from_reduced(&subject);
        let tree = base.forest().find(key).expect("found above");
        if base.follows(&land, tree)? != Some(true) {
            return Err(Objection::Baseless(Kind::Rct, subject));
        }
        base.learn(&subject, tree)?;
        mark(subject, Value::Rct(key))?;
    }
    Ok(base)
}

/// Puts all lost nodes into `search`; gives a sample of those that are claimed, which nobody outside can foresee.
fn all_losses(store: &Store, search: &Search, stop: &AtomicBool) -> Result<Vec<Key>, Objection> {
    let (dice, mut sample) = (RandomState::new(), BinaryHeap::new());
    for stored in store.facts(Kind::Loss) {
        if stop.load(Ordering::Relaxed) {
            return Err(Objection::Stopped);
        }
        let Fact { subject, status, .. } = stored?.fact;
        match search.learn([Node::decode(&subject)?]) {
            Err(MisereError::Refuted { .. }) => {
                return Err(Objection::Baseless(Kind::Loss, subject));
            }
            learned => drop(learned?),
        }
        if status == Status::Claimed {
            sample.push((dice.hash_one(&subject), subject));
            if sample.len() > SAMPLES {
                sample.pop();
            }
        }
    }
    Ok(sample.into_iter().map(|(_, subject)| subject).collect())
}
