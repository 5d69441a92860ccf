//! Proofs of misère play: facts are lost nodes.
//!
//! A node is a sum of lands that are not in the base, of 1 or not, and of trees of the base. It is
//! lost if every option of it is won, and an option is won by a move to a lost node: to a known
//! one, or to trees that are lost without search.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sprig_domain::Node;
use sprig_domain::Outcome;
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_misere::Trees;
use sprig_trees::{Base, Forest, Sums, Tree};

use crate::minimize::Minimizer;
use crate::nodes::{Mover, Part, Sum};
use crate::proof::Proof;
use crate::rules::{FactId, Rules, Way};
use crate::spelling::Speller;
use crate::{CertifyError, Extract, Settings};

pub use crate::spelling::Written;

/// Lost nodes, and the base that they stand on.
pub struct Losses {
    base: Base,
    trees: Trees,
    mover: Mover,
    nodes: Vec<Sum>,
    numbers: FxHashMap<Sum, FactId>,
    /// Lands of known nodes: only options with these can be facts.
    familiar: FxHashSet<u32>,
    /// Of each land, what its familiar options leave of it.
    remembered: FxHashMap<u32, Rc<[Sum]>>,
    /// Those that are facts of the earlier proof.
    first: Vec<FactId>,
    /// Sums in an earlier proof, and their trees.
    sums: Vec<(Tree, CanonicalPosition)>,
    /// The trees of the base and those that were met when some were added up.
    grown: Option<(Forest, Sums)>,
    /// Whether the position is lost.
    lost: bool,
}

/// Trees of a position that are added up at most: there are 203 ways to add six.
const MOST_ADDED: usize = 6;

/// Trees that may be met when trees are added.
const LARGEST_ADDED: f64 = 1e5;

impl Rules for Losses {
    type Need = Sum;

    fn count(&self) -> usize {
        self.nodes.len()
    }

    fn size(&self, fact: FactId) -> u16 {
        self.size_of(&self.nodes[fact as usize])
    }

    fn needs(&mut self, fact: FactId) -> Result<Vec<Sum>, CertifyError> {
        let node = self.nodes[fact as usize].clone();
        let mut needs = self.tree_options(&node);
        for (i, land) in node.lands() {
            for left in self.mover.options(&self.base, land)? {
                needs.push(node.with(i, &left));
            }
        }
        if needs.iter().any(|option| self.is_known_loss(option)) {
            return Err(CertifyError::Won(Box::new(self.mover.told(&self.base, &node))));
        }
        needs.retain(|option| self.plain(option).is_none());
        needs.sort_unstable();
        needs.dedup();
        Ok(needs)
    }

    fn size_of(&self, node: &Sum) -> u16 {
        let size = |part: &Part| match *part {
            Part::Land(land) => self.mover.lives(land),
            Part::Tree(tree) => self.base.forest().height(tree),
        };
        node.parts.iter().map(size).sum()
    }

    fn ways(&mut self, node: &Sum) -> Result<Vec<Way>, CertifyError> {
        let mut options = self.tree_options(node);
        // A move leaves all other lands as they are.
        let strange = |&(_, land): &(usize, u32)| !self.familiar.contains(&land);
        let strangers: Vec<_> = node.lands().filter(strange).collect();
        let moved = match strangers[..] {
            [] => node.lands().collect(),
            [_] => strangers,
            _ => Vec::new(),
        };
        for (i, land) in moved {
            let lefts = self.familiar_options(land)?;
            options.extend(lefts.iter().map(|left| node.with(i, left)));
        }
        if options.iter().any(|option| self.plain(option) == Some(Outcome::Loss)) {
            return Ok(vec![[].into()]);
        }
        let known = options.iter().filter_map(|option| self.numbers.get(option));
        Ok(known.map(|&fact| [fact].into()).collect())
    }
}

