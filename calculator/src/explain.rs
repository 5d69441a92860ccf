//! Why a game reduces to its RCT.

use sprig_domain::Outcome;
use sprig_trees::{Forest, Tree};

/// How the options of a game become those of its RCT.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// The RCTs of the options, each once, the low ones first.
    pub options: Vec<Tree>,
    /// The sets of low options that might be the RCT, the small ones first, up to the one that is
    /// it.
    pub candidates: Vec<Candidate>,
    /// The RCT.
    pub tree: Tree,
}

/// Some low options of a game, as a game of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// How many options are kept, from the front.
    pub kept: usize,
    /// The tree with just these options, if it is one that others can lead to.
    pub tree: Option<Tree>,
    /// Options that are dropped and from which no move leads back to the tree.
    pub in_the_way: Vec<Tree>,
    /// Whether it would be the empty tree, which only a win reduces to, and the game is a loss.
    pub is_a_loss: bool,
}

impl Candidate {
    /// Whether the game reduces to it.
    #[must_use]
    pub fn is_reducer(&self) -> bool {
        self.tree.is_some() && self.in_the_way.is_empty() && !self.is_a_loss
    }
}

/// Tells the reduction of the game with these options.
///
/// # Panics
/// When it does not end at the RCT.
pub fn explain(forest: &mut Forest, options: &[Tree]) -> Explained {
    let tree = forest.reduce(&mut options.to_vec());
    let mut options = options.to_vec();
    options.sort_unstable();
    options.dedup();
    options.sort_by_key(|&option| forest.height(option));
    let mut candidates: Vec<Candidate> = Vec::new();
    for kept in 0..=options.len() {
        // Options of equal height are kept or dropped together.
        let is_cut = kept == 0
            || kept == options.len()
            || forest.height(options[kept]) > forest.height(options[kept - 1]);
        if is_cut && !candidates.iter().any(Candidate::is_reducer) {
            candidates.push(candidate(forest, &options, kept));
        }
    }
    let found = candidates.iter().find(|candidate| candidate.is_reducer());
    assert_eq!(found.and_then(|found| found.tree), Some(tree), "the reduction is explained");
    Explained { options, candidates, tree }
}

fn candidate(forest: &mut Forest, options: &[Tree], kept: usize) -> Candidate {
    let (low, dropped) = options.split_at(kept);
    let reduced = forest.reduce(&mut low.to_vec());
    let is_reduced = forest.option_count(reduced) == kept
        && low.iter().all(|&option| forest.has_option(reduced, option));
    let tree = is_reduced.then_some(reduced);
    let leads_back = |option: Tree| tree.is_some_and(|tree| forest.has_option(option, tree));
    let in_the_way = dropped.iter().copied().filter(|&option| !leads_back(option)).collect();
    let is_win =
        options.is_empty() || options.iter().any(|&option| forest.outcome(option) == Outcome::Loss);
    Candidate { kept, tree, in_the_way, is_a_loss: kept == 0 && !is_win }
}
