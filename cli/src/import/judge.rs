//! Reports what becomes of each claim.

use std::cell::{RefCell, RefMut};

use sprig_audit::{AuditError, Claim, Judge, Verdict};
use sprig_store::{StoreError, Subject, Value};

use super::check::Sampler;
use super::progress::Checking;
use super::{Plan, Report};
use crate::failure::Interrupted;

/// The report of an import. The steps that sift claims and those that check them write into it.
pub struct Told<'a> {
    plan: &'a Plan,
    report: RefCell<Report<'a>>,
    sampler: Sampler,
    progress: RefCell<Checking>,
}

impl<'a> Told<'a> {
    pub fn new(plan: &'a Plan, report: Report<'a>) -> Self {
        let (sampler, progress) = (Sampler::new(plan.check), RefCell::new(Checking::start()));
        Self { plan, report: RefCell::new(report), sampler, progress }
    }

    pub fn report(&self) -> RefMut<'_, Report<'a>> {
        self.report.borrow_mut()
    }

    /// Reports that a claim contradicts another, and counts it.
    pub fn contradiction(&self, place: u64, what: &str) {
        self.report().complain(place, what);
        self.report().contradictions += 1;
    }

    /// Reports that a claim is false, and counts it.
    pub fn wrong(&self, place: u64, what: &str) {
        self.report().complain(place, what);
        self.report().wrong += 1;
    }

    /// Reports that a claim could not be decided, and counts it.
    pub fn undecided(&self, place: u64, what: &str) {
        let what = format!(
            "it could not be decided whether {what}; it is left out, --expansions allows longer searches"
        );
        self.report().complain(place, &what);
        self.report().undecided += 1;
    }

    /// Reports that a claim costs more than a check may cost.
    fn too_dear(&self, place: u64, what: &str) {
        let what = format!(
            "that {what} takes too long to be checked: it has too many ways to move; it is left out"
        );
        self.report().complain(place, &what);
        self.report().undecided += 1;
    }

    /// Whether the claim about `key` is to be checked. A claim that is not is counted.
    pub fn chooses(&self, key: &[u8]) -> bool {
        let chosen = self.sampler.chooses(key);
        self.report().unchecked += u64::from(!chosen);
        chosen
    }

    /// The complete report.
    pub fn end(self) -> Report<'a> {
        let mut report = self.report.into_inner();
        report.end();
        report
    }
}

impl Judge for &Told<'_> {
    fn patience(&mut self, _: &Claim) -> Result<u64, StoreError> {
        Ok(self.plan.expansions)
    }

    fn decided(&mut self, claim: &Claim, verdict: Verdict) -> Result<(), StoreError> {
        self.progress.borrow_mut().step();
        match verdict {
            Verdict::Followed => self.report().followed += 1,
            Verdict::Searched => self.report().searched += 1,
            Verdict::Refuted(why) => self.wrong(claim.place, &is_false(claim, &why)),
            Verdict::Open => self.undecided(claim.place, &says(claim)),
            Verdict::TooDear => self.too_dear(claim.place, &says(claim)),
        }
        Ok(())
    }
}

/// What a claim says, in words.
fn says(Claim { subject, value, .. }: &Claim) -> String {
    let subject = Subject(value.kind(), subject);
    if *value == Value::Loss {
        format!("{subject} is lost")
    } else {
        format!("{subject} has {value}")
    }
}

fn is_false(claim: &Claim, why: &str) -> String {
    let Claim { subject, value, .. } = claim;
    let subject = Subject(value.kind(), subject);
    match value {
        Value::Loss => format!("{subject} is not lost"),
        value => format!("{subject} does not have {value}: {why}"),
    }
}

/// The error by which a check ended, for a person.
pub fn ended(error: AuditError) -> anyhow::Error {
    match error {
        AuditError::Stopped => Interrupted::new(
            "what was checked is kept, the same command goes on from there".to_owned(),
        )
        .into(),
        error => error.into(),
    }
}
