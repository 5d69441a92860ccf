//! Looking at every claim of misère play: trees, options before those that have them; lands with trees, by lives; lost nodes, by
//! the moves that are left. Whatever a claim could rest on has been decided before it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sprig_engine::CanonicalLand;
use sprig_misere::search::{Observer, Search};
use sprig_misere::{Base, Forest, Node, Outcome, TreeKey};
use sprig_store::{Fact, Kind, Status, StoreError, Value};

use super::LIMITS;
use crate::revalidate::{Claim, Decided};

/// Expansions to find a lost node again. Where a claim follows from verified facts, one for each of its options is enough.
const EXPANSIONS: u64 = 2_000;

/// The lands with trees that are verified, and those that are claimed as well.
#[derive(Default)]
struct Bases {
    strict: Base,
    /// Also with what is to be withdrawn: an honest worker may have believed it.
    lenient: Base,
}

/// Looks at every claim of misère play; `false` when it was stopped.
pub(crate) fn revalidate(decided: &mut Decided<'_>, stop: &AtomicBool) -> Result<bool, StoreError> {
    let mut bases = Bases::default();
    trees(decided, &mut bases)?;
    Ok(lands(decided, &mut bases, stop)? && losses(decided, &bases, stop)?)
}

fn trees(decided: &mut Decided<'_>, bases: &mut Bases) -> Result<(), StoreError> {
    let mut trees = decided.ledger.store().facts(Kind::Tree).collect::<Result<Vec<_>, _>>()?;
    trees.sort_unstable_by_key(|stored| stored.sequence);
    for Fact { subject, value, status } in trees.into_iter().map(|stored| stored.fact) {
        let (Value::Options(options), Ok(key)) = (&value, (*subject).try_into()) else { continue };
        let key = TreeKey::from_bytes(key);
        let learned = bases.strict.forest_mut().learn(key, options);
        let _ = bases.lenient.forest_mut().learn(key, options);
        let claim = Claim { subject, value };
        match learned {
            _ if status == Status::Verified => {}
            Ok(_) => decided.uphold(claim)?,
            Err(error) => {
                decided.judge.judge(&claim, Some(error.to_string()))?;
                decided.withdraw(claim);
            }
        }
    }
    Ok(())
}

fn lands(
    decided: &mut Decided<'_>,
    bases: &mut Bases,
    stop: &AtomicBool,
) -> Result<bool, StoreError> {
    let mut claims = Vec::new();
    for stored in decided.ledger.store().facts(Kind::Rct) {
        let Fact { subject, value: Value::Rct(key), status } = stored?.fact else { continue };
        match status {
            Status::Verified => bases.learn(&subject, key),
            Status::Claimed => claims.push((sprig_engine::shape(&subject).lives, subject, key)),
        }
    }
    claims.sort_unstable();
    for (_, subject, key) in claims {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let land = CanonicalLand::from_reduced(&subject);
        let found = follows(&mut bases.strict, &land, key);
        let claim = Claim { subject, value: Value::Rct(key) };
        if found == Some(true) {
            bases.learn(&claim.subject, key);
            decided.uphold(claim)?;
            continue;
        }
        if !decided.judge.is_of_a_liar(&claim)?
            && follows(&mut bases.lenient, &land, key) != Some(true)
        {
            let refuted = found.map(|_| "the trees of its children make another".to_owned());
            decided.judge.judge(&claim, refuted)?;
        }
        learn(&mut bases.lenient, &claim.subject, key);
        decided.withdraw(claim);
    }
    Ok(true)
}

/// Whether a land has a tree, as follows from what the base knows of its children.
fn follows(base: &mut Base, land: &CanonicalLand, key: TreeKey) -> Option<bool> {
    let tree = base.forest().find(key)?;
    base.follows(land, tree).ok().flatten()
}

fn learn(base: &mut Base, land: &[u8], key: TreeKey) {
    if let Some(tree) = base.forest().find(key) {
        // Of each land there is one claim, so there is nothing that this could contradict.
        let _ = base.learn(land, tree);
    }
}

impl Bases {
    fn learn(&mut self, land: &[u8], key: TreeKey) {
        learn(&mut self.strict, land, key);
        learn(&mut self.lenient, land, key);
    }
}

fn losses(decided: &mut Decided<'_>, bases: &Bases, stop: &AtomicBool) -> Result<bool, StoreError> {
    let strict = Search::new(&bases.strict, LIMITS);
    // Made when the first claim does not hold.
    let mut lenient: Option<Search> = None;
    let mut claims = Vec::new();
    for stored in decided.ledger.store().facts(Kind::Loss) {
        let Fact { subject, status, .. } = stored?.fact;
        let Ok(node) = Node::decode(&subject) else { continue };
        match status {
            // What does not fit in is found again, or is not used.
            Status::Verified => drop(strict.learn([node])),
            Status::Claimed => {
                claims.push((moves(bases.strict.forest(), &node), subject, node));
            }
        }
    }
    claims.sort_unstable_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    for (_, subject, node) in &claims {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let end = strict.figures().expansions + EXPANSIONS;
        let budget = Budget { search: &strict, end, lost: Mutex::default() };
        let found = strict.settle(node, &budget).ok().flatten();
        // What a claim rests on may have been claimed by nobody, or falsely.
        for lost in budget.lost.into_inner().unwrap_or_else(PoisonError::into_inner) {
            decided.ledger.mark(lost.encode().into(), Value::Loss)?;
        }
        let claim = Claim { subject: subject.clone(), value: Value::Loss };
        if found == Some(Outcome::Loss) {
            decided.uphold(claim)?;
            continue;
        }
        let lenient = lenient.get_or_insert_with(|| {
            let search = Search::new(&bases.lenient, LIMITS);
            claims.iter().for_each(|(_, _, node)| drop(search.learn([node.clone()])));
            search
        });
        let tainted = lenient.follows(node).ok().flatten() == Some(true);
        if !decided.judge.is_of_a_liar(&claim)? && !tainted {
            decided.judge.judge(&claim, found.map(|_| "it is won".to_owned()))?;
        }
        decided.withdraw(claim);
    }
    Ok(true)
}

/// The most moves that are left in a node, as far as its trees are known.
fn moves(forest: &Forest, node: &Node) -> u64 {
    let lands = node.lands().lands().iter().map(|land| u64::from(land.lives()));
    let trees = node.trees().iter().filter_map(|&key| forest.find(key));
    let trees = trees.map(|tree| u64::from(forest.height(tree)));
    lands.sum::<u64>() + trees.sum::<u64>() + u64::from(node.one())
}

struct Budget<'a> {
    search: &'a Search,
    /// Expansions after which to stop.
    end: u64,
    /// What it has proved.
    lost: Mutex<Vec<Node>>,
}

impl Observer for Budget<'_> {
    fn stop(&self) -> bool {
        self.search.figures().expansions >= self.end
    }

    fn lost(&self, node: Node) {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).push(node);
    }
}
