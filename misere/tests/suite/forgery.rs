//! Trees and lands from elsewhere: every process computes the same key, and nothing false is taken
//! in.

use sprig_domain::{TreeFlaw, TreeKey};
use sprig_engine::CanonicalLand;
use sprig_trees::{Base, Forest, Tree, TreeError};

use crate::common::{position, rct, read};

/// A fact as it is stored: the key of a tree, and those of its options.
type Fact = (TreeKey, Vec<TreeKey>);

fn facts(forest: &Forest) -> Vec<Fact> {
    forest.trees().map(|tree| (forest.key(tree), forest.option_keys(tree))).collect()
}

fn land(text: &str) -> CanonicalLand {
    position(text).lands()[0].clone()
}

/// Keys are a format: a change of one of them must change the text that starts every hashed
/// message.
#[test]
fn keys_are_those_of_the_format() {
    let mut forest = Forest::default();
    let keys = [
        ("0", "acdc1b293a2e906c13adeb3c6af4a654"),
        ("1", "acdc1b293a2e906c13adeb3c6af4a655"),
        ("{2}", "e3b3448485e165553e3006120ef8ec2a"),
        ("{3;{2}}", "e3b3448485e165553e3006120ef8ec2b"),
        ("{3;{1;2;{3;{2}}}}", "c2975571b6d1123552ecb5dd74db9f9a"),
    ];
    for (text, key) in keys {
        let tree = read(&mut forest, text);
        assert_eq!(forest.key(tree).to_string(), key, "{text}");
    }
}

#[test]
fn a_key_does_not_depend_on_what_came_before() {
    let [mut forwards, mut backwards] = [Base::default(), Base::default()];
    let positions = ["0*4", "0*2.12", "0*3.2.AB|AB", "2AB.CD|CDEFG|EFG|AB"];
    for text in positions {
        rct(&mut forwards, text);
    }
    for text in positions.iter().rev() {
        rct(&mut backwards, text);
    }
    let [mut a, mut b] = [&forwards, &backwards].map(|base| facts(base.forest()));
    assert_ne!(a, b, "the order of discovery differs");
    a.sort();
    b.sort();
    assert_eq!(a, b);
    for (land, tree) in forwards.facts() {
        let other = rct(&mut backwards, &land.to_string());
        assert_eq!(backwards.forest().key(other), forwards.forest().key(tree), "{land}");
    }
}

#[test]
fn a_forest_can_be_told_to_another() {
    let mut base = Base::default();
    rct(&mut base, "0*4.AB|AB");
    let mut told = Forest::default();
    rct_of_other_order(&mut told);
    for (key, options) in facts(base.forest()) {
        let tree = told.learn(key, &options).expect("true facts, smaller trees first");
        assert_eq!((told.key(tree), told.option_keys(tree)), (key, options));
        let here = base.forest().find(key).expect("it came from here");
        assert_eq!(told.height(tree), base.forest().height(here));
        assert_eq!(told.outcome(tree), base.forest().outcome(here));
        assert_eq!(told.outcome(tree.plus_one()), base.forest().outcome(here.plus_one()));
        assert_eq!(told.heap(tree), base.forest().heap(here));
    }
}

/// Makes trees, so that the numbers of this forest differ from those of others.
fn rct_of_other_order(forest: &mut Forest) {
    for text in ["{4}", "{3;{2}}", "{2;4}"] {
        read(forest, text);
    }
}

#[test]
fn a_tree_with_other_children_is_refused() {
    let mut forest = Forest::default();
    let tree = read(&mut forest, "{3;{1;2;{3;{2}}}}");
    let (key, options) = (forest.key(tree), forest.option_keys(tree));
    for i in 0..options.len() {
        let mut without = options.clone();
        without.remove(i);
        let actual = refused_as_wrong_key(&mut forest, key, &without);
        assert_ne!(actual, key);
        let mut factor = options.clone();
        factor[i] = factor[i].plus_one();
        factor.sort_unstable();
        refused_as_wrong_key(&mut forest, key, &factor);
    }
    // The tree plus 1 has a key, but it is not stored, and the options do not make it.
    refused_as_wrong_key(&mut forest, key.plus_one(), &options);
}

fn refused_as_wrong_key(forest: &mut Forest, key: TreeKey, options: &[TreeKey]) -> TreeKey {
    match forest.learn(key, options) {
        Err(TreeError::Flaw(TreeFlaw::WrongKey { key: refused, actual })) if refused == key => {
            actual
        }
        other => panic!("taken as {other:?}"),
    }
}

