//! Proofs of misère play: facts are lost nodes.
//!
//! A node is a sum of lands that are not in the base, of 1 or not, and of trees of the base. It is lost if every option of it is won, and
//! an option is won by a move to a lost node: to a known one, or to trees that are lost without search.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sprig_engine::{CanonicalLand, CanonicalPosition};
use sprig_misere::search::Trees;
use sprig_misere::{Base, Node, Outcome, Tree};

use crate::minimize::Minimizer;
use crate::nodes::{Mover, Part, Sum};
use crate::proof::Proof;
use crate::rules::{FactId, Rules, Way};
use crate::spelling::Speller;
use crate::{CertifyError, Extract};

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
    /// What familiar options leave of a land.
    remembered: FxHashMap<u32, Rc<[Sum]>>,
    /// Sums in an earlier proof, and their trees.
    sums: Vec<(Tree, CanonicalPosition)>,
    /// Whether the position is lost.
    lost: bool,
}

impl Rules for Losses {
    type Need = Sum;

    fn len(&self) -> usize {
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

    /// Takes in a known node; none if the base does not have its trees.
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
    /// A first, greedy proof of the outcome of `position` from known lost nodes, in which lands of the base stand for their trees. It holds
    /// as many as it can of the nodes in `first`: those of an earlier proof, say.
    ///
    /// # Errors
    /// [`CertifyError`] when the nodes do not suffice or contradict each other.
    pub fn new(
        mut base: Base,
        known: impl IntoIterator<Item = Node>,
        first: &[Written],
        position: &CanonicalPosition,
        seed: u64,
    ) -> Result<Self, CertifyError> {
        let missing = || CertifyError::Missing(position.clone());
        let mut sums = Vec::new();
        let first: Vec<Node> =
            first.iter().filter_map(|written| written.read(&mut base, &mut sums)).collect();
        let mut losses = Losses {
            trees: Trees::new(base.forest().clone()),
            base,
            mover: Mover::default(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            familiar: FxHashSet::default(),
            remembered: FxHashMap::default(),
            sums,
            lost: false,
        };
        for node in known {
            losses.know(&node)?;
        }
        let mut begin = Vec::new();
        for node in &first {
            begin.extend(losses.know(node)?);
        }
        let node = Node::new(position.clone(), false, []);
        let sum = losses.mover.sum(&losses.base, &node).expect("it names no trees");
        let (plain, fact) = (losses.plain(&sum), losses.numbers.get(&sum).copied());
        losses.lost = plain == Some(Outcome::Loss) || fact.is_some();
        let mut proof = Proof::new(losses);
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
        Minimizer::begun(proof, seed)?.map(Self).ok_or_else(missing)
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
            node.lands().map(|(_, land)| CanonicalLand::from_reduced(mover.key(land))).collect()
        };
        nodes.map(|node| speller.write(lands(node), node)).collect()
    }
}
