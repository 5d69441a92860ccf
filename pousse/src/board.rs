//! Boards: squares, markers, straights.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::MAX_SIZE;

/// A player, and the colour of that player's markers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Player {
    /// The first player.
    X,
    /// The second player.
    O,
}

impl Player {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::X => Self::O,
            Self::O => Self::X,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X => "X",
            Self::O => "O",
        })
    }
}

/// A square board with its markers, written as rows from top to bottom: `X../.O./...`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    size: usize,
    /// Row by row from the top, each from the left.
    squares: Vec<Option<Player>>,
}

/// How many straights each colour has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Straights {
    /// Rows and columns full of X.
    pub x: usize,
    /// Rows and columns full of O.
    pub o: usize,
}

impl Straights {
    /// The colour with more straights.
    #[must_use]
    pub fn dominant(self) -> Option<Player> {
        match self.x.cmp(&self.o) {
            std::cmp::Ordering::Greater => Some(Player::X),
            std::cmp::Ordering::Less => Some(Player::O),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// Why a text is no board, or a board cannot occur in a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BoardError {
    /// The board has no rows, or too many.
    #[error(
        "a board has 1 to {MAX_SIZE} rows, not {0}; write them from the top with `/` between them, as in X../.O./..."
    )]
    Size(usize),
    /// A row is too short or too long.
    #[error(
        "column {column}: row {row} has {found} squares; the board has {rows} rows, so each has {rows} squares"
    )]
    Ragged {
        /// The column of the text where the row begins, counted from 1.
        column: usize,
        /// The number of the row, counted from 1.
        row: usize,
        /// The squares of the row.
        found: usize,
        /// The rows of the board.
        rows: usize,
    },
    /// A character that is no square.
    #[error("column {column}: `{found}` is no square; a square is X, O or . (empty)")]
    Square {
        /// The column of the text, counted from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// One colour has more straights, so the game was over before.
    #[error("the game on this board is over: {winner} has more straights ({}:{})", straights.x.max(straights.o), straights.x.min(straights.o))]
    Over {
        /// The winner.
        winner: Player,
        /// The straights.
        straights: Straights,
    },
    /// No line is full, but the numbers of markers do not fit the number of moves.
    #[error(
        "no game leads here: no row or column is full, so no marker was pushed off, {x} X and {o} O are {} moves, \
         and then {needed}", x + o
    )]
    Unreachable {
        /// Markers of X.
        x: usize,
        /// Markers of O.
        o: usize,
        /// What the rules demand of this number of markers.
        needed: String,
    },
}

impl Board {
    /// The empty board.
    ///
    /// # Panics
    /// When `size` is 0.
    #[must_use]
    pub fn empty(size: usize) -> Self {
        assert!(size > 0, "a board has squares");
        Self { size, squares: vec![None; size * size] }
    }

    /// The number of rows, which is that of columns.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The square in a row and a column, both counted from 0.
    #[must_use]
    pub fn square(&self, row: usize, column: usize) -> Option<Player> {
        self.squares[row * self.size + column]
    }

    pub(crate) fn square_mut(&mut self, row: usize, column: usize) -> &mut Option<Player> {
        &mut self.squares[row * self.size + column]
    }

    /// The squares row by row from the top, each row from the left.
    #[must_use]
    pub fn squares(&self) -> &[Option<Player>] {
        &self.squares
    }

    /// How many markers of one colour are on the board.
    #[must_use]
    pub fn markers(&self, player: Player) -> usize {
        self.squares.iter().filter(|&&square| square == Some(player)).count()
    }

    /// The rows and columns that hold one colour alone.
    #[must_use]
    pub fn straights(&self) -> Straights {
        let mut straights = Straights::default();
        for line in 0..self.size {
            let row = (0..self.size).map(|i| self.square(line, i));
            let column = (0..self.size).map(|i| self.square(i, line));
            for colour in [common(row), common(column)].into_iter().flatten() {
                match colour {
                    Player::X => straights.x += 1,
                    Player::O => straights.o += 1,
                }
            }
        }
        straights
    }

    /// Whether a row or a column has no empty square, so that a marker can have been pushed off.
    fn has_full_line(&self) -> bool {
        (0..self.size).any(|line| {
            (0..self.size).all(|i| self.square(line, i).is_some())
                || (0..self.size).all(|i| self.square(i, line).is_some())
        })
    }

