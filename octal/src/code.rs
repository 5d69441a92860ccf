//! The code of an octal game.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::Arc;

/// The most digits after the point.
const MOST_DIGITS: usize = 1_000;

/// Bits of a digit: how many heaps a move may leave in the place of one.
const NONE: u8 = 1;
const ONE: u8 = 2;
const TWO: u8 = 4;

/// The code of an octal game: `0.77`, or `0.3..` if the last digit goes on without end.
///
/// Digit k after the point says what may become of a heap from which k tokens are taken: 1, no heap
/// is left; 2, one heap is left; 4, two heaps are left; and the sums of these. The digit before the
/// point is 4 if a heap may be split in two and nothing taken, and 0 otherwise (R. K. Guy and C. A.
/// B. Smith, *The G-values of various games*, 1956).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The digit before the point, and those after it up to the last that counts.
    digits: Arc<[u8]>,
    /// Whether the last digit goes on without end.
    repeats: bool,
}

/// A text that is no code.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct CodeError {
    /// The column of the problem, in characters from 1 on.
    pub column: usize,
    /// What is wrong there.
    pub problem: CodeProblem,
}

/// What is wrong with a code.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CodeProblem {
    /// Another character stands where the first digit should.
    #[error(
        "the digit before the point is `{0}`; write 0, or 4 if a heap may be split and nothing taken"
    )]
    First(char),
    /// The point is missing.
    #[error("a point is missing after the first digit; write a code as 0.77")]
    Point,
    /// No digit stands after the point.
    #[error("a digit from 0 to 7 is missing after the point; write a code as 0.77")]
    End,
    /// Another character stands where a digit should.
    #[error("digit {place} after the point is `{found}`, and not one of 0 to 7")]
    Digit {
        /// Its place after the point, from 1 on.
        place: usize,
        /// What stands there.
        found: char,
    },
    /// Too many digits.
    #[error("more than {MOST_DIGITS} digits; write a shorter code")]
    Long,
}

impl FromStr for Code {
    type Err = CodeError;

    /// Reads a code. The digit before the point may be left out where it is 0.
    fn from_str(text: &str) -> Result<Self, CodeError> {
        let error = |column, problem| CodeError { column, problem };
        let characters: Vec<char> = text.chars().collect();
        let (first, point) = match characters.first() {
            Some('.') => (0, 0),
            Some('0') => (0, 1),
            Some('4') => (TWO, 1),
            Some(&other) => return Err(error(1, CodeProblem::First(other))),
            None => return Err(error(1, CodeProblem::End)),
        };
        if characters.get(point) != Some(&'.') {
            return Err(error(point + 1, CodeProblem::Point));
        }
        let after = &characters[point + 1..];
        let (after, repeats) = match after.strip_suffix(&['.', '.']) {
            Some(repeated) => (repeated, true),
            None => (after, false),
        };
        if after.is_empty() {
            return Err(error(point + 2, CodeProblem::End));
        }
        if after.len() > MOST_DIGITS {
            return Err(error(point + 2 + MOST_DIGITS, CodeProblem::Long));
        }
        let mut digits = vec![first];
        for (place, &found) in (1..).zip(after) {
            match found.to_digit(8) {
                Some(digit) => digits.push(digit as u8),
                None => return Err(error(point + 1 + place, CodeProblem::Digit { place, found })),
            }
        }
        Ok(Self::of(digits, repeats))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.digits[0])?;
        let after = &self.digits[1..];
        if after.is_empty() {
            return write!(f, "0");
        }
        after.iter().try_for_each(|digit| write!(f, "{digit}"))?;
        if self.repeats { write!(f, "..") } else { Ok(()) }
    }
}

impl Code {
    /// The game of these digits, so that equal games of one length have equal codes: without zeros
    /// at the end, and without digits that the last one repeats.
    fn of(mut digits: Vec<u8>, repeats: bool) -> Self {
        let last = if repeats { digits.last().copied().unwrap_or(0) } else { 0 };
        while digits.len() > 1 && digits.last() == Some(&last) {
            digits.pop();
        }
        let repeats = last > 0;
        if repeats {
            digits.push(last);
        }
        Self { digits: digits.into(), repeats }
    }

    /// How many digits after the point count: the most tokens that a move takes. None if the last
    /// digit goes on without end.
    #[must_use]
    pub fn length(&self) -> Option<u32> {
        (!self.repeats).then_some(self.digits.len() as u32 - 1)
    }

    /// The digit for this many taken tokens.
    fn digit(&self, taken: u32) -> u8 {
        let last = if self.repeats { self.digits[self.digits.len() - 1] } else { 0 };
        self.digits.get(taken as usize).copied().unwrap_or(last)
    }

    /// Calls `visit` with the two heaps that each move leaves of a heap, the smaller one first; a
    /// heap that is not there is 0. Ends as soon as `visit` breaks.
    ///
    /// # Errors
    /// None: [`ControlFlow::Break`] says that `visit` has broken.
    #[inline]
    pub fn moves(
        &self,
        heap: u32,
        mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let most = self.length().unwrap_or(heap).min(heap);
        for taken in 0..=most {
            let (digit, left) = (self.digit(taken), heap - taken);
            if digit & NONE != 0 && left == 0 || digit & ONE != 0 && left > 0 {
                visit(0, left)?;
            }
            if digit & TWO != 0 {
                for one in 1..=left / 2 {
                    visit(one, left - one)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether a heap has a move.
    #[must_use]
    pub fn has_moves(&self, heap: u32) -> bool {
        self.moves(heap, |_, _| ControlFlow::Break(())).is_break()
    }
}
