//! Trees are rebuilt from what files say of them, and not believed otherwise.

use std::num::NonZero;
use std::ops::ControlFlow;

use sprig_engine::{CanonicalPosition, Position};
use sprig_foreign::{Name, Number, Numbers, TreeProblem, Trees};
use sprig_trees::{Base, Forest};

/// All trees of a game as lines: a name and the names of options.
fn lines(
    spots: usize,
    name: impl Fn(&Forest, &Numbers, sprig_trees::Tree) -> Name,
) -> Vec<(Name, Vec<Name>)> {
    let mut base = Base::default();
    let start = CanonicalPosition::of(&Position::start(spots));
    base.build(&start, NonZero::<usize>::MIN, |_| ControlFlow::Continue(())).expect("a small game");
    let forest = base.forest();
    let numbers = Numbers::of(forest);
    let trees = forest.trees().map(|tree| {
        let options = forest.options(tree).map(|option| name(forest, &numbers, option)).collect();
        (name(forest, &numbers, tree), options)
    });
    trees.collect()
}

fn build(lines: &[(Name, Vec<Name>)]) -> Result<(Forest, Trees), (u64, TreeProblem)> {
    let (mut trees, mut forest) = (Trees::default(), Forest::default());
    let mut take = || {
        for (number, (name, options)) in (1..).zip(lines) {
            trees.add(number, *name, options.clone())?;
        }
        trees.build(&mut forest)
    };
    take().map_err(|error| (error.line, error.problem))?;
    Ok((forest, trees))
}

#[test]
fn all_trees_of_five_spots_are_rebuilt_by_number_and_by_key() {
    let numbered = lines(5, |forest, numbers, tree| numbers.name(forest, tree));
    let keyed = lines(5, |forest, _, tree| Name::Key(forest.key(tree)));
    for mut lines in [numbered, keyed.clone()] {
        // In the order of a file whose lines are sorted by name, larger trees may come first.
        lines.sort();
        lines.reverse();
        let (forest, trees) = build(&lines).expect("they are sound");
        assert_eq!(trees.len(), lines.len());
        for (name, _) in &keyed {
            let Name::Key(key) = name else { unreachable!("they are keys") };
            assert!(forest.find(*key).is_some(), "{name}");
        }
    }
}

#[test]
fn a_wrong_line_is_named() {
    use TreeProblem::{Cycle, Height, Other, Outcome, Reducible, Twice, Unknown};
    let number =
        |height, number, win| Name::Numbered(Number { height, number, factor: false, win });
    let heap = Name::Heap;
    // {2}, {3} and {1;3;{2}}.
    let sound = vec![
        (number(3, 1, false), vec![heap(2)]),
        (number(4, 1, false), vec![heap(3)]),
        (number(4, 2, true), vec![heap(1), heap(3), number(3, 1, false)]),
    ];
    let (mut forest, trees) = build(&sound).expect("it is the paper's");
    let factored = Name::Numbered(Number { height: 3, number: 1, factor: true, win: true });
    let tree = trees.find(&mut forest, factored).expect("3-1+1-W");
    assert_eq!(forest.nested(tree, 80).as_deref(), Some("{3;{2}}"));

    let with = |line: usize, name, options| {
        let mut lines = sound.clone();
        lines[line] = (name, options);
        build(&lines).map(|_| ()).expect_err("it is wrong")
    };
    assert_eq!(with(0, number(3, 1, true), vec![heap(2)]), (1, Outcome(false)));
    assert_eq!(with(0, number(5, 1, false), vec![heap(2)]), (1, Height(3)));
    assert!(matches!(with(0, number(3, 1, false), vec![heap(0), heap(2)]), (1, Reducible(_))));
    assert!(matches!(with(0, number(3, 1, false), vec![heap(2), heap(0)]), (1, Reducible(_))));
    assert_eq!(with(0, number(3, 1, false), vec![number(9, 9, true)]), (1, Unknown));
    assert_eq!(with(0, number(3, 1, false), vec![number(4, 2, true)]).1, Cycle);
    assert_eq!(with(1, number(3, 1, false), vec![heap(3)]), (2, Twice(1)));
    assert_eq!(
        with(2, number(4, 2, true), vec![heap(1), heap(3), number(3, 1, true)]),
        (3, Outcome(false))
    );
    assert!(matches!(with(1, heap(4), vec![heap(3)]), (2, Other(_) | Reducible(_))));
    // A line about G + 1 has to fit what is said of G.
    let mut lines = sound.clone();
    lines.push((factored, vec![heap(3), number(3, 1, false)]));
    assert!(build(&lines).is_ok());
    lines[3].1 = vec![heap(2), number(3, 1, false)];
    assert!(matches!(build(&lines).map(|_| ()), Err((4, Other(_)))));
}
