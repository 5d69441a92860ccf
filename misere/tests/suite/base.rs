//! Building a base: with helpers, in parts, and with a progress function.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use sprig_domain::TreeKey;
use sprig_engine::{Canonizer, Effort};
use sprig_trees::{Base, TreeError};

use crate::common::{position, rct};

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("some threads")
}

/// What a base knows, in a form that does not depend on numbers.
fn content(base: &Base) -> BTreeMap<Vec<u8>, TreeKey> {
    base.facts().map(|(land, tree)| (land.key().to_vec(), base.forest().key(tree))).collect()
}

#[test]
fn helpers_find_the_same_trees() {
    let mut alone = Base::default();
    rct(&mut alone, "0*5");
    let alone = content(&alone);
    assert_eq!(alone.len(), 13_342);
    for count in [2, 5] {
        let mut helped = Base::default();
        let built = helped.build(&position("0*5"), threads(count), |_| ControlFlow::Continue(()));
        let tree = built.expect("small lands have few moves");
        assert_eq!(helped.forest().key(tree).to_string(), "fe7dbbf9ea2bfc8725c3cbc64cfd745c");
        assert!(content(&helped) == alone, "{count} threads");
    }
}

#[test]
fn a_stopped_build_goes_on_where_it_ended() {
    let (mut base, mut stops, mut seen) = (Base::default(), 0, 0);
    let tree = loop {
        let built = base.build(&position("0*5"), threads(2), |news| {
            let progress = news.progress();
            assert!(progress.known > seen && progress.known <= progress.met);
            seen = progress.known;
            ControlFlow::Break(())
        });
        match built {
            Err(TreeError::Stopped { lands }) => assert_eq!(lands, seen),
            built => break built.expect("small lands have few moves"),
        }
        stops += 1;
    };
    assert!(stops > 1, "the watch was called {stops} times");
    assert_eq!(base.forest().key(tree).to_string(), "fe7dbbf9ea2bfc8725c3cbc64cfd745c");
    assert_eq!(base.progress().known, base.progress().met);
}

#[test]
fn lands_are_found_by_their_greedy_keys() {
    let mut base = Base::default();
    let tree = rct(&mut base, "0*3.AB|AB");
    let mut canonizer = Canonizer::new(Effort::Greedy);
    let mut find = |text: &str| base.rct(canonizer.key(position(text).lands()[0].key()));
    assert_eq!(find("0*3.AB|AB"), Some(tree));
    assert!(find("0*2.AB|AB").is_some());
    assert_eq!(find("0*5"), None);
}

/// A land that has too many moves is an error, with helpers and without.
#[test]
fn too_many_moves_are_an_error() {
    let text = format!("{}|{}", vec!["12"; 24].join("."), "0.1");
    for count in [1, 3] {
        let built =
            Base::default().build(&position(&text), threads(count), |_| ControlFlow::Continue(()));
        assert!(matches!(built, Err(TreeError::TooManyMoves(_))), "{built:?}");
    }
}
