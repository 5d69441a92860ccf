//! Checks who wins, by the rules alone.
//!
//! The search is not believed. Here the game is played out square by square, every move of the
//! loser is tried, and configurations are kept themselves, not as hashes. Two positions need only
//! one look if they have the same board, the same player to move, and the same configurations met
//! since a square was filled.

use std::collections::HashSet;

use thiserror::Error;

use crate::{Board, Configuration, Game, Insertion, Player};

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// Positions in which the winner was to move and the one move advised was tried.
    pub advised: u64,
    /// Positions in which the loser was to move and every move was tried.
    pub tried: u64,
    /// The most configurations that were kept for one position.
    pub met: usize,
}

/// Why the advice is no proof.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProofError {
    /// No move was advised.
    #[error("no move is advised on {board}, {to_move} to move")]
    NoAdvice {
        /// The board.
        board: Board,
        /// The player who is said to win.
        to_move: Player,
    },
    /// The game ended for the other player.
    #[error("{insertion} on {board} loses: {ending}")]
    Lost {
        /// The board.
        board: Board,
        /// The move.
        insertion: Insertion,
        /// How the game ended.
        ending: String,
    },
}

/// A position with all that can matter to it, exactly. It holds the board and the player to move,
/// and in order the configurations met since a square was filled.
type Situation = (bool, Configuration, Vec<Configuration>);

/// Checks that `winner` wins a game that goes on by playing as `advise` says.
///
/// # Errors
/// [`ProofError`] at the first game that goes wrong.
pub fn check(
    start: &Game,
    winner: Player,
    mut advise: impl FnMut(&Game) -> Option<Insertion>,
) -> Result<Checked, ProofError> {
    let mut checked = Checked::default();
    let mut seen: HashSet<Situation> = HashSet::new();
    let mut open = vec![(start.clone(), start.now().to_move == winner)];
    while let Some((game, wins)) = open.pop() {
        let mut met: Vec<_> = game.met().cloned().collect();
        met.sort_unstable();
        checked.met = checked.met.max(met.len());
        if !seen.insert((wins, game.now().clone(), met)) {
            continue;
        }
        let Configuration { board, to_move } = game.now();
        let insertions: Vec<Insertion> = if wins {
            checked.advised += 1;
            let no_advice = || ProofError::NoAdvice { board: board.clone(), to_move: *to_move };
            vec![advise(&game).ok_or_else(no_advice)?]
        } else {
            checked.tried += 1;
            Insertion::all(board.size()).collect()
        };
        for insertion in insertions {
            let mut next = game.clone();
            next.play(insertion);
            let Some(ending) = next.ending() else {
                open.push((simplest(next), !wins));
                continue;
            };
            if (ending.winner == *to_move) != wins {
                let (board, ending) = (board.clone(), ending.to_string());
                return Err(ProofError::Lost { board, insertion, ending });
            }
        }
    }
    Ok(checked)
}

/// The simplest game that is worth the same. Where only the present board was met, boards that
/// differ by a turn, a mirror or an exchange of colours are the same: X is to move, and the first
/// board in order is taken.
fn simplest(game: Game) -> Game {
    let Configuration { board, to_move } = game.now();
    if game.met().count() > 1 {
        return game;
    }
    let size = board.size();
    let last = size - 1;
    let mut images = Vec::with_capacity(8);
    for mirrored in [false, true] {
        for quarter_turns in 0..4 {
            let mut image = Board::empty(size);
            for row in 0..size {
                for column in 0..size {
                    let (mut r, mut c) = if mirrored { (column, row) } else { (row, column) };
                    for _ in 0..quarter_turns {
                        (r, c) = (c, last - r);
                    }
                    let marker = board.square(row, column);
                    *image.square_mut(r, c) = match to_move {
                        Player::X => marker,
                        Player::O => marker.map(Player::other),
                    };
                }
            }
            images.push(image);
        }
    }
    let board = images.into_iter().min().expect("eight images");
    Game::new(Configuration { board, to_move: Player::X }, game.repeat())
}
