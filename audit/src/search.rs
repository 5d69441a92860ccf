//! Claims about nimbers that do not follow from others are searched for.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sprig_domain::{Game, LandNimber, Question, Verdict as Answer};
use sprig_engine::{Budget, CanonicalLand, CanonicalPosition, Nimber};
use sprig_search::{Limits, Observer, SolveError, Solver};
use sprig_store::StoreError;

use crate::{AuditError, Plan, Verdict};

/// Says which nimber of a land is verified.
pub(crate) type Known<'a> = dyn FnMut(&[u8]) -> Result<Option<Nimber>, StoreError> + 'a;

/// A search, made when it is needed first.
pub(crate) struct Search {
    game: Game,
    limits: Limits,
    solver: Option<Solver>,
}

/// What a search found.
pub(crate) struct Found {
    /// What becomes of the claim.
    pub verdict: Verdict,
    /// What was proved on the way, lands with few lives first.
    pub facts: Vec<LandNimber>,
}

struct Notes<'a> {
    plan: &'a Plan<'a>,
    deadline: Option<Duration>,
    facts: Mutex<Vec<LandNimber>>,
}

impl Observer<LandNimber> for Notes<'_> {
    fn stop(&self) -> bool {
        self.plan.is_stopped() || self.plan.is_over(self.deadline)
    }

    fn proved(&self, fact: LandNimber) {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).push(fact);
    }
}

impl Search {
    pub fn new(game: Game, plan: &Plan<'_>) -> Self {
        let limits = Limits { memory: plan.memory, threads: plan.threads.get() };
        Self { game, limits, solver: None }
    }

    /// Begins anew with the next claim.
    pub fn forget(&mut self) {
        self.solver = None;
    }

    /// Searches whether `land` has nimber `nimber`. `known` says which nimbers are verified.
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
        let (game, limits) = (self.game, self.limits);
        let solver = self.solver.get_or_insert_with(|| Solver::of(game, limits));
        let deadline = plan.deadline();
        teach(plan, deadline, (game, solver), land, known)?;
        let notes = Notes { plan, deadline, facts: Mutex::default() };
        let position = CanonicalPosition::from_lands([land.clone()]);
        let refuted = || Verdict::Refuted("a search shows that".to_owned());
        let verdict =
            match solver.solve(&position, Question::Outcome { heap: nimber }, expansions, &notes) {
                Ok(Answer::Loss) => Verdict::Searched,
                Ok(Answer::Win) => refuted(),
                Ok(Answer::Nimber(found)) if found == nimber => Verdict::Searched,
                Ok(Answer::Nimber(_)) => refuted(),
                Ok(Answer::Open { .. }) if plan.is_over(deadline) => Verdict::TooDear,
                Ok(Answer::Open { .. }) => Verdict::Open,
                Err(error @ SolveError::Contradiction(_)) => return Err(error.into()),
                // It is too large to be searched.
                Err(_) => Verdict::Open,
            };
        plan.go_on()?;
        let mut facts = notes.facts.into_inner().unwrap_or_else(PoisonError::into_inner);
        facts.sort_by_cached_key(|fact| (fact.land.lives(), fact.land.key().to_vec()));
        Ok(Found { verdict, facts })
    }
}

/// Tells the search what is known of the children of a land, and of theirs.
fn teach(
    plan: &Plan<'_>,
    deadline: Option<Duration>,
    (game, solver): (Game, &Solver),
    land: &CanonicalLand,
    known: &mut Known<'_>,
) -> Result<(), AuditError> {
    // One budget for all of them: of lands with too many moves to list, nothing is known.
    let mut budget = Budget::default().until(plan.watched.flag());
    let mut generator = game.generator();
    let mut children = |land: &CanonicalLand| {
        let position = CanonicalPosition::from_lands([land.clone()]);
        position.children_by(&mut generator, &mut budget).unwrap_or_default()
    };
    for child in children(land).iter().flat_map(CanonicalPosition::lands) {
        plan.go_on()?;
        if plan.is_over(deadline) {
            return Ok(());
        }
        let mut lands = vec![child.clone()];
        if known(child.key())?.is_none() {
            let below = children(child);
            lands.extend(below.iter().flat_map(|child| child.lands().to_vec()));
        }
        for land in lands {
            if let Some(nimber) = known(land.key())? {
                solver.learn(&LandNimber { land, nimber })?;
            }
        }
    }
    Ok(())
}