    /// The player to move, where the markers tell it. Filled squares stay filled. So while no line
    /// is full, no marker was pushed off, and there are as many markers as moves.
    #[must_use]
    pub fn implied_turn(&self) -> Option<Player> {
        let (x, o) = (self.markers(Player::X), self.markers(Player::O));
        (!self.has_full_line()).then_some(if x > o { Player::O } else { Player::X })
    }

    /// Checks as far as the board shows whether a game can lead to it, and go on from it.
    ///
    /// # Errors
    /// [`BoardError::Over`], or [`BoardError::Unreachable`].
    pub fn check(&self, to_move: Player) -> Result<(), BoardError> {
        let straights = self.straights();
        if let Some(winner) = straights.dominant() {
            return Err(BoardError::Over { winner, straights });
        }
        let (x, o) = (self.markers(Player::X), self.markers(Player::O));
        if self.has_full_line() {
            return Ok(());
        }
        let needed = if x != o && x != o + 1 {
            format!("{} of them are X", (x + o).div_ceil(2))
        } else if self.implied_turn() != Some(to_move) {
            format!("{} is to move", to_move.other())
        } else {
            return Ok(());
        };
        Err(BoardError::Unreachable { x, o, needed })
    }
}

/// The colour of all squares of a line, if there is one.
fn common(mut line: impl Iterator<Item = Option<Player>>) -> Option<Player> {
    let first = line.next()??;
    line.all(|square| square == Some(first)).then_some(first)
}

impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        let rows: Vec<&str> = text.split('/').collect();
        let size = rows.len();
        if size > MAX_SIZE || text.is_empty() {
            return Err(BoardError::Size(if text.is_empty() { 0 } else { size }));
        }
        let mut board = Self::empty(size);
        let mut column = 1;
        for (r, row) in rows.into_iter().enumerate() {
            let found = row.chars().count();
            for (c, square) in row.chars().enumerate() {
                let marker = match square {
                    'X' => Some(Player::X),
                    'O' => Some(Player::O),
                    '.' => None,
                    found => return Err(BoardError::Square { column: column + c, found }),
                };
                if c < size {
                    *board.square_mut(r, c) = marker;
                }
            }
            if found != size {
                return Err(BoardError::Ragged { column, row: r + 1, found, rows: size });
            }
            column += found + 1;
        }
        Ok(board)
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (r, row) in self.squares.chunks(self.size).enumerate() {
            if r > 0 {
                f.write_str("/")?;
            }
            for square in row {
                match square {
                    Some(player) => write!(f, "{player}")?,
                    None => f.write_str(".")?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_printed_as_they_were_read() {
        for text in [".", "X./.O", "OXX./...O/OXOX/XOXO"] {
            assert_eq!(text.parse::<Board>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn mistakes_name_their_place() {
        let error = |text: &str| text.parse::<Board>().expect_err(text).to_string();
        assert!(error("").starts_with("a board has 1 to 100 rows, not 0"));
        assert!(error(&"./".repeat(100)).starts_with("a board has 1 to 100 rows, not 101"));
        assert!(error("X./.OO").starts_with("column 4: row 2 has 3 squares"));
        assert!(error("X./.").starts_with("column 4: row 2 has 1 squares"));
        assert!(error("X./x.").starts_with("column 4: `x` is no square"));
    }

    #[test]
    fn straights_are_rows_and_columns() {
        let straights = |text: &str| text.parse::<Board>().expect(text).straights();
        assert_eq!(straights("X"), Straights { x: 2, o: 0 });
        assert_eq!(straights("XO/XO"), Straights { x: 1, o: 1 });
        assert_eq!(straights("XX/XO").dominant(), Some(Player::X));
        assert_eq!(straights("XO/OX"), Straights::default());
    }

    #[test]
    fn boards_that_cannot_occur_are_refused() {
        let check = |text: &str, player| text.parse::<Board>().expect(text).check(player);
        assert_eq!(check(".../.../...", Player::X), Ok(()));
        assert_eq!(check(".../.X./...", Player::O), Ok(()));
        assert_eq!(check("..X/..O/..O", Player::X), Ok(()), "a column is full");
        for (text, player, part) in [
            (".../.../...", Player::O, "0 X and 0 O are 0 moves, and then X is to move"),
            (".../.O./...", Player::X, "0 X and 1 O are 1 moves, and then 1 of them are X"),
            ("XX./.../..X", Player::O, "3 moves, and then 2 of them are X"),
            ("XXX/.O./.O.", Player::O, "is over: X has more straights (1:0)"),
        ] {
            let error = check(text, player).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
