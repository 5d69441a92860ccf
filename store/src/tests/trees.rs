//! Facts of misère play.

use sprig_domain::{Node, TreeKey};
use sprig_engine::CanonicalPosition;
use sprig_trees::{Forest, Tree};

use super::*;

const ZERO: TreeKey = TreeKey::ZERO;

/// The key of the Nim-heap 2.
pub(super) fn heap_2() -> TreeKey {
    let mut forest = Forest::default();
    let tree = forest.reduce(&mut vec![Tree::ZERO, Tree::ONE]);
    forest.key(tree)
}

/// The fact that a tree has its options.
fn tree(forest: &Forest, tree: Tree) -> Fact {
    Fact::tree(forest.key(tree), forest.option_keys(tree))
}

#[test]
fn trees_lands_and_lost_nodes_are_found_again() {
    let mut forest = Forest::default();
    let two = forest.reduce(&mut vec![Tree::ZERO, Tree::ONE]);
    let set_of_two = forest.reduce(&mut vec![two]);
    let node = Node::new(CanonicalPosition::default(), true, [forest.key(two)]).encode();
    let all = vec![
        tree(&forest, Tree::ZERO),
        tree(&forest, two),
        Fact::rct(b"a", forest.key(two).plus_one()),
        claimed(b"a", 3),
        Fact::loss(&node),
        Fact { status: Status::Verified, ..tree(&forest, set_of_two) },
    ];
    let store = Store::in_memory().unwrap();
    store.commit(&facts("ada", all.clone())).unwrap();
    store.commit(&facts("bob", all.clone())).unwrap();

    let found: Vec<Fact> =
        store.facts_from(Sequence(0), 9).unwrap().into_iter().map(|stored| stored.fact).collect();
    assert_eq!(found, all);
    assert_eq!(
        store.options(forest.key(two)).unwrap().as_deref(),
        Some(&forest.option_keys(two)[..])
    );
    assert_eq!(store.options(forest.key(two).plus_one()).unwrap(), None);
    assert_eq!(store.rct(b"a").unwrap(), Some(forest.key(two).plus_one()));
    assert_eq!(store.rct(b"b").unwrap(), None);
    assert_eq!(store.nimber(b"a").unwrap(), Some(nimber(3)));
    assert!(store.is_lost(&node).unwrap() && !store.is_lost(b"a").unwrap());
    assert_eq!(store.provenance(Kind::Loss, &node).unwrap(), Some(provenance("ada")));
    let counts = store.counts().unwrap();
    assert_eq!(Kind::ALL.map(|kind| counts.of(kind)), [1, 3, 1, 1]);
    assert_eq!(counts.total(), store.next_sequence().0);
}

#[test]
fn trees_that_do_not_make_their_key_are_refused() {
    let two = heap_2();
    let store = Store::in_memory().unwrap();
    let mut options = [ZERO, ZERO.plus_one()];
    options.sort_unstable();
    store.commit(&facts("ada", vec![Fact::tree(two, options)])).unwrap();
    options.reverse();
    let short = Fact { subject: two.as_bytes()[1..].into(), ..Fact::tree(two, options) };
    for forged in [
        Fact::tree(two, options),
        Fact::tree(two, [ZERO]),
        Fact::tree(two, [ZERO, ZERO]),
        Fact::tree(two.plus_one(), options),
        Fact::tree(ZERO, [two]),
        short,
    ] {
        let result = store.commit(&facts("eve", vec![claimed(b"a", 1), forged]));
        let Err(error @ StoreError::Flawed { .. }) = result else { panic!("{result:?}") };
        assert!(error.to_string().contains("eve"), "{error}");
        assert_eq!(store.counts().unwrap().total(), 1);
    }
}

#[test]
fn a_land_has_one_tree() {
    let store = Store::in_memory().unwrap();
    store.commit(&facts("ada", vec![Fact::rct(b"a", ZERO)])).unwrap();
    let contradiction =
        refused(store.commit(&facts("eve", vec![Fact::rct(b"a", ZERO.plus_one())])));
    assert_eq!(contradiction.kind, Kind::Rct);
    assert_eq!(contradiction.known.assertion, Assertion::Is(Value::Rct(ZERO)));
    assert_eq!(contradiction.claimed.origin, provenance("eve"));
    assert_eq!(store.rct(b"a").unwrap(), Some(ZERO));
}

#[test]
fn facts_of_mixed_kinds_keep_their_order_in_the_log() {
    let store = Store::in_memory().unwrap();
    let nth = |n: u64| match n / 3 % 3 {
        0 => claimed(&n.to_be_bytes(), n % 7),
        1 => Fact::rct(&n.to_be_bytes(), heap_2()),
        _ => Fact::loss(&n.to_be_bytes()),
    };
    let all: Vec<Fact> = (0..1000).map(nth).collect();
    store.commit(&facts("ada", all.clone())).unwrap();
    for start in [0, 1, 3, 500, 999] {
        let some = store.facts_from(Sequence(start as u64), 10).unwrap();
        let some: Vec<Fact> = some.into_iter().map(|stored| stored.fact).collect();
        assert_eq!(some, all[start..1000.min(start + 10)]);
    }
}

#[test]
fn facts_come_in_groups_with_their_source() {
    let store = Store::in_memory().unwrap();
    let many = (0..300u32).map(|n| claimed(&n.to_be_bytes(), 1));
    let trees = many.clone().map(|fact| Fact::rct(&fact.subject, ZERO));
    store.commit(&facts("ada", many.chain(trees).collect())).unwrap();
    store.commit(&facts("bob", vec![claimed(b"b", 2)])).unwrap();
    store.commit(&exclusion("bob", b"c", 0b101)).unwrap();
    let groups: Vec<_> = store.groups().map(|group| group.unwrap()).collect();
    assert_eq!(groups.iter().map(|(_, facts)| facts.len()).sum::<usize>(), 601);
    for (origin, facts) in &groups {
        assert!(facts.iter().all(|stored| stored.fact.kind() == facts[0].fact.kind()));
        assert_eq!(origin.source.worker, if facts.len() == 1 { "bob" } else { "ada" });
    }
    let excluded: Vec<_> = store.exclusions().map(|exclusion| exclusion.unwrap()).collect();
    assert_eq!(
        excluded,
        [Exclusion {
            game: sprig_domain::Game::Sprouts,
            land: b"c"[..].into(),
            values: 0b101,
            status: Status::Claimed
        }]
    );
}
