//! Nimbers.

use std::sync::Arc;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Mutex;

use sprig_audit::AuditError;
use sprig_domain::{LandNimber as Proved, Question};
use sprig_engine::{Nimber, shape};
use sprig_search::step::{Finding, Inspector};
use sprig_search::{Limits, Observer, Solver};
use sprig_store::{Fact, Kind, Status, Value};

use super::common::{Counter, add, check, claimed, facts, position};

#[derive(Default)]
struct Recorder(Mutex<Vec<Proved>>);

impl Observer<Proved> for Recorder {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, fact: Proved) {
        self.0.lock().expect("no thread panics").push(fact);
    }
}

/// What searches of these start positions prove, as claims; the last proved first.
pub fn proved(texts: &[&str]) -> Vec<Fact> {
    let recorder = Recorder::default();
    let solver = Solver::new(Limits { memory: 256 << 20, threads: 1 });
    for text in texts {
        solver.solve(&position(text), Question::Nimber, u64::MAX, &recorder).expect("solved");
    }
    let facts = recorder.0.into_inner().expect("no thread panics");
    facts.iter().rev().map(|fact| Fact::nimber(fact.land.key(), fact.nimber)).collect()
}

pub fn n(value: u64) -> Nimber {
    Nimber::new(value).expect("in range")
}

pub fn nimber(text: &str, value: u64) -> Fact {
    Fact::nimber(position(text).lands()[0].key(), n(value))
}

fn value(fact: &Fact) -> Nimber {
    match fact.value {
        Value::Nimber(nimber) => nimber,
        _ => panic!("{fact:?} is about something else"),
    }
}

#[test]
fn an_honest_database_becomes_verified_as_a_whole() {
    let honest = proved(&["0*8", "0*11"]);
    assert!(honest.len() > 500, "{}", honest.len());
    let (store, mut counter) = (claimed(honest.clone()), Counter::default());
    check(&store, &mut counter).expect("checked");
    assert_eq!((counter.followed, counter.all()), (honest.len() as u64, honest.len() as u64));
    assert!(facts(&store, Kind::Nimber, Status::Claimed).is_empty());
    // A second time nothing is left to do.
    let mut again = Counter::default();
    check(&store, &mut again).expect("checked");
    assert_eq!(again.all(), 0);
}

/// What the rule of a step shows of claims, one after the other and with nothing else.
fn shown(claims: &[Fact]) -> BTreeMap<Box<[u8]>, Nimber> {
    let mut sorted: Vec<_> = claims.iter().collect();
    sorted.sort_by_key(|fact| (shape(&fact.subject).lives, fact.subject.clone()));
    let mut known = BTreeMap::new();
    for fact in sorted {
        let ask = &mut |land: &[u8]| Ok::<_, Infallible>(known.get(land).copied());
        let found = Inspector::default().inspect(&fact.subject, value(fact), ask);
        if matches!(found, Ok(Finding::Shown(_))) {
            known.insert(fact.subject.clone(), value(fact));
        }
    }
    known
}

#[test]
fn one_forged_fact_leaves_what_rests_on_it_and_nothing_else() {
    let honest = proved(&["0*11"]);
    assert!(honest.len() > 400, "{}", honest.len());
    let truth: BTreeMap<_, _> = honest.iter().map(|f| (f.subject.clone(), value(f))).collect();
    for forged in [honest.len() / 3, honest.len() / 2, honest.len() * 9 / 10] {
        let mut claims = honest.clone();
        claims[forged].value = Value::Nimber(n(u64::from(value(&claims[forged]).get() ^ 1)));
        let expected = shown(&claims);
        assert!(expected.len() < claims.len());
        let (store, mut counter) = (claimed(claims.clone()), Counter::default());
        check(&store, &mut counter).expect("checked");
        let verified = facts(&store, Kind::Nimber, Status::Verified);
        assert!(verified.iter().all(|fact| truth[&fact.subject] == value(fact)));
        let verified: BTreeMap<_, _> =
            verified.iter().map(|fact| (fact.subject.clone(), value(fact))).collect();
        assert_eq!(verified, expected);
        assert_eq!(counter.refuted + counter.open, (claims.len() - expected.len()) as u64);
    }
}

#[test]
fn forged_starts_are_left() {
    let forged = [nimber("0*3", 0), nimber("0*30", 5), nimber("0*7", 1), nimber("0*8", 3)];
    let store = claimed(forged.clone());
    let mut counter = Counter::default();
    check(&store, &mut counter).expect("checked");
    assert_eq!((counter.followed, counter.refuted + counter.open), (0, 4));
    // With a search, those that can be decided are: none of them is true.
    let mut patient = Counter { patience: 2_000, ..Counter::default() };
    check(&store, &mut patient).expect("checked");
    assert_eq!((patient.followed + patient.searched, patient.refuted), (0, 3));
    // The truth about other lands does not make them true.
    add(&store, proved(&["0*3", "0*5"]).into_iter().filter(|fact| *fact != nimber("0*3", 1)));
    let mut looked = Counter::default();
    check(&store, &mut looked).expect("checked");
    assert!(looked.followed > 0);
    // What a search has proved takes the place of a claim; none of the forged ones is ever
    // verified.
    let verified = facts(&store, Kind::Nimber, Status::Verified);
    assert!(verified.iter().all(|fact| {
        forged.iter().all(|lie| lie.subject != fact.subject || lie.value != fact.value)
    }));
}

#[test]
fn what_was_verified_before_a_stop_is_kept() {
    let honest = proved(&["0*11"]);
    let store = claimed(honest.clone());
    let stop = Arc::default();
    let mut first = Counter { end: Some((150, &stop)), ..Counter::default() };
    assert!(matches!(check(&store, &mut first), Err(AuditError::Stopped)));
    let kept = facts(&store, Kind::Nimber, Status::Verified).len() as u64;
    assert!(kept >= 150 && kept < honest.len() as u64, "{kept}");
    let mut second = Counter::default();
    check(&store, &mut second).expect("checked");
    assert_eq!(kept + second.followed, honest.len() as u64);
}

#[test]
fn a_claim_that_follows_from_nothing_can_be_searched_for() {
    let store = claimed([nimber("0*6", 0)]);
    let mut counter = Counter { patience: 10_000, ..Counter::default() };
    check(&store, &mut counter).expect("checked");
    assert_eq!(counter.searched, 1);
    // What the search has proved on the way is there, too: the fact can be shown from others.
    let verified = facts(&store, Kind::Nimber, Status::Verified);
    assert_eq!(shown(&verified).len(), verified.len());
    assert!(verified.len() > 3, "{}", verified.len());
}
