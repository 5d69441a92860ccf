//! Checks claims about nimbers and commits what is true.

use std::iter::Peekable;

use anyhow::Context;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_foreign::{Claim, Sorted, Sorter};
use sprig_search::step::Finding;
use sprig_store::{Fact, Kind, Store, StoreError};

use super::check::Sampler;
use super::keeper::Keeper;
use super::lookup::{Lookup, verified};
use super::progress::Checking;
use super::search::Search;
use super::{Plan, Report};

/// Claims that are checked at once, by all threads together, and committed together.
const CHUNK: usize = 4096;

/// All that is claimed about one land, and what came of looking at it.
struct Case {
    land: Vec<u8>,
    /// The different values, each with its line.
    claims: Vec<(Nimber, u64)>,
    /// Whether it is in the sample.
    chosen: bool,
    step: Result<Finding, StoreError>,
}

/// Checks all claims.
///
/// # Errors
/// When sorting or the database fails.
pub fn check(
    plan: &Plan,
    store: &Store,
    claims: Sorter,
    report: &mut Report<'_>,
) -> anyhow::Result<()> {
    let mut claims = claims.sorted().context("cannot sort what was read")?.peekable();
    let sampler = Sampler::new(plan.check);
    let mut lookups: Vec<_> = (0..plan.threads).map(|_| Lookup::new(store)).collect();
    let mut judge = Judge {
        keeper: Keeper::new(store, plan),
        search: Search::new(store, plan),
        lookup: Lookup::new(store),
        report,
    };
    let progress = Checking::start();
    let mut decided = 0;
    while let Some((lives, cases)) = next_chunk(&mut claims)? {
        progress.show(decided, lives.into());
        decided += cases.len() as u64;
        let mut open = Vec::new();
        for case in cases {
            if !settle(plan, store, &case, judge.report)? {
                open.push(case);
            }
        }
        look(&mut lookups, &sampler, &mut open);
        let decided = open.into_iter().try_for_each(|case| {
            plan.go_on()?;
            judge.decide(case)
        });
        judge.keeper.commit()?;
        decided?;
    }
    Ok(())
}

/// The next claims about lands with equal lives, which do not rest on each other; none at the end.
fn next_chunk(claims: &mut Peekable<Sorted>) -> anyhow::Result<Option<(u16, Vec<Case>)>> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lives = None;
    while let Some(next) = claims.peek() {
        let is_same_land = |next: &Claim| cases.last().is_some_and(|case| case.land == next.key);
        match next {
            Ok(next) if lives.is_some_and(|lives| lives != next.rank) => break,
            Ok(next) if cases.len() == CHUNK && !is_same_land(next) => break,
            _ => {}
        }
        let next = claims.next().expect("it was peeked at").context("cannot sort what was read")?;
        let nimber = Nimber::new(next.value.into()).context("a sorted claim")?;
        lives = Some(next.rank);
        match cases.last_mut() {
            Some(case) if case.land == next.key => case.claims.push((nimber, next.line)),
            _ => {
                let claims = vec![(nimber, next.line)];
                cases.push(Case {
                    land: next.key,
                    claims,
                    step: Ok(Finding::Missing),
                    chosen: true,
                });
            }
        }
    }
    Ok(lives.map(|lives| (lives, cases)))
}

/// Decides a case without looking at children, if that can be done.
fn settle(
    plan: &Plan,
    store: &Store,
    case: &Case,
    report: &mut Report<'_>,
) -> Result<bool, StoreError> {
    let land = CanonicalLand::from_reduced(&case.land);
    if let [(first, at), .., (last, then)] = case.claims[..] {
        let other = plan.place(at);
        let what =
            format!("land `{land}` is said to have nimber {last} here and {first} in {other}");
        report.complain(then, &(what + "; neither is taken in"));
        report.contradictions += 1;
        return Ok(true);
    }
    let (claimed, line) = case.claims[0];
    let Some(known) = store.nimber(&case.land)? else { return Ok(false) };
    if known == claimed {
        let is_verified = verified(store, &case.land)?.is_some();
        report.known += u64::from(is_verified);
        return Ok(is_verified);
    }
    let origin = store.provenance(Kind::Nimber, &case.land)?;
    let origin = origin.map_or_else(String::new, |origin| format!(" ({origin})"));
    let what = format!(
        "land `{land}` is said to have nimber {claimed}, but the database has {known}{origin}; nothing was overwritten, find out which is wrong"
    );
    report.complain(line, &what);
    report.contradictions += 1;
    Ok(true)
}

