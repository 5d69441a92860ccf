//! What the search for a small proof has to know of the game.

use std::hash::Hash;

use crate::CertifyError;

/// The number of a fact that is known, or of something that could be one.
pub type FactId = u32;

/// Facts that together win something, sorted.
pub type Way = Box<[FactId]>;

/// Facts, what each of them needs to be won, and the ways to win that.
pub trait Rules {
    /// Something that a fact needs to be won.
    type Need: Clone + Eq + Hash;

    /// Facts are numbered below this.
    fn count(&self) -> usize;

    /// How large a fact is: those that it rests on are smaller. Lives, or about that.
    fn size(&self, fact: FactId) -> u16;

    /// What must be won for a known fact to be true. What is won in any case may be left out.
    ///
    /// # Errors
    /// When the fact cannot be true, or there are too many moves.
    fn needs(&mut self, fact: FactId) -> Result<Vec<Self::Need>, CertifyError>;

    /// How many threads may work things out beforehand. With one, nothing is.
    fn threads(&self) -> usize {
        1
    }

    /// Whether what a fact needs was worked out beforehand.
    fn is_foreseen(&self, _fact: FactId) -> bool {
        true
    }

    /// Works out on all threads what some facts need, and the ways to win it, as they will soon be
    /// asked for. What is said of them later is the same.
    fn foresee(&mut self, _facts: &[FactId]) {}

    /// The size of what is needed.
    fn size_of(&self, need: &Self::Need) -> u16;

    /// The ways to win it with known facts. An empty way wins without any.
    ///
    /// # Errors
    /// When there are too many moves, or facts contradict each other.
    fn ways(&mut self, need: &Self::Need) -> Result<Vec<Way>, CertifyError>;
}