#[test]
fn a_tree_is_refused_before_its_children() {
    let mut forest = Forest::default();
    let tree = read(&mut forest, "{3;{2}}").without_factor();
    let (key, options) = (forest.key(tree), forest.option_keys(tree));
    let mut empty = Forest::default();
    let refused = empty.learn(key, &options);
    assert_eq!(refused, Err(TreeError::UnknownChild { key, child: options[0] }));
}

#[test]
fn children_out_of_order_or_twice_are_refused() {
    let mut forest = Forest::default();
    let tree = read(&mut forest, "{2;3}");
    let (key, mut options) = (forest.key(tree), forest.option_keys(tree));
    options.swap(0, 1);
    assert_eq!(forest.learn(key, &options), Err(TreeFlaw::Unsorted { key }.into()));
    options[1] = options[0];
    assert_eq!(forest.learn(key, &options), Err(TreeFlaw::Unsorted { key }.into()));
}

/// A tree that is not reduced, or that has a factor 1, comes with the right hash of its children.
#[test]
fn a_tree_that_is_not_reduced_is_refused() {
    let cases =
        [(["0", "2"], "1"), (["0", "{1;{2}}"], "1"), (["3", "{2}"], "{3;{2}}"), (["0", "1"], "2")];
    for (options, reduced) in cases {
        let mut forest = Forest::default();
        let trees = options.map(|text| read(&mut forest, text));
        let mut keys = trees.map(|tree| forest.key(tree));
        keys.sort_unstable();
        let before = forest.len();
        let key = learnt_or_actual(&mut forest, &keys);
        let reduced = read(&mut forest, reduced);
        let reduced = forest.key(reduced);
        if reduced == key {
            // The heap 2 is stored as its two options: the control.
            assert!(forest.learn(key, &keys).is_ok());
        } else {
            assert_eq!(forest.learn(key, &keys), Err(TreeError::Reducible { key, reduced }));
            assert_eq!(forest.len(), before, "nothing false is kept");
        }
    }
}

/// The key that these options make, found by offering them under a wrong one.
fn learnt_or_actual(forest: &mut Forest, options: &[TreeKey]) -> TreeKey {
    refused_as_wrong_key(forest, TreeKey::from_bytes([0; 16]), options)
}

#[test]
fn a_true_tree_at_the_wrong_land_is_refused() {
    let mut base = Base::default();
    let [right, wrong] = ["0*2", "0*2.AB|AB"].map(|text| rct(&mut base, text));
    let forest = base.forest();
    let contradiction = Err(TreeError::Contradiction {
        land: Box::new(land("0*2")),
        claimed: forest.key(wrong),
        actual: forest.key(right),
    });
    assert_eq!(base.check(&land("0*2"), right), Ok(()));
    assert_eq!(base.check(&land("0*2"), wrong), contradiction);
    assert_eq!(base.learn(land("0*2").key(), wrong), contradiction);

    // In a base that does not know the land, it is found by looking at its children.
    let mut other = Base::default();
    let wrong = read(other.forest_mut(), "{1;{2}}");
    assert_eq!(other.check(&land("0*2"), wrong), contradiction);
    // A trusted source is believed, and then contradicts the truth.
    let mut other = Base::default();
    let wrong = read(other.forest_mut(), "{1;{2}}");
    let right = read(other.forest_mut(), "{2}");
    assert_eq!(other.learn(land("0*2").key(), wrong), Ok(()));
    assert_eq!(
        other.learn(land("0*2").key(), right),
        Err(TreeError::Contradiction {
            land: Box::new(land("0*2")),
            claimed: other.forest().key(right),
            actual: other.forest().key(wrong),
        })
    );
}

/// What is told is not computed again, and leads to the same trees.
#[test]
fn a_base_goes_on_from_what_it_is_told() {
    let mut first = Base::default();
    rct(&mut first, "0*4");
    let mut second = Base::default();
    for (key, options) in facts(first.forest()) {
        second.forest_mut().learn(key, &options).expect("true facts");
    }
    for (land, tree) in first.facts() {
        let tree = second.forest().find(first.forest().key(tree)).expect("told before");
        second.learn(land.key(), tree).expect("true facts");
    }
    let [a, b] = [&mut first, &mut second].map(|base| {
        let tree = rct(base, "0*3.AB|0.AB");
        base.forest().key(tree)
    });
    assert_eq!(a, b);
    assert_eq!(Tree::ZERO.plus_one(), Tree::ONE);
}
