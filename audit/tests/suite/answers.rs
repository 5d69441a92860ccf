//! Answers that rest on claims which are true and follow from nothing that was said.

use std::sync::Arc;

use sprig_audit::{Proof, Statement, misere, show};
use sprig_domain::Node;
use sprig_engine::{Watched, shape};
use sprig_search::step::{Finding, Inspector, Sketches};
use sprig_store::{Fact, Kind, Status, Store, Value};

use crate::common::{add, claimed, facts, plan, position};
use crate::misere::{base, loss, losses};
use crate::nimbers::{n, nimber, proved};

/// Shows that `0*5` is a win: its nimber is 1.
fn shown(store: &Store) -> Proof {
    let watched = Arc::<Watched>::default();
    let position = position("0*5");
    let answer = Statement { position: &position, heap: n(1), wins: false };
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

/// Facts that have come since the sketches were drawn count, and so does what they rest on.
#[test]
fn what_was_proved_meanwhile_counts() {
    let store = claimed(proved(&["0*5"]));
    let Proof::Shown(facts) = shown(&store) else { panic!("it follows") };
    assert!(facts > 10, "{facts} and not the search for one");
}

#[test]
fn a_false_one_is_not() {
    let store = claimed([nimber("0*5", 2)]);
    // The claim says the opposite of the answer, and either may be the lie.
    let Proof::Disputed = shown(&store) else { panic!("another nimber shows nothing") };
    let watched = Arc::<Watched>::default();
    let position = position("0*5");
    let answer = Statement { position: &position, heap: n(2), wins: false };
    let proof = show(&plan(&watched), &store, answer, &Arc::default()).expect("no fault");
    assert!(matches!(proof, Proof::Baseless(Kind::Nimber, _)), "{proof:?}");
    // What is verified is no lie.
    let honest = claimed([nimber("0*5", 1)]);
    assert!(matches!(shown(&honest), Proof::Shown(_)));
    let proof = show(&plan(&watched), &honest, answer, &Arc::default()).expect("no fault");
    assert!(matches!(proof, Proof::Unfounded), "{proof:?}");
}

/// Whoever ends a check, a liar or a signal, loses nothing of it: the small lands are shown first,
/// and what is verified rests on what is verified.
#[test]
fn what_was_shown_before_the_end_is_kept() {
    let honest = proved(&["0*11"]);
    let lives = |fact: &&Fact| shape(&fact.subject).lives;
    let whole = |store: &Store| {
        let (watched, position) = (Arc::<Watched>::default(), position("0*11"));
        let answer = Statement { position: &position, heap: n(1), wins: false };
        show(&plan(&watched), store, answer, &Arc::<Sketches>::default()).expect("no fault")
    };
    let Proof::Shown(all) = whole(&claimed(honest.clone())) else { panic!("it follows") };
    assert!(all > 300, "{all}");
    // Other facts than the goal's, from small lands to large ones.
    let mut sorted: Vec<_> = honest.iter().collect();
    sorted.sort_by_key(lives);
    let kept = [sorted.len() / 4, sorted.len() / 2].map(|place| {
        let lie = Fact::nimber(&sorted[place].subject, n(9));
        let others = honest.iter().filter(|fact| fact.subject != sorted[place].subject).cloned();
        let store = claimed(others.chain([lie]));
        let proof = whole(&store);
        assert!(matches!(proof, Proof::Baseless(Kind::Nimber, _)), "{proof:?}");
        let verified = facts(&store, Kind::Nimber, Status::Verified);
        for fact in &verified {
            let Value::Nimber(nimber) = fact.value else { panic!("{fact:?}") };
            assert!(honest.contains(&Fact { status: Status::Claimed, ..fact.clone() }), "{fact:?}");
            let known = &mut |land: &[u8]| store.verified_nimber(land);
            let step = Inspector::default().inspect(&fact.subject, nimber, known);
            assert!(matches!(step, Ok(Finding::Shown(_))), "{fact:?}");
        }
        // The next check has so many fewer to show.
        let rest = facts(&store, Kind::Nimber, Status::Claimed);
        let store = claimed(rest.into_iter().filter(|fact| fact.value != Value::Nimber(n(9))));
        add(&store, honest.iter().filter(|f| f.subject == sorted[place].subject).cloned());
        add(&store, verified.clone());
        let Proof::Shown(left) = whole(&store) else { panic!("it follows") };
        assert_eq!(left + verified.len(), all, "all of it is needed, or was searched for");
        verified.len()
    });
    assert!(kept[0] > 0 && kept[1] > all / 4, "{kept:?} of {all}");
}

/// The lies stay, with their source, for a check of every claim: other sources may have believed
/// them.
#[test]
fn what_a_search_refutes_is_left_to_a_look_at_all() {
    let honest = claimed([nimber("0*5", 1)]);
    assert!(matches!(shown(&honest), Proof::Shown(_)));
    let mut found = facts(&honest, Kind::Nimber, Status::Verified);
    found.sort_by_key(|fact| shape(&fact.subject).lives);
    // Lands that every search for it meets, and on which the claim does not rest directly.
    let lies: Vec<Fact> =
        found.iter().take(5).map(|fact| Fact::nimber(&fact.subject, n(9))).collect();
    let store = claimed(lies.iter().cloned().chain([nimber("0*5", 1)]));
    let proof = shown(&store);
    assert!(matches!(proof, Proof::Baseless(Kind::Nimber, _)), "{proof:?}");
    let claims = facts(&store, Kind::Nimber, Status::Claimed);
    assert!(lies.iter().all(|lie| claims.contains(lie)), "{claims:?}");
}

/// Shows that a position is lost.
pub fn misere_shown(store: &Store, text: &str) -> Proof {
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
