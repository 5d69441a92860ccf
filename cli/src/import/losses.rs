//! Checks claims about lost nodes of misère play, and commits what is true.
//!
//! A node is lost if every move from it leads to a win: to a node that has a move to a lost one. These nodes allow fewer
//! moves, so the claims are checked in that order, each by those before it. They are held in memory, with the base.

use std::collections::HashSet;

use sprig_engine::CanonicalPosition;
use sprig_foreign::{Name, Trees};
use sprig_misere::{Base, Node};
use sprig_store::{Fact, Kind, Status, Store};

use super::check::Sampler;
use super::gather::Place;
use super::keeper::Keeper;
use super::node::{Moves, SUMS, Sum};
use super::progress::Checking;
use super::{Plan, Report};

/// Facts that are committed together.
const COMMIT: usize = 4096;

/// What the files claim to be lost.
#[derive(Default)]
pub struct Claims(Vec<Claim>);

struct Claim {
    position: CanonicalPosition,
    one: bool,
    rcts: Vec<Name>,
    place: u64,
}

/// A claim whose names mean something.
struct Case {
    /// A bound of the moves that are left.
    moves: u32,
    node: Node,
    sum: Sum,
    place: u64,
}

enum Verdict {
    Lost,
    Won,
    Open,
}

impl Claims {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in a node.
    pub fn take(&mut self, place: &Place, position: CanonicalPosition, one: bool, rcts: Vec<Name>) {
        self.0.push(Claim { position, one, rcts, place: place.number() });
    }

    /// Checks all claims on the trees of a base and of the files.
    ///
    /// # Errors
    /// When the database fails.
    pub fn check(
        self,
        plan: &Plan,
        store: &Store,
        base: Base,
        trees: &Trees,
        report: &mut Report<'_>,
    ) -> anyhow::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut judge =
            Judge { plan, moves: Moves::new(base), lost: HashSet::new(), won: HashSet::new() };
        let mut cases = Vec::new();
        for claim in self.0 {
            match judge.case(trees, claim) {
                Ok(case) => cases.push(case),
                Err((place, what)) => {
                    report.complain(place, &what);
                    report.wrong += 1;
                }
            }
        }
        cases.sort_by_cached_key(|case| (case.moves, case.node.encode(), case.place));
        cases.dedup_by(|later, first| later.node == first.node);
        for fact in store.facts(Kind::Loss) {
            let fact = fact?.fact;
            let node = Node::decode(&fact.subject)?;
            if let (Some(sum), Status::Verified) = (judge.sum_of(&node), fact.status) {
                judge.lost.insert(sum);
            }
        }
        let (mut keeper, sampler, progress) =
            (Keeper::new(store, plan), Sampler::new(plan.check), Checking::start());
        for (decided, Case { moves, node, sum, place }) in (0..).zip(cases) {
            progress.show(decided, moves);
            let bytes = node.encode();
            if plan.is_stopped() {
                break;
            }
            let known = store.fact(Kind::Loss, &bytes)?;
            if known.is_some_and(|known| known.fact.status == Status::Verified) {
                report.known += 1;
                continue;
            }
            if !sampler.chooses(&bytes) {
                report.unchecked += 1;
                continue;
            }
            match judge.decide(&sum) {
                Verdict::Lost => {
                    judge.lost.insert(sum);
                    keeper.add(Fact::loss(&bytes));
                    report.followed += 1;
                }
                Verdict::Won => {
                    report.complain(place, &format!("node `{node}` is not lost"));
                    report.wrong += 1;
                }
                Verdict::Open => {
                    let what = format!(
                        "it could not be decided whether node `{node}` is lost; it is left out, the lost nodes that it rests on are missing"
                    );
                    report.complain(place, &what);
                    report.undecided += 1;
                }
            }
            if keeper.len() >= COMMIT {
                keeper.commit()?;
            }
        }
        keeper.commit()?;
        plan.go_on()
    }
}

struct Judge<'a> {
    plan: &'a Plan,
    moves: Moves,
    lost: HashSet<Sum>,
    /// Nodes with a move to a lost one.
    won: HashSet<Sum>,
}

impl Judge<'_> {
    fn case(&mut self, trees: &Trees, claim: Claim) -> Result<Case, (u64, String)> {
        let Claim { position, one, rcts, place } = claim;
        let mut found = Vec::new();
        for rct in rcts {
            let tree = trees.find(self.moves.base().forest_mut(), rct);
            found.push(tree.map_err(|problem| (place, format!("RCT {rct} {problem}")))?);
        }
        let forest = self.moves.base().forest();
        let keys: Vec<_> = found.iter().map(|&tree| forest.key(tree)).collect();
        let sum = self.moves.sum(position.lands(), one, found);
        let moves = self.moves.bound(&sum);
        Ok(Case { moves, node: Node::new(position, one, keys), sum, place })
    }

    /// A node of the database on the base; none if the base does not have its trees.
    fn sum_of(&mut self, node: &Node) -> Option<Sum> {
        let forest = self.moves.base().forest();
        let trees: Option<Vec<_>> = node.trees().iter().map(|&key| forest.find(key)).collect();
        Some(self.moves.sum(node.lands().lands(), node.one(), trees?))
    }

    fn decide(&mut self, sum: &Sum) -> Verdict {
        let mut budget = self.plan.expansions;
        if sum.is_known() {
            return match self.moves.is_lost(sum, &mut budget) {
                Some(true) => Verdict::Lost,
                Some(false) => Verdict::Won,
                None => Verdict::Open,
            };
        }
        let Some(children) = self.moves.of(sum) else { return Verdict::Open };
        for child in children {
            if self.is_lost(&child, &mut budget) == Some(true) {
                return Verdict::Won;
            }
            if !self.is_won(child, &mut budget) {
                return Verdict::Open;
            }
        }
        Verdict::Lost
    }

    /// Whether a node is lost, if that is seen at once.
    fn is_lost(&mut self, sum: &Sum, budget: &mut u64) -> Option<bool> {
        if sum.is_known() {
            return self.moves.is_lost(sum, budget);
        }
        self.lost.contains(sum).then_some(true)
    }

    /// Whether a node is known to be won.
    fn is_won(&mut self, sum: Sum, budget: &mut u64) -> bool {
        if sum.is_known() {
            return self.moves.is_lost(&sum, budget) == Some(false);
        }
        if self.won.contains(&sum) {
            return true;
        }
        let Some(replies) = self.moves.of(&sum) else { return false };
        let won = replies.iter().any(|reply| self.is_lost(reply, budget) == Some(true));
        if won {
            if self.won.len() == SUMS {
                self.won.clear();
            }
            self.won.insert(sum);
        }
        won
    }
}
