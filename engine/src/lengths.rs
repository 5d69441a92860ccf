//! How long games last.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{Budget, CanonicalLand, CanonicalPosition, Generator};

/// How a game ends when the winner makes it as short, and the loser as long, as each can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// Whether the player to move wins.
    pub wins: bool,
    /// Moves until the end.
    pub moves: u32,
}

/// Lengths of games from small positions, found by walking their whole trees.
pub struct Lengths {
    generator: Generator,
    misere: bool,
    known: HashMap<CanonicalPosition, Length>,
    /// Positions that may still be looked at.
    left: usize,
    /// Positions that were looked at.
    looked: Arc<AtomicU64>,
}

impl Lengths {
    /// Lengths of games of normal or of misère play. Looks at `positions` positions at most.
    #[must_use]
    pub fn new(misere: bool, positions: usize) -> Self {
        Self::by(Generator::default(), misere, positions)
    }

    /// As for [`Self::new`], by the moves of a generator.
    #[must_use]
    pub fn by(generator: Generator, misere: bool, positions: usize) -> Self {
        let looked = Arc::default();
        Self { generator, misere, known: HashMap::new(), left: positions, looked }
    }

    /// The same; counts there, too, what is looked at, for those who wait.
    #[must_use]
    pub fn counting(self, looked: Arc<AtomicU64>) -> Self {
        Self { looked, ..self }
    }

    /// The length of the game from a position; `None` if that takes more positions than are left.
    pub fn of(&mut self, position: &CanonicalPosition) -> Option<Length> {
        if let Some(&known) = self.known.get(position) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        self.looked.fetch_add(1, Relaxed);
        // A small position has few moves.
        let budget = &mut Budget::new(1 << 12, 1 << 22);
        let children = position.children_by(&mut self.generator, budget).ok()?;
        let mut length = Length { wins: self.misere && children.is_empty(), moves: 0 };
        for child in &children {
            let Length { wins, moves } = self.of(child)?;
            let after = Length { wins: !wins, moves: moves + 1 };
            let better = match (after.wins, length.wins) {
                (true, true) => after.moves < length.moves,
                (false, false) => after.moves > length.moves,
                (after, _) => after,
            };
            if better {
                length = after;
            }
        }
        self.known.insert(position.clone(), length);
        Some(length)
    }
}

/// How many moves the shortest and the longest game last, no matter which player wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// Moves of the shortest game.
    pub shortest: u32,
    /// Moves of the longest game.
    pub longest: u32,
}

/// Spans of games, found land by land: in a sum every land is played to its end.
#[derive(Debug)]
pub struct Spans {
    known: HashMap<CanonicalLand, Span>,
    /// Lands that may still be looked at.
    left: usize,
    /// Lands that were looked at.
    looked: Arc<AtomicU64>,
}

impl Spans {
    /// Spans of games. Looks at `lands` lands at most.
    #[must_use]
    pub fn new(lands: usize) -> Self {
        Self { known: HashMap::new(), left: lands, looked: Arc::default() }
    }

    /// The same; counts there, too, what is looked at, for those who wait.
    #[must_use]
    pub fn counting(self, looked: Arc<AtomicU64>) -> Self {
        Self { looked, ..self }
    }

    /// The span of the games from a position; `None` if that takes more lands than are left.
    pub fn of(&mut self, position: &CanonicalPosition) -> Option<Span> {
        position.lands().iter().try_fold(Span::default(), |sum, land| {
            let Span { shortest, longest } = self.of_land(land)?;
            Some(Span { shortest: sum.shortest + shortest, longest: sum.longest + longest })
        })
    }

    fn of_land(&mut self, land: &CanonicalLand) -> Option<Span> {
        if let Some(&known) = self.known.get(land) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        self.looked.fetch_add(1, Relaxed);
        // A land that is not dead has a move.
        let mut span = Span { shortest: u32::MAX, longest: 0 };
        for child in land.children().ok()? {
            let Span { shortest, longest } = self.of(&child)?;
            span.shortest = span.shortest.min(shortest + 1);
            span.longest = span.longest.max(longest + 1);
        }
        self.known.insert(land.clone(), span);
        Some(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn length(misere: bool, spots: usize) -> Option<(bool, u32)> {
        let start = CanonicalPosition::of(&Position::start(spots));
        Lengths::new(misere, 2_000).of(&start).map(|length| (length.wins, length.moves))
    }

    #[test]
    fn games_of_few_spots_end_as_they_must() {
        // From 2n to 3n - 1 moves; an even number is a loss in normal play, and a win in misère
        // play.
        for (misere, wins) in
            [(false, [false, false, true, true]), (true, [true, false, false, false])]
        {
            for (spots, wins) in (1..).zip(wins) {
                let (found, moves) = length(misere, spots).expect("a small game");
                assert_eq!(found, wins, "{spots} spots, misère {misere}");
                let bounds = 2 * spots..3 * spots;
                assert!(bounds.contains(&(moves as usize)), "{spots} spots: {moves}");
                assert_eq!(moves % 2 == 1, wins != misere, "{spots} spots: {moves}");
            }
        }
        assert_eq!(length(false, 5), None);
    }

    /// The span by plain recursion over positions.
    fn plain(position: &CanonicalPosition) -> Span {
        let children = position.children().expect("few moves");
        let spans: Vec<Span> = children.iter().map(plain).collect();
        let after = |moves: Option<u32>| moves.map_or(0, |moves| moves + 1);
        Span {
            shortest: after(spans.iter().map(|span| span.shortest).min()),
            longest: after(spans.iter().map(|span| span.longest).max()),
        }
    }

    #[test]
    fn games_of_n_spots_last_2n_to_3n_minus_1_moves() {
        let mut spans = Spans::new(20_000);
        for spots in 1..=5 {
            let start = CanonicalPosition::of(&Position::start(spots));
            let span = spans.of(&start).expect("a small game");
            let moves = u32::try_from(spots).expect("few");
            assert_eq!(span, Span { shortest: 2 * moves, longest: 3 * moves - 1 });
        }
        assert_eq!(Spans::new(100).of(&CanonicalPosition::of(&Position::start(4))), None);
    }

    #[test]
    fn spans_add_up() {
        for text in ["!", "0", "0*2", "0*2.AB|AB", "22+0.AB|AB", "0*2+2ab2ba", "1abcde2edcba"] {
            let position = CanonicalPosition::of(&text.parse().expect(text));
            assert_eq!(Spans::new(10_000).of(&position), Some(plain(&position)), "{text}");
        }
    }
}
