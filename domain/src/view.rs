//! What a search sees of its tree while it runs.

use std::fmt;

use crate::{Goal, Node, Question};

/// A place of the tree of a search.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// The outcome of a position, in normal play beside a heap.
    Goal(Goal),
    /// A node of misère play that is no position: it has a 1, or trees.
    Node(Node),
}

/// A place, and what a search guesses of it. `P` is how the search names places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch<P = Place> {
    /// The place.
    pub place: P,
    /// Work left to prove that the player to move wins, as it seems. Of a sum of lands whose
    /// nimbers are not known, the work for all of these.
    pub proof: u32,
    /// Work left to prove that the player to move loses, as it seems.
    pub disproof: u32,
    /// Threads of the search that are at work there.
    pub walks: u32,
}

/// What a search sees of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View<P = Place> {
    /// The place.
    pub at: Branch<P>,
    /// Where the search goes from there: an option of it, an option of that, and so on, as far as
    /// the tree is known.
    pub line: Vec<Branch<P>>,
    /// Its first open options in the order of the search: those that look cheapest to prove lost.
    pub options: Vec<Branch<P>>,
    /// How many options are open.
    pub open: u32,
}

impl<P> View<P> {
    /// The same view with other names for places.
    pub fn map<Q>(self, mut name: impl FnMut(P) -> Q) -> View<Q> {
        let mut told = |Branch { place, proof, disproof, walks }| {
            let place = name(place);
            Branch { place, proof, disproof, walks }
        };
        let at = told(self.at);
        let line = self.line.into_iter().map(&mut told).collect();
        let options = self.options.into_iter().map(&mut told).collect();
        View { at, line, options, open: self.open }
    }
}

impl Place {
    /// The place as a goal, if it is one.
    #[must_use]
    pub fn goal(&self) -> Option<&Goal> {
        match self {
            Self::Goal(goal) => Some(goal),
            Self::Node(_) => None,
        }
    }
}

/// `POSITION`, `POSITION + *HEAP`, or a node.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goal(goal) => match goal.question() {
                Question::Outcome { heap } if heap.get() > 0 => {
                    write!(f, "{} + *{}", goal.position(), heap.get())
                }
                _ => goal.position().fmt(f),
            },
            Self::Node(node) => node.fmt(f),
        }
    }
}
