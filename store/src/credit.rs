//! Credit: which sources have found what is known.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::log::Counts;
use crate::{Kind, Provenance, Reader, Status, StoreError, UnixMillis};

/// The facts of one source that still stand. Each counts for the source that reported it first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Credit {
    /// The verified ones.
    pub verified: Counts,
    /// The claims: nothing needed them yet, or they were not looked at.
    pub claimed: Counts,
    /// When the first and the last of them came.
    pub time: (UnixMillis, UnixMillis),
}

/// What a person has found, under all of the person's names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credited {
    /// The name.
    pub name: String,
    /// Whether it was proved by a token or certificate.
    pub is_proved: bool,
    /// What was found.
    pub credit: Credit,
}

/// Sums up the workers of each proved name (`laptop/12@ann` is one of ann's). The person with the
/// most verified facts comes first.
#[must_use]
pub fn credited(credits: BTreeMap<String, Credit>) -> Vec<Credited> {
    let mut people: BTreeMap<(bool, String), Credit> = BTreeMap::new();
    for (source, found) in credits {
        let person = match source.rsplit_once('@') {
            Some((_, name)) => (true, name.to_owned()),
            None => (false, source),
        };
        let fresh = || Credit { time: found.time, ..Credit::default() };
        let credit = people.entry(person).or_insert_with(fresh);
        for kind in Kind::ALL {
            credit.verified.add(kind, found.verified.of(kind) as usize);
            credit.claimed.add(kind, found.claimed.of(kind) as usize);
        }
        credit.time = (credit.time.0.min(found.time.0), credit.time.1.max(found.time.1));
    }
    let credited = |((is_proved, name), credit)| Credited { name, is_proved, credit };
    let mut all: Vec<_> = people.into_iter().map(credited).collect();
    all.sort_by_key(|one| Reverse((one.credit.verified.total(), one.credit.claimed.total())));
    all
}

impl Reader {
    /// Counts the facts of each source, by its name. Reads all facts, some hundred thousand a
    /// second. `done` is told how many were counted. Returns `None` when `stop` was set.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn credits(
        &self,
        stop: &AtomicBool,
        mut done: impl FnMut(u64),
    ) -> Result<Option<BTreeMap<String, Credit>>, StoreError> {
        let mut credits: BTreeMap<String, Credit> = BTreeMap::new();
        let mut count = 0;
        for group in self.groups() {
            if stop.load(Relaxed) {
                return Ok(None);
            }
            let (Provenance { source, time, .. }, facts) = group?;
            count += facts.len() as u64;
            done(count);
            if facts.is_empty() {
                continue;
            }
            let credit = credits
                .entry(source.worker)
                .or_insert_with(|| Credit { time: (time, time), ..Credit::default() });
            credit.time = (credit.time.0.min(time), credit.time.1.max(time));
            for stored in facts {
                let kind = stored.fact.kind();
                match stored.fact.status {
                    Status::Verified => credit.verified.add(kind, 1),
                    Status::Claimed => credit.claimed.add(kind, 1),
                }
            }
        }
        Ok(Some(credits))
    }
}
