//! Claims about nimbers that do not follow from others are searched for.

use std::sync::{Mutex, PoisonError};

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Fact, Goal, Limits, Observer, Question, SolveError, Solver, Verdict};
use sprig_store::StoreError;

use crate::{AuditError, Plan};

/// Says which nimber of a land is verified.
pub(crate) type Known<'a> = dyn FnMut(&[u8]) -> Result<Option<Nimber>, StoreError> + 'a;

/// A search, made when it is needed first.
pub(crate) struct Search {
    limits: Limits,
    solver: Option<Solver>,
}

/// What a search found.
pub(crate) struct Found {
    /// Whether the claim is true, if that was decided.
    pub is_true: Option<bool>,
    /// What was proved on the way, lands with few lives first.
    pub facts: Vec<Fact>,
}

struct Notes<'a> {
    plan: &'a Plan<'a>,
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

impl Search {
    pub fn new(plan: &Plan<'_>) -> Self {
        let limits = Limits { memory: plan.memory, threads: plan.threads.get() };
        Self { limits, solver: None }
    }

    /// Searches for whether `land` has nimber `nimber`; `known` says which nimbers are verified.
    ///
    /// # Errors
    /// When the database fails, or contradicts what the search finds.
    pub fn claim(
        &mut self,
        plan: &Plan<'_>,
        land: &CanonicalLand,
        nimber: Nimber,
        expansions: u64,
        known: &mut Known<'_>,
    ) -> Result<Found, AuditError> {
        let limits = self.limits;
        let solver = self.solver.get_or_insert_with(|| Solver::new(limits));
        teach(solver, land, known)?;
        let notes = Notes { plan, facts: Mutex::default() };
        let position = CanonicalPosition::from_lands([land.clone()]);
        let goal = Goal { position, question: Question::Outcome { heap: nimber } };
        let is_true = match solver.solve(&goal, expansions, &notes) {
            Ok(Verdict::Loss) => Some(true),
            Ok(Verdict::Win) => Some(false),
            Ok(Verdict::Nimber(found)) => Some(found == nimber),
            Ok(Verdict::Open { .. }) => None,
            Err(error @ SolveError::Contradiction(_)) => return Err(error.into()),
            // It is too large to be searched.
            Err(_) => None,
        };
        plan.go_on()?;
        let mut facts = notes.facts.into_inner().unwrap_or_else(PoisonError::into_inner);
        facts.sort_by_cached_key(|fact| (fact.land.lives(), fact.land.key().to_vec()));
        Ok(Found { is_true, facts })
    }
}

/// Tells the search what is known of the children of a land, and of theirs.
fn teach(solver: &Solver, land: &CanonicalLand, known: &mut Known<'_>) -> Result<(), AuditError> {
    // Of what is too large to list, nothing is known.
    let children = land.children().unwrap_or_default();
    for child in children.iter().flat_map(CanonicalPosition::lands) {
        let mut lands = vec![child.clone()];
        if known(child.key())?.is_none() {
            let below = child.children().unwrap_or_default();
            lands.extend(below.iter().flat_map(|child| child.lands().to_vec()));
        }
        for land in lands {
            if let Some(nimber) = known(land.key())? {
                solver.learn(&Fact { land, nimber })?;
            }
        }
    }
    Ok(())
}
