//! Start positions whose outcomes others have published: what every answer is held against.

use std::fmt;

use rand::Rng;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};
use sprig_domain::{Goal, Outcome, Play, Question};
use sprig_engine::{CanonicalPosition, Position};

/// The spots for which the published losses of normal play follow n mod 6: to 44 spots by Lemoine
/// and Viennot, *Computer analysis of Sprouts with nimbers*; to 53 by their program GLOP, later.
const NORMAL: std::ops::RangeInclusive<usize> = 1..=53;

/// Who wins misère play with 1, 2, .. spots (Lemoine, Viennot 2009).
const MISERE: &[u8] = b"WLLLWWLLLWWWLLLWWWLL";

/// The question who wins from a start position.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Start {
    /// Its spots.
    pub spots: usize,
    /// Whether a player who cannot move wins.
    pub misere: bool,
}

impl Start {
    /// One of both plays, or of normal play alone if the other range is empty: its spots in one of
    /// these ranges.
    pub fn random(
        rng: &mut SmallRng,
        normal: std::ops::RangeInclusive<usize>,
        misere: std::ops::RangeInclusive<usize>,
    ) -> Self {
        let is_misere = !misere.is_empty() && rng.random_bool(0.5);
        let spots = rng.random_range(if is_misere { misere } else { normal });
        Self { spots, misere: is_misere }
    }

    /// What others have published.
    ///
    /// # Panics
    /// When no outcome was published.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        let lost = if self.misere {
            MISERE[self.spots - 1] == b'L'
        } else {
            assert!(NORMAL.contains(&self.spots), "{self} stands in no table here");
            self.spots % 6 <= 2
        };
        if lost { Outcome::Loss } else { Outcome::Win }
    }

    /// The position.
    #[must_use]
    pub fn position(self) -> CanonicalPosition {
        CanonicalPosition::of(&Position::start(self.spots))
    }

    /// The question.
    #[must_use]
    pub fn goal(self) -> Goal {
        if self.misere {
            Goal::misere(self.position())
        } else {
            Goal::normal(self.position(), Question::OUTCOME)
        }
    }

    /// The play.
    #[must_use]
    pub fn play(self) -> Play {
        if self.misere { Play::Misere } else { Play::Normal }
    }

    /// Its text, and the flag of its play, as commands take them.
    pub fn arguments(self) -> Vec<String> {
        let mut arguments = vec![format!("0*{}", self.spots)];
        arguments.extend(self.misere.then(|| "--misere".to_owned()));
        arguments
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0*{}{}", self.spots, if self.misere { " misere" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_the_published_ones() {
        let text = include_str!("../../testdata/outcomes.tsv");
        let mut seen = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split('\t');
            let (position, outcome) = (words.next().unwrap(), words.next().unwrap());
            let spots = position.trim_start_matches("0*").parse().unwrap();
            assert_eq!(Start { spots, misere: false }.outcome().to_string(), outcome, "{position}");
            seen += 1;
        }
        assert_eq!(seen, 20);
    }
}
