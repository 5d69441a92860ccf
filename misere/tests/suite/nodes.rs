//! Nodes of a search as bytes.

use sprig_domain::{Node, TreeKey};
use sprig_engine::CanonicalPosition;
use sprig_trees::{Forest, Tree};

use crate::common::{position, read};

fn node(lands: &str, one: bool, trees: &[&str]) -> Node {
    let mut forest = Forest::default();
    let keys = trees.iter().map(|text| read(&mut forest, text)).collect::<Vec<_>>();
    Node::new(position(lands), one, keys.into_iter().map(|tree| forest.key(tree)))
}

#[test]
fn the_key_of_the_empty_tree_is_known_in_advance() {
    assert_eq!(Forest::default().key(Tree::ZERO), TreeKey::ZERO);
}

#[test]
fn factors_are_gathered_and_empty_trees_left_out() {
    // 3 = 2 + 1, and 1 + 1 = 0.
    assert_eq!(node("0*8", true, &["3", "0", "{2}", "1"]), node("0*8", true, &["{2}", "2"]));
    assert_eq!(node("!", true, &["1", "0"]), Node::new(CanonicalPosition::default(), false, []));
}

#[test]
fn nodes_of_every_shape_come_back_from_their_bytes() {
    let long = format!("0*8.{}", ["1"; 90].join("."));
    for lands in ["!", "0*8", "0*8+0*8+0*2.AB|AB", &long] {
        for trees in [&[][..], &["2"], &["2", "2", "{2}", "{3;{1;2;{3;{2}}}}"]] {
            for one in [false, true] {
                let node = node(lands, one, trees);
                assert_eq!(Node::decode(&node.encode()), Ok(node));
            }
        }
    }
}

#[test]
fn bytes_that_are_no_node_are_refused() {
    let good = node("0*8+0*2.AB|AB", true, &["2", "{2}"]).encode();
    for end in 0..good.len() {
        // Without its last trees it is another node.
        let cut = Node::decode(&good[..end]);
        assert_eq!(cut.is_ok(), (good.len() - end).is_multiple_of(16) && good.len() - end <= 32);
    }
    let trees = good.len() - 32;
    let swapped = [&good[..trees], &good[trees + 16..], &good[trees..trees + 16]].concat();
    let mut with_factor = good.clone();
    with_factor[trees + 15] |= 1;
    let with_zero = [&good[..trees], TreeKey::ZERO.as_bytes()].concat();
    let mut no_bit = good.clone();
    no_bit[trees - 1] = 2;
    let padded_count = [&[0x82, 0], &good[1..]].concat();
    let endless = vec![0xff; 99];
    let lands_swapped = [&[2], &good[12..15], &good[1..12], &good[15..]].concat();
    for bad in [swapped, with_factor, with_zero, no_bit, padded_count, endless, lands_swapped] {
        assert!(Node::decode(&bad).is_err(), "{bad:x?}");
    }
}
