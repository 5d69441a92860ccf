//! Every move of a position with its value.

use crate::{Ending, Game, Insertion, Plain, Player, Solver, Value};

/// A move, and what it is worth to the player who makes it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move.
    pub insertion: Insertion,
    /// The game after it.
    pub after: Game,
    /// Whether the move wins, by all rules.
    pub wins: bool,
    /// The value of the move when games without end count for neither player, and nothing that was
    /// met matters. The number of moves counts this one.
    pub plain: Value,
}

impl Choice {
    /// In how many moves the game ends, where the end does not depend on the rule of repetition.
    #[must_use]
    pub fn plies(&self) -> Option<u8> {
        match self.plain {
            Value::Win(plies) if self.wins => Some(plies),
            Value::Loss(plies) if !self.wins => Some(plies),
            _ => None,
        }
    }
}

/// Values moves by both ways to solve a board.
#[derive(Debug)]
pub struct Analyst {
    /// Solves boards with the rule of repetition.
    pub solver: Solver,
    /// Solves boards without the rule of repetition.
    pub plain: Plain,
}

impl Analyst {
    /// Every move of a game that is not over. Wins come before losses, the soonest win and the
    /// latest loss first.
    ///
    /// # Panics
    /// When the game is over, or has another board or rule of repetition than the solver.
    pub fn choices(&mut self, game: &Game) -> Vec<Choice> {
        let mover = game.now().to_move;
        let choice = |insertion| {
            let mut after = game.clone();
            after.play(insertion);
            let plain = match after.ending() {
                Some(ending) => ended(ending, mover),
                None => match self.plain.value(after.now()) {
                    Value::Win(plies) => Value::Loss(plies + 1),
                    Value::Loss(plies) => Value::Win(plies + 1),
                    Value::Cycle => Value::Cycle,
                },
            };
            let wins = self.solver.winner(&after) == mover;
            Choice { insertion, after, wins, plain }
        };
        let mut choices: Vec<_> = Insertion::all(game.now().board.size()).map(choice).collect();
        choices.sort_by_key(|choice| {
            let soon = choice.plies().unwrap_or(u8::MAX);
            (!choice.wins, if choice.wins { soon } else { u8::MAX - soon })
        });
        choices
    }
}

/// The value of the last move to the player who made it.
fn ended(ending: Ending, mover: Player) -> Value {
    if ending.winner == mover { Value::Win(1) } else { Value::Loss(1) }
}
