//! Trees, lands with trees and lost nodes.

use std::num::NonZeroUsize;
use std::ops::ControlFlow::Continue;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sprig_audit::{AuditError, Proof};
use sprig_domain::Node;
use sprig_engine::Watched;
use sprig_misere::{Limits, MisereError, Observer, Search};
use sprig_store::{Fact, Kind, Status};
use sprig_trees::Base;

use super::answers::misere_shown;
use super::common::{Counter, check, claimed, facts, position};

#[derive(Default)]
struct Recorder(Mutex<Vec<Node>>);

impl Observer<Node> for Recorder {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, node: Node) {
        self.0.lock().expect("no thread panics").push(node);
    }
}

/// The base of a start position as claims, and the base.
pub fn base(text: &str) -> (Vec<Fact>, Base) {
    let (mut base, mut claims) = (Base::default(), Vec::new());
    let built = base.build(&position(text), NonZeroUsize::MIN, |news| {
        let found = sprig_audit::facts_of(sprig_domain::Game::Sprouts, news);
        claims.extend(found.into_iter().map(|fact| Fact { status: Status::Claimed, ..fact }));
        Continue(())
    });
    built.expect("built");
    (claims, base)
}

/// What a search for the outcome of a position proves, as claims; the last proved first.
pub fn losses(base: &Base, text: &str) -> Vec<Fact> {
    let search = Search::new(base, Limits { memory: 256 << 20, threads: 1 });
    let recorder = Recorder::default();
    search.solve(&position(text), &recorder).expect("solved").expect("decided");
    let nodes = recorder.0.into_inner().expect("no thread panics");
    nodes.iter().rev().map(|node| Fact::loss(&node.encode())).collect()
}

pub fn loss(text: &str) -> Fact {
    Fact::loss(&Node::new(position(text), false, []).encode())
}

#[test]
fn an_honest_database_becomes_verified_as_a_whole() {
    let (mut claims, base) = base("0*4");
    claims.extend(losses(&base, "0*8"));
    let store = claimed(claims);
    let count = store.counts().expect("counted");
    assert!(count.of(Kind::Loss) > 30 && count.of(Kind::Rct) > 100, "{count:?}");
    let mut counter = Counter::default();
    check(&store, &mut counter).expect("checked");
    for kind in Kind::ALL {
        assert_eq!(facts(&store, kind, Status::Claimed), [], "{kind:?}");
    }
    assert_eq!(counter.followed, count.total());
}

/// Letters that look alike: the greedy key of a land depends on how it is written. A search finds
/// replies under keys that differ from those of the lands as they are told to others.
#[test]
fn lands_with_letters_that_look_alike_are_the_same_land() {
    const ALIKE: &str = "0*2.AB|C.D.AB|CEF|DGH|EF|GH+0*5";
    let (mut claims, base) = base("0*3");
    claims.extend(losses(&base, ALIKE));
    let store = claimed(claims.clone());
    let mut counter = Counter::default();
    check(&store, &mut counter).expect("checked");
    assert_eq!(facts(&store, Kind::Loss, Status::Claimed), [], "each follows without a search");
    let proof = misere_shown(&claimed(claims), ALIKE);
    assert!(matches!(proof, Proof::Shown(1..)), "{proof:?}");
}

/// A node that was verified before proves an answer without what it rests on.
#[test]
fn a_node_that_is_given_is_not_asked_to_follow() {
    let (_, base) = base("0*3");
    let search = Search::new(&base, Limits { memory: 256 << 20, threads: 1 });
    let (position, never) = (position("0*8"), Watched::default());
    let node = Node::new(position.clone(), false, []);
    search.learn([node.clone()]).expect("learned");
    let proof = |given: bool| search.proof(&position, &|_| given, &never);
    assert_eq!(proof(true), Ok(Vec::new()));
    assert_eq!(proof(false), Err(MisereError::Unsupported { nodes: vec![node.clone()] }));
}

#[test]
fn forged_nodes_and_lands_are_left() {
    let (mut claims, base) = base("0*3");
    let honest = claims.len();
    let tree = |text: &str| match base.facts().find(|(land, _)| land == &position(text).lands()[0])
    {
        Some((_, tree)) => base.forest().key(tree),
        None => panic!("{text} is not in the base"),
    };
    // 0*4 does not have the tree of 0*2, and 0*6 and 0*2.AB|AB are won.
    let land = position("0*4").lands()[0].key().to_vec();
    claims.extend([Fact::rct(&land, tree("0*2")), loss("0*6"), loss("0*2.AB|AB")]);
    let store = claimed(claims);
    let mut counter = Counter::default();
    check(&store, &mut counter).expect("checked");
    assert_eq!((counter.followed, counter.refuted + counter.open), (honest as u64, 3));
    // A search finds out all of them.
    let mut patient = Counter { patience: 100_000, ..Counter::default() };
    check(&store, &mut patient).expect("checked");
    assert_eq!((patient.followed + patient.searched, patient.refuted), (0, 3));
}

#[test]
fn a_lost_node_that_follows_from_nothing_can_be_searched_for() {
    let (mut claims, _) = base("0*4");
    claims.push(loss("0*8"));
    let store = claimed(claims);
    let mut blind = Counter::default();
    check(&store, &mut blind).expect("checked");
    assert_eq!(blind.open, 1);
    let mut patient = Counter { patience: 100_000, ..Counter::default() };
    check(&store, &mut patient).expect("checked");
    assert_eq!(patient.searched, 1);
    // What the search has proved on the way is there, too: each node follows from others.
    let verified = facts(&store, Kind::Loss, Status::Verified);
    assert!(verified.len() > 10, "{}", verified.len());
}

/// Some fifty thousand moves, each with as many replies.
const WIDE: &str = "22.122.1122.11122.111122.222.1222.11222.111222.1111222";

#[test]
fn claims_about_lands_with_very_many_moves_do_not_hold_a_check_up() {
    let (claims, base) = base("0*2");
    let tree = base.forest().key(base.facts().next().expect("a land").1);
    let wide = position(WIDE);
    for claim in [loss(WIDE), Fact::rct(wide.lands()[0].key(), tree)] {
        let store = claimed(claims.iter().cloned().chain([claim]));
        let watched = Arc::new(Watched::default());
        let end = Some((u64::MAX, &watched));
        let mut patient = Counter { patience: 1_000_000, end, ..Counter::default() };
        let begun = Instant::now();
        let checked = std::thread::scope(|scope| {
            scope.spawn(|| {
                #[allow(clippy::disallowed_methods, reason = "stops a check in its middle")]
                std::thread::sleep(Duration::from_millis(500));
                watched.stop();
            });
            check(&store, &mut patient)
        });
        assert!(matches!(checked, Err(AuditError::Stopped)), "{checked:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
