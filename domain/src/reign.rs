//! Reigns: which of several coordinators leads the jobs of one line of databases.

use std::fmt;

/// Bytes of the proof of a reign.
const PROOF: usize = 32;

/// The right to lead the jobs of a line of databases. The first coordinator of a line has reign 0;
/// each follower that is promoted has the next one, with a proof that the owner of the line has
/// promoted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reign {
    /// The identity of the first database of the line.
    pub line: u64,
    /// How many promotions there were.
    pub number: u64,
    /// A keyed hash of line and number under the owner's secret; zeros for reign 0, which needs
    /// none.
    pub proof: [u8; PROOF],
}

impl Reign {
    /// The first of a line.
    #[must_use]
    pub const fn first(line: u64) -> Self {
        Self { line, number: 0, proof: [0; PROOF] }
    }

    /// Whether it leads where `other` led: it is a later one of the same line.
    #[must_use]
    pub const fn succeeds(&self, other: &Self) -> bool {
        self.line == other.line && self.number > other.number
    }
}

/// `reign 2 of line 00c0ffee00c0ffee`.
impl fmt::Display for Reign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reign {} of line {:016x}", self.number, self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_reign_of_the_same_line_succeeds() {
        let first = Reign::first(7);
        let second = Reign { number: 1, ..first };
        assert!(second.succeeds(&first) && !first.succeeds(&second) && !second.succeeds(&second));
        assert!(!Reign { line: 8, ..second }.succeeds(&first));
        assert_eq!(second.to_string(), "reign 1 of line 0000000000000007");
    }
}
