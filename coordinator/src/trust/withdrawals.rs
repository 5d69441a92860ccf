//! Which workers have to forget when claims are withdrawn: those that may have rested on one of
//! them.

use std::collections::{BTreeMap, BTreeSet};

use sprig_store::Person;

use super::person;

/// The workers that know claims that were withdrawn, among those that work on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Knowers {
    /// Those that have claimed them; no other worker was told.
    These(BTreeSet<Person>),
    /// Any worker may know them.
    All,
}

impl Default for Knowers {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Knowers {
    /// Adds those that know another claim.
    pub(super) fn join(&mut self, others: Option<impl IntoIterator<Item = Person>>) {
        match (self, others) {
            (Self::All, _) => {}
            (Self::These(known), Some(others)) => known.extend(others),
            (known, None) => *known = Self::All,
        }
    }
}

/// How often each worker has had to forget. It is told the number when it joins, and forgets
/// when that has changed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Withdrawals {
    all: u64,
    of: BTreeMap<Person, u64>,
}

impl Withdrawals {
    /// Claims were withdrawn `all` times before this run. That is no less than any worker has been
    /// told, so a worker that has missed one of these times forgets.
    pub(crate) fn before(all: u64) -> Self {
        Self { all, of: BTreeMap::new() }
    }

    /// Claims were withdrawn that these workers know.
    pub(crate) fn note(&mut self, knowers: &Knowers) {
        match knowers {
            Knowers::All => self.all += 1,
            Knowers::These(people) => {
                for person in people {
                    *self.of.entry(person.clone()).or_default() += 1;
                }
            }
        }
    }

    /// What a worker is told whose facts are signed with `name`.
    pub(crate) fn told(&self, name: &str) -> u64 {
        self.all + self.of.get(&person(name)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_knows_nothing_of_it_forgets_nothing() {
        let mut withdrawals = Withdrawals::before(7);
        let told = |withdrawals: &Withdrawals| ["a", "b@c", "d"].map(|name| withdrawals.told(name));
        withdrawals.note(&Knowers::default());
        assert_eq!(told(&withdrawals), [7, 7, 7]);
        let mut knowers = Knowers::default();
        knowers.join(Some(["a", "x@c"].map(person)));
        withdrawals.note(&knowers);
        assert_eq!(told(&withdrawals), [8, 8, 7], "an account answers for all its names");
        knowers.join(None::<[Person; 0]>);
        knowers.join(Some(["a"].map(person)));
        assert_eq!(knowers, Knowers::All);
        withdrawals.note(&knowers);
        assert_eq!(told(&withdrawals), [9, 9, 8]);
        // After a restart every worker is told how often that was. No worker has been told this
        // number before, unless it has forgotten each time.
        assert_eq!(told(&Withdrawals::before(9)), [9, 9, 9]);
    }
}
