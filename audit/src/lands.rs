//! Claims about trees and about lands with trees.
//!
//! A tree is checked by its key and by being reduced, which needs no other facts but its options.
//! That a land has a tree follows from the trees of its children, which have fewer lives.

use std::ops::ControlFlow::{Break, Continue};

use sprig_domain::TreeKey;
use sprig_engine::{CanonicalLand, CanonicalPosition, shape};
use sprig_store::{Fact, Kind, Status, Store, Value};
use sprig_trees::{Base, Tree, TreeError};

use crate::claims::CHUNK;
use crate::{AuditError, Claim, Judge, Ledger, Plan, Verdict};

/// How much of a tree a message shows, in characters.
const SHOWN: usize = 80;

/// Teaches a base all trees of the database, each checked, and the lands whose trees are verified;
/// the `judge` hears of the trees that were claimed.
///
/// # Errors
/// When the database fails, or it is told to stop.
pub fn learn_base(
    plan: &Plan<'_>,
    store: &Store,
    base: &mut Base,
    judge: &mut dyn Judge,
) -> Result<(), AuditError> {
    let mut ledger = Ledger::new(store, &plan.source);
    let mut trees = store.facts(Kind::Tree).collect::<Result<Vec<_>, _>>()?;
    let claimed = trees.iter().filter(|stored| stored.fact.status == Status::Claimed).count();
    judge.begin(Kind::Tree, claimed as u64);
    // Options were committed before the trees that have them.
    trees.sort_unstable_by_key(|stored| stored.sequence);
    for Fact { subject, value, status, .. } in trees.into_iter().map(|stored| stored.fact) {
        plan.go_on()?;
        let learned = learn_tree(base, &subject, &value);
        if status == Status::Verified {
            continue;
        }
        let claim = Claim { subject, value, place: 0 };
        if learned.is_ok() {
            ledger.mark(claim.subject.clone(), claim.value.clone())?;
        }
        let verdict = match learned {
            Ok(()) => Verdict::Followed,
            Err(TreeError::UnknownChild { .. }) => Verdict::Open,
            Err(error) => Verdict::Refuted(error.to_string()),
        };
        judge.decided(&claim, verdict)?;
    }
    ledger.write()?;
    for stored in store.facts(Kind::Rct) {
        plan.go_on()?;
        let Fact { subject, value, status, .. } = stored?.fact;
        if let (Value::Rct(key), Status::Verified) = (value, status)
            && let Some(tree) = base.forest().find(key)
        {
            base.learn(&subject, tree)?;
        }
    }
    Ok(())
}

pub(crate) fn learn_tree(base: &mut Base, subject: &[u8], value: &Value) -> Result<(), TreeError> {
    let (Value::Options(options), Ok(key)) = (value, subject.try_into()) else { return Ok(()) };
    base.forest_mut().learn(TreeKey::from_bytes(key), options).map(drop)
}

/// The claims of a database that lands have trees.
pub(crate) fn claims(plan: &Plan<'_>, store: &Store) -> Result<Vec<Claim>, AuditError> {
    let mut claims = Vec::new();
    for stored in store.facts(Kind::Rct) {
        plan.go_on()?;
        let Fact { subject, value, status, .. } = stored?.fact;
        // Bytes of a stranger may be those of no land; they stay what they are.
        if status == Status::Claimed && CanonicalLand::from_key(&subject).is_ok() {
            claims.push(Claim { subject, value, place: 0 });
        }
    }
    Ok(claims)
}

