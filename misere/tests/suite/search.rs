//! The search against the oracle, against trees, and against itself.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sprig_domain::Outcome;
use sprig_domain::{Node, TreeKey};
use sprig_engine::Watched;
use sprig_engine::{CanonicalPosition, Canonizer, Effort};
use sprig_misere::MisereError;
use sprig_misere::{Limits, Observer, Search};
use sprig_oracle::Values;
use sprig_trees::{Base, Sums, Tree};

use crate::common::{position, rct};

const LIMITS: Limits = Limits { memory: 1 << 30, threads: 1 };

/// First-player outcomes of 1 to 14 spots (the paper, figure 1).
const STARTS: &str = "WLLLWWLLLWWWLL";

/// Keeps what was proved, and stops after a number of proofs.
pub struct Keeper {
    lost: Mutex<Vec<Node>>,
    left: AtomicUsize,
}

impl Keeper {
    pub fn new(left: usize) -> Self {
        Self { lost: Mutex::default(), left: AtomicUsize::new(left) }
    }

    fn lost(self) -> Vec<Node> {
        self.lost.into_inner().expect("no thread panics")
    }
}

impl Observer<Node> for Keeper {
    fn stop(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    fn proved(&self, node: Node) {
        self.lost.lock().expect("no thread panics").push(node);
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
    }
}

pub fn base(text: &str) -> Base {
    let mut base = Base::default();
    base.build(&position(text), NonZeroUsize::MIN, |_| ControlFlow::Continue(())).expect("small");
    base
}

fn solve(search: &Search, position: &CanonicalPosition) -> Outcome {
    search.solve(position, &Keeper::new(usize::MAX)).expect("it fits").expect("nobody says stop")
}

fn start(spots: usize) -> CanonicalPosition {
    position(&format!("0*{spots}"))
}

fn expected(spots: usize) -> Outcome {
    if STARTS.as_bytes()[spots - 1] == b'W' { Outcome::Win } else { Outcome::Loss }
}

/// Every position of these trees, without a base and with one.
#[test]
fn outcomes_are_those_of_the_oracle() {
    let mut values = Values::default();
    for with in ["!", "0*2"] {
        let search = Search::new(&base(with), LIMITS);
        for text in ["0*3", "0*2.12", "0.AB|1.AB", "1AB.CD|CD|AB", "2a2a.1"] {
            for key in sprig_oracle::tree(&text.parse().expect("a position")) {
                let outcome = values.misere_outcome(key.position());
                let found = solve(&search, &CanonicalPosition::of(key.position()));
                let wins = outcome == sprig_oracle::Outcome::Win;
                assert_eq!(found == Outcome::Win, wins, "{} with base {with}", key.position());
            }
        }
    }
}

/// Sums of positions that no base has, by the outcome of the trees of the sums.
#[test]
fn sums_are_what_their_trees_say() {
    let texts =
        ["0*4", "0*3.2", "0*2.AB|AB", "0*3.A|0.A", "22", "ABCD|ABEF|CDFE", "1ABC|BCDE|ADE", "0*3"];
    let mut all = base("0*4");
    for with in ["!", "0*2", "0*3"] {
        let search = Search::new(&base(with), LIMITS);
        for (i, a) in texts.iter().enumerate() {
            for b in &texts[..=i] {
                let both = format!("{a}+{b}");
                let tree = rct(&mut all, &both);
                assert_eq!(
                    solve(&search, &position(&both)),
                    all.forest().outcome(tree),
                    "{both} with {with}"
                );
            }
        }
    }
}

#[test]
fn starts_come_right_with_every_base() {
    for (with, most) in [("!", 7), ("0*4", 11), ("0*5", 13)] {
        let search = Search::new(&base(with), LIMITS);
        for spots in 1..=most {
            assert_eq!(solve(&search, &start(spots)), expected(spots), "{spots} with base {with}");
        }
    }
}

#[test]
fn threads_find_the_same_outcomes() {
    let search = Search::new(&base("0*5"), Limits { threads: 3, ..LIMITS });
    for spots in 6..=12 {
        assert_eq!(solve(&search, &start(spots)), expected(spots), "{spots}");
    }
}

#[test]
fn little_memory_costs_time_and_nothing_else() {
    let search = Search::new(&base("0*4"), Limits { memory: 16 << 20, threads: 2 });
    for spots in 10..=12 {
        assert_eq!(solve(&search, &start(spots)), expected(spots), "{spots}");
    }
    assert!(search.figures().collections > 0);
}

/// With more than 16 GiB, records begin at fewer places. What is searched does not depend on that.
#[test]
fn memory_beyond_16_gib_changes_no_step() {
    let figures = |memory, threads| {
        let search = Search::new(&base("0*5"), Limits { memory, threads });
        for spots in 6..=11 {
            assert_eq!(solve(&search, &start(spots)), expected(spots), "{spots}");
        }
        search.figures()
    };
    let (small, large) = (figures(16 << 30, 1), figures(512 << 30, 1));
    assert_eq!(large.expansions, small.expansions);
    assert!(large.bytes > small.bytes, "{} and {}", large.bytes, small.bytes);
    figures(512 << 30, 3);
}

/// Measures how much a search holds, whenever it is asked whether to stop.
struct Scale<'a> {
    search: &'a Search,
    most: AtomicUsize,
}

