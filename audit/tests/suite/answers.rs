//! Answers that rest on claims which are true and follow from nothing that was said.

use std::sync::Arc;

use sprig_audit::{Proof, Statement, misere, show};
use sprig_domain::Node;
use sprig_engine::Nimber;
use sprig_engine::Watched;
use sprig_search::step::Sketches;
use sprig_store::{Fact, Kind, Status, Store};

use crate::common::{claimed, facts, plan, position};
use crate::misere::{base, loss, losses};

fn nimber(text: &str, nimber: u64) -> Fact {
    Fact::nimber(position(text).lands()[0].key(), Nimber::from(nimber))
}

/// Shows that `0*5` is a win: its nimber is 1.
fn shown(store: &Store) -> Proof {
    let watched = Arc::<Watched>::default();
    let position = position("0*5");
    let answer = Statement { position: &position, heap: Nimber::from(1), wins: false };
    show(&plan(&watched), store, answer, &Arc::<Sketches>::default()).expect("no fault")
}

#[test]
fn a_true_nimber_is_found_again() {
    let store = claimed([nimber("0*5", 1)]);
    assert!(matches!(shown(&store), Proof::Shown(1)), "{:?}", shown(&store));
    assert_eq!(facts(&store, Kind::Nimber, Status::Claimed), []);
    // What the search has proved on the way is there, too.
    let verified = facts(&store, Kind::Nimber, Status::Verified);
    assert!(verified.len() > 10, "{}", verified.len());
}

#[test]
fn a_false_one_is_not() {
    let store = claimed([nimber("0*4", 0), nimber("0*5", 1)]);
    assert!(matches!(shown(&store), Proof::Shown(_)), "nothing rests on it");
    let store = claimed([nimber("0*5", 2)]);
    let Proof::Unfounded = shown(&store) else { panic!("another nimber shows nothing") };
    let watched = Arc::<Watched>::default();
    let position = position("0*5");
    let answer = Statement { position: &position, heap: Nimber::from(2), wins: false };
    let proof = show(&plan(&watched), &store, answer, &Arc::default()).expect("no fault");
    assert!(matches!(proof, Proof::Baseless(Kind::Nimber, _)), "{proof:?}");
}

fn misere_shown(store: &Store, text: &str) -> Proof {
    let watched = Arc::<Watched>::default();
    let position = position(text);
    let node = Node::new(position.clone(), false, []).encode();
    let follows = || {
        let known = store.fact(Kind::Loss, &node)?;
        Ok(known.is_some_and(|known| known.fact.status == Status::Verified))
    };
    misere::show(&plan(&watched), store, &position, &follows).expect("no fault")
}

#[test]
fn lost_nodes_and_trees_of_lands_are_found_again() {
    let (mut claims, base) = base("0*4");
    // Every third of the lands, and the last of the nodes.
    let mut turn = 0;
    claims.retain(|claim| {
        turn += usize::from(claim.value.kind() == Kind::Rct);
        claim.value.kind() != Kind::Rct || turn % 3 == 0
    });
    claims.extend(losses(&base, "0*8").into_iter().take(3));
    let store = claimed(claims);
    let proof = misere_shown(&store, "0*8");
    assert!(matches!(proof, Proof::Shown(_)), "{proof:?}");
    assert_eq!(facts(&store, Kind::Rct, Status::Claimed), []);
}

#[test]
fn a_node_that_is_won_is_not() {
    let (mut claims, _) = base("0*3");
    claims.push(loss("0*6"));
    let proof = misere_shown(&claimed(claims), "0*6");
    assert!(matches!(proof, Proof::Baseless(Kind::Loss, _)), "{proof:?}");
}
