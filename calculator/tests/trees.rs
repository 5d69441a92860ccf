//! The calculator of trees: expressions, explanations, games that tell trees apart.

use sprig_calculator::{Comparer, Expression, explain};
use sprig_domain::Outcome;
use sprig_trees::{Forest, Sums, Tree};

fn tree(forest: &mut Forest, text: &str) -> Tree {
    let read: Expression = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    read.tree(forest, &mut Sums::default(), 1e6).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn shown(forest: &Forest, tree: Tree) -> String {
    forest.nested(tree, 10_000).expect("short")
}

#[test]
fn sums_of_the_paper_are_what_it_says() {
    let mut forest = Forest::default();
    for (sum, wanted) in [
        ("{0;{2};{3;{2}}}+2", "{2}"),
        ("3+{3;{2}}", "2+{2}"),
        ("2+2+2", "2+2+2"),
        ("1+1", "0"),
        ("1+2", "3"),
        ("{0;1;2}", "3"),
        ("{}", "0"),
        ("{1}", "0"),
        ("{0,{2}}", "{0;{2}}"),
    ] {
        let (a, b) = (tree(&mut forest, sum), tree(&mut forest, wanted));
        assert_eq!(a, b, "{sum} is {} and not {}", shown(&forest, a), shown(&forest, b));
    }
    assert_ne!(tree(&mut forest, "2+2"), Tree::ZERO);
}

#[test]
fn reductions_are_explained() {
    let mut forest = Forest::default();
    let (mut sums, text) = (Sums::default(), "{0;1;{1;{2}}+1;2+2}");
    let read: Expression = text.parse().expect("a set");
    let options = read.options(&mut forest, &mut sums, 1e6).expect("small").expect("a set");
    let explained = explain(&mut forest, &options);
    assert_eq!(explained.tree, tree(&mut forest, text));
    assert!(explained.candidates.last().expect("one").is_reducer());
    // {1} goes back to 0: its one option leads there, and it is a win.
    let one = [Tree::ONE];
    let explained = explain(&mut forest, &one);
    assert_eq!((explained.tree, explained.candidates.len()), (Tree::ZERO, 1));
    // {2} is a loss, so it is not 0 though 2 leads back to it.
    let two = [tree(&mut forest, "2")];
    let explained = explain(&mut forest, &two);
    assert!(explained.candidates[0].is_a_loss);
    assert_eq!(shown(&forest, explained.tree), "{2}");
}

/// All RCTs of height up to 4, from all sets of those of height up to 3.
fn low_trees(forest: &mut Forest) -> Vec<Tree> {
    let mut all = vec![Tree::ZERO];
    for _ in 0..4 {
        let mut next = all.clone();
        for chosen in 0..1_u32 << all.len() {
            let chosen = all.iter().enumerate().filter(|(i, _)| chosen >> i & 1 == 1);
            next.push(forest.reduce(&mut chosen.map(|(_, &tree)| tree).collect()));
        }
        next.sort_unstable();
        next.dedup();
        all = next;
    }
    all
}

#[test]
fn any_two_different_trees_can_be_told_apart() {
    let mut forest = Forest::default();
    let trees = low_trees(&mut forest);
    assert_eq!(trees.len(), 22, "as proposition 1 of the paper says");
    let mut comparer = Comparer::default();
    for &g in &trees {
        for &h in &trees {
            // The sums are checked where it is built.
            let told = comparer.tell_apart(&mut forest, (g, h), 1e9).expect("small");
            assert_eq!(told.is_none(), g == h);
        }
    }
    let (two, six) = (tree(&mut forest, "2"), tree(&mut forest, "2+2+2"));
    let told =
        comparer.tell_apart(&mut forest, (two, six), 1e9).expect("small").expect("different");
    let with_two = Sums::default().add(&mut forest, two, told);
    assert_eq!(forest.outcome(with_two), Outcome::Loss);
}

#[test]
fn what_is_no_tree_is_refused_with_its_column() {
    for (text, wanted) in [
        ("", "column 1: a number or `{`"),
        ("{0;", "column 4: a number or `{`"),
        ("{0", "column 3: `;` or `}`"),
        ("{0}}", "column 4: the tree ends before this"),
        ("{0 ;1}", "column 3: `;` or `}`"),
        ("201", "column 1: Nim-heaps from 0 to 200"),
        ("99999999999999", "column 1: Nim-heaps"),
        ("2+", "column 3: a number"),
        ("{é}", "column 2: a number"),
    ] {
        let error = text.parse::<Expression>().expect_err(text).to_string();
        assert!(error.starts_with(wanted), "{text}: {error}");
    }
    assert!(
        "{".repeat(300)
            .parse::<Expression>()
            .expect_err("deep")
            .to_string()
            .contains("deeper than 200")
    );
    assert!(
        "0".repeat(70_000)
            .parse::<Expression>()
            .expect_err("long")
            .to_string()
            .contains("at most 65536")
    );
    let mut forest = Forest::default();
    let large: Expression = "150+{149;{2}}+{148;{3}}".parse().expect("a sum");
    assert!(large.tree(&mut forest, &mut Sums::default(), 100.0).is_err());
}
