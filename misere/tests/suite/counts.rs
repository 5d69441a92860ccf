//! The sizes of game trees: figure 9 and section 5.1 of the paper, and an exact canonical form.

use std::collections::HashMap;

use crate::common::{position, rct};
use sprig_engine::CanonicalPosition;
use sprig_trees::{Base, Estimate, Forest, Tree, TreeCounts};

fn counts(text: &str) -> TreeCounts {
    TreeCounts::of(&position(text)).expect("small lands have few moves")
}

#[test]
fn trees_of_the_start_positions_have_the_known_sizes() {
    let known = [
        ("0*2", 18, 17, 10, 5, 3),
        ("0*3", 145, 126, 55, 7, 4),
        ("0*4", 1_495, 1_188, 713, 35, 5),
        ("0*5", 17_427, 13_342, 10_461, 1_203, 6),
        ("0*6", 226_587, 171_942, 150_147, 25_458, 7),
    ];
    for (text, positions, lands, canonical_trees, rcts, largest_heap) in known {
        let known = TreeCounts { positions, lands, canonical_trees, rcts, largest_heap };
        assert_eq!(counts(text), known, "{text}");
    }
}

#[test]
fn lives_do_not_tell_how_large_a_tree_is() {
    assert_eq!(counts("1abcde2edcba.2").canonical_trees, 478);
    assert_eq!(
        counts("!"),
        TreeCounts { positions: 1, canonical_trees: 1, rcts: 1, ..TreeCounts::default() }
    );
}

/// Only two trees of S_3 are no Nim-heaps (section 2.9).
#[test]
fn s_3_has_two_trees_that_are_no_heaps() {
    let counts = counts("0*3");
    assert_eq!(counts.rcts - usize::from(counts.largest_heap) - 1, 2);
}

/// The RCT of a position by plain recursion over the children of positions.
fn plain(
    forest: &mut Forest,
    known: &mut HashMap<CanonicalPosition, Tree>,
    position: &CanonicalPosition,
) -> Tree {
    if let Some(&tree) = known.get(position) {
        return tree;
    }
    let children = position.children().expect("small lands have few moves");
    let mut options: Vec<Tree> = children.iter().map(|child| plain(forest, known, child)).collect();
    let tree = forest.reduce(&mut options);
    known.insert(position.clone(), tree);
    tree
}

/// The base adds the RCTs of lands where plain recursion visits every sum: both must find the same
/// trees.
#[test]
fn adding_trees_finds_what_visiting_positions_finds() {
    let (mut base, mut forest, mut known) = (Base::default(), Forest::default(), HashMap::new());
    for text in ["0*3+0*2", "0*2.AB|AB+0*2+22.1"] {
        plain(&mut forest, &mut known, &position(text));
    }
    assert!(known.keys().any(|position| position.lands().len() > 2));
    for (position, tree) in known {
        let found = rct(&mut base, &position.to_string());
        assert_eq!(base.forest().key(found), forest.key(tree), "{position}");
    }
}

/// Guessed before the walk, the size of a game tree is right within a factor of three.
#[test]
fn sizes_are_estimated() {
    for (text, lands) in [
        ("!", 0.0),
        ("0*3", 126.0),
        ("0*5", 13_342.0),
        ("0*6", 171_942.0),
        ("0*7", 2_400_000.0),
        ("1abcde2edcba.2", 1012.0),
    ] {
        let estimate = Estimate::of(&position(text)).expect("few moves").lands;
        assert!(estimate <= lands * 3.0 && estimate >= lands / 3.0, "{text}: {estimate}");
    }
}