/// Looks at the children of all cases that are in the sample, a thread for each of `lookups`.
fn look(lookups: &mut [Lookup<'_>], sampler: &Sampler, cases: &mut [Case]) {
    let share = cases.len().div_ceil(lookups.len()).max(1);
    std::thread::scope(|scope| {
        for (lookup, cases) in lookups.iter_mut().zip(cases.chunks_mut(share)) {
            scope.spawn(move || {
                for case in cases {
                    case.chosen = sampler.chooses(&case.land);
                    if case.chosen {
                        case.step = lookup.step(&case.land, case.claims[0].0);
                    }
                }
            });
        }
    });
}

/// Decides the cases that were looked at.
struct Judge<'a, 'b> {
    keeper: Keeper<'a>,
    search: Search<'a>,
    /// Checks what the search finds.
    lookup: Lookup<'a>,
    report: &'a mut Report<'b>,
}

impl Judge<'_, '_> {
    fn decide(&mut self, case: Case) -> anyhow::Result<()> {
        let (nimber, line) = case.claims[0];
        if !case.chosen {
            self.report.unchecked += 1;
            return Ok(());
        }
        let land = CanonicalLand::from_reduced(&case.land);
        match case.step? {
            Finding::Shown(_) => {
                self.keeper.add(Fact::nimber(&case.land, nimber));
                self.report.followed += 1;
            }
            Finding::Refuted(lands) => {
                let lands = lands.iter().map(|key| CanonicalLand::from_reduced(key));
                let child = CanonicalPosition::from_lands(lands);
                let why = format!("a move leads to `{child}`, which has nimber {nimber}, too");
                self.refute(&land, nimber, line, &why);
            }
            Finding::TooDear | Finding::Stopped => {
                let what = format!(
                    "that land `{land}` has nimber {nimber} takes too long to be checked: it has about {} ways to move; it is left out",
                    land.ways()
                );
                self.report.complain(line, &what);
                self.report.undecided += 1;
            }
            Finding::Missing => match self.search(&land, nimber)? {
                Some(true) => {
                    self.keeper.add(Fact::nimber(&case.land, nimber));
                    self.report.searched += 1;
                }
                Some(false) => self.refute(&land, nimber, line, "a search shows that"),
                None => {
                    let what = format!(
                        "it could not be decided whether land `{land}` has nimber {nimber}; it is left out, --expansions allows longer searches"
                    );
                    self.report.complain(line, &what);
                    self.report.undecided += 1;
                }
            },
        }
        Ok(())
    }

    /// Searches, and keeps what was proved on the way as far as it can be checked.
    fn search(&mut self, land: &CanonicalLand, nimber: Nimber) -> anyhow::Result<Option<bool>> {
        let found = self.search.claim(land, nimber)?;
        for fact in found.facts.iter().filter(|fact| fact.land != *land) {
            self.lookup.forget();
            let step = self.lookup.step(fact.land.key(), fact.nimber)?;
            if matches!(step, Finding::Shown(_)) {
                self.keeper.add(Fact::nimber(fact.land.key(), fact.nimber));
                self.keeper.commit()?;
            }
        }
        Ok(found.is_true)
    }

    fn refute(&mut self, land: &CanonicalLand, nimber: Nimber, line: u64, why: &str) {
        let what = format!("land `{land}` does not have nimber {nimber}: {why}");
        self.report.complain(line, &what);
        self.report.wrong += 1;
    }
}