impl Losses {
    /// Known lost nodes, and those of an earlier proof, on a base whose lands stand for their
    /// trees.
    ///
    /// # Errors
    /// [`CertifyError::Won`] when one of them is seen to be won.
    pub fn new(
        mut base: Base,
        known: impl IntoIterator<Item = Node>,
        first: &[Written],
    ) -> Result<Self, CertifyError> {
        let mut sums = Vec::new();
        let read = first.iter().filter_map(|written| written.read(&mut base, &mut sums));
        let first: Vec<Node> = read.collect();
        let mut losses = Self {
            trees: Trees::new(base.forest().clone()),
            mover: Mover::of(base.game()),
            base,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            familiar: FxHashSet::default(),
            remembered: FxHashMap::default(),
            first: Vec::new(),
            sums,
            grown: None,
            lost: false,
        };
        for node in known {
            losses.know(&node)?;
        }
        for node in first {
            let fact = losses.know(&node)?;
            losses.first.extend(fact);
        }
        Ok(losses)
    }

    /// Whether a position is known to be lost: as a sum of its lands and their trees, or with the
    /// trees of some of its lands added up.
    pub fn says_lost(&mut self, position: &CanonicalPosition) -> bool {
        let node = Node::new(position.clone(), false, []);
        let sum = self.mover.sum(&self.base, &node).expect("it names no trees");
        self.is_known_loss(&sum) || self.is_lost_if_added(&sum)
    }

    /// Whether some of the trees of a sum, added up, make it a sum that is known to be lost.
    fn is_lost_if_added(&mut self, sum: &Sum) -> bool {
        let trees: Vec<Tree> = sum.parts.iter().filter_map(|part| part.tree()).collect();
        if !(2..=MOST_ADDED).contains(&trees.len()) {
            return false;
        }
        let grown = self.grown.take();
        let (mut forest, mut sums) =
            grown.unwrap_or_else(|| (self.base.forest().clone(), Sums::default()));
        let lost = partitions(trees.len()).into_iter().any(|groups| {
            let of = |group: &Vec<usize>| group.iter().map(|&i| trees[i]).collect::<Vec<_>>();
            let groups: Vec<Vec<Tree>> = groups.iter().map(of).collect();
            if groups.iter().any(|g| g.len() > 1 && Sums::bound(&forest, g) > LARGEST_ADDED) {
                return false;
            }
            let mut add = |group: Vec<Tree>| {
                group.into_iter().fold(Tree::ZERO, |all, tree| sums.add(&mut forest, all, tree))
            };
            let trees: Vec<Tree> = groups.into_iter().map(&mut add).collect();
            let lands = sum.parts.iter().filter_map(|part| part.land());
            let mut added = Sum::of(lands, trees);
            added.one ^= sum.one;
            if let [Part::Tree(tree)] = added.parts[..] {
                let tree = if added.one { tree.plus_one() } else { tree };
                return forest.outcome(tree) == Outcome::Loss;
            }
            // Trees that are met only now are in no known node.
            let known = |part: &Part| part.tree().is_none_or(|tree| self.base.forest().has(tree));
            added.parts.iter().all(known) && self.is_known_loss(&added)
        });
        self.grown = Some((forest, sums));
        lost
    }

    /// What needs no search.
    fn plain(&self, node: &Sum) -> Option<Outcome> {
        let trees: Option<Vec<Tree>> = node.parts.iter().map(|part| part.tree()).collect();
        self.trees.outcome(node.one, &trees?)
    }

    fn is_known_loss(&self, node: &Sum) -> bool {
        self.plain(node) == Some(Outcome::Loss) || self.numbers.contains_key(node)
    }

    /// The options in the 1 and in the trees of a node.
    fn tree_options(&self, node: &Sum) -> Vec<Sum> {
        let mut options = Vec::new();
        if node.one {
            options.push(Sum { one: false, ..node.clone() });
        }
        let forest = self.base.forest();
        for (i, part) in node.parts.iter().enumerate() {
            let options_of = part.tree().into_iter().flat_map(|tree| forest.options(tree));
            options.extend(options_of.map(|option| node.with(i, &Sum::of([], [option]))));
        }
        options
    }

