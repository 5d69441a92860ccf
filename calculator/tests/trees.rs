//! The calculator of trees: expressions, explanations, games that tell trees apart.

use sprig_calculator::{
    Comparer, Count, Expression, Quotient, QuotientTooLarge, canonical_trees, explain, links,
    nim_heap, rcts,
};
use sprig_domain::Outcome;
use sprig_trees::{CanonicalTrees, Forest, Sums, Tree};

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
        ("{3; {1; 2; {3; {2}}}}", "{3;{1;2;{3;{2}}}}"),
        (" { 0 ;{2}; {3; {2}} } + 2 ", "{2}"),
        ("{\t}\n", "0"),
    ] {
        let (a, b) = (tree(&mut forest, sum), tree(&mut forest, wanted));
        assert_eq!(a, b, "{sum} is {} and not {}", shown(&forest, a), shown(&forest, b));
    }
    assert_ne!(tree(&mut forest, "2+2"), Tree::ZERO);
}

#[test]
fn blanks_leave_numbers_and_columns_as_they_are() {
    for (text, column) in
        [("1 2", 3), (" {0 ", 5), ("{0; ; 1}", 5), ("{0} + x", 7), (" ", 2), ("{0 x", 4)]
    {
        let error = text.parse::<Expression>().expect_err(text);
        assert_eq!(error.column, column, "{text:?}: {error}");
    }
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

#[test]
fn counted_trees_are_those_that_are_listed() {
    let counted: Vec<_> = (0..=5).map(|height| Count::of_rcts(height).small()).collect();
    assert_eq!(counted, [1, 2, 3, 5, 22, 4_171_780].map(Some), "as Conway says");
    for height in 0..=4 {
        let listed = rcts(&mut Forest::default(), height).len() as u64;
        assert_eq!(Count::of_rcts(height).small(), Some(listed), "height {height}");
    }
}

#[test]
fn trees_of_height_6_are_counted_exactly() {
    let count = Count::of_rcts(6);
    let text = count.to_string();
    assert!(text.starts_with("2^4171780 - 2^2096640 - 2^2095104 - 2*2^2094592 - "), "{text}");
    assert!(text.ends_with(" + 21"), "{text}");
    assert_eq!(count.small(), None);
    // More than 99.99 % of 2^4171780, as the paper says: all else together is less than 2^2096641.
    let terms = count.terms();
    assert_eq!(terms[0], (1, 4_171_780));
    assert!(
        terms[1..]
            .iter()
            .map(|&(many, power)| many.unsigned_abs() << (power / 2_096_640))
            .sum::<u64>()
            < 64
    );
    let (digits, first) = count.decimal();
    assert_eq!((digits, &*first), (1_255_831, "8228"));
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
        ("{0 1}", "column 4: `;` or `}`"),
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

#[test]
fn small_trees_are_as_many_as_the_paper_counts() {
    let mut trees = CanonicalTrees::default();
    let counts: Vec<usize> = (0..=4).map(|h| canonical_trees(&mut trees, h).len()).collect();
    assert_eq!(counts, [1, 2, 4, 16, 65_536], "proposition 1");
    let mut forest = Forest::default();
    let counts: Vec<usize> = (0..=4).map(|height| rcts(&mut forest, height).len()).collect();
    assert_eq!(counts, [1, 2, 3, 5, 22]);
    let low: Vec<String> = rcts(&mut forest, 3).iter().map(|&t| shown(&forest, t)).collect();
    assert_eq!(low, ["0", "1", "2", "3", "{2}"], "figure 6");
}

#[test]
fn trees_have_the_identifiers_of_the_paper() {
    let mut forest = Forest::default();
    let root = tree(&mut forest, "{0;2;{3};{1;3;{2}}}");
    let links = links(&forest, root, 1000).expect("short");
    let told: Vec<String> = links
        .iter()
        .map(|link| {
            format!("{} {}: {}", shown(&forest, link.tree), link.id, link.options.join(" "))
        })
        .collect();
    // Section 3.1.2.
    let paper = [
        "0 0-0-W: ",
        "1 1-0-L: 0-0-W",
        "2 2-0-W: 0-0-W 1-0-L",
        "3 3-0-W: 0-0-W 1-0-L 2-0-W",
        "{2} 3-1-L: 2-0-W",
        "{3} 4-1-L: 3-0-W",
        "{1;3;{2}} 4-2-W: 1-0-L 3-0-W 3-1-L",
        "{0;2;{3};{1;3;{2}}} 5-1-W: 0-0-W 2-0-W 4-1-L 4-2-W",
    ];
    assert_eq!(told, paper);
    // Section 3.2.3: nothing reduces it.
    let read: Expression = "{0;2;{3};{1;3;{2}};5;7}".parse().expect("a set");
    let options = read.options(&mut forest, &mut Sums::default(), 1e6).expect("small");
    let explained = explain(&mut forest, &options.expect("a set"));
    assert_eq!(forest.option_count(explained.tree), 6);
}

#[test]
fn canonical_trees_keep_what_is_reversible() {
    let (mut trees, mut forest) = (CanonicalTrees::default(), Forest::default());
    for (text, canonical) in [
        ("{0;2;3;3}", "{0;2;3}"),
        ("{{}}", "1"),
        ("{1}", "{1}"),
        ("1+1", "{1}"),
        ("2+1", "{1;2;{1}}"),
        ("{0;{2};{3;{2}}}", "{0;{2};{3;{2}}}"),
    ] {
        let read: Expression = text.parse().expect(text);
        let found = read.canonical(&mut trees, 1e6).expect("small");
        let written = trees.nested(found, 1000).expect("short");
        assert_eq!(written, canonical, "{text}");
        // What it is worth is what the text is worth.
        assert_eq!(tree(&mut forest, &written), tree(&mut forest, text), "{text}");
    }
    let large: Expression = "60+60+60".parse().expect("a sum");
    assert!(large.canonical(&mut trees, 1000.0).is_err());
}

fn of_heaps(forest: &mut Forest, size: u16) -> Quotient {
    let heap = nim_heap(forest, size);
    Quotient::of(forest, [heap], 100).expect("finite")
}

#[test]
fn quotients_of_nim_are_the_published_ones() {
    // Plambeck and Siegel: Nim with heaps below 2^n has 2^n + 2 classes from n = 2 on.
    let mut forest = Forest::default();
    for (size, classes) in [(0, 1), (1, 2), (2, 6), (3, 6), (4, 10), (7, 10), (8, 18)] {
        let quotient = of_heaps(&mut forest, size);
        assert_eq!(quotient.elements.len(), classes, "heaps to {size}");
    }
    // Section 2.7 of the paper: the six classes, 2 + 2 + 2 is 2, and 1 and 2 + 2 are lost.
    let quotient = of_heaps(&mut forest, 2);
    let sums: Vec<_> = quotient.elements.iter().map(|e| (&e.sum[..], e.outcome)).collect();
    let (win, loss) = (Outcome::Win, Outcome::Loss);
    let paper: [(&[usize], Outcome); 6] =
        [(&[], win), (&[0], loss), (&[1], win), (&[0, 1], win), (&[1, 1], loss), (&[0, 1, 1], win)];
    assert_eq!(sums, paper);
    let two = quotient.class(tree(&mut forest, "2")).expect("it is a generator");
    assert_eq!(quotient.product(quotient.product(two, two), two), two);
    assert_eq!(quotient.class(tree(&mut forest, "3")), Some(quotient.product(1, two)));
    assert_eq!(quotient.class(tree(&mut forest, "{2}")), None);
}

/// The classes of all sums of up to three games are told apart exactly by sums of up to four: by
/// playing them all out.
#[test]
fn quotients_are_what_playing_every_sum_finds() {
    let mut forest = Forest::default();
    for text in ["{2}", "{1;{2}}", "{3}", "{2;3}", "{{2}}"] {
        let root = tree(&mut forest, text);
        let quotient = Quotient::of(&forest, [root], 400).expect(text);
        let count = quotient.generators.len();
        let mut sums: Vec<Vec<usize>> = vec![vec![]];
        for length in 0..4 {
            let longest: Vec<_> = sums.iter().filter(|s| s.len() == length).cloned().collect();
            for sum in longest {
                let last = sum.last().copied().unwrap_or(0);
                sums.extend((last..count).map(|more| [&sum[..], &[more]].concat()));
            }
        }
        let class = |sum: &[usize]| sum.iter().fold(0, |c, &g| quotient.with[c][g]);
        let mut adder = Sums::default();
        for sum in &sums {
            let games = sum.iter().map(|&at| quotient.generators[at]);
            let total = games.fold(Tree::ZERO, |total, game| adder.add(&mut forest, total, game));
            assert_eq!(forest.outcome(total), quotient.elements[class(sum)].outcome, "{text}");
        }
        assert!(quotient.elements.len() > 1, "{text}");
    }
}

#[test]
fn quotients_without_end_are_given_up() {
    let mut forest = Forest::default();
    let heap = nim_heap(&mut forest, 8);
    assert_eq!(Quotient::of(&forest, [heap], 17), Err(QuotientTooLarge::Classes(17)));
}
