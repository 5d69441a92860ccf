//! Random batches against a plain map, with the database closed and opened again in between.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sprig_domain::TreeKey;

use super::*;

/// What a store has to know, written in the obvious way.
#[derive(Clone, Default)]
struct Model {
    facts: BTreeMap<(Kind, Vec<u8>), (Fact, u64)>,
    excluded: BTreeMap<Vec<u8>, u64>,
    /// How many facts there ever were, and how many of them gave way to a verified fact.
    ever: u64,
    gone: Vec<Kind>,
}

#[derive(Clone, Debug)]
enum Claimed {
    Fact(Fact),
    Exclusion(Exclusion),
}

/// The nimber of a fact as a set of values, which is empty if the fact is not about a nimber.
fn bit(fact: &Fact) -> u64 {
    if let Value::Nimber(nimber) = fact.value { 1 << nimber.get() } else { 0 }
}

impl Model {
    /// Takes in a batch; `None` when something in it contradicts.
    fn commit(&self, claims: &[(usize, Claimed)]) -> Option<Self> {
        let mut new = self.clone();
        for (_, claim) in claims {
            match claim {
                Claimed::Fact(fact) => {
                    let key = (fact.kind(), fact.subject.to_vec());
                    let excluded =
                        new.excluded.get(&*fact.subject).map_or(0, |values| values & bit(fact));
                    match new.facts.get_mut(&key) {
                        Some((known, _)) if known.value == fact.value => {
                            known.status = known.status.max(fact.status);
                            continue;
                        }
                        Some((known, _)) if known.status < fact.status => {
                            new.gone.push(fact.kind())
                        }
                        Some(_) => return None,
                        None if excluded != 0 && fact.status == Status::Claimed => return None,
                        None => {}
                    }
                    new.facts.insert(key, (fact.clone(), new.ever));
                    new.ever += 1;
                    if fact.kind() == Kind::Nimber {
                        new.excluded.remove(&*fact.subject);
                    }
                }
                Claimed::Exclusion(Exclusion { land, values, status, .. }) => {
                    if let Some((known, _)) = new.facts.get(&(Kind::Nimber, land.to_vec())) {
                        match values & bit(known) {
                            0 => continue,
                            _ if known.status >= *status => return None,
                            _ => drop(new.facts.remove(&(Kind::Nimber, land.to_vec()))),
                        }
                        new.gone.push(Kind::Nimber);
                    }
                    *new.excluded.entry(land.to_vec()).or_default() |= values;
                }
            }
        }
        Some(new)
    }

    fn check(&self, store: &Store) {
        let of_kind = |kind| store.facts(kind).map(|fact| fact.expect("readable"));
        let stored: Vec<_> = Kind::ALL.into_iter().flat_map(of_kind).collect();
        let counts = store.counts().expect("readable");
        for kind in Kind::ALL {
            let gone = self.gone.iter().filter(|&&gone| gone == kind).count();
            assert_eq!(counts.of(kind), (of_kind(kind).count() + gone) as u64);
        }
        let numbered = |(fact, number): &(Fact, u64)| StoredFact {
            sequence: Sequence(*number),
            fact: fact.clone(),
        };
        let mut expected: Vec<_> = self.facts.values().map(numbered).collect();
        assert_eq!(stored, expected);
        assert_eq!(store.next_sequence(), Sequence(self.ever));
        let verified = expected.iter().filter(|stored| stored.fact.status == Status::Verified);
        let worth = store.worth().expect("readable");
        assert_eq!(worth.verified.total(), verified.count() as u64);
        assert_eq!(worth.claimed.total(), expected.len() as u64 - worth.verified.total());
        expected.sort_by_key(|fact| fact.sequence);
        assert_eq!(store.facts_from(Sequence(0), usize::MAX).expect("readable"), expected);
        for (land, values) in &self.excluded {
            let known = self.facts.get(&(Kind::Nimber, land.clone()));
            let values = known.map_or(*values, |(fact, _)| !bit(fact));
            assert_eq!(store.excluded(land).expect("readable"), values);
        }
    }
}

/// Claims about few lands and few values, so that facts meet. Mostly they have the value that the
/// land "really" has, so that batches pass.
fn claim() -> impl Strategy<Value = Claimed> {
    let land = prop::collection::vec(0u8..3, 1..4);
    (land, 0u64..40, any::<bool>(), 0u64..16, 0..6).prop_map(|(land, slip, checked, mask, kind)| {
        let truth = land.iter().map(|&byte| u64::from(byte)).sum::<u64>();
        if kind == 0 {
            let values = if slip == 0 { mask } else { mask & !(1 << truth) };
            let status = if checked { Status::Verified } else { Status::Claimed };
            return Claimed::Exclusion(Exclusion {
                game: sprig_domain::Game::Sprouts,
                land: land.into(),
                values,
                status,
            });
        }
        let value = if slip == 0 { truth + 1 } else { truth };
        let fact = match kind {
            1 => Fact::rct(&land, TreeKey::from_bytes([value as u8; 16])),
            2 => Fact::loss(&land),
            _ => claimed(&land, value),
        };
        Claimed::Fact(if checked { Fact { status: Status::Verified, ..fact } } else { fact })
    })
}

/// Facts before exclusions within a contribution, as the store takes them in.
fn batch_of(claims: &[(usize, Claimed)]) -> (Batch, Vec<(usize, Claimed)>) {
    let mut batch = Batch::default();
    let mut order = Vec::new();
    for claims in claims.chunk_by(|a, b| a.0 == b.0) {
        let provenance = provenance(&format!("worker {}", claims[0].0));
        let mut new = Contribution { provenance, facts: vec![], exclusions: vec![] };
        for (_, claim) in claims {
            match claim.clone() {
                Claimed::Fact(fact) => new.facts.push(fact),
                Claimed::Exclusion(exclusion) => new.exclusions.push(exclusion),
            }
        }
        let (facts, exclusions): (Vec<_>, Vec<_>) =
            claims.iter().cloned().partition(|(_, claim)| matches!(claim, Claimed::Fact(_)));
        order.extend(facts.into_iter().chain(exclusions));
        batch.contributions.push(new);
    }
    (batch, order)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_is_a_map_that_refuses_contradictions(
        batches in prop::collection::vec(
            (prop::collection::vec((0usize..3, claim()), 0..8), prop::bool::weighted(0.2)), 1..20),
    ) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut store = Some(open(dir.path()).expect("a new database"));
        let mut model = Model::default();
        for (claims, reopen) in batches {
            let (batch, order) = batch_of(&claims);
            let written = store.as_ref().expect("open");
            match (model.commit(&order), written.commit(&batch)) {
                (Some(new), Ok(_)) => model = new,
                (None, Err(StoreError::Contradiction(_))) => {}
                (expected, got) => panic!("expected acceptance: {}, got {got:?}", expected.is_some()),
            }
            if reopen {
                store = None;
                store.replace(open(dir.path()).expect("the same database"));
            }
            model.check(store.as_ref().expect("open"));
        }
    }
}
