//! Claims that wait to be looked at: sources take turns, so that one of them cannot hide another
//! behind many or dear claims.

use std::collections::{BTreeMap, VecDeque};

use sprig_domain::{Game, LandNimber};
use sprig_store::Person;

use super::person;

/// Samples that wait to be looked at, at most; more are let go.
const WAITING: usize = 4096;

/// A claim that is to be looked at, and its source.
pub(super) struct Sample {
    pub(super) source: String,
    pub(super) game: Game,
    pub(super) fact: LandNimber,
}

/// Claims that have not been looked at, by the person that is responsible for them: many names of
/// one account have one turn.
#[derive(Default)]
pub(super) struct Samples {
    of: BTreeMap<Person, VecDeque<Sample>>,
    /// The persons whose claims are looked at next. Each that has some stands here once.
    turns: VecDeque<Person>,
    count: usize,
}

impl Samples {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes in a claim. When there is no room, the source that has the most loses one.
    pub(super) fn push(&mut self, source: &str, game: Game, fact: LandNimber) {
        let person = person(source);
        if self.count >= WAITING {
            let most = self.of.values().map(VecDeque::len).max().unwrap_or_default();
            if self.of.get(&person).is_some_and(|own| own.len() >= most) {
                return;
            }
            if let Some(crowd) = self.of.values_mut().find(|queue| queue.len() == most) {
                crowd.pop_back();
                self.count -= 1;
            }
        }
        if !self.of.contains_key(&person) {
            self.turns.push_back(person.clone());
        }
        let source = source.to_owned();
        self.of.entry(person).or_default().push_back(Sample { source, game, fact });
        self.count += 1;
    }

    /// Lets all claims of a source go.
    pub(super) fn drop_those_of(&mut self, source: &str) {
        let person = person(source);
        let Some(queue) = self.of.get_mut(&person) else { return };
        let before = queue.len();
        queue.retain(|sample| sample.source != source);
        self.count -= before - queue.len();
        if queue.is_empty() {
            self.of.remove(&person);
            self.turns.retain(|turn| *turn != person);
        }
    }

    /// The next claim.
    pub(super) fn pop(&mut self) -> Option<Sample> {
        while let Some(person) = self.turns.pop_front() {
            let Some(queue) = self.of.get_mut(&person) else { continue };
            let sample = queue.pop_front();
            if queue.is_empty() {
                self.of.remove(&person);
            } else {
                self.turns.push_back(person);
            }
            if sample.is_some() {
                self.count -= 1;
                return sample;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use sprig_engine::{CanonicalPosition, Nimber, Position};

    use super::*;

    fn fact() -> LandNimber {
        let land = CanonicalPosition::of(&Position::start(2)).lands()[0].clone();
        LandNimber { land, nimber: Nimber::ZERO }
    }

    #[test]
    fn a_source_does_not_hide_another_behind_its_claims() {
        let mut samples = Samples::default();
        for _ in 0..2 * WAITING {
            samples.push("crowd", Game::Sprouts, fact());
        }
        samples.push("liar", Game::Sprouts, fact());
        samples.push("liar", Game::Sprouts, fact());
        assert_eq!(samples.count, WAITING);
        let next: Vec<String> = (0..4).filter_map(|_| samples.pop()).map(|s| s.source).collect();
        assert_eq!(next, ["crowd", "liar", "crowd", "liar"]);
        // Many names of one account have one turn.
        samples.clear();
        for source in ["a@liar", "b@liar", "c@liar", "w@honest"] {
            samples.push(source, Game::Sprouts, fact());
            samples.push(source, Game::Sprouts, fact());
        }
        let next: Vec<String> = (0..4).filter_map(|_| samples.pop()).map(|s| s.source).collect();
        assert_eq!(next, ["a@liar", "w@honest", "a@liar", "w@honest"]);
        samples.drop_those_of("b@liar");
        assert_eq!(samples.pop().map(|s| s.source).as_deref(), Some("c@liar"));
        while samples.pop().is_some() {}
        assert!(samples.is_empty() && samples.turns.is_empty());
        samples.push("liar", Game::Sprouts, fact());
        assert!(samples.pop().is_some(), "a source may come again");
    }
}
