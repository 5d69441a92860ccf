//! Sums of the games of a closed set, played out.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sprig_trees::{Forest, Tree};

use crate::QuotientTooLarge;

/// A sum: places of games, in any order.
pub(crate) type Sum = Vec<usize>;

/// Sums that are played out at most.
const MOST: usize = 4_000_000;

/// The games of a closed set, and the outcomes of their sums.
pub(crate) struct Games {
    trees: Vec<Tree>,
    /// For each game its options, as sums of games.
    options: Vec<Vec<Sum>>,
    /// Whether sums, ascending, are lost.
    lost: HashMap<Sum, bool>,
    /// How many sums these are, for those who wait.
    seen: Arc<AtomicU64>,
}

impl Games {
    /// All trees below these without their factor 1, and the heap 1; the low ones first.
    pub fn of(
        forest: &Forest,
        trees: impl IntoIterator<Item = Tree>,
        seen: Arc<AtomicU64>,
    ) -> Self {
        let mut open: Vec<Tree> = trees.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(tree) = open.pop() {
            for part in parts(tree) {
                if found.insert((forest.height(part), part)) {
                    open.extend(forest.options(part));
                }
            }
        }
        let trees: Vec<Tree> = found.into_iter().map(|(_, tree)| tree).collect();
        let places: HashMap<Tree, usize> = trees.iter().zip(0..).map(|(&t, at)| (t, at)).collect();
        let sum = |tree: Tree| parts(tree).map(|part| places[&part]).collect();
        let options = trees.iter().map(|&tree| forest.options(tree).map(sum).collect());
        Self { options: options.collect(), trees, lost: HashMap::new(), seen }
    }

    pub fn len(&self) -> usize {
        self.trees.len()
    }

    pub fn generators(&self) -> Vec<Tree> {
        self.trees.clone()
    }

    /// The options of a game.
    pub fn options_of(&self, game: usize) -> &[Sum] {
        &self.options[game]
    }

    /// Where a move in the sum leads.
    pub fn options(&self, sum: &[usize]) -> Vec<Sum> {
        let mut options = Vec::new();
        for (place, &game) in sum.iter().enumerate() {
            let rest = [&sum[..place], &sum[place + 1..]].concat();
            options.extend(self.options[game].iter().map(|option| [&rest[..], option].concat()));
        }
        options
    }

    /// Whether the player to move loses the sum in misère play.
    pub fn is_lost(&mut self, sum: &[usize]) -> Result<bool, QuotientTooLarge> {
        let mut open = vec![self.simple(sum)];
        let asked = open[0].clone();
        while let Some(sum) = open.last() {
            if self.lost.contains_key(sum) {
                open.pop();
                continue;
            }
            // A player who cannot move wins.
            let (mut is_lost, mut unknown) = (!sum.is_empty(), None);
            for option in self.options(sum) {
                let option = self.simple(&option);
                match self.lost.get(&option) {
                    Some(true) => {
                        (is_lost, unknown) = (false, None);
                        break;
                    }
                    Some(false) => {}
                    None => unknown = unknown.or(Some(option)),
                }
            }
            match unknown {
                Some(option) => open.push(option),
                None => {
                    if self.lost.len() == MOST {
                        return Err(QuotientTooLarge::Sums(MOST));
                    }
                    self.lost.insert(sum.clone(), is_lost);
                    self.seen.store(self.lost.len() as u64, Relaxed);
                }
            }
        }
        Ok(self.lost[&asked])
    }

    /// The sum in order, without pairs of heaps 1, which are worth nothing among any games.
    fn simple(&self, sum: &[usize]) -> Sum {
        let is_one = |game: &&usize| self.trees[**game] == Tree::ONE;
        let mut simple: Sum = sum.iter().filter(|game| !is_one(game)).copied().collect();
        let ones: Vec<usize> = sum.iter().filter(is_one).copied().collect();
        if ones.len() % 2 == 1 {
            simple.push(ones[0]);
        }
        simple.sort_unstable();
        simple
    }
}

/// The games that a tree is the sum of: the tree without its factor 1, and the heap 1.
fn parts(tree: Tree) -> impl Iterator<Item = Tree> {
    let bare = Some(tree.without_factor()).filter(|&bare| bare != Tree::ZERO);
    bare.into_iter().chain(tree.has_factor().then_some(Tree::ONE))
}