impl Observer<Node> for Scale<'_> {
    fn stop(&self) -> bool {
        self.most.fetch_max(self.search.figures().bytes as usize, Ordering::Relaxed);
        false
    }
}

#[test]
fn tables_stay_within_their_share() {
    for memory in [14 << 20, 16 << 20] {
        let search = Search::new(&base("0*4"), Limits { memory, threads: 1 });
        let scale = Scale { search: &search, most: AtomicUsize::new(0) };
        assert_eq!(search.solve(&start(12), &scale), Ok(Some(expected(12))));
        let most = scale.most.into_inner();
        // A thread and learning take three megabytes, and copying what is kept takes a third of the
        // rest.
        let share = (memory - (3 << 20)) / 3 * 2;
        assert!(most > share / 2 && most <= share, "{most} of {memory}");
    }
}

#[test]
fn memory_for_nothing_is_refused() {
    let search = Search::new(&base("0*4"), Limits { memory: 1 << 20, threads: 1 });
    let result = search.solve(&start(9), &Keeper::new(usize::MAX));
    assert_eq!(result, Err(MisereError::Memory { bytes: 1 << 20 }));
}

/// If a search is stopped, another one that gets nothing but its lost nodes comes to the same end.
#[test]
fn lost_nodes_are_all_that_must_be_kept() {
    let mut kept: Vec<Node> = Vec::new();
    let mut runs = 0;
    let outcome = loop {
        let search = Search::new(&base("0*4"), LIMITS);
        assert_eq!(search.learn(kept.clone()), Ok(kept.len() as u64));
        let keeper = Keeper::new(100);
        let outcome = search.solve(&start(10), &keeper).expect("it fits");
        kept.extend(keeper.lost());
        runs += 1;
        if let Some(outcome) = outcome {
            break outcome;
        }
    };
    assert_eq!(outcome, Outcome::Win);
    assert!(runs > 2, "it was stopped");
    // A base that has more lands as trees takes in the same nodes, and finds that they are lost.
    let larger = Search::new(&base("0*5"), LIMITS);
    assert_eq!(larger.learn(kept.clone()), Ok(kept.len() as u64));
    assert_eq!(solve(&larger, &start(10)), Outcome::Win);
    assert!(larger.figures().expansions < 1_500);
}

/// What is proved lost is lost: each node is searched again, alone and from nothing.
#[test]
fn lost_nodes_are_lost() {
    let keeper = Keeper::new(usize::MAX);
    let search = Search::new(&base("0*3"), LIMITS);
    search.solve(&start(8), &keeper).expect("it fits");
    let lost = keeper.lost();
    let plain = Search::new(&base("0*4"), LIMITS);
    let mut alone = 0;
    for node in lost.iter().filter(|node| node.trees().is_empty() && !node.one()) {
        assert_eq!(solve(&plain, node.lands()), Outcome::Loss, "{node}");
        alone += 1;
    }
    assert!(alone > 5);
}

#[test]
fn a_won_node_is_not_taken_for_lost() {
    let search = Search::new(&base("0*4"), LIMITS);
    let node = |text| Node::new(position(text), false, []);
    // A loss by search, wins by search and by tree.
    assert_eq!(solve(&search, &start(7)), Outcome::Loss);
    assert_eq!(search.learn([node("0*7")]), Ok(1));
    assert_eq!(solve(&search, &start(6)), Outcome::Win);
    assert!(matches!(search.learn([node("0*6")]), Err(MisereError::Refuted { .. })));
    assert!(matches!(search.learn([node("0*4.2")]), Err(MisereError::Refuted { .. })));
    let unknown =
        Node::new(position("0*6"), false, [base("0*5").forest().key(rct(&mut base("0*5"), "0*5"))]);
    assert_eq!(search.learn([unknown]), Ok(0));
}

