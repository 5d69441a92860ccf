//! Claims about nimbers, from the lands with few lives to those with many.
//!
//! The step of a claim rests on facts about lands with fewer lives. So claims about lands with
//! equal lives are looked at on all threads at once, and one pass over all claims is enough.

use std::sync::Arc;

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, shape};
use sprig_search::step::{Finding, Inspector, Sketches};
use sprig_store::{Fact, Kind, Status, Store, Value};

use crate::claims::{CHUNK, in_parallel};
use crate::search::{Found, Search};
use crate::sort::{self, Sorter};
use crate::{AuditError, Claim, Judge, Ledger, Plan, Verdict};

/// Gathers claims about nimbers, in any order and more of them than memory holds.
pub struct Nimbers {
    sorter: Sorter,
    /// What the lands that are known, or claimed to be, look like.
    sketches: Sketches,
    count: u64,
}

impl Nimbers {
    /// No claims yet; about `memory` bytes of them stay in memory.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        Self { sorter: Sorter::new(memory), sketches: Sketches::default(), count: 0 }
    }

    /// The claims of a database.
    ///
    /// # Errors
    /// When the database or a temporary file fails.
    pub fn of(store: &Store, memory: usize) -> Result<Self, AuditError> {
        let mut nimbers = Self::new(memory);
        for stored in store.facts(Kind::Nimber) {
            let Fact { subject, value, status, .. } = stored?.fact;
            let Value::Nimber(nimber) = value else { continue };
            if status == Status::Verified {
                nimbers.sketches.add(&subject);
            } else if let Ok(land) = CanonicalLand::from_key(&subject) {
                // Bytes of a stranger that are those of no land stay what they are.
                nimbers.add(&land, nimber, 0)?;
            }
        }
        Ok(nimbers)
    }

    /// Adds a claim that stands at a place.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn add(
        &mut self,
        land: &CanonicalLand,
        nimber: Nimber,
        place: u64,
    ) -> Result<(), AuditError> {
        self.sketches.add(land.key());
        self.count += 1;
        let rank = shape(land.key()).lives;
        let claim =
            sort::Claim { rank, key: land.key().to_vec(), value: nimber.get(), line: place };
        Ok(self.sorter.push(claim)?)
    }

    /// How many claims were added.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The claims, sorted by the lives of their lands and then by land, and what all these lands
    /// look like.
    ///
    /// # Errors
    /// When a temporary file fails.
    pub fn sorted(
        self,
    ) -> Result<(impl Iterator<Item = Result<Claim, AuditError>>, Sketches), AuditError> {
        let claims = self.sorter.sorted()?.map(|claim| {
            let sort::Claim { key, value, line, .. } = claim?;
            let nimber = Nimber::new(value.into()).expect("it was one when it was added");
            Ok(Claim { subject: key.into(), value: Value::Nimber(nimber), place: line })
        });
        Ok((claims, self.sketches))
    }
}

/// Checks claims about nimbers of canonical lands, which must come with ascending lives. Writes
/// those that are true, and tells the `judge` of all.
///
/// # Errors
/// When the database or a temporary file fails, or it is told to stop.
pub fn check_nimbers(
    plan: &Plan<'_>,
    store: &Store,
    claims: impl Iterator<Item = Result<Claim, AuditError>>,
    sketches: Sketches,
    judge: &mut dyn Judge,
) -> Result<(), AuditError> {
    let sketches = Arc::new(sketches);
    let game = store.game();
    let guided = || Inspector::of(game).guided(Arc::clone(&sketches));
    let inspector = || {
        let inspector = guided().watched(Arc::clone(plan.watched));
        if plan.longest.is_some() { inspector.hurried() } else { inspector }
    };
    let mut inspectors: Vec<_> = (0..plan.threads.get()).map(|_| inspector()).collect();
    let mut pass = Pass {
        plan,
        ledger: Ledger::new(store, &plan.source),
        search: Search::new(game, plan),
        inspector: Inspector::of(game).watched(Arc::clone(plan.watched)),
    };
    let mut claims = claims.peekable();
    while let Some(chunk) = next_chunk(&mut claims)? {
        inspectors.iter_mut().for_each(Inspector::refresh);
        let found = in_parallel(plan, &mut inspectors, &chunk, |inspector, claim| {
            inspector.inspect(&claim.subject, nimber_of(claim), &mut |land: &[u8]| {
                store.verified_nimber(land)
            })
        });
        let decided = chunk.iter().zip(found).try_for_each(|(claim, found)| match found {
            Some(finding) => pass.decide(claim, finding?, judge),
            None => Err(AuditError::Stopped),
        });
        pass.ledger.write()?;
        decided?;
    }
    Ok(())
}

