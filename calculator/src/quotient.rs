//! Misère quotients: the sums of a closed set of games, up to what the set itself can tell apart.
//!
//! A set is closed when the options of its games are sums of its games. Two sums X and Y of it are
//! equal when X + Z and Y + Z have the same outcome in misère play for every sum Z of the set (T.
//! Plambeck, *Taming the wild in impartial combinatorial games*, 2005). Games that differ among all
//! games may be equal here.
//!
//! The classes are learned as the states of an automaton that reads a sum game by game and says its
//! outcome: sums are told apart by finitely many tests, and as long as the automaton errs, a sum on
//! which it errs gives more tests (D. Angluin 1987). It is proved at the end: whether it errs is
//! decided by looking at all pairs of the class of a sum and the classes of its options, of which
//! there are finitely many.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sprig_domain::Outcome;
use sprig_trees::{Forest, Tree};

use crate::sums::{Games, Sum};

/// The misère quotient of a closed set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quotient {
    /// Games whose sums are all sums of the set: its trees without factor 1, and the Nim-heap 1,
    /// the low ones first.
    pub generators: Vec<Tree>,
    /// The classes, that of the empty sum first, those of short sums before others.
    pub elements: Vec<Element>,
    /// The class of each element and one more generator, by element and generator.
    pub with: Vec<Vec<usize>>,
}

/// A class of sums.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// A shortest sum of the class: places of generators, ascending.
    pub sum: Vec<usize>,
    /// Its outcome.
    pub outcome: Outcome,
}

/// A quotient that is too large, or infinite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuotientTooLarge {
    /// Too many classes.
    #[error(
        "there are more than {0} classes, perhaps without end; ask for a smaller set, or allow more"
    )]
    Classes(usize),
    /// Too many sums had to be played out.
    #[error("more than {0} sums would have to be played out; ask for a smaller set")]
    Sums(usize),
}

/// How far the search for a quotient is, for those who wait.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    /// Classes that some test has told apart. There are no fewer.
    pub classes: Arc<AtomicU64>,
    /// Sums that have been played out.
    pub sums: Arc<AtomicU64>,
}

/// For each class that is allowed, this many pairs of it and the classes of its options are looked
/// at.
const PAIRS: usize = 1_000;

impl Quotient {
    /// The quotient of all sums of these trees and of all trees below them. At most `most` classes
    /// are looked for.
    ///
    /// # Errors
    /// [`QuotientTooLarge`].
    ///
    /// # Panics
    /// When the automaton errs and no test shows it, which the theory excludes.
    pub fn of(
        forest: &Forest,
        trees: impl IntoIterator<Item = Tree>,
        most: usize,
    ) -> Result<Self, QuotientTooLarge> {
        Self::counted(forest, trees, most, &Seen::default())
    }

    /// As [`Quotient::of`]; counts what it has seen.
    ///
    /// # Errors
    /// [`QuotientTooLarge`].
    ///
    /// # Panics
    /// As [`Quotient::of`].
    pub fn counted(
        forest: &Forest,
        trees: impl IntoIterator<Item = Tree>,
        most: usize,
        seen: &Seen,
    ) -> Result<Self, QuotientTooLarge> {
        let games = Games::of(forest, trees, seen.sums.clone());
        let mut learner = Learner::of(games, most, seen.classes.clone());
        loop {
            learner.close()?;
            match learner.error()? {
                Some(sum) => learner.learn(&sum),
                None => return Ok(learner.quotient()),
            }
        }
    }

    /// The class of a sum of two classes.
    #[must_use]
    pub fn product(&self, a: usize, b: usize) -> usize {
        self.elements[b].sum.iter().fold(a, |class, &generator| self.with[class][generator])
    }

    /// The class of a tree of the set; `None` for any other tree.
    #[must_use]
    pub fn class(&self, tree: Tree) -> Option<usize> {
        let place = |wanted: Tree| self.generators.iter().position(|&tree| tree == wanted);
        let bare = tree.without_factor();
        let class = if bare == Tree::ZERO { 0 } else { self.with[0][place(bare)?] };
        Some(if tree.has_factor() { self.with[class][place(Tree::ONE)?] } else { class })
    }
}

/// Learns the classes.
struct Learner {
    games: Games,
    most: usize,
    /// How many classes there are, for those who wait.
    seen: Arc<AtomicU64>,
    /// What tells sums apart. With each test it has all that is left of the test when its first
    /// games are taken away.
    tests: Vec<Sum>,
    is_test: HashSet<Sum>,
    /// A sum for each class: that of another class, and one more game.
    sums: Vec<Sum>,
    /// The class of each row of answers that the tests give.
    classes: HashMap<Vec<bool>, usize>,
    with: Vec<Vec<usize>>,
}

impl Learner {
    fn of(games: Games, most: usize, seen: Arc<AtomicU64>) -> Self {
        let (tests, is_test) = (vec![Vec::new()], HashSet::from([Vec::new()]));
        let (sums, classes, with) = (Vec::new(), HashMap::new(), Vec::new());
        Self { games, most, seen, tests, is_test, sums, classes, with }
    }

    /// What the tests say of a sum.
    fn row(&mut self, sum: &[usize]) -> Result<Vec<bool>, QuotientTooLarge> {
        let tests = self.tests.iter();
        tests.map(|test| self.games.is_lost(&[sum, test].concat())).collect()
    }