/// No node is given.
pub const NONE: &dyn Fn(&Node) -> bool = &|_| false;

/// A proof is checked move by move, with exact children and without the search's tables.
#[test]
fn proofs_prove() {
    let mut base = base("0*4");
    let (search, never) = (Search::new(&base, LIMITS), Watched::default());
    for spots in [6, 7, 8, 9] {
        let outcome = solve(&search, &start(spots));
        let proof: HashSet<Node> =
            search.proof(&start(spots), NONE, &never).expect("proved").into_iter().collect();
        let mut checker = Checker { base: &mut base, proof: &proof };
        let root = checker.reduce(&start(spots), false, &[]);
        assert_eq!(checker.is_lost(&root), outcome == Outcome::Loss, "{spots}");
        assert!(outcome == Outcome::Loss || checker.is_answered(&root));
        for node in &proof {
            for option in checker.options(node) {
                assert!(checker.is_answered(&option), "{node}: nothing answers {option}");
            }
        }
        assert!(!proof.is_empty() && proof.len() < 200, "{spots}: {}", proof.len());
    }
    assert_eq!(search.proof(&start(10), NONE, &never), Err(MisereError::NoProof));
    assert_eq!(search.proof(&start(4), NONE, &never), Ok(Vec::new()));
}

/// Moves in nodes, by exact keys.
struct Checker<'a> {
    base: &'a mut Base,
    proof: &'a HashSet<Node>,
}

impl Checker<'_> {
    /// The node that is the sum of a position, whose lands may have trees, and of a node's other
    /// parts.
    fn reduce(&self, position: &CanonicalPosition, one: bool, trees: &[TreeKey]) -> Node {
        let mut trees = trees.to_vec();
        let mut lands = Vec::new();
        for land in position.lands() {
            let greedy = Canonizer::new(Effort::Greedy).key(land.key()).to_vec();
            match self.base.rct(&greedy) {
                Some(tree) => trees.push(self.base.forest().key(tree)),
                None => lands.push(land.clone()),
            }
        }
        Node::new(CanonicalPosition::from_lands(lands), one, trees)
    }

    fn options(&self, node: &Node) -> Vec<Node> {
        let forest = self.base.forest();
        let mut options = Vec::new();
        if node.one() {
            options.push(Node::new(node.lands().clone(), false, node.trees().to_vec()));
        }
        for child in node.lands().children().expect("few moves") {
            options.push(self.reduce(&child, node.one(), node.trees()));
        }
        for (i, &key) in node.trees().iter().enumerate() {
            let mut others = node.trees().to_vec();
            others.remove(i);
            for option in forest.option_keys(forest.find(key).expect("known")) {
                let trees = others.iter().copied().chain([option]);
                options.push(Node::new(node.lands().clone(), node.one(), trees));
            }
        }
        options
    }

    /// Whether a node is in the proof, or is lost by the tree of the sum of its trees.
    fn is_lost(&mut self, node: &Node) -> bool {
        self.proof.contains(node) || self.by_sum(node) == Some(Outcome::Loss)
    }

    /// Whether a node is won by a move to a lost one, or by the tree of the sum of its trees.
    fn is_answered(&mut self, node: &Node) -> bool {
        self.by_sum(node) == Some(Outcome::Win)
            || self.options(node).iter().any(|option| self.is_lost(option))
    }

    /// The outcome of one tree, or of a sum of small ones.
    fn by_sum(&mut self, node: &Node) -> Option<Outcome> {
        if !node.lands().lands().is_empty() {
            return None;
        }
        let trees: Vec<Tree> =
            node.trees().iter().map(|&key| self.base.forest().find(key).expect("known")).collect();
        let high: u16 = trees.iter().map(|&tree| self.base.forest().height(tree)).sum();
        if trees.len() > 1 && high > 14 {
            return None;
        }
        let forest = self.base.forest_mut();
        let sum =
            trees.into_iter().fold(Tree::ZERO, |sum, tree| Sums::default().add(forest, sum, tree));
        let sum = if node.one() { sum.plus_one() } else { sum };
        Some(self.base.forest().outcome(sum))
    }
}
