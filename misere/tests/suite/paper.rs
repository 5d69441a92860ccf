//! Every example of J. Lemoine and S. Viennot, "Analysis of misère Sprouts game with reduced
//! canonical trees" (2009).

use sprig_domain::Outcome;

use crate::common::{heap, rct, read};
use sprig_trees::{Base, Forest, Sums, Tree};

/// Positions and their RCTs as the paper writes them.
const POSITIONS: [(&str, &str); 15] = [
    ("!", "0"),
    ("0", "0"),
    ("0*2", "{2}"),
    ("0*2.AB|AB", "{1;{2}}"),
    ("0*3", "1"),
    ("0*4", "{3;{1;2;{3;{2}}}}"),
    ("22", "1"),
    ("2ab2ba", "3"),
    ("0*4.2", "0"),
    ("ABC|ABD|CE|DE", "{2}"),
    ("ABCD|ABEF|CDFE", "{1;{2}}"),
    ("1ABC|BCDE|ADE", "{0;2;{3};{1;3;{2}}}"),
    ("0*2.A|2A", "{3;{2}}"),
    ("0*2.A|0.A", "{3;{2}}"),
    ("22+22", "0"),
];

#[test]
fn positions_have_the_trees_of_the_paper() {
    let mut base = Base::default();
    for (position, tree) in POSITIONS {
        let found = rct(&mut base, position);
        assert_eq!(base.forest().nested(found, 1_000).as_deref(), Some(tree), "{position}");
    }
}

/// Section 3.1: each tree of figure 8 with its height and outcome.
#[test]
fn heights_and_outcomes_are_those_of_figure_8() {
    let mut forest = Forest::default();
    let figure = [
        ("0", 0, Outcome::Win),
        ("1", 1, Outcome::Loss),
        ("2", 2, Outcome::Win),
        ("3", 3, Outcome::Win),
        ("{2}", 3, Outcome::Loss),
        ("{3}", 4, Outcome::Loss),
        ("{1;3;{2}}", 4, Outcome::Win),
        ("{0;2;{3};{1;3;{2}}}", 5, Outcome::Win),
    ];
    for (text, height, outcome) in figure {
        let tree = read(&mut forest, text);
        assert_eq!((forest.height(tree), forest.outcome(tree)), (height, outcome), "{text}");
    }
}

/// Section 2.9, the theorem on sets of Nim-heaps.
#[test]
fn a_set_of_heaps_with_0_or_1_is_the_heap_of_its_mex() {
    let mut forest = Forest::default();
    let heaps: Vec<Tree> = (0..9).map(|size| heap(&mut forest, size)).collect();
    for set in 1..1usize << heaps.len() {
        let mut options: Vec<Tree> =
            (0..9).filter(|size| set >> size & 1 == 1).map(|size| heaps[size]).collect();
        let count = options.len();
        let tree = forest.reduce(&mut options);
        if set & 0b11 == 0 {
            assert_eq!(
                (forest.heap(tree), forest.option_count(tree)),
                (None, count),
                "set {set:b}"
            );
        } else {
            assert_eq!(forest.heap(tree), Some(set.trailing_ones() as u16), "set {set:b}");
        }
    }
}

/// Sections 2.9 and 2.11: what sums become.
#[test]
fn sums_are_those_of_the_paper() {
    let (mut forest, mut sums) = (Forest::default(), Sums::default());
    let sums_of = [
        ("1", "1", "0"),
        ("3", "1", "2"),
        ("4", "1", "5"),
        ("2", "1", "3"),
        ("2", "2", "{2;3}"),
        ("{2}", "1", "{3;{2}}"),
        // Conway, On Numbers and Games, p. 151.
        ("{0;{2};{3;{2}}}", "2", "{2}"),
    ];
    for (a, b, sum) in sums_of {
        let [a, b, sum] = [a, b, sum].map(|text| read(&mut forest, text));
        assert_eq!(sums.add(&mut forest, a, b), sum);
        assert_eq!(sums.add(&mut forest, b, a), sum);
    }
    // 3 + {3;{2}} = 2 + {2}.
    let [a, b, c, d] = ["3", "{3;{2}}", "2", "{2}"].map(|text| read(&mut forest, text));
    assert_eq!(sums.add(&mut forest, a, b), sums.add(&mut forest, c, d));
}

/// Section 2.7: 2 and 2 + 2 + 2 are told apart by {1;{2}}.
#[test]
fn two_is_not_three_times_two() {
    let (mut forest, mut sums) = (Forest::default(), Sums::default());
    let [two, other] = ["2", "{1;{2}}"].map(|text| read(&mut forest, text));
    let mut four = sums.add(&mut forest, two, two);
    four = sums.add(&mut forest, four, two);
    assert_ne!(four, two);
    let [one, three] = [two, four].map(|tree| sums.add(&mut forest, tree, other));
    assert_eq!((forest.outcome(one), forest.outcome(three)), (Outcome::Win, Outcome::Loss));
}

/// Section 2.8: there are 1, 2, 3, 5, 22 RCTs of height up to 0, 1, 2, 3, 4 (Conway).
#[test]
fn there_are_as_many_small_trees_as_conway_counts() {
    assert_eq!(trees_by_height(4), [1, 2, 3, 5, 22]);
}

/// The last number of the series that a machine can find by trying every set.
#[test]
#[ignore = "tries 4 million sets of trees; takes half a gigabyte of memory"]
fn there_are_4171780_trees_of_height_5() {
    assert_eq!(trees_by_height(5), [1, 2, 3, 5, 22, 4_171_780]);
}

fn trees_by_height(most: usize) -> Vec<usize> {
    let mut forest = Forest::default();
    let mut trees = std::collections::BTreeSet::from([Tree::ZERO]);
    let mut counts = vec![1];
    for _ in 0..most {
        let lower: Vec<Tree> = trees.iter().copied().collect();
        for set in 0..1u64 << lower.len() {
            let mut options: Vec<Tree> = lower
                .iter()
                .enumerate()
                .filter(|(i, _)| set >> i & 1 == 1)
                .map(|(_, &tree)| tree)
                .collect();
            trees.insert(forest.reduce(&mut options));
        }
        counts.push(trees.len());
    }
    counts
}

#[test]
fn long_trees_are_not_printed() {
    let mut base = Base::default();
    let tree = rct(&mut base, "0*4");
    let text = "{3;{1;2;{3;{2}}}}";
    assert_eq!(base.forest().nested(tree, text.len()).as_deref(), Some(text));
    assert_eq!(base.forest().nested(tree, text.len() - 1), None);
}
