//! Solves Pousse without the rule of repetition: a game without end counts for neither player.
//!
//! Insertions never empty a square. So boards with the same filled squares are solved together,
//! after those with more filled squares. Sets of filled squares that differ by a symmetry alone are
//! solved once.

use std::cmp::Ordering;

use crate::packed::{Packed, Tables};
use crate::{Configuration, MAX_SOLVED};

/// The value of a position in plain play for the player to move, with the number of moves until the
/// end. The winner hastens the end, the loser delays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The player to move wins after this number of moves, those of the opponent included.
    Win(u8),
    /// The player to move loses after this number of moves, those of the opponent included.
    Loss(u8),
    /// Neither player can force the end.
    Cycle,
}

/// The plain values of all boards of one size.
#[derive(Debug)]
pub struct Plain {
    size: usize,
    tables: Tables,
    /// The sum of 3^i over the squares i of a set.
    ternary: Vec<u32>,
    /// Which symmetry takes a set of filled squares to the least of its images.
    turn: Vec<u8>,
    /// The plies until the end, 0 for a cycle. Odd numbers are wins, even ones losses.
    plies: Vec<u8>,
}

/// A board whose value depends on boards with the same filled squares.
struct Pending {
    board: Packed,
    /// How soon the first lost option with other filled squares is over, if there is one.
    lost: Option<u8>,
    /// How late the last won option with other filled squares is over.
    won: u8,
    /// Whether an option with other filled squares is a cycle.
    cycle: bool,
    /// The options with the same filled squares.
    here: Vec<Packed>,
}

impl Plain {
    /// Solves all boards of a size. The largest size takes some seconds and 50 MB.
    ///
    /// # Panics
    /// On a board that is larger than 4 x 4.
    #[must_use]
    pub fn new(size: usize) -> Self {
        assert!((1..=MAX_SOLVED).contains(&size), "boards of up to 4 x 4 are solved");
        let tables = Tables::new(size);
        let sets = 1_u32 << (size * size);
        let powers = |set: u32| (0..16).filter(|i| set >> i & 1 == 1).map(|i| 3_u32.pow(i)).sum();
        let turn = |set: u32| {
            let images = tables.images(Packed { own: set as u16, other: 0 }).enumerate();
            images.min_by_key(|(_, image)| image.own).map_or(0, |(index, _)| index as u8)
        };
        let ternary = (0..sets).map(powers).collect();
        let turn: Vec<u8> = (0..sets).map(turn).collect();
        let mut filled: Vec<u16> = (0..sets).map(|set| set as u16).collect();
        filled.retain(|&set| turn[usize::from(set)] == 0);
        filled.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
        let plies = vec![0; 3_usize.pow((size * size) as u32)];
        let mut plain = Self { size, tables, ternary, turn, plies };
        for filled in filled {
            plain.solve(filled);
        }
        plain
    }

    /// The value of a position.
    ///
    /// # Panics
    /// On another size of board, or when a colour has more straights, as the game is over then.
    #[must_use]
    pub fn value(&self, position: &Configuration) -> Value {
        assert_eq!(position.board.size(), self.size, "a board of the size that was solved");
        let board = Packed::of(&position.board, position.to_move);
        assert_eq!(self.tables.straights(board), Ordering::Equal, "the game goes on");
        match self.plies[self.index(board)] {
            0 => Value::Cycle,
            plies if plies % 2 == 1 => Value::Win(plies),
            plies => Value::Loss(plies),
        }
    }

    fn index(&self, board: Packed) -> usize {
        let turn = self.turn[usize::from(board.filled())];
        let Packed { own, other } = self.tables.image(turn, board);
        (self.ternary[usize::from(own)] + 2 * self.ternary[usize::from(other)]) as usize
    }

    /// Solves all boards with these filled squares.
    fn solve(&mut self, filled: u16) {
        let mut pending = Vec::new();
        let mut own = filled;
        loop {
            let board = Packed { own, other: filled & !own };
            if self.tables.straights(board) == Ordering::Equal {
                let board = self.look(board);
                if board.here.is_empty() && !board.cycle && board.lost.is_none() {
                    let index = self.index(board.board);
                    self.plies[index] = board.won + 1;
                } else {
                    pending.push(board);
                }
            }
            if own == 0 {
                break;
            }
            own = (own - 1) & filled;
        }
        let latest = |p: &Pending| p.won.max(p.lost.unwrap_or(0));
        let latest = pending.iter().map(latest).max().unwrap_or(0);
        // A board that is decided n plies before the end rests on boards that are decided later. So
        // `plies` counts up.
        let (mut plies, mut quiet) = (1, 0);
        while plies <= latest + 1 || quiet < 2 {
            let decided: Vec<bool> =
                pending.iter().map(|board| self.is_decided(board, plies)).collect();
            quiet = if decided.contains(&true) { 0 } else { quiet + 1 };
            let mut decided = decided.into_iter();
            pending.retain(|board| {
                let decided = decided.next().expect("one for each");
                if decided {
                    let index = self.index(board.board);
                    self.plies[index] = plies;
                }
                !decided
            });
            plies += 1;
        }
    }

    /// The options of a board, sorted by what is known of them.
    fn look(&self, board: Packed) -> Pending {
        let mut found = Pending { board, lost: None, won: 0, cycle: false, here: Vec::new() };
        let lose_in =
            |lost: Option<u8>, plies| Some(lost.map_or(plies, |lost: u8| lost.min(plies)));
        for (_, next) in self.tables.options(board) {
            match self.tables.straights(next) {
                Ordering::Less => found.lost = lose_in(found.lost, 0),
                // The opponent has won at once, in 0 moves, so the latest won option stays as it
                // is.
                Ordering::Greater => {}
                Ordering::Equal if next.filled() == board.filled() => found.here.push(next),
                Ordering::Equal => match self.plies[self.index(next)] {
                    0 => found.cycle = true,
                    plies if plies % 2 == 0 => found.lost = lose_in(found.lost, plies),
                    plies => found.won = found.won.max(plies),
                },
            }
        }
        found
    }

    /// Whether a board that is not decided in fewer moves is decided in exactly `plies`.
    fn is_decided(&self, board: &Pending, plies: u8) -> bool {
        let here = || board.here.iter().map(|&next| self.plies[self.index(next)]);
        if plies % 2 == 1 {
            board.lost == Some(plies - 1) || plies > 1 && here().any(|of| of == plies - 1)
        } else {
            // A loss needs all options won, the last of them in the number of moves before.
            !board.cycle
                && board.lost.is_none()
                && board.won < plies
                && here().all(|of| of % 2 == 1 && of < plies)
        }
    }
}
