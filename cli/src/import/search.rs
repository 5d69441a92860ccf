//! Claims that do not follow from others are searched for.

use std::sync::{Mutex, PoisonError};

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Fact, Goal, Limits, Observer, Question, Solver, Verdict};
use sprig_store::Store;

use super::Plan;
use super::lookup::verified;

/// A search, made when it is needed first.
pub struct Search<'a> {
    plan: &'a Plan,
    store: &'a Store,
    limits: Limits,
    solver: Option<Solver>,
}

/// What a search found.
pub struct Found {
    /// Whether the claim is true, if that was decided.
    pub is_true: Option<bool>,
    /// What was proved on the way, lands with few lives first.
    pub facts: Vec<Fact>,
}

struct Notes<'a> {
    plan: &'a Plan,
    facts: Mutex<Vec<Fact>>,
}

impl Observer for Notes<'_> {
    fn stop(&self) -> bool {
        self.plan.is_stopped()
    }

    fn proved(&self, fact: Fact) {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).push(fact);
    }
}

impl<'a> Search<'a> {
    pub fn new(store: &'a Store, plan: &'a Plan) -> Self {
        let limits = Limits { memory: plan.memory, threads: plan.threads };
        Self { plan, store, limits, solver: None }
    }

    /// Searches for whether `land` has nimber `nimber`.
    ///
    /// # Errors
    /// When the database fails, or contradicts what the search finds.
    pub fn claim(&mut self, land: &CanonicalLand, nimber: Nimber) -> anyhow::Result<Found> {
        let solver = self.solver.get_or_insert_with(|| Solver::new(self.limits));
        teach(solver, self.store, land)?;
        let notes = Notes { plan: self.plan, facts: Mutex::default() };
        let position = CanonicalPosition::from_lands([land.clone()]);
        let goal = Goal { position, question: Question::Outcome { heap: nimber } };
        let verdict = solver.solve(&goal, self.plan.expansions, &notes)?;
        self.plan.go_on()?;
        let is_true = match verdict {
            Verdict::Loss => Some(true),
            Verdict::Win => Some(false),
            Verdict::Nimber(found) => Some(found == nimber),
            Verdict::Open { .. } => None,
        };
        let mut facts = notes.facts.into_inner().unwrap_or_else(PoisonError::into_inner);
        facts.sort_by_cached_key(|fact| (fact.land.lives(), fact.land.key().to_vec()));
        Ok(Found { is_true, facts })
    }
}

/// Tells the search what the database has of the children of a land, and of theirs.
fn teach(solver: &Solver, store: &Store, land: &CanonicalLand) -> anyhow::Result<()> {
    for child in land.children()?.iter().flat_map(CanonicalPosition::lands) {
        let mut lands = vec![child.clone()];
        if verified(store, child.key())?.is_none() {
            lands.extend(child.children()?.iter().flat_map(|child| child.lands().to_vec()));
        }
        for land in lands {
            if let Some(nimber) = verified(store, land.key())? {
                solver.learn(&Fact { land, nimber })?;
            }
        }
    }
    Ok(())
}
