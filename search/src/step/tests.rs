//! The facts of a finished search show every one of its steps, and no wrong one.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use sprig_domain::{Question, Verdict};
use sprig_engine::{CanonicalPosition, Nimber, Position};

use super::{Finding, Inspector, Key, Sketches};
use sprig_domain::LandNimber;
use sprig_engine::Watched;

use crate::{Limits, Observer, Solver};

type Facts = BTreeMap<Key, Nimber>;

#[derive(Default)]
struct Recorder(Mutex<Vec<LandNimber>>);

impl Observer<LandNimber> for Recorder {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, fact: LandNimber) {
        self.0.lock().expect("no thread panics").push(fact);
    }
}

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

/// What a search of a position reports, in that order, and its verdict.
fn searched(text: &str, question: Question) -> (Vec<LandNimber>, Verdict) {
    let recorder = Recorder::default();
    let solver = Solver::new(Limits { memory: 256 << 20, threads: 1 });
    let verdict = solver.solve(&position(text), question, u64::MAX, &recorder).expect("solved");
    (recorder.0.into_inner().expect("no thread panics"), verdict)
}

fn inspect(inspector: &mut Inspector, facts: &Facts, land: &[u8], nimber: Nimber) -> Finding {
    let mut known = |land: &[u8]| Ok::<_, Infallible>(facts.get(land).copied());
    inspector.inspect(land, nimber, &mut known).expect("nothing can fail")
}

fn n(value: u64) -> Nimber {
    Nimber::new(value).expect("in range")
}

#[test]
fn each_fact_of_a_search_follows_from_those_before_it() {
    for (text, question) in [
        ("0*8", Question::Outcome { heap: n(0) }),
        ("0*11", Question::Outcome { heap: n(0) }),
        ("0*9", Question::Nimber),
        ("0*6+0*7", Question::Outcome { heap: n(0) }),
        ("0*5+0*5+0*8", Question::Nimber),
    ] {
        let (found, _) = searched(text, question);
        assert!(found.len() > 20, "{text}: {} facts", found.len());
        let (mut facts, mut inspector) = (Facts::new(), Inspector::default());
        for LandNimber { land, nimber } in found {
            inspector.refresh();
            let finding = inspect(&mut inspector, &facts, land.key(), nimber);
            let Finding::Shown(rests) = finding else {
                panic!("{text}: {land} = {nimber}: {finding:?}")
            };
            assert!(rests.iter().all(|rest| facts.contains_key(rest)), "{text}: {land}");
            facts.insert(land.key().into(), nimber);
        }
    }
}

/// An inspector that knows what these lands look like.
fn guided<'a>(lands: impl Iterator<Item = &'a Key>) -> Inspector {
    let mut sketches = Sketches::default();
    lands.for_each(|land| sketches.add(land));
    Inspector::default().guided(Arc::new(sketches))
}

#[test]
fn sketches_find_the_same_sooner_and_can_do_without() {
    let (found, _) = searched("0*10", Question::Nimber);
    let facts: Facts = found.iter().map(|f| (f.land.key().into(), f.nimber)).collect();
    for mut inspector in
        [guided(facts.keys()), guided(facts.keys().step_by(2)), guided([].into_iter())]
    {
        for (land, &nimber) in &facts {
            let finding = inspect(&mut inspector, &facts, land, nimber);
            let Finding::Shown(rests) = finding else { panic!("{land:?} = {nimber}: {finding:?}") };
            assert!(rests.iter().all(|rest| facts.contains_key(rest)), "{land:?}");
        }
    }
}

#[test]
fn no_wrong_nimber_is_ever_shown() {
    let (found, _) = searched("0*9", Question::Nimber);
    let facts: Facts = found.iter().map(|f| (f.land.key().into(), f.nimber)).collect();
    let (mut inspector, mut refuted) = (guided(facts.keys()), 0);
    for LandNimber { land, nimber } in &found {
        for wrong in (0..8).map(n).filter(|wrong| wrong != nimber) {
            match inspect(&mut inspector, &facts, land.key(), wrong) {
                Finding::Shown(rests) => panic!("{land} = {wrong} follows from {rests:?}"),
                Finding::Refuted(_) => refuted += 1,
                Finding::Missing => {}
                end => panic!("{land}: {end:?}"),
            }
        }
    }
    assert!(refuted > found.len() / 4, "{refuted}");
}

#[test]
fn an_answer_follows_from_the_facts() {
    for (text, wins) in [("0*8", false), ("0*10", true), ("0*6+0*7", false), ("0*5+0*5", false)] {
        let (found, verdict) = searched(text, Question::Outcome { heap: n(0) });
        assert_eq!(verdict, if wins { Verdict::Win } else { Verdict::Loss }, "{text}");
        let facts: Facts = found.iter().map(|f| (f.land.key().into(), f.nimber)).collect();
        let mut known = |land: &[u8]| Ok::<_, Infallible>(facts.get(land).copied());
        let mut inspector = Inspector::default();
        let mut ask = |wins| {
            inspector.inspect_outcome(&position(text), n(0), wins, &mut known).expect("read")
        };
        assert!(matches!(ask(wins), Finding::Shown(_)), "{text}");
        assert!(matches!(ask(!wins), Finding::Refuted(_)), "{text}");
    }
    let mut nothing = |_: &[u8]| Ok::<_, Infallible>(None);
    let mut inspector = Inspector::default();
    for wins in [false, true] {
        let found = inspector.inspect_outcome(&position("0*7"), n(0), wins, &mut nothing);
        assert_eq!(found, Ok(Finding::Missing));
    }
}

/// A land of one region with `count` boundaries, of two spots and more, no two alike.
fn of_boundaries(count: usize) -> CanonicalPosition {
    let boundary = |i: usize| format!("{}{}", "1".repeat(i % 5), "2".repeat(2 + i / 5));
    position(&(0..count).map(boundary).collect::<Vec<_>>().join("."))
}

#[test]
fn a_claim_that_nobody_can_list_is_too_dear_at_once() {
    let dear = of_boundaries(20);
    let [land] = dear.lands() else { panic!("one land") };
    assert!(land.check_ways().is_err());
    let watched = Arc::new(Watched::default());
    let mut inspector = Inspector::default().watched(Arc::clone(&watched));
    let finding = inspect(&mut inspector, &Facts::new(), land.key(), n(1));
    assert_eq!((finding, watched.steps()), (Finding::TooDear, 0));
    let mut nothing = |_: &[u8]| Ok::<_, Infallible>(None);
    let found = inspector.inspect_outcome(&dear, n(0), true, &mut nothing);
    assert_eq!(found, Ok(Finding::TooDear));
}

#[test]
fn an_inspection_stops_when_it_is_told_to_and_tells_that_it_goes_on() {
    // A large land all of whose children have one unknown land: for each, a reply is looked for.
    let land = of_boundaries(9);
    let [land] = land.lands() else { panic!("one land") };
    let watched = Arc::new(Watched::default());
    let mut inspector = Inspector::default().watched(Arc::clone(&watched));
    inspect(&mut inspector, &Facts::new(), land.key(), n(0));
    assert!(watched.steps() > 0);
    watched.stop();
    assert_eq!(inspect(&mut inspector, &Facts::new(), land.key(), n(0)), Finding::Stopped);
}
