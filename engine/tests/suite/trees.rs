//! The trees of the small start positions: exact counts, and their nimbers by brute force.

use std::collections::{BTreeSet, HashMap, HashSet};

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position, mex};

fn start(spots: usize) -> CanonicalPosition {
    CanonicalPosition::of(&Position::start(spots))
}

/// Positions and lands in the tree of `root`, the root and the empty position included.
fn tree(root: CanonicalPosition) -> (usize, usize) {
    let mut positions = HashSet::from([root.clone()]);
    let mut children_of: HashMap<CanonicalLand, Vec<CanonicalPosition>> = HashMap::new();
    let mut open = vec![root];
    while let Some(position) = open.pop() {
        for (i, land) in position.lands().iter().enumerate() {
            let children = children_of
                .entry(land.clone())
                .or_insert_with(|| land.children().expect("small lands have few moves"));
            for child in children {
                let others = position.lands().iter().enumerate().filter(|&(j, _)| j != i);
                let lands = others.map(|(_, l)| l.clone()).chain(child.lands().iter().cloned());
                let child = CanonicalPosition::from_lands(lands);
                if positions.insert(child.clone()) {
                    open.push(child);
                }
            }
        }
    }
    (positions.len(), children_of.len())
}

/// An exact canonical form finds exactly these (see `docs/canonical-form.md`).
#[test]
fn trees_of_the_start_positions_have_the_known_sizes() {
    assert_eq!(tree(start(2)), (18, 17));
    assert_eq!(tree(start(3)), (145, 126));
    assert_eq!(tree(start(4)), (1_495, 1_188));
    assert_eq!(tree(start(5)), (17_427, 13_342));
}

#[test]
fn children_are_canonical_and_have_fewer_lives() {
    let mut open = vec![start(4)];
    let mut seen = HashSet::new();
    while let Some(position) = open.pop() {
        for child in position.children().expect("small lands have few moves") {
            assert!(
                lives(&child) < lives(&position),
                "{child} has as many lives as its parent {position}"
            );
            assert_eq!(CanonicalPosition::of(&child.to_position()), child);
            for land in child.lands() {
                assert_eq!(CanonicalLand::from_key(land.key()).as_ref(), Ok(land));
            }
            if seen.insert(child.clone()) {
                open.push(child);
            }
        }
    }
}

fn lives(position: &CanonicalPosition) -> u32 {
    position.lands().iter().map(CanonicalLand::lives).sum()
}

fn nimber(land: &CanonicalLand, known: &mut HashMap<CanonicalLand, Nimber>) -> Nimber {
    if let Some(&nimber) = known.get(land) {
        return nimber;
    }
    let mut options = BTreeSet::new();
    for child in land.children().expect("small lands have few moves") {
        let lands = child.lands().iter().map(|l| nimber(l, known));
        options.insert(lands.fold(Nimber::ZERO, Nimber::nim_sum));
    }
    let value = mex(options).expect("few children");
    known.insert(land.clone(), value);
    value
}

#[test]
fn small_lands_have_their_published_nimbers() {
    let mut known = HashMap::new();
    // Starts: Conway and Paterson; the others: Lemoine and Viennot 2009, and `0*2.12` from two
    // independent programs.
    for (text, expected) in [
        ("0", 0),
        ("0*2", 0),
        ("0*3", 1),
        ("0*4", 1),
        ("0*5", 1),
        ("ABCD|AB|CD", 3),
        ("0.AB|AB", 2),
        ("0*2.12", 3),
        ("0*2.1a1a", 3),
        ("22", 1),
        ("2ab2ba", 3),
    ] {
        let position = CanonicalPosition::of(&text.parse().expect("well-formed"));
        let [land] = position.lands() else { panic!("{text} is one land") };
        assert_eq!(nimber(land, &mut known).get(), expected, "{text}");
    }
}
