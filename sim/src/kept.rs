//! What was acknowledged is kept: in the database at that moment, and for ever, unless the
//! coordinator has withdrawn it.

use std::collections::{HashMap, HashSet};

use sprig_domain::{Fact, LandNimber, Node, TreeKey};
use sprig_engine::CanonicalLand;
use sprig_store::{Fact as Stored, Sequence, Store, StoreError, Subject, Value};

/// Facts that are read from the database at once.
const CHUNK: usize = 1024;

/// What was acknowledged, withdrawn, and stored so far.
#[derive(Default)]
pub(crate) struct Kept {
    /// What has been in the database, by its text.
    stored: HashMap<String, Stored>,
    /// Where the database is read on.
    next: u64,
    acknowledged: HashSet<String>,
    /// The subjects of claims that were withdrawn, and not acknowledged since.
    withdrawn: HashSet<String>,
    /// How many claims were withdrawn.
    withdrawals: usize,
}

impl Kept {
    /// Takes in what has happened since the last call.
    ///
    /// # Errors
    /// A fact that was acknowledged and is not there.
    pub(crate) fn look(
        &mut self,
        store: &Store,
        acknowledged: Vec<String>,
        withdrawn: Vec<String>,
    ) -> Result<(), String> {
        self.read(store)?;
        self.withdrawals += withdrawn.len();
        self.withdrawn.extend(withdrawn);
        for fact in acknowledged {
            if self.is_there(store, &fact)? {
                let stored = self.stored.get(&fact);
                stored.map(|stored| self.withdrawn.remove(&about(stored)));
            }
            self.acknowledged.insert(fact);
        }
        Ok(())
    }

    /// Checks everything that was ever acknowledged.
    ///
    /// # Errors
    /// A fact that is not there.
    pub(crate) fn check(&self, store: &Store) -> Result<(), String> {
        self.acknowledged.iter().try_for_each(|fact| self.is_there(store, fact).map(drop))
    }

    /// Begins anew with another database, which has facts of the old one.
    pub(crate) fn begin_anew(&mut self) {
        self.next = 0;
    }

    /// Facts that were acknowledged.
    pub(crate) fn acknowledged(&self) -> usize {
        self.acknowledged.len()
    }

    /// Claims that were withdrawn.
    pub(crate) fn withdrawals(&self) -> usize {
        self.withdrawals
    }

    fn read(&mut self, store: &Store) -> Result<(), String> {
        while self.next < store.next_sequence().0 {
            let facts = store.facts_from(Sequence(self.next), CHUNK).map_err(told)?;
            // What was withdrawn leaves gaps.
            self.next = facts.last().map_or(store.next_sequence().0, |last| last.sequence.0 + 1);
            for stored in facts {
                self.stored.insert(words(&stored.fact)?, stored.fact);
            }
        }
        Ok(())
    }

    /// Whether an acknowledged fact is in the database. It is not if it was withdrawn.
    fn is_there(&self, store: &Store, fact: &str) -> Result<bool, String> {
        let lost = |found: String| {
            let time = turmoil::sim_elapsed().unwrap_or_default();
            Err(format!("{fact} was acknowledged, and the store has {found} at {time:?}"))
        };
        let Some(stored) = self.stored.get(fact) else {
            // It may have come and gone between two looks.
            let has_gone = self.withdrawn.iter().any(|about| fact.starts_with(&**about));
            return if has_gone { Ok(false) } else { lost("never had it".into()) };
        };
        match store.fact(stored.kind(), &stored.subject).map_err(told)? {
            Some(found) if found.fact.value == stored.value => Ok(true),
            _ if self.withdrawn.contains(&about(stored)) => Ok(false),
            found => lost(format!("{:?}", found.map(|found| found.fact.value))),
        }
    }
}

/// What a fact is about, as the coordinator logs it.
fn about(fact: &Stored) -> String {
    Subject(fact.kind(), &fact.subject).to_string()
}

/// A fact as workers log it.
pub(crate) fn words(fact: &Stored) -> Result<String, String> {
    let subject = &*fact.subject;
    let fact = match &fact.value {
        Value::Nimber(nimber) => {
            Fact::Nimber(LandNimber { land: CanonicalLand::from_reduced(subject), nimber: *nimber })
        }
        Value::Rct(tree) => Fact::Rct { land: CanonicalLand::from_reduced(subject), tree: *tree },
        Value::Loss => Fact::Loss(Node::decode(subject).map_err(|error| error.to_string())?),
        Value::Options(options) => {
            let key = subject.try_into().map_err(|_| "no key of a tree")?;
            Fact::Tree { tree: TreeKey::from_bytes(key), options: options.to_vec() }
        }
    };
    Ok(fact.to_string())
}

fn told(error: StoreError) -> String {
    error.to_string()
}
