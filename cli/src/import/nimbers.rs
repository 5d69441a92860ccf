//! Sifts claims about nimbers, and has the remaining ones checked.

use std::iter::Peekable;

use sprig_audit::{AuditError, Claim, Nimbers, check_nimbers};
use sprig_engine::CanonicalLand;
use sprig_store::{Kind, Status, Store, StoreError, Value};

use super::Plan;
use super::judge::{Told, ended};

/// Checks all claims about nimbers.
///
/// # Errors
/// When sorting or the database fails.
pub fn check(plan: &Plan, store: &Store, claims: Nimbers, told: &Told<'_>) -> anyhow::Result<()> {
    let (claims, sketches) = claims.sorted()?;
    let open = Sieve { plan, store, told, claims: claims.peekable() };
    check_nimbers(&plan.audit(), store, open, sketches, &mut &*told).map_err(ended)
}

/// Passes on one claim about each land, unless the claim is known or contradicted.
struct Sieve<'a, 'b, I: Iterator> {
    plan: &'a Plan,
    store: &'a Store,
    told: &'a Told<'b>,
    claims: Peekable<I>,
}

impl<I: Iterator<Item = Result<Claim, AuditError>>> Iterator for Sieve<'_, '_, I> {
    type Item = Result<Claim, AuditError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let claim = match self.claims.next()? {
                Ok(claim) => claim,
                error => return Some(error),
            };
            let mut last = None;
            let same = |next: &Result<Claim, _>| {
                next.as_ref().is_ok_and(|next| next.subject == claim.subject)
            };
            while let Some(Ok(other)) = self.claims.next_if(same) {
                last = Some(other);
            }
            match self.is_open(&claim, last) {
                Ok(true) => return Some(Ok(claim)),
                Ok(false) => {}
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}

impl<I: Iterator> Sieve<'_, '_, I> {
    /// Whether a claim is to be checked. `last` is another claim about the same land, if there is
    /// one.
    fn is_open(&self, claim: &Claim, last: Option<Claim>) -> Result<bool, StoreError> {
        let Self { plan, store, told, .. } = self;
        let land = || CanonicalLand::from_reduced(&claim.subject);
        if let Some(last) = last {
            let what = format!(
                "land `{}` is said to have {} here and {} in {}; neither is taken in",
                land(),
                last.value,
                number(&claim.value),
                plan.place(claim.place)
            );
            told.contradiction(last.place, &what);
            return Ok(false);
        }
        let Some(known) = store.fact(Kind::Nimber, &claim.subject)?.map(|known| known.fact) else {
            return Ok(told.chooses(&claim.subject));
        };
        if known.status == Status::Claimed {
            return Ok(told.chooses(&claim.subject));
        }
        if known.value == claim.value {
            told.report().known += 1;
            return Ok(false);
        }
        let origin = store.provenance(Kind::Nimber, &claim.subject)?;
        let origin = origin.map_or_else(String::new, |origin| format!(" ({origin})"));
        let what = format!(
            "land `{}` is said to have {}, but the database has {}{origin}; nothing was overwritten, find out which is wrong",
            land(),
            claim.value,
            number(&known.value),
        );
        told.contradiction(claim.place, &what);
        Ok(false)
    }
}

/// The number alone, for the end of a sentence that has named it a nimber.
fn number(value: &Value) -> String {
    match value {
        Value::Nimber(nimber) => nimber.to_string(),
        value => value.to_string(),
    }
}