    /// What the options of a land leave of it, as far as that may be part of a known node.
    fn familiar_options(&mut self, land: u32) -> Result<Rc<[Sum]>, CertifyError> {
        if let Some(options) = self.remembered.get(&land) {
            return Ok(options.clone());
        }
        let familiar = |land: u32| self.familiar.contains(&land);
        let options: Rc<[Sum]> = self.mover.options_of(&self.base, land, familiar)?.into();
        self.remembered.insert(land, options.clone());
        Ok(options)
    }

    /// Takes in a known node; `None` if the base does not have its trees.
    fn know(&mut self, node: &Node) -> Result<Option<FactId>, CertifyError> {
        let Some(sum) = self.mover.sum(&self.base, node) else { return Ok(None) };
        match self.plain(&sum) {
            Some(Outcome::Win) => return Err(CertifyError::Won(Box::new(node.clone()))),
            Some(Outcome::Loss) => return Ok(None),
            None => {}
        }
        self.familiar.extend(sum.lands().map(|(_, land)| land));
        let next = self.nodes.len() as FactId;
        let fact = *self.numbers.entry(sum.clone()).or_insert(next);
        if fact == next {
            self.nodes.push(sum);
        }
        Ok(Some(fact))
    }
}

impl Extract<Losses> {
    /// A first, greedy proof of the outcome of `position` from known lost nodes. It holds as many
    /// as it can of those of the earlier proof.
    ///
    /// # Errors
    /// [`CertifyError`] when the nodes do not suffice or contradict each other, or it was told to
    /// stop.
    pub fn new(
        mut losses: Losses,
        position: &CanonicalPosition,
        settings: Settings,
    ) -> Result<Self, CertifyError> {
        let missing = || CertifyError::Missing(position.clone());
        let begin = std::mem::take(&mut losses.first);
        let node = Node::new(position.clone(), false, []);
        let sum = losses.mover.sum(&losses.base, &node).expect("it names no trees");
        let (plain, fact) = (losses.plain(&sum), losses.numbers.get(&sum).copied());
        losses.lost = plain == Some(Outcome::Loss) || fact.is_some();
        let mut proof = Proof::new(losses, settings.watched);
        match (plain, fact) {
            (Some(_), _) => {}
            (None, Some(fact)) => {
                if !proof.pin(fact)? {
                    return Err(missing());
                }
            }
            (None, None) => proof.demand(sum)?,
        }
        begin.into_iter().try_for_each(|fact| proof.add(fact))?;
        Minimizer::begun(proof, settings.seed)?.map(Self).ok_or_else(missing)
    }

    /// Whether the position is lost.
    pub fn is_loss(&self) -> bool {
        self.0.rules().lost
    }

    /// The nodes of the smallest proof found, written with lands only, in no particular order.
    ///
    /// # Errors
    /// [`CertifyError`] when there are too many moves.
    pub fn facts(&self) -> Result<Vec<Written>, CertifyError> {
        let Losses { base, mover, nodes, sums, .. } = self.0.rules();
        let mut speller = Speller::new(base, sums);
        let nodes = self.0.best().iter().map(|&fact| &nodes[fact as usize]);
        let lands = |node: &Sum| -> Vec<CanonicalLand> {
            let lands = node.parts.iter().filter_map(|part| part.land());
            lands.map(|land| CanonicalLand::from_reduced(mover.key(land))).collect()
        };
        nodes.map(|node| speller.write(lands(node), node)).collect()
    }
}

/// All ways to divide the numbers below `count` into groups.
fn partitions(count: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all = vec![Vec::new()];
    for number in 0..count {
        let mut next = Vec::new();
        for groups in all {
            for place in 0..groups.len() {
                let mut joined: Vec<Vec<usize>> = groups.clone();
                joined[place].push(number);
                next.push(joined);
            }
            next.push([groups, vec![vec![number]]].concat());
        }
        all = next;
    }
    all
}
