//! Claims that wait to be looked at: sources take turns, so that one of them cannot hide another
//! behind many or dear claims.

use sprig_domain::LandNimber;
use std::collections::{BTreeMap, VecDeque};

/// Samples that wait to be looked at, at most; more are let go.
const WAITING: usize = 4096;

/// A claim that is to be looked at, and who claims it.
pub(super) struct Sample {
    pub(super) source: String,
    pub(super) fact: LandNimber,
}

/// Claims that have not been looked at.
#[derive(Default)]
pub(super) struct Samples {
    of: BTreeMap<String, VecDeque<LandNimber>>,
    /// Whose claims are looked at next; each source that has some stands here once.
    turns: VecDeque<String>,
    count: usize,
}

impl Samples {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes in a claim. When there is no room, the source that has the most goes without.
    pub(super) fn push(&mut self, source: &str, fact: LandNimber) {
        if self.count >= WAITING {
            let most = self.of.values().map(VecDeque::len).max().unwrap_or_default();
            if self.of.get(source).is_some_and(|own| own.len() >= most) {
                return;
            }
            if let Some(crowd) = self.of.values_mut().find(|queue| queue.len() == most) {
                crowd.pop_back();
                self.count -= 1;
            }
        }
        if !self.of.contains_key(source) {
            self.turns.push_back(source.to_owned());
        }
        self.of.entry(source.to_owned()).or_default().push_back(fact);
        self.count += 1;
    }

    /// Lets all claims of a source go.
    pub(super) fn drop_those_of(&mut self, source: &str) {
        if let Some(queue) = self.of.remove(source) {
            self.count -= queue.len();
            self.turns.retain(|turn| turn != source);
        }
    }

    /// The next claim.
    pub(super) fn pop(&mut self) -> Option<Sample> {
        while let Some(source) = self.turns.pop_front() {
            let Some(queue) = self.of.get_mut(&source) else { continue };
            let fact = queue.pop_front();
            if queue.is_empty() {
                self.of.remove(&source);
            } else {
                self.turns.push_back(source.clone());
            }
            if let Some(fact) = fact {
                self.count -= 1;
                return Some(Sample { source, fact });
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
            samples.push("crowd", fact());
        }
        samples.push("liar", fact());
        samples.push("liar", fact());
        assert_eq!(samples.count, WAITING);
        let next: Vec<String> = (0..4).filter_map(|_| samples.pop()).map(|s| s.source).collect();
        assert_eq!(next, ["crowd", "liar", "crowd", "liar"]);
        while samples.pop().is_some() {}
        assert!(samples.is_empty() && samples.turns.is_empty());
        samples.push("liar", fact());
        assert!(samples.pop().is_some(), "a source may come again");
    }
}
