//! How long games last.

use std::collections::HashMap;

use crate::{Budget, CanonicalPosition};

/// How a game ends when the winner makes it as short, and the loser as long, as each can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// Whether the player to move wins.
    pub wins: bool,
    /// Moves until the end.
    pub moves: u32,
}

/// Lengths of games from small positions, found by walking their whole trees.
#[derive(Debug)]
pub struct Lengths {
    misere: bool,
    known: HashMap<CanonicalPosition, Length>,
    /// Positions that may still be looked at.
    left: usize,
}

impl Lengths {
    /// Of normal or of misère play; looks at so many positions at most.
    #[must_use]
    pub fn new(misere: bool, positions: usize) -> Self {
        Self { misere, known: HashMap::new(), left: positions }
    }

    /// The length of the game from a position; none if that takes more positions than are left.
    pub fn of(&mut self, position: &CanonicalPosition) -> Option<Length> {
        if let Some(&known) = self.known.get(position) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        // A small position has few moves.
        let children = position.children_within(&mut Budget::new(1 << 12, 1 << 22)).ok()?;
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
        // From 2n to 3n - 1 moves; an even number is a loss in normal play, and a win in misère play.
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
}