/// The next claims about lands with equal lives; none at the end.
fn next_chunk(
    claims: &mut std::iter::Peekable<impl Iterator<Item = Result<Claim, AuditError>>>,
) -> Result<Option<Vec<Claim>>, AuditError> {
    let Some(first) = claims.next().transpose()? else { return Ok(None) };
    let lives = shape(&first.subject).lives;
    let mut chunk = vec![first];
    let fits = |next: &Result<Claim, _>| {
        next.as_ref().map_or(true, |next| shape(&next.subject).lives == lives)
    };
    while chunk.len() < CHUNK
        && let Some(next) = claims.next_if(fits)
    {
        chunk.push(next?);
    }
    Ok(Some(chunk))
}

fn nimber_of(claim: &Claim) -> Nimber {
    match claim.value {
        Value::Nimber(nimber) => nimber,
        _ => unreachable!("these claims are about nimbers"),
    }
}

struct Pass<'a> {
    plan: &'a Plan<'a>,
    ledger: Ledger<'a>,
    search: Search,
    /// Checks what the search finds.
    inspector: Inspector,
}

impl Pass<'_> {
    fn decide(
        &mut self,
        claim: &Claim,
        finding: Finding,
        judge: &mut dyn Judge,
    ) -> Result<(), AuditError> {
        let nimber = nimber_of(claim);
        let verdict = match finding {
            Finding::Shown(_) => Verdict::Followed,
            Finding::Refuted(lands) => {
                let lands = lands.iter().map(|key| CanonicalLand::from_reduced(key));
                let child = CanonicalPosition::from_lands(lands);
                Verdict::Refuted(format!(
                    "a move leads to `{child}`, which has nimber {nimber}, too"
                ))
            }
            Finding::Missing => self.search(claim, nimber, judge)?,
            Finding::TooDear => Verdict::TooDear,
            Finding::Stopped => return Err(AuditError::Stopped),
        };
        if matches!(verdict, Verdict::Followed | Verdict::Searched) {
            self.ledger.mark(claim.subject.clone(), claim.value.clone())?;
        }
        Ok(judge.decided(claim, verdict)?)
    }

    /// Searches, and keeps what was proved on the way as far as it can be checked.
    fn search(
        &mut self,
        claim: &Claim,
        nimber: Nimber,
        judge: &mut dyn Judge,
    ) -> Result<Verdict, AuditError> {
        let expansions = judge.patience(claim)?;
        if expansions == 0 {
            return Ok(Verdict::Open);
        }
        let land = CanonicalLand::from_reduced(&claim.subject);
        // A search that was stopped may have proved facts that it has not told. Then the next one
        // begins anew.
        for _ in 0..2 {
            let Self { plan, ledger, search, .. } = self;
            let known = &mut |land: &[u8]| ledger.verified(land);
            let found = search.claim(plan, &land, nimber, expansions, known)?;
            if !judge.may_replace() && self.refutes_a_claim(&found)? {
                return Ok(Verdict::Open);
            }
            let is_whole = self.keep(&found, &land)?;
            // Whatever is verified is to follow from what is verified.
            let is_shown =
                found.verdict != Verdict::Searched || self.is_shown(&claim.subject, nimber)?;
            if !is_whole || !is_shown {
                self.search.forget();
            }
            if is_shown {
                return Ok(found.verdict);
            }
        }
        Ok(Verdict::TooDear)
    }

    /// Whether a search has found something else than what is claimed.
    fn refutes_a_claim(&self, found: &Found) -> Result<bool, AuditError> {
        for fact in &found.facts {
            if self.ledger.told(fact.land.key())?.is_some_and(|told| told != fact.nimber) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Keeps what a search for `land` has found on the way. Returns whether all of it follows from
    /// what is verified.
    fn keep(&mut self, found: &Found, land: &CanonicalLand) -> Result<bool, AuditError> {
        let mut is_whole = true;
        for fact in found.facts.iter().filter(|fact| fact.land != *land) {
            let key = fact.land.key();
            if self.is_shown(key, fact.nimber)? {
                self.ledger.mark(key.into(), Value::Nimber(fact.nimber))?;
            } else {
                is_whole = false;
            }
        }
        Ok(is_whole)
    }

    fn is_shown(&mut self, land: &[u8], nimber: Nimber) -> Result<bool, AuditError> {
        let Self { ledger, inspector, .. } = self;
        inspector.refresh();
        let step = inspector.inspect(land, nimber, &mut |land| ledger.verified(land))?;
        Ok(matches!(step, Finding::Shown(_)))
    }
}
