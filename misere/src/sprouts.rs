//! The search of Sprouts, as workers use it: it speaks of positions and nodes.

use sprig_domain::{Node, Outcome};
use sprig_engine::CanonicalPosition;
use sprig_search::{Limits, Observer, SPROUTS, Sprouts};
use sprig_trees::Base;

use crate::error::{MisereError, OutcomeError};
use crate::search::Search;
use crate::sum::Sum;

/// Turns sums into nodes for the observer.
struct Translator<'a>(&'a dyn Observer<Node>);

impl Observer<Sum> for Translator<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }

    fn proved(&self, sum: Sum) {
        self.0.proved(Node::from(&sum));
    }
}

impl Search<Sprouts> {
    /// A search on the trees of `base`.
    #[must_use]
    pub fn new(base: &Base, limits: Limits) -> Self {
        Self::taught(base, limits, SPROUTS)
    }

    /// Proves the outcome of a position, on all threads of the [`Limits`], and tells the observer
    /// of every node that is proved lost on the way. `None` when the observer said stop; the next
    /// call goes on from there.
    ///
    /// # Errors
    /// [`MisereError::Tree(TreeError::TooManyMoves)`](sprig_trees::TreeError::TooManyMoves),
    /// [`MisereError::Memory`]. What was proved before stays proved.
    pub fn solve(
        &self,
        position: &CanonicalPosition,
        observer: &dyn Observer<Node>,
    ) -> Result<Option<Outcome>, MisereError> {
        let outcome = self.decide(&Sum::from(position), &Translator(observer));
        outcome.map_err(|error| self.said(error))
    }

    /// As for [`Self::solve`], for a node. `None` also when it has trees that the base lacks.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn settle(
        &self,
        node: &Node,
        observer: &dyn Observer<Node>,
    ) -> Result<Option<Outcome>, MisereError> {
        let outcome = self.decide(&Sum::from(node), &Translator(observer));
        outcome.map_err(|error| self.said(error))
    }

    /// Takes in lost nodes from elsewhere. Returns how many. It cannot use those with trees that
    /// the base does not have.
    ///
    /// # Errors
    /// [`MisereError::Refuted`] when a node is known to be won, [`MisereError::Memory`].
    pub fn learn(&self, nodes: impl IntoIterator<Item = Node>) -> Result<u64, MisereError> {
        let sums = nodes.into_iter().map(|node| Sum::from(&node));
        self.learn_sums(sums).map_err(|error| self.said(error))
    }

    /// An error, in the terms of Sprouts.
    pub(crate) fn said(&self, error: OutcomeError) -> MisereError {
        match error {
            OutcomeError::Refuted { sum } => {
                MisereError::Refuted { node: Box::new(Node::from(&sum)) }
            }
            OutcomeError::TooManyMoves { land } => self.game.too_many(&land).into(),
            OutcomeError::Memory { bytes } => MisereError::Memory { bytes },
        }
    }
}