/// Checks claims that lands have trees, and writes those that are true; the base learns them. The
/// subjects must be canonical lands.
///
/// # Errors
/// When the database fails, or it is told to stop.
pub fn check_lands(
    plan: &Plan<'_>,
    store: &Store,
    base: &mut Base,
    mut claims: Vec<Claim>,
    judge: &mut dyn Judge,
) -> Result<(), AuditError> {
    judge.begin(Kind::Rct, claims.len() as u64);
    let lives = |claim: &Claim| shape(&claim.subject).lives;
    claims.sort_by(|a, b| (lives(a), &a.subject, a.place).cmp(&(lives(b), &b.subject, b.place)));
    let mut pass = Pass { plan, base, ledger: Ledger::new(store, &plan.source) };
    for equal in claims.chunk_by(|a, b| lives(a) == lives(b)) {
        for chunk in equal.chunks(CHUNK) {
            let decided = pass.chunk(chunk, judge);
            pass.ledger.write()?;
            decided?;
        }
    }
    Ok(())
}

struct Pass<'a, 'b> {
    plan: &'a Plan<'a>,
    base: &'b mut Base,
    ledger: Ledger<'a>,
}

impl Pass<'_, '_> {
    /// Decides claims about lands with equal lives, which do not rest on each other.
    fn chunk(&mut self, claims: &[Claim], judge: &mut dyn Judge) -> Result<(), AuditError> {
        let Self { plan, base, .. } = self;
        plan.go_on()?;
        let lands: Vec<_> =
            claims.iter().map(|c| CanonicalLand::from_reduced(&c.subject)).collect();
        let trees = base.trees_of(&lands, plan.threads, plan.watched);
        for ((claim, land), found) in claims.iter().zip(&lands).zip(trees) {
            self.plan.go_on()?;
            self.decide(claim, land, found, judge)?;
        }
        Ok(())
    }

    fn decide(
        &mut self,
        claim: &Claim,
        land: &CanonicalLand,
        found: Option<Tree>,
        judge: &mut dyn Judge,
    ) -> Result<(), AuditError> {
        let Value::Rct(key) = claim.value else { unreachable!("these claims are about trees") };
        let (tree, holds) = match found {
            Some(tree) => (Some(tree), Verdict::Followed),
            None => (self.search(land, judge.patience(claim)?)?, Verdict::Searched),
        };
        let forest = self.base.forest();
        let verdict = match tree {
            None => Verdict::Open,
            Some(tree) if forest.key(tree) == key => holds,
            Some(tree) => {
                let nested = forest.nested(tree, SHOWN);
                let shown = nested.unwrap_or_else(|| forest.key(tree).to_string());
                Verdict::Refuted(format!("it has {shown}"))
            }
        };
        if let (Some(tree), Verdict::Followed | Verdict::Searched) = (tree, &verdict) {
            self.base.learn(&claim.subject, tree)?;
            self.ledger.mark(claim.subject.clone(), claim.value.clone())?;
        }
        Ok(judge.decided(claim, verdict)?)
    }

    /// The tree of a land, from those of all lands that it can lead to, if no more lands have to be
    /// met for that.
    fn search(&mut self, land: &CanonicalLand, lands: u64) -> Result<Option<Tree>, AuditError> {
        if lands == 0 {
            return Ok(None);
        }
        let Self { plan, base, .. } = self;
        find_tree(plan, base, &CanonicalPosition::from_lands([land.clone()]), lands)
    }
}

/// The tree of a position, found from those of all lands that it can lead to; `None` if more than
/// `lands` lands would have to be met for that.
///
/// # Errors
/// When it is told to stop.
pub fn find_tree(
    plan: &Plan<'_>,
    base: &mut Base,
    position: &CanonicalPosition,
    lands: u64,
) -> Result<Option<Tree>, AuditError> {
    let limit = base.progress().met as u64 + lands;
    let found = base.build(position, plan.threads, |news| {
        let too_many = news.progress().met as u64 > limit;
        if too_many || plan.is_stopped() { Break(()) } else { Continue(()) }
    });
    match found {
        Ok(tree) => Ok(Some(tree)),
        Err(TreeError::Stopped { .. }) => plan.go_on().map(|()| None),
        // It has more moves than can be listed.
        Err(_) => Ok(None),
    }
}
