//! Every move of a position with its value.

use crate::{Ending, Game, Insertion, Plain, Player, Solver, Value};

/// A move, and what it is worth to the player who makes it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move.
    pub insertion: Insertion,
    /// The game after it.
    pub after: Game,
    /// Whether it wins, by all rules.
    pub wins: bool,
    /// What it is worth when games without end count for neither player, and nothing that was met
    /// matters; the number of moves counts this one.
    pub plain: Value,
}

impl Choice {
    /// In how many moves the game ends, where repetition is not needed for that.
    #[must_use]
    pub fn plies(&self) -> Option<u8> {
        match self.plain {
            Value::Win(plies) if self.wins => Some(plies),
            Value::Loss(plies) if !self.wins => Some(plies),
            _ => None,
        }
    }
}

/// Values moves: what both ways to solve a board know.
#[derive(Debug)]
pub struct Analyst {
    /// With the rule of repetition.
    pub solver: Solver,
    /// Without it.
    pub plain: Plain,
}

impl Analyst {
    /// Every move of a game that is not over: wins before losses, the soonest win and the latest
    /// loss first.
    ///
    /// # Panics
    /// When the game is over, or not one for the solver.
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
