//! One step of a misère proof: a lost node, from the others.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use sprig_engine::Position;

use super::super::land::{Land, TooManyMoves};
use super::losses::{Losses, Node, OPEN, TREE, node, put};
use super::options::Options;

/// How many won nodes a checker remembers.
const MAX_WON: usize = 1 << 19;

/// Why a step is not proved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Flaw {
    /// Its trees say that the node is won.
    #[error("this is won by its trees alone")]
    Won,
    /// An option is lost.
    #[error("the move to {0} leads to a loss, so this is won")]
    Lost(String),
    /// An option may be lost.
    #[error("the move to {0} is not answered: no move from there leads to a certified loss")]
    Unanswered(String),
    /// The claim about the position does not follow.
    #[error("{0}")]
    Claim(&'static str),
    /// A land has too many options.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
    /// It was told to stop before this was found out.
    #[error("the check was stopped here")]
    Stopped,
}

/// Checks lost nodes by other lost nodes; one per thread.
pub struct Checker<'a> {
    losses: &'a Losses,
    options: Options<'a>,
    /// Nodes found to be won.
    won: HashSet<Node>,
}

impl<'a> Checker<'a> {
    /// A checker of steps that rest on `losses`.
    #[must_use]
    pub fn new(losses: &'a Losses) -> Self {
        Self { losses, options: Options::new(losses), won: HashSet::new() }
    }

    /// The same; but it stops when it is told to.
    #[must_use]
    pub fn until(mut self, stop: &'a AtomicBool) -> Self {
        self.options.until(stop);
        self
    }

    /// How many options of lands have been looked at so far.
    #[must_use]
    pub fn options(&self) -> u64 {
        self.options.count
    }

    /// Checks that a node is lost, if all nodes that can follow are; nodes are counted from 0 in the order in which they were added.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    ///
    /// # Panics
    /// When there are not so many nodes.
    pub fn check(&mut self, number: usize) -> Result<(), Flaw> {
        if self.won.len() > MAX_WON || self.options.forget_if_much() {
            // Numbers of open lands stand in them.
            self.won.clear();
        }
        let node = &self.losses.nodes[number];
        match self.losses.is_plain_loss(node) {
            Some(true) => return Ok(()),
            Some(false) => return Err(Flaw::Won),
            None => {}
        }
        let mut flaw = None;
        let mut visit = |checker: &mut Self, option: Node| {
            flaw = match checker.losses.is_loss(&option) {
                Some(false) => None,
                Some(true) => Some(Flaw::Lost(checker.describe(&option))),
                None if checker.is_answered(&option) => None,
                None => Some(Flaw::Unanswered(checker.describe(&option))),
            };
            let ends = flaw.is_some() || checker.options.is_stopped();
            if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut ended = self.in_trees(node, &mut visit);
        for i in distinct(node) {
            if ended.is_continue() && node[i] < TREE {
                let options = self.options.all(node[i])?;
                ended = options.iter().try_for_each(|option| visit(self, with(node, i, option)));
            }
        }
        if self.options.is_stopped() {
            return Err(Flaw::Stopped);
        }
        flaw.map_or(Ok(()), Err)
    }

    /// Checks that a position is lost, if all nodes are.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_loss(&mut self, written: &Position) -> Result<(), Flaw> {
        let node = self.options.whole(&Land::of(written).reduced());
        match self.losses.is_loss(&node) {
            Some(true) => Ok(()),
            Some(false) => Err(Flaw::Claim("the position is won by its trees alone")),
            None => Err(Flaw::Claim("the position is not among the certified losses")),
        }
    }

    /// Checks that a position is won, if all nodes are lost.
    ///
    /// # Errors
    /// The [`Flaw`], if it does not follow.
    pub fn check_win(&mut self, written: &Position) -> Result<(), Flaw> {
        let node = self.options.whole(&Land::of(written).reduced());
        match self.losses.is_plain_loss(&node) {
            Some(true) => Err(Flaw::Claim("the position is lost by its trees alone")),
            Some(false) => Ok(()),
            None if self.is_answered(&node) => Ok(()),
            None if self.options.is_stopped() => Err(Flaw::Stopped),
            None => Err(Flaw::Claim("no move leads to a certified loss")),
        }
    }

    /// Whether some move from a node that its trees do not decide leads to a loss.
    fn is_answered(&mut self, node: &Node) -> bool {
        if self.won.contains(node) {
            return true;
        }
        let is_open = |&i: &usize| (OPEN..TREE).contains(&node[i]);
        let mut open = (1..node.len()).filter(is_open);
        let lost = |checker: &mut Self, option: Node| match checker.losses.is_loss(&option) {
            Some(true) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let at = |checker: &mut Self, i: usize| {
            let options = checker.options.familiar(node[i]);
            options.iter().try_for_each(|option| lost(checker, with(node, i, option)))
        };
        let found = match (open.next(), open.next()) {
            // No lost node has open lands: the move must be in the only one.
            (Some(i), None) => at(self, i),
            (Some(_), Some(_)) => ControlFlow::Continue(()),
            (None, _) => {
                let mut found = self.in_trees(node, &mut { lost });
                for i in distinct(node) {
                    if found.is_continue() && node[i] < TREE {
                        found = at(self, i);
                    }
                }
                found
            }
        };
        if found.is_break() {
            self.won.insert(node.clone());
        }
        found.is_break()
    }

    /// Visits the options in the 1 and in the trees of a node.
    fn in_trees(
        &mut self,
        of: &Node,
        visit: &mut impl FnMut(&mut Self, Node) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if of[0] == 1 {
            visit(self, node(0, of[1..].to_vec()))?;
        }
        let forest = &self.losses.base.forest;
        for i in distinct(of).filter(|&i| of[i] >= TREE) {
            for tree in forest.options((of[i] ^ TREE) * 2) {
                let (mut one, mut parts) = (0, Vec::new());
                put(&mut one, &mut parts, tree);
                visit(self, with(of, i, &node(one, parts)))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn describe(&self, node: &Node) -> String {
        self.losses.describe(node, |part| self.options.land(part))
    }
}

/// The places of the parts of a node, but of equal ones only the first.
fn distinct(node: &Node) -> impl Iterator<Item = usize> + '_ {
    (1..node.len()).filter(|&i| i == 1 || node[i] != node[i - 1])
}

/// The node with what `left` says in place of the part at `i`.
fn with(of: &Node, i: usize, left: &Node) -> Node {
    let parts = [&of[1..i], &of[i + 1..], &left[1..]].concat();
    node(of[0] ^ left[0], parts)
}
