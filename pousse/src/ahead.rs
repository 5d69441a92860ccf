//! Moves on boards that are too large to be solved: a look some moves ahead.

use crate::{Board, Ending, Game, Insertion, Player};

/// The value of a won game, less the moves until then. Guesses are smaller.
const WON: i32 = 1_000_000;

/// What a look ahead has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Foreseen {
    /// The move that looks best.
    pub insertion: Insertion,
    /// Moves that were looked ahead in full.
    pub depth: u32,
    /// Whether the player to move wins, where that could be seen to the end.
    pub wins: Option<bool>,
}

/// Looks ahead from a game that is not over: one move, then two and so on, until about `effort`
/// positions were looked at. The same game and effort give the same move.
///
/// # Panics
/// When the game is over.
#[must_use]
pub fn look_ahead(game: &Game, effort: u64) -> Foreseen {
    assert!(game.ending().is_none(), "the game is not over");
    let mut moves: Vec<Insertion> = Insertion::all(game.now().board.size()).collect();
    let mut foreseen = Foreseen { insertion: moves[0], depth: 0, wins: None };
    let mut left = effort;
    for depth in 1.. {
        // The first move is looked at to the end whatever it takes, so that there is an answer.
        let mut search = Search { left: if depth == 1 { u64::MAX } else { left } };
        let mut valued = Vec::new();
        let mut least = -WON;
        for &insertion in &moves {
            let Some(value) = search.after(game, insertion, depth - 1, least, WON) else {
                return foreseen;
            };
            least = least.max(value);
            valued.push((value, insertion));
        }
        left = left.min(search.left);
        // A stable order: of moves that look equal the first stays the first.
        valued.sort_by_key(|&(value, _)| -value);
        moves = valued.iter().map(|&(_, insertion)| insertion).collect();
        let best = valued[0].0;
        let wins = (best.abs() > WON / 2).then_some(best > 0);
        foreseen = Foreseen { insertion: moves[0], depth, wins };
        if wins.is_some() {
            return foreseen;
        }
    }
    foreseen
}

struct Search {
    /// Positions that may still be looked at.
    left: u64,
}

impl Search {
    /// The value of a move for the player who makes it, when `depth` more are looked ahead, as far
    /// as it lies between two bounds. `None` when the effort is spent.
    fn after(
        &mut self,
        game: &Game,
        insertion: Insertion,
        depth: u32,
        least: i32,
        most: i32,
    ) -> Option<i32> {
        self.left = self.left.checked_sub(1)?;
        let mover = game.now().to_move;
        let mut after = game.clone();
        after.play(insertion);
        match after.ending() {
            // Deeper looks see the same end: what is left of the depth makes a sooner one count more.
            Some(Ending { winner, .. }) if winner == mover => Some(WON / 2 + 1 + depth as i32),
            Some(_) => Some(-(WON / 2 + 1 + depth as i32)),
            None if depth == 0 => Some(guess(&after.now().board, mover)),
            None => self.value(&after, depth, -most, -least).map(|value| -value),
        }
    }

    /// The value of a game for the player to move.
    fn value(&mut self, game: &Game, depth: u32, least: i32, most: i32) -> Option<i32> {
        let mut best = -WON;
        for insertion in Insertion::all(game.now().board.size()) {
            let value = self.after(game, insertion, depth - 1, best.max(least), most)?;
            best = best.max(value);
            if best >= most {
                break;
            }
        }
        Some(best)
    }
}

/// A guess at what a board is worth to a player: markers, and lines that are nearly straight.
fn guess(board: &Board, player: Player) -> i32 {
    let size = board.size();
    let line = |squares: &mut dyn Iterator<Item = Option<Player>>| {
        let (mut own, mut other) = (0_i32, 0_i32);
        for square in squares.flatten() {
            if square == player { own += 1 } else { other += 1 }
        }
        own.pow(2) - other.pow(2)
    };
    let rows = (0..size).map(|row| line(&mut (0..size).map(|i| board.square(row, i))));
    let columns = (0..size).map(|column| line(&mut (0..size).map(|i| board.square(i, column))));
    rows.chain(columns).sum()
}