    /// Finds the classes that the tests tell apart.
    fn close(&mut self) -> Result<(), QuotientTooLarge> {
        self.classes.clear();
        self.with.clear();
        for (class, sum) in self.sums.clone().iter().enumerate() {
            let row = self.row(sum)?;
            self.classes.insert(row, class);
        }
        if self.sums.is_empty() {
            self.class_of(Vec::new())?;
        }
        while self.with.len() < self.sums.len() {
            let sum = self.sums[self.with.len()].clone();
            let more = (0..self.games.len()).map(|game| [&sum[..], &[game]].concat());
            let with = more.map(|sum| self.class_of(sum)).collect::<Result<_, _>>()?;
            self.with.push(with);
        }
        Ok(())
    }

    fn class_of(&mut self, sum: Sum) -> Result<usize, QuotientTooLarge> {
        let row = self.row(&sum)?;
        if let Some(&class) = self.classes.get(&row) {
            return Ok(class);
        }
        if self.sums.len() == self.most {
            return Err(QuotientTooLarge::Classes(self.most));
        }
        self.classes.insert(row, self.sums.len());
        self.sums.push(sum);
        self.seen.store(self.sums.len() as u64, Relaxed);
        Ok(self.sums.len() - 1)
    }

    /// The class that the automaton reaches from another one.
    fn run(&self, class: usize, sum: &[usize]) -> usize {
        sum.iter().fold(class, |class, &game| self.with[class][game])
    }

    fn is_lost(&mut self, class: usize) -> Result<bool, QuotientTooLarge> {
        let sum = self.sums[class].clone();
        self.games.is_lost(&sum)
    }

    /// A sum whose outcome the automaton gets wrong.
    fn error(&mut self) -> Result<Option<Sum>, QuotientTooLarge> {
        match self.disorder()? {
            Some(sum) => Ok(Some(sum)),
            None => self.mistake(),
        }
    }

    /// Two orders of a sum that lead to different classes: in one of them the outcome is wrong.
    fn disorder(&mut self) -> Result<Option<Sum>, QuotientTooLarge> {
        for class in 0..self.sums.len() {
            for first in 0..self.games.len() {
                for second in 0..first {
                    let orders = [[first, second], [second, first]];
                    let [a, b] = orders.map(|order| self.run(class, &order));
                    if a == b {
                        continue;
                    }
                    let [a, b] = [self.sums[a].clone(), self.sums[b].clone()];
                    let (a, b) = (self.row(&a)?, self.row(&b)?);
                    let test = a.iter().zip(&b).position(|(a, b)| a != b);
                    let test = self.tests[test.expect("classes differ in a test")].clone();
                    let sums = orders.map(|order| [&self.sums[class], &order[..], &test].concat());
                    return self.wrong(sums).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// A sum whose class and the classes of its options do not fit together: then one of these
    /// outcomes is wrong.
    fn mistake(&mut self) -> Result<Option<Sum>, QuotientTooLarge> {
        let lost = (0..self.sums.len()).map(|class| self.is_lost(class));
        let lost: Vec<bool> = lost.collect::<Result<_, _>>()?;
        let start = (0, vec![false; self.sums.len()]);
        let (mut met, mut open) = (HashSet::from([start.clone()]), VecDeque::new());
        open.push_back((start, Vec::new()));
        while let Some(((class, options), sum)) = open.pop_front() {
            let wins =
                sum.is_empty() || (0..lost.len()).any(|option| options[option] && lost[option]);
            if lost[class] == wins {
                let options = self.games.options(&sum);
                return self.wrong(options.into_iter().chain([sum])).map(Some);
            }
            for game in 0..self.games.len() {
                let mut after = vec![false; self.sums.len()];
                for option in (0..lost.len()).filter(|&option| options[option]) {
                    after[self.with[option][game]] = true;
                }
                for option in self.games.options_of(game) {
                    after[self.run(class, option)] = true;
                }
                let pair = (self.with[class][game], after);
                if met.insert(pair.clone()) {
                    open.push_back((pair, [&sum[..], &[game]].concat()));
                }
            }
            if met.len() > PAIRS * self.most {
                return Err(QuotientTooLarge::Sums(met.len()));
            }
        }
        Ok(None)
    }

    /// That one of these sums whose outcome the automaton gets wrong.
    fn wrong(&mut self, sums: impl IntoIterator<Item = Sum>) -> Result<Sum, QuotientTooLarge> {
        for sum in sums {
            let class = self.run(0, &sum);
            if self.is_lost(class)? != self.games.is_lost(&sum)? {
                return Ok(sum);
            }
        }
        unreachable!("one of the outcomes is wrong");
    }

    /// Takes what is left of the sum, after any number of its games, as tests.
    fn learn(&mut self, sum: &[usize]) {
        for start in 0..sum.len() {
            if self.is_test.insert(sum[start..].to_vec()) {
                self.tests.push(sum[start..].to_vec());
            }
        }
    }

    /// The classes in the order of their shortest sums.
    fn quotient(mut self) -> Quotient {
        let (mut order, mut sums) = (vec![0], vec![Vec::new()]);
        let mut place = HashMap::from([(0, 0)]);
        let mut next = 0;
        while next < order.len() {
            for game in 0..self.games.len() {
                let class = self.with[order[next]][game];
                if let std::collections::hash_map::Entry::Vacant(entry) = place.entry(class) {
                    entry.insert(order.len());
                    order.push(class);
                    let mut sum = [&sums[next][..], &[game]].concat();
                    sum.sort_unstable();
                    sums.push(sum);
                }
            }
            next += 1;
        }
        let with = order.iter().map(|&class| self.with[class].iter().map(|c| place[c]).collect());
        let with = with.collect();
        let elements = order.iter().zip(sums).map(|(&class, sum)| {
            let is_lost = self.is_lost(class).expect("it was played out before");
            Element { sum, outcome: Outcome::from(!is_lost) }
        });
        let elements = elements.collect();
        Quotient { generators: self.games.generators(), elements, with }
    }
}
