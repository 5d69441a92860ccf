//! Outcomes and RCTs that two other programs, GLOP 2.2 and an independent one, agree on.

use sprig_domain::Outcome;
use sprig_trees::Base;

use crate::common::{position, rct, read};

/// The published table.
const REFERENCE: &str = include_str!("../../../testdata/misere.tsv");

/// Positions with more lives are left to the search.
const MOST_LIVES: u32 = 18;

/// Checks every line that is affordable; returns how many lines were checked, and how many gave an
/// RCT.
fn check(table: &str) -> (usize, usize) {
    let mut base = Base::default();
    let (mut lines, mut trees) = (0, 0);
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [text, outcome, nested] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("`{line}` does not have three columns");
        };
        if position(text).lands().iter().any(|land| land.lives() > MOST_LIVES) {
            continue;
        }
        let tree = rct(&mut base, text);
        let known = if outcome == "W" { Outcome::Win } else { Outcome::Loss };
        assert_eq!(base.forest().outcome(tree), known, "{text}");
        lines += 1;
        if !nested.is_empty() {
            let written = read(base.forest_mut(), nested);
            let found = base.forest().nested(tree, 10_000);
            assert_eq!(tree, written, "{text} is {nested}, not {found:?}");
            trees += 1;
        }
    }
    (lines, trees)
}

#[test]
fn the_reference_agrees() {
    let (lines, trees) = check(REFERENCE);
    assert!(lines > 300, "{lines} lines");
    assert!(trees > 50);
}
