//! Claims about lost nodes of misère play.
//!
//! A node is lost if every move from it leads to a win: to a node that has a move to a lost one.
//! These nodes allow fewer moves, so the claims are checked in that order, each by those before it.
//! They are held in memory, with the base.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sprig_domain::Node;
use sprig_domain::Outcome;
use sprig_engine::{Canonizer, Effort};
use sprig_misere::MisereError;
use sprig_misere::{Limits, Observer, Search};
use sprig_store::{Fact, Kind, Status, Store, Value};
use sprig_trees::Base;

use crate::claims::CHUNK;
use crate::{AuditError, Claim, Judge, Ledger, Plan, Verdict};

/// The most moves that are left in a node, lands replaced by their trees where the base has them.
/// Every move makes it less.
pub(crate) fn moves(base: &Base, greedy: &mut Canonizer, node: &Node) -> u64 {
    let forest = base.forest();
    let height = |tree| u64::from(forest.height(tree));
    let lands = node.lands().lands().iter().map(|land| {
        let tree = base.rct(greedy.key(land.key()));
        tree.map_or(u64::from(land.lives()), height)
    });
    let lands: u64 = lands.sum();
    let trees = node.trees().iter().filter_map(|&key| forest.find(key));
    lands + trees.map(height).sum::<u64>() + u64::from(node.one())
}

/// The claims of a database that nodes are lost.
pub(crate) fn claims(plan: &Plan<'_>, store: &Store) -> Result<Vec<Claim>, AuditError> {
    let mut claims = Vec::new();
    for stored in store.facts(Kind::Loss) {
        plan.go_on()?;
        let Fact { subject, value, status, .. } = stored?.fact;
        // Bytes of a stranger may be those of no node; they stay what they are.
        if status == Status::Claimed && Node::decode(&subject).is_ok() {
            claims.push(Claim { subject, value, place: 0 });
        }
    }
    Ok(claims)
}

/// Checks claims that nodes are lost, on the trees of a base, and writes those that are true. The
/// subjects must be nodes.
///
/// # Errors
/// When the database fails, the nodes do not fit into memory, or it is told to stop.
pub fn check_losses(
    plan: &Plan<'_>,
    store: &Store,
    base: &Base,
    claims: Vec<Claim>,
    judge: &mut dyn Judge,
) -> Result<(), AuditError> {
    judge.begin(Kind::Loss, claims.len() as u64);
    if claims.is_empty() {
        return Ok(());
    }
    let limits = Limits { memory: plan.nodes, threads: 1 };
    let search = Search::new(base, limits);
    for stored in store.facts(Kind::Loss) {
        plan.go_on()?;
        let Fact { subject, status, .. } = stored?.fact;
        if status == Status::Verified {
            search.learn([Node::decode(&subject)?])?;
        }
    }
    let mut greedy = Canonizer::new(Effort::Greedy);
    let mut cases: Vec<(u64, Claim)> = Vec::with_capacity(claims.len());
    for claim in claims {
        cases.push((moves(base, &mut greedy, &Node::decode(&claim.subject)?), claim));
    }
    cases.sort_by(|(m, a), (n, b)| (m, &a.subject, a.place).cmp(&(n, &b.subject, b.place)));
    let mut pass = Pass { plan, search, ledger: Ledger::new(store, &plan.source) };
    for equal in cases.chunk_by(|a, b| a.0 == b.0) {
        for chunk in equal.chunks(CHUNK) {
            let decided = pass.chunk(chunk, judge);
            pass.ledger.write()?;
            decided?;
        }
    }
    Ok(())
}

struct Pass<'a> {
    plan: &'a Plan<'a>,
    search: Search,
    ledger: Ledger<'a>,
}

impl Pass<'_> {
    /// Decides claims about nodes with equally many moves left, which do not rest on each other.
    fn chunk(&mut self, cases: &[(u64, Claim)], judge: &mut dyn Judge) -> Result<(), AuditError> {
        self.plan.go_on()?;
        let nodes = cases.iter().map(|(_, claim)| Node::decode(&claim.subject));
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let found = self.follow(&nodes)?;
        for (((_, claim), node), lost) in cases.iter().zip(nodes).zip(found) {
            self.plan.go_on()?;
            let verdict = match lost {
                Some(true) => Verdict::Followed,
                Some(false) => refuted(),
                None => self.settle(&node, judge.patience(claim)?)?,
            };
            if matches!(verdict, Verdict::Followed | Verdict::Searched) {
                self.search.learn([node])?;
                self.ledger.mark(claim.subject.clone(), Value::Loss)?;
            }
            judge.decided(claim, verdict)?;
        }
        Ok(())
    }

    /// Whether nodes follow from what is verified, on all threads.
    fn follow(&self, nodes: &[Node]) -> Result<Vec<Option<bool>>, AuditError> {
        let Self { plan, search, .. } = self;
        let share = nodes.len().div_ceil(plan.threads.get()).max(1);
        let found = std::thread::scope(|scope| {
            let threads: Vec<_> = nodes
                .chunks(share)
                .map(|nodes| scope.spawn(|| search.follow(nodes, plan.watched)))
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Result<Vec<Vec<_>>, MisereError>>()
        });
        Ok(found?.concat())
    }

    /// Searches, and keeps what was proved on the way: what a claim rests on may have been claimed
    /// by no source, or falsely.
    fn settle(&mut self, node: &Node, expansions: u64) -> Result<Verdict, AuditError> {
        if expansions == 0 {
            return Ok(Verdict::Open);
        }
        let Self { plan, search, ledger } = self;
        let end = search.figures().expansions + expansions;
        let deadline = plan.deadline();
        let budget = Budget { plan, search, end, deadline, lost: Mutex::default() };
        let (found, has_failed) = match search.settle(node, &budget) {
            Ok(found) => (found, false),
            Err(error @ MisereError::Memory { .. }) => return Err(error.into()),
            Err(_) => (None, true),
        };
        for lost in budget.lost.into_inner().unwrap_or_else(PoisonError::into_inner) {
            ledger.mark(lost.encode().into(), Value::Loss)?;
        }
        plan.go_on()?;
        Ok(match found {
            Some(Outcome::Loss) => Verdict::Searched,
            Some(Outcome::Win) => refuted(),
            // That it cannot be searched, or that there was no time, says nothing about who claims
            // it.
            None if has_failed || plan.is_over(deadline) => Verdict::TooDear,
            None => Verdict::Open,
        })
    }
}

fn refuted() -> Verdict {
    Verdict::Refuted("it is won".to_owned())
}

struct Budget<'a> {
    plan: &'a Plan<'a>,
    search: &'a Search,
    /// The search stops after this many expansions.
    end: u64,
    deadline: Option<Duration>,
    /// What it has proved.
    lost: Mutex<Vec<Node>>,
}

impl Observer<Node> for Budget<'_> {
    fn stop(&self) -> bool {
        let is_over =
            self.search.figures().expansions >= self.end || self.plan.is_over(self.deadline);
        self.plan.is_stopped() || is_over
    }

    fn proved(&self, node: Node) {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).push(node);
    }
}
