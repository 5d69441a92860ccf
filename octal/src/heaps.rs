//! Positions: sums of heaps.

use std::fmt;
use std::str::FromStr;

/// The most tokens of a heap.
pub const MOST_TOKENS: u32 = 1_000_000;

/// The most heaps of a position.
const MOST_HEAPS: usize = 1_000;

/// A sum of heaps, the small ones first, without those of 0 tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heaps(Vec<u32>);

/// A text that is no sum of heaps.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {problem}")]
pub struct HeapsError {
    /// The column of the problem, in characters from 1 on.
    pub column: usize,
    /// What is wrong there.
    pub problem: HeapsProblem,
}

/// What is wrong with a sum of heaps.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HeapsProblem {
    /// No number stands there.
    #[error("a heap is a number of tokens; write a position as 7+12")]
    Number,
    /// The heap is too large.
    #[error("a heap has at most {MOST_TOKENS} tokens")]
    Large,
    /// There are too many heaps.
    #[error("a position has at most {MOST_HEAPS} heaps")]
    Many,
}

impl FromStr for Heaps {
    type Err = HeapsError;

    /// Reads numbers of tokens with `+` between them. Blanks do no harm. `0` is the empty position.
    fn from_str(text: &str) -> Result<Self, HeapsError> {
        let (mut heaps, mut column) = (Vec::new(), 1);
        for part in text.split('+') {
            let blanks = part.len() - part.trim_ascii_start().len();
            let number = part.trim_ascii();
            let error = |within, problem| HeapsError { column: column + blanks + within, problem };
            let digits = number.bytes().take_while(u8::is_ascii_digit).count();
            if digits < number.len() || number.is_empty() {
                return Err(error(digits, HeapsProblem::Number));
            }
            let tokens = number.parse().ok().filter(|&tokens| tokens <= MOST_TOKENS);
            heaps.push(tokens.ok_or_else(|| error(0, HeapsProblem::Large))?);
            if heaps.len() > MOST_HEAPS {
                return Err(error(0, HeapsProblem::Many));
            }
            column += part.chars().count() + 1;
        }
        Ok(heaps.into_iter().collect())
    }
}

impl FromIterator<u32> for Heaps {
    fn from_iter<T: IntoIterator<Item = u32>>(heaps: T) -> Self {
        let mut heaps: Vec<u32> = heaps.into_iter().filter(|&heap| heap > 0).collect();
        heaps.sort_unstable();
        Self(heaps)
    }
}

impl fmt::Display for Heaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heaps: Vec<String> = self.0.iter().map(u32::to_string).collect();
        write!(f, "{}", if heaps.is_empty() { "0".to_owned() } else { heaps.join("+") })
    }
}

impl Heaps {
    /// The heaps, the small ones first.
    #[must_use]
    pub fn heaps(&self) -> &[u32] {
        &self.0
    }

    /// The largest heap; 0 if there is none.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }
}
