//! Values by plain recursion over all children, remembered by isomorphism class.

use std::collections::HashMap;

use sprig_engine::{Nimber, NimberTooLarge, Position, mex};

use crate::{Key, Rules, child_keys_by, key};

/// Who wins with best play, seen from the player to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The player to move loses, whatever they play.
    Loss,
    /// The player to move has a winning move.
    Win,
}

/// Values found so far. They never change, so one memory serves any number of questions.
#[derive(Default, Debug)]
pub struct Values {
    rules: Rules,
    /// Nimbers of single lands.
    nimbers: HashMap<Key, Nimber>,
    misere: HashMap<Key, Outcome>,
}

impl Values {
    /// Values in a game, none of which is known yet.
    #[must_use]
    pub fn of(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// The nimber in normal play: the nim-sum over the lands, and for one land the mex over its
    /// children.
    ///
    /// # Errors
    /// [`NimberTooLarge`] when the nimber, or that of a position that can be reached, is out of
    /// range.
    pub fn nimber(&mut self, position: &Position) -> Result<Nimber, NimberTooLarge> {
        self.nimber_of(&key(position))
    }

    fn nimber_of(&mut self, key: &Key) -> Result<Nimber, NimberTooLarge> {
        let mut sum = Nimber::ZERO;
        for land in &key.position().0 {
            sum = sum.nim_sum(self.nimber_of_land(&Key::of_land(land.clone()))?);
        }
        Ok(sum)
    }

    fn nimber_of_land(&mut self, land: &Key) -> Result<Nimber, NimberTooLarge> {
        if let Some(&known) = self.nimbers.get(land) {
            return Ok(known);
        }
        let mut options = Vec::new();
        for child in child_keys_by(self.rules, land.position()) {
            options.push(self.nimber_of(&child)?);
        }
        let nimber = mex(options)?;
        self.nimbers.insert(land.clone(), nimber);
        Ok(nimber)
    }

    /// The outcome of misère play, in which a player who cannot move wins.
    pub fn misere_outcome(&mut self, position: &Position) -> Outcome {
        self.misere_outcome_of(&key(position))
    }

    fn misere_outcome_of(&mut self, key: &Key) -> Outcome {
        if let Some(&known) = self.misere.get(key) {
            return known;
        }
        let children = child_keys_by(self.rules, key.position());
        let wins = children.is_empty()
            || children.iter().any(|child| self.misere_outcome_of(child) == Outcome::Loss);
        let outcome = if wins { Outcome::Win } else { Outcome::Loss };
        self.misere.insert(key.clone(), outcome);
        outcome
    }
}
