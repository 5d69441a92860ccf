//! Insertions: the moves of Pousse.

use std::fmt;

use thiserror::Error;

use crate::{Board, Player};

/// The side of the board from which a marker is pushed in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// `L`: into a row, from the left.
    Left,
    /// `R`: into a row, from the right.
    Right,
    /// `T`: into a column, from the top.
    Top,
    /// `B`: into a column, from the bottom.
    Bottom,
}

/// A move: a side, and the row or column, counted from 1 at the top left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Insertion {
    /// Where the marker is pushed in.
    pub side: Side,
    /// The row or column, from 1.
    pub line: usize,
}

/// Why a text is no move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum InsertionError {
    /// The text is not a side and a number.
    #[error("`{0}` is no move; a move is L, R, T or B and the number of a row or column, as in L1")]
    Shape(String),
    /// The board does not have this line.
    #[error("`{text}` names line {line}; a {size} x {size} board has rows and columns 1 to {size}")]
    Line {
        /// The text.
        text: String,
        /// The line that the text names.
        line: String,
        /// The size of the board.
        size: usize,
    },
}

impl Insertion {
    /// Reads a move on a board of `size` rows. Small letters are the same as capitals.
    ///
    /// # Errors
    /// [`InsertionError`] when the text is no move.
    pub fn read(text: &str, size: usize) -> Result<Self, InsertionError> {
        let shape = || InsertionError::Shape(text.chars().take(20).collect());
        let mut chars = text.chars();
        let side = match chars.next().map(|side| side.to_ascii_uppercase()) {
            Some('L') => Side::Left,
            Some('R') => Side::Right,
            Some('T') => Side::Top,
            Some('B') => Side::Bottom,
            _ => return Err(shape()),
        };
        let digits = chars.as_str();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(shape());
        }
        let outside = || InsertionError::Line {
            text: text.chars().take(20).collect(),
            line: digits.chars().take(19).collect(),
            size,
        };
        let line =
            digits.parse().ok().filter(|line| (1..=size).contains(line)).ok_or_else(outside)?;
        Ok(Self { side, line })
    }

    /// All moves on a board of `size` rows.
    pub fn all(size: usize) -> impl Iterator<Item = Self> {
        let sides = [Side::Left, Side::Right, Side::Top, Side::Bottom];
        sides.into_iter().flat_map(move |side| (1..=size).map(move |line| Self { side, line }))
    }

    /// The squares (row, column) that the marker passes, beginning at the side where it is pushed
    /// in.
    pub fn squares(self, size: usize) -> impl Iterator<Item = (usize, usize)> {
        let line = self.line - 1;
        (0..size).map(move |step| match self.side {
            Side::Left => (line, step),
            Side::Right => (line, size - 1 - step),
            Side::Top => (step, line),
            Side::Bottom => (size - 1 - step, line),
        })
    }
}

impl fmt::Display for Insertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Left => 'L',
            Side::Right => 'R',
            Side::Top => 'T',
            Side::Bottom => 'B',
        };
        write!(f, "{side}{}", self.line)
    }
}

impl Board {
    /// The board after a marker of `player` was pushed in. The markers up to the first empty square
    /// move one square further. Without an empty square the last marker falls off.
    #[must_use]
    pub fn insert(&self, insertion: Insertion, player: Player) -> Self {
        let mut board = self.clone();
        let mut pushed = Some(player);
        for (row, column) in insertion.squares(self.size()) {
            if pushed.is_none() {
                break;
            }
            pushed = std::mem::replace(board.square_mut(row, column), pushed);
        }
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_and_printed() {
        for text in ["L1", "R4", "T2", "B3"] {
            assert_eq!(Insertion::read(text, 4).expect(text).to_string(), text);
        }
        assert_eq!(Insertion::read("b3", 4), Insertion::read("B3", 4));
        assert_eq!(Insertion::all(4).count(), 16);
    }

    #[test]
    fn what_is_no_move_is_refused() {
        for text in ["X1", "L", "1L", "", "L+1", "L-1", "L1x", "é1", "L 1"] {
            let error = Insertion::read(text, 4).expect_err(text).to_string();
            assert!(error.contains("is no move; a move is L, R, T or B"), "{error}");
        }
        for text in ["L0", "L5", "T99999999999999999999999999"] {
            let error = Insertion::read(text, 4).expect_err(text).to_string();
            assert!(error.contains("rows and columns 1 to 4"), "{error}");
        }
    }

    #[test]
    fn markers_are_pushed_up_to_the_first_empty_square() {
        let pushed = |board: &str, text: &str| {
            let board: Board = board.parse().expect("a board");
            board.insert(Insertion::read(text, 3).expect("a move"), Player::X).to_string()
        };
        assert_eq!(pushed("O.O/.../...", "L1"), "XOO/.../...");
        assert_eq!(pushed("O.O/.../...", "R1"), "OOX/.../...");
        assert_eq!(pushed("OXO/.../...", "L1"), "XOX/.../...", "the last marker falls off");
        assert_eq!(pushed("O../O../X..", "T1"), "X../O../O..");
        assert_eq!(pushed("O../.../X..", "B1"), "O../X../X..");
    }
}
