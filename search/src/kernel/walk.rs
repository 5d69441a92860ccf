//! A thread's depth-first walk: df-pn (Nagai 2002).
//!
//! The walk goes down to the most-proving option as long as the numbers stay below thresholds, so
//! that it rarely climbs back to the root.

use super::numbers::Numbers;

/// Why a walk was left before it was done. `C` says which proofs contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave<C> {
    /// The tables are full.
    Full,
    /// The budget is spent, or the observer said stop.
    Stopped,
    /// Another thread has decided a node on the way.
    Obsolete,
    /// A new round has begun, or facts have come from elsewhere: begin again at the goal.
    Again,
    /// Two proofs contradict each other.
    Contradiction(C),
    /// Everything that is left rests on lands that have too many moves to be listed.
    TooManyMoves,
}

impl<C> Leave<C> {
    /// The same reason, with another type for the proofs that contradict each other.
    pub fn map<D>(self, name: impl FnOnce(C) -> D) -> Leave<D> {
        match self {
            Self::Full => Leave::Full,
            Self::Stopped => Leave::Stopped,
            Self::Obsolete => Leave::Obsolete,
            Self::Again => Leave::Again,
            Self::Contradiction(conflict) => Leave::Contradiction(name(conflict)),
            Self::TooManyMoves => Leave::TooManyMoves,
        }
    }
}

/// What a look at a node has shown. `W` is the way into an option.
pub enum Look<W> {
    /// Nothing is left to do: the node is decided, or was given up.
    Done,
    /// More is known than before; look once more.
    Again,
    /// The node's numbers, and where to go on until the numbers there reach the bounds.
    Open(Numbers, W, Numbers),
}

/// What is searched: nodes that are won if one of their options is lost, as one thread sees them in
/// the tables it uses.
pub trait Problem {
    /// A node.
    type Node: Copy;
    /// The way from a node into one of its options.
    type Way: Copy;
    /// Which proofs contradict each other.
    type Conflict;

    /// The walk enters a node.
    ///
    /// # Errors
    /// [`Leave::Full`].
    fn enter(&mut self, node: Self::Node) -> Result<(), Leave<Self::Conflict>>;

    /// Looks at the last node of the path from the root. Records what its options prove, or else
    /// forms its numbers.
    ///
    /// # Errors
    /// Why the walk must be left.
    fn look(
        &mut self,
        path: &[Self::Node],
        bounds: Numbers,
    ) -> Result<Look<Self::Way>, Leave<Self::Conflict>>;

    /// Gives a node numbers.
    ///
    /// # Errors
    /// [`Leave::Full`], [`Leave::Contradiction`].
    fn set(&mut self, node: Self::Node, numbers: Numbers) -> Result<(), Leave<Self::Conflict>>;

    /// The option that a look at the last node of the path has shown; `None` if more is known of it
    /// by now, so that the node must be looked at once more.
    ///
    /// # Errors
    /// Why the walk must be left.
    fn descend(
        &mut self,
        path: &[Self::Node],
        way: Self::Way,
    ) -> Result<Option<Self::Node>, Leave<Self::Conflict>>;

    /// The walk leaves a node that it has entered.
    fn leave(&mut self, node: Self::Node);

    /// Whether a node is won or lost.
    fn is_decided(&self, node: Self::Node) -> bool;

    /// Whether nothing can be found out of a node with these numbers: all that is left below it
    /// rests on lands with too many moves.
    fn is_hopeless(&self, numbers: Numbers) -> bool;

    /// Checks whether the walk must be left.
    ///
    /// # Errors
    /// The reason to leave it.
    fn check(&self) -> Result<(), Leave<Self::Conflict>>;

    /// Checks whether the walk must be left, also because another thread has decided a node of the
    /// path. To be called before anything that takes long.
    ///
    /// # Errors
    /// The reason to leave it.
    fn check_path(&self, path: &[Self::Node]) -> Result<(), Leave<Self::Conflict>> {
        self.check()?;
        if path.iter().any(|&node| self.is_decided(node)) { Err(Leave::Obsolete) } else { Ok(()) }
    }
}

/// Thresholds without a limit.
pub const UNBOUNDED: Numbers = Numbers { proof: Numbers::INFINITE, disproof: Numbers::INFINITE };

/// A walk.
pub struct Walk<'a, P: Problem> {
    problem: &'a mut P,
    /// The nodes from the root to here.
    path: Vec<P::Node>,
}

impl<'a, P: Problem> Walk<'a, P> {
    /// A walk that has not begun.
    pub fn new(problem: &'a mut P) -> Self {
        Self { problem, path: Vec::new() }
    }

    /// Works on a node until it is decided or one of its numbers reaches its bound.
    ///
    /// # Errors
    /// Why the walk was left.
    pub fn work(&mut self, node: P::Node, bounds: Numbers) -> Result<(), Leave<P::Conflict>> {
        self.problem.enter(node)?;
        self.path.push(node);
        let mut result = self.pursue(node, bounds);
        self.path.pop();
        self.problem.leave(node);
        // Another thread has decided a node of the path; the walk goes on above the highest of
        // these.
        if matches!(result, Err(Leave::Obsolete))
            && !self.path.iter().any(|&node| self.problem.is_decided(node))
        {
            result = Ok(());
        }
        result
    }

    fn pursue(&mut self, node: P::Node, bounds: Numbers) -> Result<(), Leave<P::Conflict>> {
        loop {
            let (numbers, way, below) = match self.problem.look(&self.path, bounds)? {
                Look::Done => return Ok(()),
                Look::Again => continue,
                Look::Open(numbers, way, below) => (numbers, way, below),
            };
            if numbers.proof >= bounds.proof || numbers.disproof >= bounds.disproof {
                return self.problem.set(node, numbers);
            }
            if self.problem.is_hopeless(numbers) {
                self.problem.set(node, numbers)?;
                // Nothing was done here, and above this node another thread may be busy with all
                // other options.
                return self.problem.check();
            }
            if let Some(option) = self.problem.descend(&self.path, way)? {
                self.problem.set(node, numbers)?;
                self.work(option, below)?;
            }
        }
    }
}
