//! A game from its first move to its end.

use std::collections::HashSet;
use std::fmt;

use crate::{Board, Insertion, Player, Straights};

/// The two readings of what the rules call a configuration, which must not be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Repeat {
    /// The board and the player to move, as the judges of the contest ruled.
    #[default]
    Player,
    /// The board alone, as the rules can be read.
    Board,
}

/// A board and the player to move.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Configuration {
    /// The board.
    pub board: Board,
    /// The player to move.
    pub to_move: Player,
}

/// Which rule ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// One colour has more straights.
    Straights(Straights),
    /// The loser repeated a configuration.
    Repetition,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Who won.
    pub winner: Player,
    /// Why that player won.
    pub reason: Reason,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let winner = self.winner;
        match self.reason {
            Reason::Straights(Straights { x, o }) => {
                write!(f, "{winner} wins: straights {}:{}", x.max(o), x.min(o))
            }
            Reason::Repetition => write!(f, "{winner} wins: repetition by {}", winner.other()),
        }
    }
}

/// A game: its present configuration, and the part of its past that still matters.
#[derive(Clone, Debug)]
pub struct Game {
    now: Configuration,
    repeat: Repeat,
    /// The configurations since the last insertion that filled a square, the present one included.
    /// Earlier ones have fewer markers and cannot come again.
    met: HashSet<Configuration>,
    moves: usize,
    ending: Option<Ending>,
}

impl Game {
    /// A game that begins at a configuration, whatever was before.
    #[must_use]
    pub fn new(start: Configuration, repeat: Repeat) -> Self {
        let met = HashSet::from([start.clone()]);
        Self { now: start, repeat, met, moves: 0, ending: None }
    }

    /// The board and the player to move.
    #[must_use]
    pub fn now(&self) -> &Configuration {
        &self.now
    }

    /// How the rule of repetition is read.
    #[must_use]
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// The configurations since the last insertion that filled a square, the present one included.
    pub fn met(&self) -> impl Iterator<Item = &Configuration> {
        self.met.iter()
    }

    /// How many moves were made.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// How the game ended, if it has.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Whether a configuration repeats one that was met.
    fn repeats(&self, next: &Configuration) -> bool {
        let swapped = || Configuration { board: next.board.clone(), to_move: next.to_move.other() };
        self.met.contains(next) || self.repeat == Repeat::Board && self.met.contains(&swapped())
    }

    /// Makes a move.
    ///
    /// # Panics
    /// After the end of the game, or when the board has no such line.
    pub fn play(&mut self, insertion: Insertion) {
        assert!(self.ending.is_none(), "no move after the end");
        assert!((1..=self.now.board.size()).contains(&insertion.line), "a line of the board");
        let mover = self.now.to_move;
        let board = self.now.board.insert(insertion, mover);
        let next = Configuration { board, to_move: mover.other() };
        let straights = next.board.straights();
        self.ending = if self.repeats(&next) {
            Some(Ending { winner: mover.other(), reason: Reason::Repetition })
        } else {
            let reason = Reason::Straights(straights);
            straights.dominant().map(|winner| Ending { winner, reason })
        };
        let empty = |board: &Board| board.squares().iter().filter(|s| s.is_none()).count();
        if empty(&next.board) < empty(&self.now.board) {
            self.met.clear();
        }
        self.met.insert(next.clone());
        self.now = next;
        self.moves += 1;
    }
}
